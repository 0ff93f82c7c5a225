// SPDX-License-Identifier: Apache-2.0
//
// What a Scene owns: the description it was made from, and the flat arrays that backends read.
#pragma once

#include <vector>

#include "host/scene/part_geometries.h"
#include "isopatch/detail/force_law/pair_law.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

struct SceneData {
  SceneDescription description;
  FlatGeometries geometries;
  std::vector<BodyView> bodies;
  std::vector<PartView> parts;
  std::vector<PairView> pairs;
  std::vector<PartPairView> part_pairs;
  std::vector<std::int32_t> placed_geometries;
  std::vector<std::int32_t> body_pairs, body_pairs_begin;
  std::vector<PairForceLaw> laws;           // of each pair view; empty if none has a memory
  std::vector<double> contact_states;       // at the start, Q x S; empty: zeros
  std::vector<std::uint8_t> planar_bodies;  // of each body; empty if none is
  std::vector<Vec3d> centers_of_mass;       // of each body; empty without pairs of polytopes
  std::vector<double> polytope_radii;       // of each part; likewise
  SceneView view;                           // of the arrays above
};

/// Whether a pair is of rigid polytopes.
inline bool has_polytopes(const Scene& scene) { return scene.data().view.pairs_of_model(kPolytopeModel) > 0; }

}  // namespace isopatch::detail
