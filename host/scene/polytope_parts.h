// SPDX-License-Identifier: Apache-2.0
//
// What a scene has for its pairs of polytopes.
#pragma once

#include "host/scene/scene_data.h"

namespace isopatch::detail {

/// A pair names the model.
bool wants_polytopes(const SceneDescription& scene);

/// Points into the data.
PolytopeSceneView polytopes_of(const SceneData& data);

/// Throws Error if a part of a pair of polytopes has a geometry that cannot be one.
void check_polytopes(const SceneData& data);

/// Adds the centres of mass of bodies in pairs of polytopes, and the radii of their parts.
void add_polytope_radii(SceneData& data);

}  // namespace isopatch::detail
