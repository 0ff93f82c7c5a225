// SPDX-License-Identifier: Apache-2.0
//
// The rules of bodies that stay in the plane z = 0, or move parallel to it. As in scene_rules.h, their Errors say what
// is wrong but not where.
#pragma once

#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// A part of the body is a polygon.
bool has_polygon(const SceneDescription& scene, const Body& body);

/// A body of polygons has no other parts, and they lie in the plane z = 0 of its frame.
void check_polygon_parts(const SceneDescription& scene, const Body& body);

/// A body of polygons stays in the plane z = 0: its pose, its velocity, its path and its joint's axis. One that moves
/// as MotionType::kPlanar has no tilt and no velocity out of the plane.
void check_planar(const SceneDescription& scene, const Body& body);

}  // namespace isopatch::detail
