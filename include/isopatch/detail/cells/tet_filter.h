// SPDX-License-Identifier: Apache-2.0
//
// Finds whether two cells have a polygon, on which side of it their vertices lie, and where it is.
//
// The signed difference d is p_M - p_S, or the height over the surface of the rigid one; it grows from S towards M. It
// is evaluated at the vertices of each tet (nodal value minus the other's affine value), so tets that share a vertex
// see the identical value. With |d| within a rounding error taken as zero, a pair of cells is kept only if each tet has
// some d > 0 and some d <= 0. Of two tets that share a face lying in the contact plane exactly one passes, so the
// polygon is counted exactly once.
//
// A test in float decides most pairs: where every |d| exceeds its error, the signs are exact. It also tests whether the
// two sections d = 0 lie on different sides of a face of either tet, or the section of a tet outside a side of a rigid
// triangle, so that nearly all pairs that pass have a polygon. The rest is decided in double.
#pragma once

#include "isopatch/detail/cells/mesh_pair.h"
#include "isopatch/detail/polygon/section.h"

namespace isopatch::detail {

inline constexpr int kBitsOfS = 4;  // of PolygonBounds::positive

/// A pair of cells that may have a polygon; s is -1 for a half space.
struct AcceptedCells {
  std::int32_t m, s;
  PolygonBounds<float> bounds;
};

// --- in float ---

/// A tet cut by the plane, as float sees it.
template <class F>
struct CoarseSection {
  Section<F> seen;
  F off;              // the error of the points, m
  Bounds<F> box;      // holds the section
  MaskOf<F> cut;      // d can be 0 somewhere
  MaskOf<F> certain;  // no |d| is within its error, and the box is tight
};

/// Where d changes along an edge by less than this many errors, its zero is known to no better than 1/16 of the edge.
/// So loose a ball would cost digits in float, so double bounds the polygon instead.
inline constexpr float kClear = 32;

/// `d` at the vertices, each within `error`, in any unit. Where d changes by c along an edge of length l, the error of
/// the point where it is 0 is 2 error l / c.
template <class F>
ISOPATCH_HD void find_coarse_section(const Vec3<F> (&vertex)[4], const F (&d)[4], F error, F longest_edge,
                                     int first_bit, IntOf<F>& positive, CoarseSection<F>& out) {
  MaskOf<F> above[4], some_above(false), some_below(false), certain(true);
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    above[i] = d[i] > F(0);
    some_above = some_above || above[i];
    some_below = some_below || !above[i];
    certain = certain && abs(d[i]) > error;
    positive = positive | select(above[i], IntOf<F>(1 << (first_bit + i)), IntOf<F>(0));
  }
  find_section(vertex, d, above, out.seen);
  out.off = longest_edge * (F(2) * error) * reciprocal(out.seen.least);
  const Vec3<F> margin = {out.off, out.off, out.off};
  out.box = {out.seen.box.low - margin, out.seen.box.high + margin};
  out.cut = (some_above && some_below) || !certain;
  out.certain = certain && out.seen.least >= F(kClear) * error;
}

/// The result of the test in float: whether two cells may have a polygon, and if that is certain, its bounds.
template <class F>
struct FilterResult {
  MaskOf<F> possible, certain;
  PolygonBounds<F> bounds;
};

/// Errors of the test in float as it is: of d at the vertices of M and of S, and of boxes in m.
struct RoundingAlone {
  template <class F>
  ISOPATCH_HD F error_at_M(const MeshPair& f, F /*edge_M*/, const Vec3<F>& /*slope_S*/) const {
    return F(f.coarse.error);
  }
  template <class F>
  ISOPATCH_HD F error_at_S(const MeshPair& f, const Vec3<F>& /*slope_M*/) const {
    return F(f.coarse.error);
  }
  ISOPATCH_HD float slack(const MeshPair& f) const { return f.coarse.slack; }
};

/// Errors with which whatever passes RoundingAlone passes from any pose of S in which no point of its mesh is more than
/// the margin away from where it is, m. A vertex of M beside S is no farther from the mesh of S than the edges of its
/// tet are long; what rotates S moves the field there by that much more.
struct WithinMargin {
  float margin;

