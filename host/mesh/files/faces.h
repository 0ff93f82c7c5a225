// SPDX-License-Identifier: Apache-2.0
//
// The triangles of a file's faces, which may be polygons or strips.
#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/files/file_cursor.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

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
