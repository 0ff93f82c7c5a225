// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_check.h"
#include "isopatch/mass_properties.h"

namespace isopatch {

MassProperties mass_properties(const SceneDescription& scene, const Body& body) {
  detail::check_geometry_indices(scene, body);
  std::vector<MassProperties> parts;
  for (const Part& part : parts_of(body)) {
    const Geometry& geometry = scene.geometries[static_cast<std::size_t>(part.geometry)];
    parts.push_back(placed(mass_properties(geometry), part.pose));
  }
  return combined(parts);
}

}  // namespace isopatch
