// SPDX-License-Identifier: Apache-2.0
//
// Finds whether a piece of one body's surface lies in a cell of the other, and how much of it counts there.
//
// d is the height of the tet's vertices over the triangle's plane; within a rounding error it counts as 0. With some
// d > 0 and some d < 0 the plane cuts the tet, and the piece counts. A face of the tet in that plane counts half, on
// whichever side the tet is: a plane inside the body then has one half of each of the tets on both sides, a face that
// both bodies have and that looks the same way has one half from the surface of each, and where they only touch, the
// halves of both have opposite signs. So flush bodies have their overlap exactly once, and touching ones none.
#pragma once

#include "isopatch/detail/cells/cut_plane.h"
#include "isopatch/detail/cells/search.h"

namespace isopatch::detail {

/// Of PolygonBounds::positive: the polygon counts half.
inline constexpr int kCountsHalf = 1 << 8;

/// Whether a triangle S may have a polygon in a tet M, in double, and its bounds; or a triangle M below a half space S.
template <class Cells, class D = typename Cells::Double, class F = FloatOf<D>>
ISOPATCH_HD MaskOf<F> test_surface_exactly(const MeshPair& f, const Cells& m, const Cells& s,
                                           PolygonBounds<F>& bounds) {
  const Vec3<F> vertex_M[4] = {cast<F>(m.vertex(0)), cast<F>(m.vertex(1)), cast<F>(m.vertex(2)), cast<F>(m.vertex(3))};
  bounds.positive = IntOf<F>(0);
  if (f.M.rigid) {
    const Bounds<F> box = bounds_of(vertex_M);
    return bound_overlap(box, box, f.coarse.slack, bounds);
  }

  const Vec3<D> normal = rotate(f.X_MS, s.gradient()), origin = apply(f.X_MS, s.vertex(0));
  const D tolerance = D(f.M.zero_tolerance);
  F d[4];
  MaskOf<F> above[4], below[4], some_above(false), some_below(false);
  IntOf<F> zeros(0);
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    const D height = dot(normal, m.vertex(i) - origin);
    above[i] = height > tolerance;
    below[i] = height < -tolerance;
    some_above = some_above || above[i];
    some_below = some_below || below[i];
    zeros = zeros + select(above[i] || below[i], IntOf<F>(0), IntOf<F>(1));
    d[i] = cast<F>(select(above[i], height, min(height, D(0))));
  }
  const MaskOf<F> flush = zeros > IntOf<F>(2);
  const MaskOf<F> pass = (some_above && some_below) || (flush && (some_above || some_below));
  if (!any(pass)) return pass;
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {  // beside a flush face the vertex that is left counts as above
    const MaskOf<F> turned = flush && below[i];
    above[i] = above[i] || turned;
    d[i] = select(turned, -d[i], d[i]);
    bounds.positive = bounds.positive | select(above[i], IntOf<F>(1 << i), IntOf<F>(0));
  }
  bounds.positive = bounds.positive | select(flush, IntOf<F>(kCountsHalf), IntOf<F>(0));
  Vec3<F> vertex_S[4];
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) vertex_S[i] = apply(f.coarse.X_MS, cast<F>(s.vertex(i)));
  return pass && bound_overlap(section_bounds(vertex_M, d, above), bounds_of(vertex_S), f.coarse.slack, bounds);
}

/// The tests of a visitor of traverse(). With `checked`, all cells are decided in double.
template <class Context, bool checked>
struct SurfaceSearch : CellSearch<Context, checked> {
  ISOPATCH_HD bool accepts(AcceptedCells& cells) const {
    const MeshPair& f = this->context;
    const std::int32_t m = cells.m, s = cells.s;
    const auto exactly = [&](PolygonBounds<float>& to) {
      return test_surface_exactly(f, cell_of_M(f, m), cell_of_S(f, s), to);
    };
    return test_cells<checked>(f, coarse_cell_of_M(f, m), coarse_cell_of_S(f, s), true, exactly, cells.bounds);
  }
};

struct EveryFace {
  template <class Cells, class Mask, class D>
  ISOPATCH_HD void operator()(const Cells&, Mask&, D&, D&, D&) const {}
};

/// The plane of the triangle, and the lines that bound its piece in the tet, or below the half space. Its normal is out
/// of the body whose surface it is. False where the polygon is certainly empty.
template <class T, class Cells, class Lines>
ISOPATCH_HD MaskOf<T> make_surface_plane(const MeshPair& f, const Cells& m, const Cells& s,
                                         const PolygonBounds<FloatOf<T>>& bounds, const Lines& lines,
                                         CutPlane<T>& plane) {
  using D = DoubleOf<T>;
  plane.radius = cast<T>(bounds.radius);
  plane.num_lines = 0;
  const Vec3<D> center = cast<D>(bounds.center);
  D height;  // of the centre over the plane, m
  if (f.M.rigid) {
    plane.normal = m.gradient();
    height = dot(m.gradient(), center - m.vertex0());
  } else {
    plane.normal = rotate(f.X_MS, s.gradient());
    height = dot(s.gradient(), apply_back(f.X_MS, center) - s.vertex0());
  }
  MaskOf<T> found = abs(height) <= cast<D>(bounds.radius);
  if (!any(found)) return found;
  plane.origin = fma(-height, plane.normal, center);
  plane.axes = make_basis(plane.normal);

  const D inverse_radius = reciprocal(cast<D>(plane.radius));
  const PlaneFrame<D> in_M = {plane.origin, plane.axes.u, plane.axes.v, inverse_radius};
  found = found && add_lines(m, f.M.rigid, bounds.positive, 0, in_M, lines, plane, EveryFace());
  if (!any(found)) return found;
  const PlaneFrame<D> in_S = {apply_back(f.X_MS, plane.origin), rotate_back(f.X_MS, plane.axes.u),
                              rotate_back(f.X_MS, plane.axes.v), inverse_radius};
  if (f.S.half_space) return found && add_half_space_lines<T>(f, in_S, lines, plane);
  return found && add_lines(s, true, bounds.positive, kBitsOfS, in_S, lines, plane, EveryFace());
}

}  // namespace isopatch::detail
