// SPDX-License-Identifier: Apache-2.0
//
// How a scene is stepped in time, as its file says it. Evaluation of contact reads none of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace isopatch {

/// How one time step is made.
enum class Integrator : std::uint8_t {
  kMidpoint,  ///< implicit in the velocities, contact found in the middle of the step
  kEuler,     ///< implicit in the velocities, contact found where the step begins
  kSdirk2     ///< two implicit stages, of second order
};

/// The most solves of a step until normal and friction forces agree, where RolloutOptions has no number.
constexpr int usual_friction_passes(Integrator integrator) { return integrator == Integrator::kMidpoint ? 12 : 3; }

/// The points of a contact polygon that carry its forces.
enum class ContactPoints : std::uint8_t {
  kMatched,   ///< three with the area, centroid and second moments of the polygon
  kCentroid,  ///< its centroid (VL)
  kFan6       ///< six for each triangle about the centroid, for checking
};

/// How far the environments of a rollout differ from the scene at the start. What is not given is as in `isopatch
/// evaluate --envs`; 0 is no variation.
struct Variation {
  std::optional<double> position = {};  ///< of each coordinate of a free body, m, >= 0
  std::optional<double> angle = {};     ///< of its orientation, rad, in [0, pi]
  std::optional<double> speed = {};     ///< of each component of its linear velocity, m/s, >= 0; over the size of the
                                        ///< smallest body, of its angular velocity too
};

/// How a scene is stepped in time.
struct RolloutOptions {
  double time_step = 1e-3;                         ///< s, > 0
  double duration = 1;                             ///< s, > 0
  Integrator integrator = Integrator::kMidpoint;   ///< how a step is made
  ContactPoints points = ContactPoints::kMatched;  ///< where the forces of a polygon act
  std::array<double, 3> gravity = {0, 0, -9.81};   ///< m/s^2, world
  double tolerance = 1e-8;                         ///< of a solve, relative to the momenta; in [1e-15, 0.1]
  int max_iterations = 40;                         ///< of each solve, from 1 on
  std::optional<int> friction_passes = {};         ///< solves until normal and friction forces agree, from 1 on;
                                                   ///< without it usual_friction_passes()
  int max_substeps = 8;                            ///< that an environment's step is at most, from 1 on; euler has one
  int polygon_capacity = 0;                        ///< of an environment; 0: found by evaluating
  int geometry_iterations = 8;                     ///< of rigid parts: searches for velocities in a step until these
                                                   ///< do not overlap, in [1, 32]
  int relation_capacity = 0;                       ///< contacts and relations of rigid parts in an environment; 0:
                                                   ///< found by evaluating
  double speed_limit = 1e3;                        ///< m/s and rad/s, > 0: a body that is faster has diverged
  Variation variation = {};                        ///< of the environments at the start
};

}  // namespace isopatch
