// SPDX-License-Identifier: Apache-2.0
//
// The nodes of bounding volume hierarchies.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// The most levels a hierarchy is built to.
inline constexpr int kMaxDepth = 32;

/// Nodes that may take the place of an inner node: `pair`, `pair + 1` and, where there is a third, `single`, else -1.
struct alignas(8) Descendants {
  std::int32_t pair, single;
};

/// A node of a binary hierarchy. The children of an inner node are `child` and `child + 1`; a leaf has `child = ~cell`.
///
/// Its box moves with the extent: the points of the cells below that have the extent e, in [low, high], lie within half
/// + e expansion of center + e velocity. For a long tet from the surface to the centre that is a thin slice.
struct alignas(16) Node {
  float center[3], half[3];         // m
  float velocity[3], expansion[3];  // m per unit of extent
  float low, high;
  float size;  // sum of the half edges at the middle extent, m
  std::int32_t child;
  // The larger child's own and the other child; both children where they are leaves. Leaves count as smaller.
  Descendants descendants;
  float unused[2];  // with 64 bytes, lanes that read nodes here and there would meet in a quarter of a cache's banks

  ISOPATCH_HD bool is_leaf() const { return child < 0; }
  ISOPATCH_HD std::int32_t cell() const { return ~child; }
};

/// Points that are within half + e expansion of center + e velocity, for an extent e or a value proportional to it. F
/// is a float or a SIMD vector of them.
template <class F>
struct LinearBounds {
  Vec3<F> center, half, velocity, expansion;
};

/// The bounds of all cells below a node.
template <class F>
struct NodeBox {
  LinearBounds<F> box;
  F low, high;
};

ISOPATCH_HD NodeBox<float> box_of(const Node& n) {
  const auto vec = [](const float(&v)[3]) { return Vec3f{v[0], v[1], v[2]}; };
  return {{vec(n.center), vec(n.half), vec(n.velocity), vec(n.expansion)}, n.low, n.high};
}

/// Up to kWide nodes side by side, the descendants of one node, for a CPU's vectors; the members are those of Node.
/// `child` is the index of the wide node that holds the node's own children, or ~cell; 0 marks an unused entry, which
/// nothing touches.
inline constexpr int kWide = 8;
struct alignas(64) WideNode {
  float center[3][kWide], half[3][kWide];
  float velocity[3][kWide], expansion[3][kWide];
  float low[kWide], high[kWide];
  float size[kWide];
  std::int32_t child[kWide];
};

}  // namespace isopatch::detail
