// SPDX-License-Identifier: Apache-2.0
//
// Two rigid bodies of convex parts: the relations of every two parts, how far apart the bodies are and what they have
// in common.
#pragma once

#include <optional>
#include <vector>

#include "host/reference/polytope/relations.h"

namespace isopatch::reference::polytope {

struct PolytopeBody {
  std::vector<ConvexShape> parts;                                          // in the frame of the body
  Vector3 center = Vector3::Zero();                                        // of mass, in the frame of the body
  Transform pose;                                                          // of the body in the world
  Vector3 velocity = Vector3::Zero(), angular_velocity = Vector3::Zero();  // of the centre of mass, world
};

struct PairSettings {
  std::optional<Real> margin, tolerance;  // m; without: 0.02 and 1e-6 of the smaller radius of two parts
  RelationMode mode = RelationMode::kExact;
  Real time_step = 0;
};

struct PartPair {
  int part_a = 0, part_b = 0;  // numbered in their bodies
  RelationRange range;
  RelationSet set;
  Contact nearest;   // the one with the largest gap
  Real overlap = 0;  // m^3, of polygons m^2; 0 unless that gap is negative

  /// They overlap by more than their tolerance.
  bool is_deep() const { return nearest.gap < -range.tolerance; }
};
PartPair evaluate_part_pair(const PolytopeBody& a, int part_a, const PolytopeBody& b, int part_b,
                            const PairSettings& settings);

struct PairResult {
  std::vector<PartPair> part_pairs;  // every two parts, in ascending order
  Real separation = 0;               // m, of the nearest two parts
  Real overlap = 0;                  // m^3 or m^2, of all
  bool is_deep = false;              // two parts overlap by more than their tolerance
};
PairResult evaluate_pair(const PolytopeBody& a, const PolytopeBody& b, const PairSettings& settings);

/// How far to look for contacts of two parts: the margin and what the motion of the bodies covers in a step. The radius
/// of a half space has no end: it is never the smaller one, and if it turns, so has the reach.
RelationRange range_of(const PolytopeBody& a, int part_a, const PolytopeBody& b, int part_b,
                       const PairSettings& settings);

}  // namespace isopatch::reference::polytope
