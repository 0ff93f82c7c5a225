// SPDX-License-Identifier: Apache-2.0
//
// From two cells to a contact plane and the lines that bound the polygon on it.
//
// A face whose vertices are all on one side of the contact plane does not bound the polygon and is left out. That also
// removes faces that lie in the plane.
//
// All of this is in double, because affine values cancel and the faces may be far larger than the polygon. The clipping
// and the integrals that follow run in the scalar of the evaluation, about an origin near the polygon.
#pragma once

#include "isopatch/detail/polygon/polygon_lines.h"
#include "isopatch/detail/pressure_field/cells/near_side.h"
#include "isopatch/detail/pressure_field/cells/tet_filter.h"

namespace isopatch::detail {

/// The contact plane of one pair of cells, and the half-planes on it. Lengths on the plane are in units of `radius`.
template <class T>
struct ContactPlane {
  using D = DoubleOf<T>;

  Vec3<D> origin;  // on the plane, in M
  Basis<D> axes;
  Vec3<D> normal;            // unit, from S into M
  D pressure;                // at the origin, Pa
  D pressure_u, pressure_v;  // slopes along the axes, Pa/m
  D gradient_M, gradient_S;  // slopes into each body, Pa/m: grad p_M . n and -grad p_S . n
  T near_side;               // by set_near_side()
  T radius;
  Line<T> line[kMaxLines];
  int num_lines;
};

/// Makes the axes again on a GPU, where twelve registers that hold them over the clip would be spilled.
template <class T>
ISOPATCH_HD void renew_axes([[maybe_unused]] ContactPlane<T>& plane) {
#if defined(__CUDA_ARCH__)
  auto& [x, y, z] = plane.normal;
  asm volatile("" : "+d"(x), "+d"(y), "+d"(z));  // nothing made of it before is used again
  plane.axes = make_basis(plane.normal);
#endif
}

/// Face `i` of a tet bounds the polygon if its vertices are on both sides.
template <class T>
ISOPATCH_HD MaskOf<T> is_crossed(IntOf<T> positive, int first_bit, int face) {
  const IntOf<T> others = IntOf<T>((15 & ~(1 << face)) << first_bit);
  return (positive & others) != IntOf<T>(0) && (positive & others) != others;
}

/// A line from its coefficients about the origin, with a normal of length at most about 1 and lengths in metres. `cuts`
/// is false for a line outside the unit disc; `misses` is true if that leaves nothing of the polygon. Scaling does not
/// move the line, so the factor need be no more exact than the tolerance of clip() for lines that coincide.
template <class T>
struct UnitLine {
  using D = DoubleOf<T>;

  Line<T> line;
  MaskOf<T> cuts, misses;

