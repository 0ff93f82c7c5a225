// SPDX-License-Identifier: Apache-2.0
//
// How a lane keeps the lines of a polygon until they are clipped, and then the polygon. The results have the same bits.
#pragma once

#include "isopatch/detail/polygon/boundary_sides.h"

namespace isopatch::detail {

/// In an array. With `compact`, the used lines follow each other, for a scalar loop; otherwise every face
/// has its fixed index, so that an array in registers needs no dynamic index.
template <bool compact>
struct LinesInPlace {
  template <class T>
  using Polygon = Segments<T>;
  static constexpr bool kInMemory = false, kSkipsUnused = compact;

  /// Takes the line with this index among the faces of both cells.
  template <class T>
  ISOPATCH_HD void add(MaskOf<T> used, int index, const Line<T>& from, Line<T> (&line)[kMaxLines], int& count) const {
    if constexpr (compact) {
      if (used) line[count++] = from;
    } else {
      const Line<T> none = no_line<T>(index);
      line[index] = {select(used, from.x, none.x), select(used, from.y, none.y), select(used, from.c, none.c)};
      count = kMaxLines;
    }
  }

  template <class T>
  ISOPATCH_HD MaskOf<T> clip(Line<T> (&line)[kMaxLines], int count, Segments<T>& out) const {
    return detail::clip(line, compact ? count : kMaxLines, out);
  }

  template <class T>
  ISOPATCH_HD SidesInPlace<T> sides(const Segments<T>& polygon, int count) const {
    return {polygon, compact ? count : kMaxLines};
  }
};

/// In memory that other lanes of a GPU share: the lines that it has, and later the sides.
template <class T, int size>
struct LinesInMemory {
  template <class>
  using Polygon = StoredPolygon<T, size>;
  static constexpr bool kInMemory = true, kSkipsUnused = false;  // other lanes may use the line

  BoundarySide<T>* memory;  // as of StoredSides

  ISOPATCH_HD void add(bool used, int /*index*/, const Line<T>& from, Line<T> (&)[kMaxLines], int& count) const {
    if (used) memory[size * count++] = {from.x, from.y, from.c, T(0)};
  }

  ISOPATCH_HD bool clip(Line<T> (&line)[kMaxLines], int count, StoredPolygon<T, size>& out) const {
    for_each_line(LinesOfLane{count}, [&](int i) {
      line[i] = no_line<T>(i);
      if (i >= count) return;
      const BoundarySide<T> kept = memory[size * i];
      line[i] = {kept.x0, kept.y0, kept.x1};
    });
    out.sides = memory;
    return detail::clip(line, LinesOfLane{count}, out);
  }

  ISOPATCH_HD const StoredPolygon<T, size>& sides(const StoredPolygon<T, size>& polygon, int /*count*/) const {
    return polygon;
  }
};

}  // namespace isopatch::detail
