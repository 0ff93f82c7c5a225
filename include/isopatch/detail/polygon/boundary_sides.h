// SPDX-License-Identifier: Apache-2.0
//
// The sides of a polygon one after another, counter-clockwise, about the polygon's middle.
#pragma once

#include "isopatch/detail/polygon/clip.h"

namespace isopatch::detail {

template <class T>
struct SideList;

/// Goes through the sides of a polygon where they are: one round for each line, whether it has a side or not.
template <class T>
struct SidesInPlace {
  using List = SideList<T>;

  const Segments<T>& segments;
  int num_lines;

  /// Calls visit(exists, side) for each line.
  template <class Visit>
  ISOPATCH_HD void for_each_line(const Visit& visit) const {
    ISOPATCH_UNROLL
    for (int i = 0; i < num_lines; ++i) {
      visit(segments.has_side(i), BoundarySide<T>{segments.x0[i], segments.y0[i], segments.x1[i], segments.y1[i]});
    }
  }

  /// Likewise for each line on which a lane has a side.
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

/// The polygon of one lane of a GPU: its sides in memory.
template <class T, int size>
struct StoredPolygon : StoredSides<T, size> {
  T middle_x, middle_y;  // as of Segments
  AreaMoments<T> moments;

  template <class Visit>
  ISOPATCH_HD void for_each_line(const Visit& visit) const {
    this->for_each(visit);
  }
};

template <class T, int size>
ISOPATCH_HD bool join_parts(const Line<T> (&line)[kMaxLines], LinesOfLane lines, const Intervals<T>& part_of,
                            StoredPolygon<T, size>& out) {
  T sum_x = T(0), sum_y = T(0);
  int parts = 0;
  for_each_line(lines, [&](int i) {
    if (!(part_of.end[i] > part_of.begin[i] && is_line(line[i]))) return;
    const BoundarySide<T> side = ends_of(line[i], part_of.begin[i], part_of.end[i]);
    sum_x = sum_x + (side.x0 + side.x1);
    sum_y = sum_y + (side.y0 + side.y1);
    out[parts++] = side;
  });
  if (!set_middle(sum_x, sum_y, T(parts), out)) return false;

  AreaSums<T> sums;
  out.count = 0;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < parts; ++i) {
    BoundarySide<T> side = out[i];  // a copy
    side = {side.x0 - out.middle_x, side.y0 - out.middle_y, side.x1 - out.middle_x, side.y1 - out.middle_y};
    sums.add(side.x0, side.y0, side.x1, side.y1, fma(side.x0, side.y1, -(side.x1 * side.y0)));
    if (exists(side)) out[out.count++] = side;
  }
  out.moments = sums.moments();
  return true;
}

template <class T>
ISOPATCH_HD AreaMoments<T> area_moments(const SidesInPlace<T>& sides) {
  return area_moments(sides.segments, sides.num_lines);
}

/// Before the polygon is cut.
template <class T, int size>
ISOPATCH_HD AreaMoments<T> area_moments(const StoredPolygon<T, size>& polygon) {
  return polygon.moments;
}

/// True if three lines or more have a part. Rounding may leave one or two of a polygon without area; then the area is
/// small beside the unit disc, so the lines of larger polygons need not be counted.
template <class T>
ISOPATCH_HD MaskOf<T> has_three_sides(const SidesInPlace<T>& sides, T area) {
  const MaskOf<T> small = area < T(1e-4f);
  if (!any(small)) return !small;
  IntOf<T> parts(0);
  sides.for_each_line(
      [&](MaskOf<T> exists, const BoundarySide<T>&) { parts = parts + select(exists, IntOf<T>(1), IntOf<T>(0)); });
  return !small || parts > IntOf<T>(2);
}
template <class T, int size>
ISOPATCH_HD bool has_three_sides(const StoredPolygon<T, size>& polygon, T area) {
  return !(area < T(1e-4f)) || polygon.count > 2;
}

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
