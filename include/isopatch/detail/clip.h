// SPDX-License-Identifier: Apache-2.0
//
// The intersection of at most 8 half-planes without a vertex list.
//
// Every line keeps the parameter interval of itself that survives. Each intersection of two lines is computed once and
// cuts both intervals at the same point, so the boundary closes to rounding even where lines are nearly parallel or
// coincide: an error along two almost parallel lines moves the point on both alike. What is left are directed segments,
// counter- clockwise, in the order of the lines; by Green's theorem they give the area moments, and with a common apex
// the fan of triangles for a quadrature. There is no dynamic index and no data-dependent loop.
#pragma once

#include "isopatch/detail/vec.h"

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

template <class T>
struct Segments {
  T x0[kMaxLines], y0[kMaxLines], x1[kMaxLines], y1[kMaxLines];  // about the middle; zero where a line has no part
  T middle_x, middle_y;                                          // mean of the end points, inside the polygon

  /// True if line i has a part on the boundary.
  ISOPATCH_HD MaskOf<T> has_part(int i) const { return x0[i] != x1[i] || y0[i] != y1[i]; }
};

/// Clips `count` lines against each other. A line left out by the caller is marked by x = y = 0. Lengths are in units
/// in which the polygon lies inside the unit disc; a region outside it (possible once far lines are left out) counts as
/// empty. Lines of one direction that coincide within rounding: the lower index stays. That is the usual case, not a
/// rare one (the zero-pressure faces of two boundary tets cut out the same line), and without it rounding would put a
/// corner into a straight edge and so another triangle into the fan. Parallel lines apart: the tighter one stays.
/// Returns false if nothing is left.
template <class T>
ISOPATCH_HD MaskOf<T> clip(const Line<T> (&given)[kMaxLines], int count, Segments<T>& out) {
  using Mask = MaskOf<T>;
  const T parallel = T(4) * T(kEpsilon<T>);          // sine below which a crossing is not known
  const T near = kIsFloat<T> ? T(4e-6f) : T(1e-11);  // lines this near over the unit disc coincide
  const T far = T(1e15f), zero = T(0);               // squares stay finite in float

  // a line that is left out, or coincides with an earlier one, becomes 0 X + 0 Y + 1 >= 0, which crosses no other and
  // cuts nothing
  Line<T> line[kMaxLines];
  T begin[kMaxLines], end[kMaxLines];
  ISOPATCH_UNROLL
  for (int k = 0; k < count; ++k) {
    Mask used = given[k].x != zero || given[k].y != zero;
    ISOPATCH_UNROLL
    for (int i = 0; i < k; ++i) {  // an earlier one that is out itself has length 0: the cosine says so
      const T sine = fused(line[i].x, given[k].y, -(given[k].x * line[i].y));
      const T cosine = fused(line[i].x, given[k].x, line[i].y * given[k].y);
      const Mask close = abs(sine) <= near && abs(given[k].c - line[i].c) <= near;
      used = used && !(close && cosine > zero);
    }
    line[k] = {select(used, given[k].x, zero), select(used, given[k].y, zero), select(used, given[k].c, T(1))};
    begin[k] = -far;
    end[k] = select(used, far, -far);
  }

  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < count; ++k) {
      const T sine = fused(line[i].x, line[k].y, -(line[k].x * line[i].y));
      const T cosine = fused(line[i].x, line[k].x, line[i].y * line[k].y);
      const Mask crosses = abs(sine) > parallel;
      const Mask enters = sine < zero;                            // line i enters half-plane k at the common point
      const T t_i = fused(-line[i].c, cosine, line[k].c) / sine;  // the common point along line i ...
      const T t_k = fused(t_i, cosine, -(line[i].c * sine));      // ... and the same point along line k
      begin[i] = max(begin[i], select(crosses && enters, t_i, -far));
      end[i] = min(end[i], select(crosses && !enters, t_i, far));
      begin[k] = max(begin[k], select(crosses && !enters, t_k, -far));
      end[k] = min(end[k], select(crosses && enters, t_k, far));

      // parallel: of one direction the tighter stays, of opposite ones none if they face apart
      const Mask same = !crosses && cosine > zero;
      const Mask apart = !crosses && cosine < zero && line[i].c + line[k].c < zero;
      const Mask k_looser = line[k].c >= line[i].c;
      end[k] = select(apart || (same && k_looser), -far, end[k]);
      end[i] = select(apart || (same && !k_looser), -far, end[i]);
    }
  }

  T sum_x = zero, sum_y = zero, parts = zero;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const Mask part = end[i] > begin[i];
    const T px = -(line[i].c * line[i].x), py = -(line[i].c * line[i].y);
    out.x0[i] = select(part, fused(begin[i], line[i].y, px), zero);
    out.y0[i] = select(part, fused(begin[i], -line[i].x, py), zero);
    out.x1[i] = select(part, fused(end[i], line[i].y, px), zero);
    out.y1[i] = select(part, fused(end[i], -line[i].x, py), zero);
    sum_x = sum_x + (out.x0[i] + out.x1[i]);
    sum_y = sum_y + (out.y0[i] + out.y1[i]);
    parts = parts + select(part, T(1), zero);
  }
  Mask found = parts >= T(3);
  if (!any(found)) return found;

  const T inverse = T(0.5f) / parts;
  out.middle_x = sum_x * inverse;
  out.middle_y = sum_y * inverse;
  found = found && fused(out.middle_x, out.middle_x, out.middle_y * out.middle_y) <= T(1);
  if (!any(found)) return found;

  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const Mask part = end[i] > begin[i];
    out.x0[i] = select(part, out.x0[i] - out.middle_x, zero);
    out.y0[i] = select(part, out.y0[i] - out.middle_y, zero);
    out.x1[i] = select(part, out.x1[i] - out.middle_x, zero);
    out.y1[i] = select(part, out.y1[i] - out.middle_y, zero);
  }
  return found;
}

