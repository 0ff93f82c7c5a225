// SPDX-License-Identifier: Apache-2.0
//
// Smaller triangles for the same surface.
#pragma once

#include <string>

#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

/// Bisects the longest edge of a checked surface, with all triangles at it, until none is longer than `edge_length`
/// [m]. The shape stays as it is up to rounding, and no angle is less than half the smallest of the triangle that it
/// was cut from (I. Rosenberg, F. Stenger: A lower bound on the angles of triangles constructed by bisecting the
/// longest side, Mathematics of Computation, 1975). Throws Error, naming `source`, if that takes more than ten
/// million triangles.
void refine(TriangleMesh& mesh, double edge_length, const std::string& source);

}  // namespace isopatch::detail
