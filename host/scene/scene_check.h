// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/scene.h"

namespace isopatch::detail {

/// Throws Error, naming the object and the value, unless `scene` is valid.
void check_scene(const SceneDescription& scene);

/// Throws Error for a body with a part whose geometry index is out of range.
void check_geometry_indices(const SceneDescription& scene, const Body& body);

}  // namespace isopatch::detail
