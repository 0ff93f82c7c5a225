// SPDX-License-Identifier: Apache-2.0
//
// All element pairs of two bodies, one by one, and whether a body lies inside another, point by point.
#pragma once

#include <vector>

#include "host/reference/pressure_field/contact_polygon.h"
#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {

/// The contact surface between a and b. At most one of them is rigid and at most one a half space.
std::vector<ContactPolygon> contact_polygons(const PosedBody& a, const PosedBody& b);

/// The integral of the smaller pressure over the overlap of a and b, J. A rigid body's pressure is infinite.
Real elastic_energy(const PosedBody& a, const PosedBody& b);

/// The centroid of the first tet of each connected component, in the geometry's frame. Tets that share a vertex are
/// connected. None for a half space or a surface mesh.
std::vector<Vector3> component_centroids(const Geometry& geometry);

/// True if x is inside the body.
bool is_inside(const PosedBody& body, const Vector3& x);

}  // namespace isopatch::reference
