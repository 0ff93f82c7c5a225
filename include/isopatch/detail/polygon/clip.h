// SPDX-License-Identifier: Apache-2.0
//
// The intersection of at most 8 half-planes, without a vertex list.
//
// Each line keeps the interval of its parameter that is inside all half-planes so far. Each intersection of two lines
// is computed once and cuts both intervals at the same point, so the boundary closes to rounding even where lines are
// nearly parallel or coincide: an error along two almost parallel lines moves the point on both alike. The result is a
// list of directed segments, counter-clockwise, in the order of the lines; by Green's theorem they give the area
// moments, and with a common apex the fan of triangles for a quadrature. There is no dynamic index and no
// data-dependent loop; the only branch is for parallel lines.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

inline constexpr int kMaxLines = 8;        // four faces of each tet
inline constexpr int kHalfSpaceLines = 5;  // four, and the surface of a half space

template <class T>
inline constexpr float kEpsilon = kIsFloat<T> ? 0x1p-23f : 0x1p-52f;

/// The half-plane x X + y Y + c >= 0 with x^2 + y^2 = 1. Its line runs along (y, -x), the inside at its left.
template <class T>
struct Line {
  T x, y, c;
};

/// A line that cuts nothing, for an unused index: far outside, and for each index in another direction, so that no two
/// are parallel.
template <class T>
ISOPATCH_HD Line<T> no_line(int index) {
  constexpr float kX[kMaxLines] = {0.995f, 0.89f, 0.65f, 0.31f, -0.08f, -0.46f, -0.76f, -0.95f};
  constexpr float kY[kMaxLines] = {0.1f, 0.46f, 0.76f, 0.95f, 0.997f, 0.89f, 0.65f, 0.31f};
  return {T(kX[index]), T(kY[index]), T(1e10f)};
}

template <class T>
ISOPATCH_HD MaskOf<T> is_line(const Line<T>& line) {
  return line.c < T(1e9f);
}

/// The number of a lane's lines, which come first. A loop over them goes on as long as a lane of its warp has one, and
/// its index is a constant in each round. The results have the same bits as with lines that cut nothing instead.
struct LinesOfLane {
  int count;
};

/// Calls visit(i) for each line.
template <class Visit>
ISOPATCH_HD void for_each_line(int count, const Visit& visit) {
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) visit(i);
}
template <class Visit>
ISOPATCH_HD void for_each_line(LinesOfLane lines, const Visit& visit) {
  constexpr int kAlways = 4;  // few polygons have fewer, and then some that cut nothing
  ISOPATCH_UNROLL
  for (int i = 0; i < kMaxLines; ++i) {
    if (i >= kAlways && i >= lines.count) break;
    visit(i);
  }
}

/// Calls visit(i, k) for each two lines, i < k.
template <class Visit>
ISOPATCH_HD void for_each_crossing(int count, const Visit& visit) {
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < count; ++k) visit(i, k);
  }
}
template <class Visit>
ISOPATCH_HD void for_each_crossing(LinesOfLane lines, const Visit& visit) {
  for_each_line(lines, [&](int k) {
    ISOPATCH_UNROLL
    for (int i = 0; i < k; ++i) visit(i, k);
  });
}

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
struct Segments {
  T x0[kMaxLines], y0[kMaxLines], x1[kMaxLines], y1[kMaxLines];  // about the middle; zero for a line without a part
  T middle_x, middle_y;                                          // mean of the end points, inside the polygon

  /// True if line i has a part on the boundary.
  ISOPATCH_HD MaskOf<T> has_side(int i) const { return x0[i] != x1[i] || y0[i] != y1[i]; }
};

/// The angle of two lines.
template <class T>
struct Crossing {
  T sine, cosine;

  ISOPATCH_HD Crossing(const Line<T>& a, const Line<T>& b)
      : sine(fma(a.x, b.y, -(b.x * a.y))), cosine(fma(a.x, b.x, a.y * b.y)) {}
};

/// The part of each line that is inside all others, between two parameters along it.
template <class T>
struct Intervals {
  T begin[kMaxLines], end[kMaxLines];
};

