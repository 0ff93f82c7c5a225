// SPDX-License-Identifier: Apache-2.0
//
// The sides of a polygon one after another, counter-clockwise, about the polygon's middle.
#pragma once

#include "isopatch/detail/polygon/clip.h"

namespace isopatch::detail {

/// A side of a polygon, from one end to the other.
template <class T>
struct alignas(4 * sizeof(T)) BoundarySide {
  T x0, y0, x1, y1;
};

template <class T>
ISOPATCH_HD MaskOf<T> exists(const BoundarySide<T>& side) {
  return side.x0 != side.x1 || side.y0 != side.y1;
}

/// Goes through the sides of a polygon where they are: one round for each line, whether it has a side or not.
struct SidesInPlace {
  template <class T, class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      const MaskOf<T> side = s.has_side(i);
      if (any(side)) visit(side, BoundarySide<T>{s.x0[i], s.y0[i], s.x1[i], s.y1[i]});
    }
  }
};

/// Stores the sides first, so that a lane of a GPU takes one round for each side that it has: fewer rounds of a warp,
/// whose lanes have their sides on different lines, and fewer registers.
template <class T, int size>
struct StoredSides {
  BoundarySide<T>* sides;  // of this lane: kMaxLines of them, every `size`-th

  template <class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    int stored = 0;
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      if (s.has_side(i)) sides[size * stored++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
    for (int i = 0; i < stored; ++i) visit(true, sides[size * i]);
  }
};

/// The sides of a polygon in memory, one for each line and one more if the polygon was cut. Lanes without a side have
/// one whose ends coincide.
template <class T>
struct SideList {
  static constexpr int kMax = kMaxLines + 1;
  BoundarySide<T> sides[kMax];
  int count = 0;

  SideList() = default;
  ISOPATCH_HD SideList(const Segments<T>& s, int num_lines) {
    ISOPATCH_UNROLL
    for (int i = 0; i < num_lines; ++i) {
      if (any(s.has_side(i))) sides[count++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
  }

  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) const {
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < count; ++i) {
      const MaskOf<T> side = exists(sides[i]);
      if (any(side)) visit(side, sides[i]);
    }
  }
};

/// The area of the triangle between the apex and a side about it; 0 for lanes without a side.
template <class T>
ISOPATCH_HD T triangle_area(MaskOf<T> exists, const BoundarySide<T>& side) {
  return select(exists, T(0.5) * fma(side.x0, side.y1, -(side.x1 * side.y0)), T(0));
}

template <class T>
ISOPATCH_HD AreaMoments<T> area_moments(const SideList<T>& list) {
  AreaSums<T> sums;
  list.for_each([&](MaskOf<T> exists, const BoundarySide<T>& p) {
    sums.add(p.x0, p.y0, p.x1, p.y1, T(2) * triangle_area(exists, p));
  });
  return sums.moments();
}

}  // namespace isopatch::detail
