// SPDX-License-Identifier: Apache-2.0
//
// The connected components of a tet mesh.
#pragma once

#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// A point inside each component: the centroid of its first tet. Tets that share a vertex belong to one component.
std::vector<Point3> component_points(const TetMesh& mesh);

}  // namespace isopatch::detail
