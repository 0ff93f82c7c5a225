// SPDX-License-Identifier: Apache-2.0
//
// What readers make of the elements of a file: triangles of its faces, which may be polygons or strips, and one tet
// mesh of tets that it has in parts, or more than once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/mesh/files/file_cursor.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

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

/// Appends the triangles of face `face` of a file, a polygon whose corners are in range; fails at `position` if it has
/// fewer than three or cannot be cut. Repeated corners are dropped from `corners` as long as three are left.
void append_face(TriangleMesh& mesh, std::vector<std::int32_t>& corners, std::int64_t face, const FileCursor& in,
                 std::size_t position);

/// Appends the triangles of a strip: of every three consecutive corners, turned in every other one. Those with two
/// equal corners are there only to move the strip elsewhere, and are left out.
template <class Corners>
void append_strip(TriangleMesh& mesh, const Corners& corners) {
  for (std::size_t i = 2; i < corners.size(); ++i) {
    const std::int32_t a = corners[i - 2], b = corners[i - 1], c = corners[i];
    if (a == b || b == c || c == a) continue;
    mesh.triangles.push_back(i % 2 == 0 ? Triangle{a, b, c} : Triangle{b, a, c});
  }
}

}  // namespace isopatch::detail
