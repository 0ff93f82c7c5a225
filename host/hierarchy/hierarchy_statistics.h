// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

/// The size of the bounding volume hierarchy that a scene makes for a geometry.
struct HierarchyStatistics {
  int nodes = 0;  // inner nodes and leaves
  int leaves = 0;
  int depth = 0;  // nodes on the longest path from the root to a leaf
};

/// All zero for a half space, which has no hierarchy.
HierarchyStatistics hierarchy_statistics(const Geometry& geometry);

}  // namespace isopatch::detail
