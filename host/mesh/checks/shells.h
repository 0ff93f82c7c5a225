// SPDX-License-Identifier: Apache-2.0
//
// The parts of a closed surface that have no point in common, and which lie inside others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/mesh/topology/triangle_tree.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

struct Shells {
  std::size_t count = 0;
  std::vector<std::int32_t> of_triangle;
};

Shells find_shells(const TriangleMesh& mesh);

/// Makes all shells the surface of the matter that they have together, each of it counted once. A shell that points
/// inward with matter around it is a cavity. One without matter around it is turned, with all that is inside it. Those
/// with matter on both sides are removed. Shells that `meets_other` marks, which cut others, are left as they are.
/// `tree` is of the triangles, which have areas; it is of no use after a change. Adds notes for what was done, and
/// returns how many triangles were turned.
std::int64_t repair_shells(TriangleMesh& mesh, const Shells& shells, const std::vector<std::uint8_t>& meets_other,
                           const TriangleTree& tree);

}  // namespace isopatch::detail