  ISOPATCH_HD static UnitLine make(D x, D y, D c, D inverse_radius) {
    const D inverse = cast<D>(inverse_sqrt(cast<T>(fma(x, x, y * y))));
    const D distance = c * inverse_radius * inverse;
    return {{cast<T>(x * inverse), cast<T>(y * inverse), cast<T>(distance)}, distance < D(1), distance < D(-1)};
  }
};

/// The contact plane in the frame of one body.
template <class D>
struct PlaneFrame {
  Vec3<D> origin, u, v;
  D inverse_radius, pressure_scale;
};

/// Projects the faces of one cell onto the plane; the bits of its vertices and its lines begin at `first`. The
/// zero-pressure face is where the pressure on the plane is zero: one line for both bodies, the same bits in every tet,
/// and accurate even where the face is almost parallel to the plane, as beside a much stiffer body. `zero_line_used`:
/// it is in the list already. False where the polygon is certainly empty.
template <class T, class Cells, class Lines>
ISOPATCH_HD MaskOf<T> add_lines(const Cells& cell, bool rigid, IntOf<T> positive, int first,
                                const PlaneFrame<DoubleOf<T>>& frame, const Lines& lines, ContactPlane<T>& plane,
                                MaskOf<T>& zero_line_used) {
  using D = DoubleOf<T>;
  MaskOf<T> inside(true);
  const Vec3<D> arm = frame.origin - cell.vertex0();
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    MaskOf<T> used = rigid ? MaskOf<T>(i < 3) : is_crossed<T>(positive, first, i);
    if constexpr (Lines::kSkipsUnused) {
      if (!used) continue;
    }
    const Vec3<D> face = cell.inward(i);
    D x = dot(face, frame.u), y = dot(face, frame.v), c = dot(face, arm);
    if (i == 0) c = c + cell.height0();  // the other faces contain vertex 0
    if (i == kZeroFace) {
      const MaskOf<T> zero = cell.has_zero_face();
      x = select(zero, frame.pressure_scale * plane.pressure_u, x);
      y = select(zero, frame.pressure_scale * plane.pressure_v, y);
      c = select(zero, frame.pressure_scale * plane.pressure, c);
      used = used && !(zero && zero_line_used);
      zero_line_used = zero_line_used || (zero && used);
    }
    const UnitLine<T> found = UnitLine<T>::make(x, y, c, frame.inverse_radius);
    inside = inside && !(used && found.misses);
    lines.add(used && found.cuts, first + i, found.line, plane.line, plane.num_lines);
  }
  return inside;
}

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

/// Lines of a half space: it bounds a rigid surface by z <= 0; beside a compliant tet the polygon ends where its
/// pressure does. A layer bounds both from above and below. False where the polygon is certainly empty.
template <class T, class Lines>
ISOPATCH_HD MaskOf<T> add_half_space_lines(const PairContext& f, const PlaneFrame<DoubleOf<T>>& in_S,
                                           const Lines& lines, ContactPlane<T>& plane) {
  using D = DoubleOf<T>;
  const GeometryView& half_space = *f.S.geometry;
  const auto add = [&](MaskOf<T> used, int index, const Line<T>& line) {
    lines.add(used, index, line, plane.line, plane.num_lines);
  };
  const MaskOf<T> from_above(f.M.rigid || half_space.is_layer);
  const D over_top = in_S.origin.z - D(half_space.high);
  const auto surface = UnitLine<T>::make(-in_S.u.z, -in_S.v.z, -over_top, in_S.inverse_radius);
  add(from_above && surface.cuts, 4, surface.line);
  // an array in registers needs constant indices
  ISOPATCH_UNROLL
  for (int i = 6; i < kMaxLines; ++i) add(MaskOf<T>(false), i, no_line<T>(i));
  const MaskOf<T> found = !(from_above && surface.misses);
  if (!half_space.is_layer) {
    add(MaskOf<T>(false), 5, no_line<T>(5));
    return found;
  }
  const auto bottom = UnitLine<T>::make(in_S.u.z, in_S.v.z, in_S.origin.z - D(half_space.low), in_S.inverse_radius);
  add(bottom.cuts, 5, bottom.line);
  return found && !bottom.misses;
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
  const D inverse_radius = reciprocal(cast<D>(plane.radius));
  const PlaneFrame<D> in_M = {plane.origin, plane.axes.u, plane.axes.v, inverse_radius, D(f.pressure_scale)};
  found = found && add_lines(m, f.M.rigid, bounds.positive, 0, in_M, lines, plane, zero_line_used);
  if (!any(found)) return found;

  const PlaneFrame<D> in_S = {apply_back(f.X_MS, plane.origin), rotate_back(f.X_MS, plane.axes.u),
                              rotate_back(f.X_MS, plane.axes.v), inverse_radius, D(f.pressure_scale)};
  if (!f.S.half_space) {
    return found && add_lines(s, f.S.rigid, bounds.positive, kBitsOfS, in_S, lines, plane, zero_line_used);
  }
  return found && add_half_space_lines<T>(f, in_S, lines, plane);
}

}  // namespace isopatch::detail
