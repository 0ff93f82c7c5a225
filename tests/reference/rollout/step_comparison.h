// SPDX-License-Identifier: Apache-2.0
//
// Steps of a Simulator in double against those of the reference.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "isopatch/scene/scene.h"

namespace isopatch::oracle {

/// A parameter of tests.
struct SceneCase {
  const char* name;
  SceneDescription (*make)();
};

inline std::ostream& operator<<(std::ostream& out, const SceneCase& scene) { return out << scene.name; }

/// How far two rollouts of a scene are apart, over all of their steps.
struct StepComparison {
  double state = 0;   // the largest difference of poses, velocities and joints, in m, rad, m/s and rad/s
  double memory = 0;  // of contact states, relative to the largest that the part pair has had
  double wrench = 0;  // of forces and of torques over a lever of 0.1 m, N
  double force = 0;   // the largest, N
  int contacts = 0;   // steps of pairs with a force
  std::uint32_t status = 0;
  std::vector<double> after_steps;  // the difference of states after each step
};

struct StepChoice {
  int steps = 100;
  double tolerance = 1e-13;  // of the simulator's solves; those of the reference end at 1e-15
  int contacts = 10;         // more there must be; -1: there may be none
  bool converges = true;     // at stops solves leave more: their forces follow from differences of rates
};

StepComparison compare_steps(SceneDescription scene, const StepChoice& choice);

/// Expects that steps agree within 1e-9, also of contact states.
void expect_agreement(const SceneDescription& scene, const StepChoice& choice = {});

}  // namespace isopatch::oracle
