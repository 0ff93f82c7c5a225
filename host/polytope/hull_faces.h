// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// The faces of the convex hull of points, each as its vertices counter-clockwise seen from outside. Facets within 1e-6
/// rad and 1e-9 of the size of one plane are one face; points within that of a face or edge are no vertices. Faces and
/// their first vertices are in no particular order. Throws Error if the points lie in a plane, or too near to it.
std::vector<std::vector<std::int32_t>> hull_faces(const std::vector<Point3>& points);

}  // namespace isopatch::detail
