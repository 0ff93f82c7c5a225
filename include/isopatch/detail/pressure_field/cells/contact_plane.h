// SPDX-License-Identifier: Apache-2.0
//
// From two cells to the plane of equal pressure and the lines that bound the polygon on it.
#pragma once

#include "isopatch/detail/cells/cut_plane.h"
#include "isopatch/detail/pressure_field/cells/near_side.h"

namespace isopatch::detail {

/// The contact plane of one pair of cells, with the pressure on it.
template <class T>
struct ContactPlane : CutPlane<T> {
  using D = DoubleOf<T>;

  D pressure;                // at the origin, Pa
  D pressure_u, pressure_v;  // slopes along the axes, Pa/m
  D gradient_M, gradient_S;  // slopes into each body, Pa/m: grad p_M . n and -grad p_S . n
  T near_side;               // by set_near_side()
};

/// The zero-pressure face is where the pressure on the plane is zero: one line for both bodies, the same bits in every
/// tet, and accurate even where the face is almost parallel to the plane, as beside a much stiffer body.
template <class T>
struct ZeroPressureLine {
  using D = DoubleOf<T>;

  const ContactPlane<T>& plane;
  double scale;
  MaskOf<T>& is_used;  // already in the list

  template <class Cells>
  ISOPATCH_HD void operator()(const Cells& cell, MaskOf<T>& used, D& x, D& y, D& c) const {
    const MaskOf<T> zero = cell.has_zero_face();
    x = select(zero, D(scale) * plane.pressure_u, x);
    y = select(zero, D(scale) * plane.pressure_v, y);
    c = select(zero, D(scale) * plane.pressure, c);
    used = used && !(zero && is_used);
    is_used = is_used || (zero && used);
  }
};

/// How much of the pressure on a plane counts as on the near side for kFarSide; 1 where a body is one-sided, since each
/// polygon is weighed then.
template <class T, class Cells>
ISOPATCH_HD void set_near_side(const PairContext& f, const Cells& m, const Cells& s, MaskOf<T> found,
                               ContactPlane<T>& plane) {
  plane.near_side = T(1);
  if (f.law.is_weighed()) return;
  plane.near_side = cast<T>(near_side_of_cells(f, m, s, plane.gradient_M, plane.gradient_S, found));
}

/// Whether the plane's normal is within 5 pi / 8 of each inward gradient.
template <class T, class D>
ISOPATCH_HD MaskOf<T> passes_gradient_filter(const PairContext& f, const Vec3<D>& gradient_M, const Vec3<D>& gradient_S,
                                             const ContactPlane<T>& plane) {
  const D cosine_M = f.M.rigid ? D(1) : plane.gradient_M / norm(gradient_M);
  const D cosine_S = f.S.rigid ? D(1) : plane.gradient_S / norm(gradient_S);
  const D least = D(-0.38268343236508977);
  return !(cosine_M < least || cosine_S < least);
}

/// The plane of equal pressure, or of the rigid surface, and its lines. False where the polygon is certainly empty, or
/// the gradient filter drops it. On a GPU `with_near_side` leaves less to be kept over the clip.
template <bool with_near_side = true, class T, class Cells, class Lines>
ISOPATCH_HD MaskOf<T> make_contact_plane(const PairContext& f, const Cells& m, const Cells& s,
                                         const PolygonBounds<FloatOf<T>>& bounds, const Lines& lines,
                                         ContactPlane<T>& plane) {
  using D = DoubleOf<T>;
  plane.radius = cast<T>(bounds.radius);
  plane.num_lines = 0;

  // affine pressures in M
  const Vec3<D> up = cast<D>(f.up_S()), center = cast<D>(bounds.center), center_S = apply_back(f.X_MS, center);
  Vec3<D> gradient_M = {D(0), D(0), D(0)}, gradient_S = gradient_M;
  D pressure_M = D(0), pressure_S = D(0);
  if (!f.M.rigid) {
    gradient_M = pressure_gradient(f.M, m.gradient());
    pressure_M = pressure_at(f.M, m.extent0(), dot(gradient_M, center - m.vertex0()));
  }
  if (!f.S.rigid) {
    if (f.S.half_space) {
      const D slope = D(half_space_pressure_slope(f.S));
      gradient_S = slope * up;
      pressure_S = slope * center_S.z;
    } else {
      gradient_S = pressure_gradient(f.S, rotate(f.X_MS, s.gradient()));
      pressure_S = pressure_at(f.S, s.extent0(), pressure_at(f.S, dot(s.gradient(), center_S - s.vertex0())));
    }
  }

  // the plane: d = 0, its normal from S into M
  D height;  // of the centre over the plane, m
  if (f.S.rigid) {
    plane.normal = f.S.half_space ? up : rotate(f.X_MS, s.gradient());
    height = f.S.half_space ? center_S.z : dot(s.gradient(), center_S - s.vertex0());
  } else if (f.M.rigid) {
    plane.normal = -m.gradient();
    height = -dot(m.gradient(), center - m.vertex0());
  } else {
    const Vec3<D> difference = gradient_M - gradient_S;
    const D inverse = inverse_sqrt(dot(difference, difference));
    plane.normal = inverse * difference;
    height = (pressure_M - pressure_S) * inverse;
  }
  MaskOf<T> found = abs(height) <= cast<D>(bounds.radius);
  if (!any(found)) return found;
  plane.origin = fma(-height, plane.normal, center);
  plane.axes = make_basis(plane.normal);

  // the pressure of the body with the smaller gradient, which has the smaller error
  MaskOf<T> from_M(f.S.rigid);
  if (!f.S.rigid && !f.M.rigid) from_M = dot(gradient_M, gradient_M) <= dot(gradient_S, gradient_S);
  const Vec3<D> gradient = select(from_M, gradient_M, gradient_S);
  plane.pressure = select(from_M, pressure_M, pressure_S) - height * dot(gradient, plane.normal);
  plane.pressure_u = dot(gradient, plane.axes.u);
  plane.pressure_v = dot(gradient, plane.axes.v);
  plane.gradient_M = dot(gradient_M, plane.normal);
  plane.gradient_S = -dot(gradient_S, plane.normal);
  if (f.law.gradient_filter) {
    found = found && passes_gradient_filter(f, gradient_M, gradient_S, plane);
    if (!any(found)) return found;
  }

  if constexpr (with_near_side) set_near_side(f, m, s, found, plane);

  // lines of M, then of S, in each body's own frame
  MaskOf<T> zero_line_used(false);
  const ZeroPressureLine<T> zero_line = {plane, f.pressure_scale, zero_line_used};
  const D inverse_radius = reciprocal(cast<D>(plane.radius));
  const PlaneFrame<D> in_M = {plane.origin, plane.axes.u, plane.axes.v, inverse_radius};
  found = found && add_lines(m, f.M.rigid, bounds.positive, 0, in_M, lines, plane, zero_line);
  if (!any(found)) return found;

  const PlaneFrame<D> in_S = {apply_back(f.X_MS, plane.origin), rotate_back(f.X_MS, plane.axes.u),
                              rotate_back(f.X_MS, plane.axes.v), inverse_radius};
  if (!f.S.half_space) {
    return found && add_lines(s, f.S.rigid, bounds.positive, kBitsOfS, in_S, lines, plane, zero_line);
  }
  return found && add_half_space_lines<T>(f, in_S, lines, plane);
}

}  // namespace isopatch::detail
