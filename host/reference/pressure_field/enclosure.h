// SPDX-License-Identifier: Apache-2.0
//
// Whether a body lies inside another, point by point.
#pragma once

#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {

/// The centroid of the first tet of each connected component, in the geometry's frame. Tets that share a vertex are
/// connected. None for a half space or a surface mesh.
std::vector<Vector3> component_centroids(const Geometry& geometry);

/// True if x is inside the body.
bool is_inside(const PosedBody& body, const Vector3& x);

}  // namespace isopatch::reference