/// Of lines with the same direction that coincide within rounding, such as those of faces in one plane, the one with
/// the lower index stays. Otherwise rounding would put a corner into a straight edge, and another triangle into the
/// fan.
template <class T, class Count>
ISOPATCH_HD void drop_coincident(Line<T> (&line)[kMaxLines], Count count, T near) {
  for_each_line(count, [&](int k) {
    MaskOf<T> coincides(false);
    ISOPATCH_UNROLL
    for (int i = 0; i < k; ++i) {
      const Crossing<T> at(line[i], line[k]);
      coincides = coincides || (abs(at.sine) <= near && abs(line[k].c - line[i].c) <= near && at.cosine > T(0));
    }
    const Line<T> none = no_line<T>(k);
    line[k] = {select(coincides, none.x, line[k].x), select(coincides, none.y, line[k].y),
               select(coincides, none.c, line[k].c)};
  });
}

/// Cuts every line by every other. `with_parallels`: some may not cross. Of parallel lines that face the same way the
/// tighter one stays; two that face away from each other leave nothing.
template <bool with_parallels, class T, class Count>
ISOPATCH_HD void cut_all(const Line<T> (&line)[kMaxLines], Count count, Intervals<T>& out) {
  const T parallel = T(4) * T(kEpsilon<T>);  // sine below which the crossing is too uncertain
  const T far = T(1e15f), zero = T(0);       // squares stay finite in float
  T(&begin)[kMaxLines] = out.begin;
  T(&end)[kMaxLines] = out.end;
  for_each_line(count, [&](int i) {
    begin[i] = -far;
    end[i] = far;
  });
  for_each_crossing(count, [&](int i, int k) {
    const Crossing<T> at(line[i], line[k]);
    const T t_i = fma(-line[i].c, at.cosine, line[k].c) * reciprocal(at.sine);  // the common point along line i ...
    const T t_k = fma(t_i, at.cosine, -(line[i].c * at.sine));                  // ... and the same along line k
    MaskOf<T> enters = at.sine < zero;  // line i enters half-plane k at the common point
    MaskOf<T> leaves = at.sine > zero;
    if constexpr (with_parallels) {
      const MaskOf<T> crosses = abs(at.sine) > parallel;
      enters = enters && crosses;
      leaves = leaves && crosses;
      const MaskOf<T> same = !crosses && at.cosine > zero;
      const MaskOf<T> apart = !crosses && at.cosine < zero && line[i].c + line[k].c < zero;
      const MaskOf<T> k_looser = line[k].c >= line[i].c;
      end[k] = select(apart || (same && k_looser), -far, end[k]);
      end[i] = select(apart || (same && !k_looser), -far, end[i]);
    }
    begin[i] = select(enters, fast_max(begin[i], t_i), begin[i]);
    end[i] = select(leaves, fast_min(end[i], t_i), end[i]);
    begin[k] = select(leaves, fast_max(begin[k], t_k), begin[k]);
    end[k] = select(enters, fast_min(end[k], t_k), end[k]);
  });
}

/// The ends of the part of a line between two parameters.
template <class T>
ISOPATCH_HD BoundarySide<T> ends_of(const Line<T>& line, T begin, T end) {
  const T px = -(line.c * line.x), py = -(line.c * line.y);
  return {fma(begin, line.y, px), fma(begin, -line.x, py), fma(end, line.y, px), fma(end, -line.x, py)};
}

/// Sets the middle from the sum of the ends of so many parts. False where they bound no polygon inside the unit disc.
template <class T, class Polygon>
ISOPATCH_HD MaskOf<T> set_middle(T sum_x, T sum_y, T parts, Polygon& out) {
  const MaskOf<T> found = parts >= T(3);
  if (!any(found)) return found;
  const T per_part = T(0.5f) * reciprocal(parts);
  out.middle_x = sum_x * per_part;
  out.middle_y = sum_y * per_part;
  return found && fma(out.middle_x, out.middle_x, out.middle_y * out.middle_y) <= T(1);
}

