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

#include <cmath>
#include <limits>

#include "isopatch/detail/vec.h"

namespace isopatch::detail {

inline constexpr int kMaxLines = 8;  // four faces of each tet

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
  ISOPATCH_HD bool has_part(int i) const { return x0[i] != x1[i] || y0[i] != y1[i]; }
};

/// Clips `count` lines against each other. A line left out by the caller is marked by x = y = 0. Lengths are in units
/// in which the polygon lies inside the unit disc; a region outside it (possible once far lines are left out) counts as
/// empty. Lines of one direction that coincide within rounding: the lower index stays. That is the usual case, not a
/// rare one (the zero-pressure faces of two boundary tets cut out the same line), and without it rounding would put a
/// corner into a straight edge and so another triangle into the fan. Parallel lines apart: the tighter one stays.
/// Returns false if nothing is left.
template <class T>
ISOPATCH_HD bool clip(const Line<T> (&given)[kMaxLines], int count, Segments<T>& out) {
  constexpr T kParallel = 4 * std::numeric_limits<T>::epsilon();  // sine below which a crossing is not known
  constexpr T kSame = sizeof(T) == 4 ? T(4e-6) : T(1e-11);        // lines this near over the unit disc coincide
  constexpr T kFar = T(1e15);                                     // squares stay finite in float

  // a line that is left out, or coincides with an earlier one, becomes 0 X + 0 Y + 1 >= 0, which crosses no other and
  // cuts nothing
  Line<T> line[kMaxLines];
  T begin[kMaxLines], end[kMaxLines];
  ISOPATCH_UNROLL
  for (int k = 0; k < count; ++k) {
    bool used = given[k].x != T(0) || given[k].y != T(0);
    ISOPATCH_UNROLL
    for (int i = 0; i < k; ++i) {  // an earlier one that is out itself has length 0: the cosine says so
      const T sine = std::fma(line[i].x, given[k].y, -(given[k].x * line[i].y));
      const T cosine = std::fma(line[i].x, given[k].x, line[i].y * given[k].y);
      const bool close = std::fabs(sine) <= kSame && std::fabs(given[k].c - line[i].c) <= kSame;
      used = used && !(close && cosine > T(0));
    }
    line[k] = used ? given[k] : Line<T>{T(0), T(0), T(1)};
    begin[k] = -kFar;
    end[k] = used ? kFar : -kFar;
  }

  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < count; ++k) {
      const T sine = std::fma(line[i].x, line[k].y, -(line[k].x * line[i].y));
      const T cosine = std::fma(line[i].x, line[k].x, line[i].y * line[k].y);
      const bool crosses = std::fabs(sine) > kParallel;
      const bool enters = sine < T(0);                               // line i enters half-plane k at the common point
      const T t_i = std::fma(-line[i].c, cosine, line[k].c) / sine;  // the common point along line i ...
      const T t_k = std::fma(t_i, cosine, -(line[i].c * sine));      // ... and the same point along line k
      begin[i] = max(begin[i], crosses && enters ? t_i : -kFar);
      end[i] = min(end[i], crosses && !enters ? t_i : kFar);
      begin[k] = max(begin[k], crosses && !enters ? t_k : -kFar);
      end[k] = min(end[k], crosses && enters ? t_k : kFar);

      // parallel: of one direction the tighter stays, of opposite ones none if they face apart
      const bool same = !crosses && cosine > T(0);
      const bool apart = !crosses && cosine < T(0) && line[i].c + line[k].c < T(0);
      const bool k_looser = line[k].c >= line[i].c;
      end[k] = apart || (same && k_looser) ? -kFar : end[k];
      end[i] = apart || (same && !k_looser) ? -kFar : end[i];
    }
  }

  T sum_x = 0, sum_y = 0;
  int parts = 0;
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const bool part = end[i] > begin[i];
    const T px = -(line[i].c * line[i].x), py = -(line[i].c * line[i].y);
    out.x0[i] = part ? std::fma(begin[i], line[i].y, px) : T(0);
    out.y0[i] = part ? std::fma(begin[i], -line[i].x, py) : T(0);
    out.x1[i] = part ? std::fma(end[i], line[i].y, px) : T(0);
    out.y1[i] = part ? std::fma(end[i], -line[i].x, py) : T(0);
    sum_x += out.x0[i] + out.x1[i];
    sum_y += out.y0[i] + out.y1[i];
    parts += part ? 1 : 0;
  }
  if (parts < 3) return false;

  const T inverse = T(1) / static_cast<T>(2 * parts);
  out.middle_x = sum_x * inverse;
  out.middle_y = sum_y * inverse;
  if (!(std::fma(out.middle_x, out.middle_x, out.middle_y * out.middle_y) <= T(1))) return false;

  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const bool part = end[i] > begin[i];
    out.x0[i] = part ? out.x0[i] - out.middle_x : T(0);
    out.y0[i] = part ? out.y0[i] - out.middle_y : T(0);
    out.x1[i] = part ? out.x1[i] - out.middle_x : T(0);
    out.y1[i] = part ? out.y1[i] - out.middle_y : T(0);
  }
  return true;
}

/// Integrals over the polygon of 1, X, Y, X^2, XY, Y^2 about the middle.
template <class T>
struct AreaMoments {
  T one, x, y, xx, xy, yy;
};

template <class T>
ISOPATCH_HD AreaMoments<T> area_moments(const Segments<T>& s, int count) {
  AreaMoments<T> m = {0, 0, 0, 0, 0, 0};
  ISOPATCH_UNROLL
  for (int i = 0; i < count; ++i) {
    const T x0 = s.x0[i], y0 = s.y0[i], x1 = s.x1[i], y1 = s.y1[i];
    const T doubled = std::fma(x0, y1, -(x1 * y0));
    m.one += doubled;
    m.x = std::fma(doubled, x0 + x1, m.x);
    m.y = std::fma(doubled, y0 + y1, m.y);
    m.xx = std::fma(doubled, std::fma(x0, x0, std::fma(x0, x1, x1 * x1)), m.xx);
    m.yy = std::fma(doubled, std::fma(y0, y0, std::fma(y0, y1, y1 * y1)), m.yy);
    m.xy = std::fma(doubled, std::fma(T(2), std::fma(x0, y0, x1 * y1), std::fma(x0, y1, x1 * y0)), m.xy);
  }
  return {m.one * T(0.5),     m.x * T(1.0 / 6),   m.y * T(1.0 / 6),
          m.xx * T(1.0 / 12), m.xy * T(1.0 / 24), m.yy * T(1.0 / 12)};
}

/// True unless the polygon is narrower than rounding: for sides a >= b the test is b/a > narrow.
template <class T>
ISOPATCH_HD bool has_area(const AreaMoments<T>& m) {
  constexpr T kNarrow = std::numeric_limits<T>::digits == 24 ? T(1e-6) : T(1e-12);
  // area^2 = a^2 b^2 and the trace of second moments is about a^3 b / 12
  return m.one > T(0) && m.one * m.one > 12 * kNarrow * (m.xx + m.yy);
}

}  // namespace isopatch::detail
