// SPDX-License-Identifier: Apache-2.0
//
// What a Scene owns: the description it was made from, and the flat arrays that backends read.
#pragma once

#include <vector>

#include "host/scene/part_geometries.h"
#include "isopatch/detail/force_law/numbers.h"
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
  std::vector<Vec3d> centers_of_mass;       // of each body; empty if no pair touches by faces
  std::vector<double> part_radii;           // of each part, about its body's center; likewise
  SceneView view;                           // of the arrays above
};

/// What pairs that touch by faces need, in the arrays of `data`.
DistanceView distances_of(const SceneData& data);

/// Whether pairs measure how far parts are apart: their outputs have values, and no wrench is theirs.
bool measures_distances(const Scene& scene);

}  // namespace isopatch::detail