/// Makes the polygon from the parts of its lines. False if nothing is left.
template <class T>
ISOPATCH_HD MaskOf<T> join_parts(const Line<T> (&line)[kMaxLines], int count, const Intervals<T>& part_of,
                                 Segments<T>& out) {
  const T zero = T(0);
  T sum_x = zero, sum_y = zero, parts = zero;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const MaskOf<T> part = part_of.end[i] > part_of.begin[i] && is_line(line[i]);
    const BoundarySide<T> side = ends_of(line[i], part_of.begin[i], part_of.end[i]);
    out.x0[i] = select(part, side.x0, zero);
    out.y0[i] = select(part, side.y0, zero);
    out.x1[i] = select(part, side.x1, zero);
    out.y1[i] = select(part, side.y1, zero);
    sum_x = sum_x + (out.x0[i] + out.x1[i]);
    sum_y = sum_y + (out.y0[i] + out.y1[i]);
    parts = parts + select(part, T(1), zero);
  }
  const MaskOf<T> found = set_middle(sum_x, sum_y, parts, out);
  if (!any(found)) return found;

  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const MaskOf<T> part = part_of.end[i] > part_of.begin[i] && is_line(line[i]);
    out.x0[i] = select(part, out.x0[i] - out.middle_x, zero);
    out.y0[i] = select(part, out.y0[i] - out.middle_y, zero);
    out.x1[i] = select(part, out.x1[i] - out.middle_x, zero);
    out.y1[i] = select(part, out.y1[i] - out.middle_y, zero);
  }
  return found;
}

/// Clips so many lines against each other. Lengths are in units in which the polygon lies inside the unit disc; a
/// region outside it, which is possible where far lines were left out, counts as empty. Returns false if nothing is
/// left.
template <class T, class Count, class Polygon>
ISOPATCH_HD MaskOf<T> clip(Line<T> (&line)[kMaxLines], Count count, Polygon& out) {
  const T near = kIsFloat<T> ? T(4e-6f) : T(1e-11);  // lines this close within the unit disc coincide

  // most polygons have no parallel lines and need only the crossings
  T least = T(1);
  for_each_crossing(count, [&](int i, int k) { least = fast_min(least, abs(Crossing<T>(line[i], line[k]).sine)); });
  Intervals<T> part_of;
  if (any(least <= near)) {
    drop_coincident(line, count, near);
    cut_all<true>(line, count, part_of);
  } else {
    cut_all<false>(line, count, part_of);
  }
  return join_parts(line, count, part_of, out);
}

/// Integrals over the polygon of 1, X, Y, X^2, XY, Y^2 about the middle.
template <class T>
struct AreaMoments {
  T one, x, y, xx, xy, yy;
};

/// Adds up these integrals over the triangles between the middle and the parts of the boundary.
template <class T>
struct AreaSums {
  AreaMoments<T> sum = {T(0), T(0), T(0), T(0), T(0), T(0)};

  ISOPATCH_HD void add(T x0, T y0, T x1, T y1, T doubled) {
    sum.one = sum.one + doubled;
    sum.x = fma(doubled, x0 + x1, sum.x);
    sum.y = fma(doubled, y0 + y1, sum.y);
    sum.xx = fma(doubled, fma(x0, x0, fma(x0, x1, x1 * x1)), sum.xx);
    sum.yy = fma(doubled, fma(y0, y0, fma(y0, y1, y1 * y1)), sum.yy);
    sum.xy = fma(doubled, fma(T(2), fma(x0, y0, x1 * y1), fma(x0, y1, x1 * y0)), sum.xy);
  }

  ISOPATCH_HD AreaMoments<T> moments() const {
    return {sum.one * T(0.5),     sum.x * T(1.0 / 6),   sum.y * T(1.0 / 6),
            sum.xx * T(1.0 / 12), sum.xy * T(1.0 / 24), sum.yy * T(1.0 / 12)};
  }
};

template <class T>
ISOPATCH_HD AreaMoments<T> area_moments(const Segments<T>& s, int count) {
  AreaSums<T> sums;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T x0 = s.x0[i], y0 = s.y0[i], x1 = s.x1[i], y1 = s.y1[i];
    sums.add(x0, y0, x1, y1, fma(x0, y1, -(x1 * y0)));
  }
  return sums.moments();
}

/// True unless the polygon is narrower than rounding: for sides a >= b the test is b/a > narrow.
template <class T>
ISOPATCH_HD MaskOf<T> has_area(const AreaMoments<T>& m) {
  const T narrow = kIsFloat<T> ? T(1e-6f) : T(1e-12);
  // area^2 = a^2 b^2 and the trace of second moments is about a^3 b / 12
  return m.one > T(0) && m.one * m.one > T(12) * narrow * (m.xx + m.yy);
}

}  // namespace isopatch::detail
