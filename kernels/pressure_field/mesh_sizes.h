// SPDX-License-Identifier: Apache-2.0
//
// How many cells meshes have, by which a call's kernels and its working memory are chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host/hierarchy/hierarchy.h"
#include "isopatch/detail/cells/field_geometry.h"

namespace isopatch::detail {

inline std::int64_t most_cells_of(const std::vector<Hierarchy>& hierarchies) {
  std::size_t most = 0;
  for (const Hierarchy& h : hierarchies) most = std::max(most, h.cells.size());
  return static_cast<std::int64_t>(most);
}

/// The cells of a body's larger part; none of a half space.
inline std::int32_t cells_of(const SceneView& scene, std::int32_t body) {
  std::int32_t most = 0;
  for (std::int32_t i = scene.bodies[body].parts_begin; i < scene.bodies[body].parts_end; ++i) {
    const PartView& part = scene.parts[i];
    const GeometryView& geometry = scene.geometries[part.geometry];
    if (geometry.half_space) continue;
    most = std::max(most, (part.rigid ? geometry.field->surface : geometry.field->solid).num_cells);
  }
  return most;
}

/// Of all pairs the most cells that both bodies have.
inline std::int64_t most_cells_of_both(const SceneView& scene) {
  std::int32_t most = 0;
  for (std::int32_t i = 0; i < scene.num_pairs; ++i) {
    most = std::max(most, std::min(cells_of(scene, scene.pairs[i].a), cells_of(scene, scene.pairs[i].b)));
  }
  return most;
}

}  // namespace isopatch::detail
