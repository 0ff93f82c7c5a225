// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// check_and_repair() of mesh.h, which also finds the boundary triangles.
MeshReport check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy,
                            std::vector<Triangle>& boundary);

}  // namespace isopatch::detail
