// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// check_and_repair() of mesh.h, which also finds the boundary triangles.
MeshReport check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy,
                            std::vector<Triangle>& boundary);

/// The surface of a geometry whose tets were cut, and those numbers of its report that change with it.
void measure_again(Geometry& geometry);

}  // namespace isopatch::detail