  template <class F>
  ISOPATCH_HD F error_at_M(const MeshPair& f, F edge_M, const Vec3<F>& slope_S) const {
    F reach = F(margin);
    if (!f.S.half_space) reach = fma(edge_M, F(margin / static_cast<float>(coordinate_bound(f.S))), reach);
    return fma(F(std::fabs(f.coarse.weight_S)) * norm(slope_S), reach, F(2 * f.coarse.error));
  }
  template <class F>
  ISOPATCH_HD F error_at_S(const MeshPair& f, const Vec3<F>& slope_M) const {
    return fma(F(f.coarse.weight_M) * norm(slope_M), F(margin), F(2 * f.coarse.error));
  }
  ISOPATCH_HD float slack(const MeshPair& f) const { return 2 * f.coarse.slack + margin; }
};

template <class Cells, class Errors = RoundingAlone, class F = typename Cells::Float>
ISOPATCH_HD FilterResult<F> filter_cells(const MeshPair& f, const Cells& m, const Cells& s, Errors errors = {}) {
  const F weight_M = F(f.coarse.weight_M), weight_S = F(f.coarse.weight_S);
  const float slack = errors.slack(f);
  FilterResult<F> out = {MaskOf<F>(true), MaskOf<F>(true), {IntOf<F>(0), {}, F(0)}};
  const Vec3<F> vertex_M[4] = {m.vertex(0), m.vertex(1), m.vertex(2), m.vertex(3)};
  if (f.M.rigid) {  // its triangle on a half space
    const Bounds<F> box = bounds_of(vertex_M);
    bound_overlap(box, box, slack, out.bounds);
    return out;
  }

  Vec3<F> vertex_S[4], slope_S = cast<F>(f.coarse.slope_S), origin_S = cast<F>(f.coarse.foot_S);
  F extent_S = F(0), d[4];
  if (!f.S.half_space) {
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) vertex_S[i] = apply(f.coarse.X_MS, s.vertex(i));
    slope_S = rotate(f.coarse.X_MS, s.gradient());
    origin_S = vertex_S[0];
    extent_S = s.extent(0);
  }
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    const F other = extent_S + dot(slope_S, vertex_M[i] - origin_S);
    d[i] = fma(weight_M, m.extent(i), -(weight_S * other));
  }
  CoarseSection<F> section_M;
  find_coarse_section(vertex_M, d, errors.error_at_M(f, m.longest_edge(), slope_S), m.longest_edge(), 0,
                      out.bounds.positive, section_M);
  out.possible = section_M.cut;
  out.certain = section_M.certain;
  if (f.S.half_space) {
    bound_overlap(section_M.box, section_M.box, slack, out.bounds);
    return out;
  }

  // vertices and products of edges are rounded
  const F edge_M = m.longest_edge(), edge_S = s.longest_edge();
  const F rounding = fma(F(0x1p-20f), edge_M + edge_S, F(slack));
  Bounds<F> box_S = bounds_of(vertex_S);
  MaskOf<F> apart;
  if (f.S.rigid) {
    apart = is_outside_triangle(vertex_S, slope_S, section_M.seen, (section_M.off + rounding) * edge_S);
  } else {
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const F other = m.extent(0) + dot(m.gradient(), vertex_S[i] - vertex_M[0]);
      d[i] = fma(weight_M, other, -(weight_S * s.extent(i)));
    }
    CoarseSection<F> section_S;
    find_coarse_section(vertex_S, d, errors.error_at_S(f, m.gradient()), s.longest_edge(), kBitsOfS,
                        out.bounds.positive, section_S);
    box_S = section_S.box;
    out.possible = out.possible && section_S.cut;
    out.certain = out.certain && section_S.certain;

    apart = is_outside(vertex_M, section_S.seen, (section_S.off + rounding) * (edge_M * edge_M)) ||
            is_outside(vertex_S, section_M.seen, (section_M.off + rounding) * (edge_S * edge_S));
  }
  out.possible = out.possible && !(out.certain && apart);
  const MaskOf<F> meets = bound_overlap(section_M.box, box_S, slack, out.bounds);
  out.possible = out.possible && (meets || !out.certain);
  return out;
}

// --- in double ---

/// d at the vertices of one cell, only to bound its section; 0 where it counts as zero.
template <class F>
struct Side {
  F d[4];
  MaskOf<F> above[4];

  template <class D>
  ISOPATCH_HD void set(int i, D value, D zero_tolerance) {
    above[i] = value > zero_tolerance;
    d[i] = cast<F>(select(above[i], value, min(value, D(0))));
  }
  ISOPATCH_HD MaskOf<F> is_cut() const {
    return (above[0] || above[1] || above[2] || above[3]) && !(above[0] && above[1] && above[2] && above[3]);
  }
  ISOPATCH_HD IntOf<F> bits(int first_bit) const {
    IntOf<F> out(0);
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) out = out | select(above[i], IntOf<F>(1 << (first_bit + i)), IntOf<F>(0));
    return out;
  }
};

