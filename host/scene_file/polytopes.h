// SPDX-License-Identifier: Apache-2.0
//
// What the contact model `polytope` needs of a scene file: hulls without tets, shapes of few faces, and polygons that
// stay in their plane.
#pragma once

#include <set>
#include <string>

#include "host/scene_file/json_value.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// The names of the geometries that rigid parts have and no compliant one, among them alternatives, in a scene that
/// names the model `polytope`; of any other scene, none. `root` is the whole scene, of which nothing was read yet.
std::set<std::string> geometries_of_rigid_parts(const JsonValue& root);

/// Bodies of polygons stay in their plane, and planar ones parallel to it. Bodies and motions have been read; `bodies`
/// is their list.
void check_planar_bodies(const JsonValue& bodies, const SceneDescription& scene);

/// The parts of pairs of polytopes have few enough faces. Bodies and pairs have been read; `bodies` is the list of
/// bodies.
void check_shapes_of_parts(const JsonValue& bodies, const SceneDescription& scene);

}  // namespace isopatch::detail
