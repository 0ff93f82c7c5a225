// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/scene.h"

namespace isopatch::detail {

/// Throws Error, naming the object and the value, unless `scene` is valid.
void check_scene(const SceneDescription& scene);

/// A body's geometry; throws Error for an index out of range.
const Geometry& geometry_of(const SceneDescription& scene, const Body& body);

}  // namespace isopatch::detail
