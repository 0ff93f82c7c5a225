// SPDX-License-Identifier: Apache-2.0
//
// The parts of a polygon's boundary one after another, counter-clockwise, about the polygon's middle.
#pragma once

#include "isopatch/detail/polygon/clip.h"

namespace isopatch::detail {

/// A part of a polygon's boundary, from one end to the other.
template <class T>
struct alignas(4 * sizeof(T)) BoundarySide {
  T x0, y0, x1, y1;
};

template <class T>
ISOPATCH_HD MaskOf<T> exists(const BoundarySide<T>& part) {
  return part.x0 != part.x1 || part.y0 != part.y1;
}

/// Goes through the parts of a boundary where they are: one round for each line, whether it has a part or not.
struct SidesInPlace {
  template <class T, class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      const MaskOf<T> part = s.has_side(i);
      if (any(part)) visit(part, BoundarySide<T>{s.x0[i], s.y0[i], s.x1[i], s.y1[i]});
    }
  }
};

/// Stores the parts first, so that a lane of a GPU takes one round for each part that it has: fewer rounds of a warp,
/// whose lanes have their parts on different lines, and fewer registers.
template <class T, int size>
struct StoredSides {
  BoundarySide<T>* parts;  // of this lane: kMaxLines of them, every `size`-th

  template <class Visit>
  ISOPATCH_HD void for_each(const Segments<T>& s, int count, const Visit& visit) const {
    int stored = 0;
    ISOPATCH_UNROLL
    for (int i = 0; i < count; ++i) {
      if (s.has_side(i)) parts[size * stored++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
    for (int i = 0; i < stored; ++i) visit(true, parts[size * i]);
  }
};

/// A boundary in memory, of one part for each line and one more where the polygon was cut. Lanes without a part have
/// one whose ends coincide.
template <class T>
struct PartList {
  static constexpr int kMax = kMaxLines + 1;
  BoundarySide<T> parts[kMax];
  int count = 0;

  ISOPATCH_HD PartList(const Segments<T>& s, int num_lines) {
    ISOPATCH_UNROLL
    for (int i = 0; i < num_lines; ++i) {
      if (any(s.has_side(i))) parts[count++] = {s.x0[i], s.y0[i], s.x1[i], s.y1[i]};
    }
  }

  template <class Visit>
  ISOPATCH_HD void for_each(const Visit& visit) const {
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < count; ++i) {
      const MaskOf<T> part = exists(parts[i]);
      if (any(part)) visit(part, parts[i]);
    }
  }
};

}  // namespace isopatch::detail