/// The exactly-once gate, and the bounds of what passes it. False where there is no polygon.
template <class Cells, class D = typename Cells::Double, class F = FloatOf<D>>
ISOPATCH_HD MaskOf<F> test_cells_exactly(const MeshPair& f, const Cells& m, const Cells& s, PolygonBounds<F>& bounds) {
  MaskOf<F> pass(true);
  Side<F> side_M, side_S;
  bounds.positive = IntOf<F>(0);

  // d at the vertices of M: p_M - p_S, or the height over S
  if (!f.M.rigid) {
    Vec3<D> gradient, origin;  // of what is subtracted from p_M, in M
    D at_origin;
    if (f.S.half_space) {
      const double slope = f.S.rigid ? 1.0 : half_space_pressure_slope(f.S);
      gradient = cast<D>(slope * f.up_S());
      origin = cast<D>(f.X_MS.translation);
      at_origin = D(0);
    } else {
      gradient = level_gradient(f.S, rotate(f.X_MS, s.gradient()));
      origin = apply(f.X_MS, s.vertex(0));
      at_origin = pressure_at(f.S, s.extent(0));
    }
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const D other = at_origin + dot(gradient, m.vertex(i) - origin);
      side_M.set(i, f.S.rigid ? other : pressure_at(f.M, m.extent(i)) - other, D(f.M.zero_tolerance));
    }
    bounds.positive = side_M.bits(0);
    pass = side_M.is_cut();
    if (!any(pass)) return pass;
  }

  // d at the vertices of S: p_M - p_S, both compliant
  if (!f.S.half_space && !f.S.rigid) {
    const AffinePressure<D> in_M = {pressure_gradient(f.M, rotate_back(f.X_MS, m.gradient())),
                                    apply_back(f.X_MS, m.vertex(0)), pressure_at(f.M, m.extent(0))};
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      side_S.set(i, in_M.at(s.vertex(i)) - pressure_at(f.S, s.extent(i)), D(f.S.zero_tolerance));
    }
    bounds.positive = bounds.positive | side_S.bits(kBitsOfS);
    pass = pass && side_S.is_cut();
    if (!any(pass)) return pass;
  }

  const Vec3<F> vertex_M[4] = {cast<F>(m.vertex(0)), cast<F>(m.vertex(1)), cast<F>(m.vertex(2)), cast<F>(m.vertex(3))};
  const Bounds<F> box_M = f.M.rigid ? bounds_of(vertex_M) : section_bounds(vertex_M, side_M.d, side_M.above);
  if (f.S.half_space) return pass && bound_overlap(box_M, box_M, f.coarse.slack, bounds);
  Vec3<F> vertex_S[4];
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) vertex_S[i] = apply(f.coarse.X_MS, cast<F>(s.vertex(i)));
  const Bounds<F> box_S = f.S.rigid ? bounds_of(vertex_S) : section_bounds(vertex_S, side_S.d, side_S.above);
  return pass && bound_overlap(box_M, box_S, f.coarse.slack, bounds);
}

/// Whether two cells pass the gate, and the bounds of their polygon. `exactly(bounds)` is test_cells_exactly() for the
/// same cells; it is called where float cannot decide, and always if `checked`. False if they have no polygon.
template <bool checked, class Cells, class Exactly, class F = typename Cells::Float>
ISOPATCH_HD MaskOf<F> test_cells(const MeshPair& f, const Cells& m, const Cells& s, MaskOf<F> wanted,
                                 const Exactly& exactly, PolygonBounds<F>& bounds) {
  const FilterResult<F> coarse = filter_cells(f, m, s);
  bounds = coarse.bounds;
  MaskOf<F> found = wanted && coarse.possible;
  const MaskOf<F> open = checked ? wanted : found && !coarse.certain;
  if (any(open)) {
    PolygonBounds<F> exact = {IntOf<F>(0), {F(0), F(0), F(0)}, F(0)};
    const MaskOf<F> pass = exactly(exact);
    found = (open && pass) || (!open && found);
    bounds.positive = select(open, exact.positive, bounds.positive);
    bounds.center = select(coarse.certain, bounds.center, exact.center);
    bounds.radius = select(coarse.certain, bounds.radius, exact.radius);
  }
  return found;
}

}  // namespace isopatch::detail