/// Integrals over the polygon of 1, X, Y, X^2, XY, Y^2 about the middle.
template <class T>
struct AreaMoments {
  T one, x, y, xx, xy, yy;
};

template <class T>
ISOPATCH_HD AreaMoments<T> area_moments(const Segments<T>& s, int count) {
  AreaMoments<T> m = {T(0), T(0), T(0), T(0), T(0), T(0)};
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T x0 = s.x0[i], y0 = s.y0[i], x1 = s.x1[i], y1 = s.y1[i];
    const T doubled = fused(x0, y1, -(x1 * y0));
    m.one = m.one + doubled;
    m.x = fused(doubled, x0 + x1, m.x);
    m.y = fused(doubled, y0 + y1, m.y);
    m.xx = fused(doubled, fused(x0, x0, fused(x0, x1, x1 * x1)), m.xx);
    m.yy = fused(doubled, fused(y0, y0, fused(y0, y1, y1 * y1)), m.yy);
    m.xy = fused(doubled, fused(T(2), fused(x0, y0, x1 * y1), fused(x0, y1, x1 * y0)), m.xy);
  }
  return {m.one * T(0.5),     m.x * T(1.0 / 6),   m.y * T(1.0 / 6),
          m.xx * T(1.0 / 12), m.xy * T(1.0 / 24), m.yy * T(1.0 / 12)};
}

/// True unless the polygon is narrower than rounding: for sides a >= b the test is b/a > narrow.
template <class T>
ISOPATCH_HD MaskOf<T> has_area(const AreaMoments<T>& m) {
  const T narrow = kIsFloat<T> ? T(1e-6f) : T(1e-12);
  // area^2 = a^2 b^2 and the trace of second moments is about a^3 b / 12
  return m.one > T(0) && m.one * m.one > T(12) * narrow * (m.xx + m.yy);
}

}  // namespace isopatch::detail
