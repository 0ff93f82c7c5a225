// SPDX-License-Identifier: Apache-2.0
//
// Fewer triangles for nearly the same surface, by meshoptimizer: quadric error metrics of M. Garland, P. Heckbert,
// "Surface simplification using quadric error metrics", SIGGRAPH 1997.
#pragma once

#include <cstddef>
#include <string>

#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

/// Whether this build has meshoptimizer.
extern const bool kCanCoarsen;

/// Collapses edges of a checked surface without unused points until it has at most `triangles` of them, or until more
/// would open it or join parts of it. Where that folds triangles back, those around stay as they are. Then moves all
/// points by one distance along their normals, so that the volume inside stays. Returns about how far the surface has
/// moved, m. Throws Error, naming `source` and what does it in Python, in a build without meshoptimizer.
double coarsen(TriangleMesh& mesh, std::size_t triangles, const std::string& source);

}  // namespace isopatch::detail
