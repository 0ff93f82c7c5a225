// SPDX-License-Identifier: Apache-2.0
//
// Where the mass of a body of a scene is in the middle.
#pragma once

#include "host/reference/scene/vector.h"
#include "isopatch/scene/scene.h"

namespace isopatch::reference::polytope {

/// The volume of a mesh, or the area of a polygon, and its centroid, m.
struct Solid {
  Real size = 0;
  Vector3 center = Vector3::Zero();
};
Solid solid_of(const Geometry& geometry);

/// In the frame of the body, m: what the scene says, else of its parts, which have one density; the origin if they are
/// all half spaces. It stays there where an environment gives a part another geometry.
Vector3 center_of_mass(const SceneDescription& scene, const Body& body);

}  // namespace isopatch::reference::polytope
