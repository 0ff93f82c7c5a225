// SPDX-License-Identifier: Apache-2.0
//
// How much shared memory a warp needs for the features of part pairs.
#pragma once

#include <algorithm>
#include <cstddef>

#include "host/scene/scene_data.h"
#include "isopatch/detail/polytope/feature_memory.h"

namespace isopatch::detail {

/// Bytes for any part pair with the scene's geometries.
inline std::size_t memory_of_features(const SceneView& scene) {
  std::size_t most = 0;
  for (std::int32_t i = 0; i < scene.num_pair_views; ++i) {
    const PairView& view = scene.pairs[i];
    if (view.model != kPolytopeModel) continue;
    for (std::int32_t k = view.part_pairs_begin; k < view.part_pairs_end; ++k) {
      const auto shape = [&](std::int32_t part) { return scene.geometries[scene.parts[part].geometry].shape; };
      most = std::max(most, feature_memory_size(*shape(scene.part_pairs[k].a), *shape(scene.part_pairs[k].b)));
    }
  }
  return most;
}

/// The same for parts that have other geometries in some environments.
inline std::size_t memory_of_any_features(const SceneData& scene) {
  PolytopeView largest = {};
  for (const PolytopeView& shape : scene.geometries.shape_views) {
    largest.num_vertices = std::max(largest.num_vertices, shape.num_vertices);
    largest.num_faces = std::max(largest.num_faces, shape.num_faces);
    largest.num_edges = std::max(largest.num_edges, shape.num_edges);
  }
  return feature_memory_size(largest, largest);
}

}  // namespace isopatch::detail
