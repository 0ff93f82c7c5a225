// SPDX-License-Identifier: Apache-2.0
//
// Random states of bodies whose contacts have a memory: points, exact balls, and pressure fields with bristles.
#pragma once

#include <string>
#include <vector>

#include "isopatch/isopatch.h"

namespace isopatch::oracle {

/// A scene and states of it. Positions are multiples of 2^-32 m, so that a move by 2^20 m is exact.
struct RememberingPairs {
  std::string name;
  SceneDescription scene;
  StateArrays states;
  std::vector<double> bends;  // of part pairs: how far bristles can bend, about, m
  double reach = 0.1;         // of the bodies, m
};

/// Balls as points against a half space, spheres, boxes, cylinders and capsules, from without and within, and exact
/// balls on a half space; either body first, of one part or of several.
std::vector<RememberingPairs> remembering_balls(std::int64_t environments, unsigned seed);

/// Pressure fields with bristles, or volumes: of primitives, and of the meshes among these that are there. Bodies
/// overlap by 3e-4 to 0.1 of their reach.
std::vector<RememberingPairs> remembering_fields(std::int64_t environments, unsigned seed, bool volumetric = false);

/// The same of bodies of several parts, which lie in one another.
std::vector<RememberingPairs> remembering_compounds(int scenes, std::int64_t environments, unsigned seed,
                                                    bool volumetric = false);

/// The meshes that remembering_fields() leaves out, since their files are missing.
std::vector<std::string> missing_meshes();

}  // namespace isopatch::oracle
