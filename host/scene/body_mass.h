// SPDX-License-Identifier: Apache-2.0
//
// Masses of many bodies made of the same geometries.
#pragma once

#include <optional>
#include <vector>

#include "isopatch/scene/mass_properties.h"

namespace isopatch::detail {

/// mass_properties() of the geometries of a scene, which outlives it; each is found once.
class GeometryMasses {
 public:
  explicit GeometryMasses(const SceneDescription& scene) : scene_(scene), found_(scene.geometries.size()) {}

  const MassProperties& of(int geometry) {
    std::optional<MassProperties>& found = found_[static_cast<std::size_t>(geometry)];
    if (!found) found = mass_properties(scene_.geometries[static_cast<std::size_t>(geometry)]);
    return *found;
  }

 private:
  const SceneDescription& scene_;
  std::vector<std::optional<MassProperties>> found_;
};

/// As body_mass() of two arguments. `masses` are those of the scene.
MassProperties body_mass(const SceneDescription& scene, const Body& body, GeometryMasses& masses);

}  // namespace isopatch::detail
