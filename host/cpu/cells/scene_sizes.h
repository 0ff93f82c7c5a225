// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/scene/scene_data.h"

namespace isopatch::detail {

/// Of any hierarchy of the scene.
inline std::int32_t most_wide_nodes(const SceneData& scene) {
  std::size_t most = 0;
  for (const Hierarchy& h : scene.geometries.solids) most = std::max(most, h.wide_nodes.size());
  for (const Hierarchy& h : scene.geometries.surfaces) most = std::max(most, h.wide_nodes.size());
  return static_cast<std::int32_t>(most);
}

/// Of any hierarchy of the scene.
inline std::int64_t most_cells(const SceneData& scene) {
  std::size_t most = 0;
  for (const Hierarchy& h : scene.geometries.solids) most = std::max(most, h.cells.size());
  for (const Hierarchy& h : scene.geometries.surfaces) most = std::max(most, h.cells.size());
  return static_cast<std::int64_t>(most);
}

}  // namespace isopatch::detail
