// SPDX-License-Identifier: Apache-2.0
//
// What readers do with a tet mesh that a file has in parts, or more than once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Makes one point of all that have the same coordinates. Returns how many are gone; point data are of the first one.
std::int64_t merge_equal_points(TetMesh& mesh);

/// Tets from `first` on, as far as the next group.
struct TetGroup {
  std::size_t first;
  std::int64_t group;
};

/// Drops tets with the corners of an earlier tet of another group; the first of `groups` begins with the first tet, and
/// a group may come again. Returns how many were dropped.
std::int64_t drop_tets_of_other_groups(TetMesh& mesh, const std::vector<TetGroup>& groups);

/// Drops points that no tet has, and their data.
void drop_unused_points(TetMesh& mesh);

}  // namespace isopatch::detail
