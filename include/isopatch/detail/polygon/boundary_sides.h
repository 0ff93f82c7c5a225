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

template <class T>
struct SideList;

/// Goes through the sides of a polygon where they are: one round for each line, whether it has a side or not.
template <class T>
struct SidesInPlace {
  using List = SideList<T>;

  const Segments<T>& segments;
  int num_lines;

  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) const {
    ISOPATCH_UNROLL
    for (int i = 0; i < num_lines; ++i) {
      const MaskOf<T> side = segments.has_side(i);
      if (any(side)) visit(side, BoundarySide<T>{segments.x0[i], segments.y0[i], segments.x1[i], segments.y1[i]});
    }
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
  ISOPATCH_HD explicit SideList(const SidesInPlace<T>& in) {
    const Segments<T>& s = in.segments;
    ISOPATCH_UNROLL
    for (int i = 0; i < in.num_lines; ++i) {
      if (any(s.has_side(i))) sides[count++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
  }
  ISOPATCH_HD BoundarySide<T>& operator[](int i) { return sides[i]; }
  ISOPATCH_HD const BoundarySide<T>& operator[](int i) const { return sides[i]; }
};

/// The list of one lane of a GPU, in memory with those of other lanes. A lane takes one round for each side that it
/// has: fewer rounds of a warp, whose lanes have their sides on different lines, and fewer registers.
template <class T, int size>
struct StoredSides {
  using List = StoredSides<T, size>;

  BoundarySide<T>* sides;  // SideList::kMax of them, every `size`-th
  int count = 0;

  ISOPATCH_HD BoundarySide<T>& operator[](int i) const { return sides[size * i]; }

  /// Goes through the sides of a polygon that was not cut.
  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) const {
    for (int i = 0; i < count; ++i) visit(true, (*this)[i]);
  }
};

/// Calls visit(exists, side) for the sides of a list that any lane has.
template <class List, class Visit>
ISOPATCH_HD void for_each_side(const List& list, const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < list.count; ++i) {
    const auto side = list[i];  // a copy, since a reference would be read again for each of its ends
    const auto is_side = exists(side);
    if (any(is_side)) visit(is_side, side);
  }
}

/// Leaves the sides of a polygon where they are.
struct LeaveSides {
  template <class T>
  ISOPATCH_HD SidesInPlace<T> operator()(const Segments<T>& s, int num_lines) const {
    return {s, num_lines};
  }
};

/// Stores the sides of a lane's polygon.
template <class T, int size>
struct StoreSides {
  BoundarySide<T>* memory;  // as of StoredSides

  ISOPATCH_HD StoredSides<T, size> operator()(const Segments<T>& s, int num_lines) const {
    StoredSides<T, size> stored = {memory};
    ISOPATCH_UNROLL
    for (int i = 0; i < num_lines; ++i) {
      if (s.has_side(i)) stored[stored.count++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
    return stored;
  }
};

/// The area of the triangle between the apex and a side about it; 0 for lanes without a side.
template <class T>
ISOPATCH_HD T triangle_area(MaskOf<T> exists, const BoundarySide<T>& side) {
  return select(exists, T(0.5) * fma(side.x0, side.y1, -(side.x1 * side.y0)), T(0));
}

template <class T, class List>
ISOPATCH_HD AreaMoments<T> area_moments_of(const List& list) {
  AreaSums<T> sums;
  for_each_side(list, [&](MaskOf<T> exists, const BoundarySide<T>& p) {
    sums.add(p.x0, p.y0, p.x1, p.y1, T(2) * triangle_area(exists, p));
  });
  return sums.moments();
}

}  // namespace isopatch::detail
