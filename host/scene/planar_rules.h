// SPDX-License-Identifier: Apache-2.0
//
// The rules of bodies that stay in the plane z = 0, or move parallel to it. As in scene_rules.h, their Errors say what
// is wrong but not where.
#pragma once

#include <array>

#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// A body of polygons: its first geometry is one.
bool has_polygon(const SceneDescription& scene, const Body& body);

/// The geometries of a body, among them alternatives, are all polygons or all solids.
void check_kind_in_body(const SceneDescription& scene, const Body& body, const Geometry& geometry);

/// A body that has no motion out of the plane, or that cannot leave it: how messages call it. Null for all others.
const char* planar_name(const SceneDescription& scene, const Body& body);

/// z of a pose is 0, to limits::kMaxOutOfPlane; of `what`: "a body of polygons".
void check_position_in_plane(const std::array<double, 7>& pose, const char* what);

/// The same of a centre of mass.
void check_center_in_plane(const std::array<double, 3>& center, const char* what);

/// A pose is turned about z alone.
void check_upright(const std::array<double, 7>& pose, const char* what);

/// Linear velocities along x and y, angular ones about z.
void check_linear_velocity_in_plane(const std::array<double, 6>& velocity, const char* what);
void check_angular_velocity_in_plane(const std::array<double, 6>& velocity, const char* what);

/// The axis of a joint of a body of polygons lies in the plane where it slides along it, and is z where it turns.
void check_axis_in_plane(const Motion& motion);

/// Polygons are placed in their body without leaving its plane, and all the above of a body in a scene. Errors begin
/// with the member that is wrong.
void check_planar(const SceneDescription& scene, const Body& body);

}  // namespace isopatch::detail
