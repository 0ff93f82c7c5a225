// SPDX-License-Identifier: Apache-2.0
//
// Cuts tets along the levels of a field that is linear in each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Cuts every tet of a mesh of positively oriented tets along all `levels` that `values` crosses in it, so that
/// afterwards each lies between two neighbouring levels. Levels ascend; no value is below the first or above the last.
/// The cuts of neighbours fit together: new vertices lie on edges alone, and each face is divided by the indices of its
/// vertices. Old vertices close to a level count as on it if a cut beside them would leave slivers. Point data is
/// interpolated. Returns for each new point its level's index. Throws Error, naming `source` and the tet, if one is
/// too flat for it, and if there would be more elements than can be indexed.
std::vector<std::size_t> cut_at_levels(TetMesh& mesh, const std::vector<double>& values,
                                       const std::vector<double>& levels, const std::string& source);

}  // namespace isopatch::detail
