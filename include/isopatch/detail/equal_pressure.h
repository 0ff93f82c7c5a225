// SPDX-License-Identifier: Apache-2.0
//
// From two cells to a contact plane and the lines that bound the polygon on it.
//
// The signed difference d is p_M - p_S, or the height over the surface of the rigid one; it grows from S towards M. It
// is evaluated at the vertices of each tet (nodal value minus the other's affine value), so tets that share a vertex
// see the identical number. With |d| within a rounding error taken as zero, a pair of cells is kept only if each tet
// has some d > 0 and some d <= 0. Of two tets that share a face lying in the contact plane exactly one passes, so the
// polygon is counted exactly once. A face whose vertices are all on one side does not bound the polygon and is left
// out, which is also what removes faces that lie in the plane.
//
// All of this is in double: two affine values that cancel, offsets of large faces from a small polygon. The clipping
// and the integrals that follow run in the scalar of the evaluation, about an origin near the polygon.
#pragma once

#include "isopatch/detail/clip.h"
#include "isopatch/detail/cull.h"

namespace isopatch::detail {

/// Where two boxes overlap.
template <class F>
struct Overlap {
  MaskOf<F> meets;  // within the slack
  Vec3<F> center;
  F radius;  // of a ball about the centre that holds it
};

template <class F>
ISOPATCH_HD Overlap<F> overlap_of(const Bounds<F>& a, const Bounds<F>& b, float slack) {
  const Vec3<F> low = max(a.low, b.low), high = min(a.high, b.high);
  const Vec3<F> size = high - low;
  const F least = F(-slack);
  const MaskOf<F> meets = size.x >= least && size.y >= least && size.z >= least;
  const Vec3<F> none = {F(0), F(0), F(0)};
  return {meets, F(0.5f) * (low + high), fused(F(0.5f), norm(max(size, none)), F(2 * slack))};
}

/// The vertices of a cell of S in M, in float.
template <class Cells>
ISOPATCH_HD void vertices_in_M(const PairFrame& f, const Cells& s, Vec3<FloatOf<typename Cells::Double>> (&vertex)[4]) {
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) vertex[i] = apply(f.coarse, cast<FloatOf<typename Cells::Double>>(s.vertex(i)));
}

template <class F>
ISOPATCH_HD Bounds<F> bounds_of(const Vec3<F> (&vertex)[4]) {
  return {min(min(vertex[0], vertex[1]), min(vertex[2], vertex[3])),
          max(max(vertex[0], vertex[1]), max(vertex[2], vertex[3]))};
}

/// Bit i is set where d at vertex i is positive. A cell is cut if its bits are neither 0 nor 15.
template <class D>
struct Gate {
  IntOf<D> positive_M, positive_S;
  FloatOf<D> d_M[4], d_S[4];  // d itself, for places only
};

template <class D>
ISOPATCH_HD MaskOf<D> is_cut(IntOf<D> bits) {
  return bits != IntOf<D>(0) && bits != IntOf<D>(15);
}

/// The exactly-once gate.
template <class Cells, class D = typename Cells::Double>
ISOPATCH_HD MaskOf<D> pass_gate(const PairFrame& f, const Cells& m, const Cells& s, Gate<D>& gate) {
  using Int = IntOf<D>;
  gate.positive_M = gate.positive_S = Int(0);
  MaskOf<D> pass(true);

  // d at the vertices of M: p_M - p_S, or the height over S
  if (!f.rigid_M) {
    Vec3<D> gradient, origin;  // of what is subtracted from p_M, in M
    D at_origin;
    if (f.half_space_S) {
      const double slope = f.rigid_S ? 1.0 : -f.modulus_S / f.S->thickness;
      gradient = cast<D>(slope * f.up_S());
      origin = cast<D>(f.X_MS.translation);
      at_origin = D(0);
    } else {
      gradient = D(f.rigid_S ? 1.0 : f.modulus_S) * rotate(f.X_MS, s.gradient());
      origin = apply(f.X_MS, s.vertex(0));
      at_origin = D(f.modulus_S) * s.extent(0);
    }
    const D snap = D(f.snap_M);
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const D other = at_origin + dot(gradient, m.vertex(i) - origin);
      const D d = f.rigid_S ? other : D(f.modulus_M) * m.extent(i) - other;
      gate.positive_M = gate.positive_M | select(d > snap, Int(1 << i), Int(0));
      gate.d_M[i] = cast<FloatOf<D>>(d);
    }
    pass = is_cut<D>(gate.positive_M);
    if (!any(pass)) return pass;
  }

  // d at the vertices of S: p_M - p_S, both compliant
  if (!f.half_space_S && !f.rigid_S) {
    const Vec3<D> gradient = D(f.modulus_M) * rotate_back(f.X_MS, m.gradient());
    const Vec3<D> origin = apply_back(f.X_MS, m.vertex(0));
    const D at_origin = D(f.modulus_M) * m.extent(0), snap = D(f.snap_S);
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const D d = (at_origin + dot(gradient, s.vertex(i) - origin)) - D(f.modulus_S) * s.extent(i);
      gate.positive_S = gate.positive_S | select(d > snap, Int(1 << i), Int(0));
      gate.d_S[i] = cast<FloatOf<D>>(d);
    }
    pass = pass && is_cut<D>(gate.positive_S);
  }
  return pass;
}

/// Bounds of the section of a cut tet by the plane d = 0: of the points where edges cross it.
template <class F>
ISOPATCH_HD Bounds<F> section_bounds(const Vec3<F> (&vertex)[4], const F (&d)[4], IntOf<F> positive) {
  const F far = F(1e30f), zero = F(0), one = F(1);
  const Vec3<F> none = {far, far, far};
  Bounds<F> out = {none, -none};
  MaskOf<F> above[4];
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) above[i] = (positive & IntOf<F>(1 << i)) != IntOf<F>(0);
  ISOPATCH_UNROLL
  for (int i = 0; i < 3; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < 4; ++k) {
      const MaskOf<F> crossed = above[i] != above[k];
      const F t = min(one, max(zero, d[i] / (d[i] - d[k])));
      const Vec3<F> crossing = fused(t, vertex[k] - vertex[i], vertex[i]);
      out = {min(out.low, select(crossed, crossing, none)), max(out.high, select(crossed, crossing, -none))};
    }
  }
  return out;
}

/// Where the polygon of two cells that pass the gate can be: far tighter than the cells' boxes, so it rejects most
/// pairs that have none, and it puts the origin of the float arithmetic at the polygon.
template <class Cells, class D = typename Cells::Double>
ISOPATCH_HD Overlap<FloatOf<D>> polygon_overlap(const PairFrame& f, const Cells& m, const Cells& s,
                                                const Gate<D>& gate) {
  using F = FloatOf<D>;
  const Vec3<F> vertex_M[4] = {cast<F>(m.vertex(0)), cast<F>(m.vertex(1)), cast<F>(m.vertex(2)), cast<F>(m.vertex(3))};
  const Bounds<F> section_M = f.rigid_M ? bounds_of(vertex_M) : section_bounds(vertex_M, gate.d_M, gate.positive_M);
  if (f.half_space_S) return overlap_of(section_M, section_M, f.slack);
  Vec3<F> vertex_S[4];
  vertices_in_M(f, s, vertex_S);
  const Bounds<F> section_S = f.rigid_S ? bounds_of(vertex_S) : section_bounds(vertex_S, gate.d_S, gate.positive_S);
  return overlap_of(section_M, section_S, f.slack);
}

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
  D cosine_M, cosine_S;      // of the normal with each inward gradient
  T radius;
  Line<T> line[kMaxLines];
  int num_lines;
};

/// Face `i` of a tet bounds the polygon if its vertices are on both sides.
template <class T>
ISOPATCH_HD MaskOf<T> is_crossed(IntOf<T> positive, int face) {
  const IntOf<T> others = IntOf<T>(15 & ~(1 << face));
  return (positive & others) != IntOf<T>(0) && (positive & others) != others;
}

/// How lines are kept: `packed` appends the used ones (few, for a scalar loop); otherwise every face has its fixed
/// place, so that a register array needs no dynamic index. The results have the same bits.
template <bool packed, class T>
struct LineList {
  ContactPlane<T>& plane;

  ISOPATCH_HD void add(MaskOf<T> used, int place, Line<T> line) {
    if constexpr (packed) {
      if (used) plane.line[plane.num_lines++] = line;
    } else {
      plane.line[place] = {select(used, line.x, T(0)), select(used, line.y, T(0)), select(used, line.c, T(0))};
    }
  }
};

/// A line from its coefficients, of a length at most about 1, about the origin, lengths in metres. `cuts` is false for
/// a line farther than the unit disc, `misses` is true if that leaves nothing of the polygon. Scaling leaves the line
/// where it is, so the factor need be no more exact than what clip() takes for coincident.
template <class T>
struct UnitLine {
  using D = DoubleOf<T>;

  Line<T> line;
  MaskOf<T> cuts, misses;

  ISOPATCH_HD static UnitLine make(D x, D y, D c, D inverse_radius) {
    const D inverse = cast<D>(inverse_sqrt(cast<T>(fused(x, x, y * y))));
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

/// Projects the faces of one cell on the plane. The zero-pressure face is where the pressure on the plane is zero: one
/// line for both bodies, the same bits in every tet, and right however flat the face lies to the plane (beside a much
/// stiffer body it is almost in it). `zero_line_used`: it is in the list already. False where the polygon is certainly
/// empty.
template <bool packed, class T, class Cells>
ISOPATCH_HD MaskOf<T> add_lines(const Cells& cell, bool rigid, IntOf<T> positive, int first,
                                const PlaneFrame<DoubleOf<T>>& frame, ContactPlane<T>& plane,
                                MaskOf<T>& zero_line_used) {
  using D = DoubleOf<T>;
  LineList<packed, T> list{plane};
  MaskOf<T> inside(true);
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    MaskOf<T> used = rigid ? MaskOf<T>(i < 3) : is_crossed<T>(positive, i);
    if constexpr (packed) {
      if (!used) continue;
    }
    const Vec3<D> face = cell.inward(i);
    D x = dot(face, frame.u), y = dot(face, frame.v), c = dot(face, frame.origin - cell.vertex((i + 1) & 3));
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
    list.add(used && found.cuts, first + i, found.line);
  }
  return inside;
}

/// The plane of equal pressure, or of the rigid surface, and its lines. False where the polygon is certainly empty.
template <bool packed, class T, class Cells>
ISOPATCH_HD MaskOf<T> make_contact_plane(const PairFrame& f, const Cells& m, const Cells& s,
                                         const Gate<DoubleOf<T>>& gate, const Overlap<FloatOf<T>>& overlap,
                                         ContactPlane<T>& plane) {
  using D = DoubleOf<T>;
  plane.radius = cast<T>(overlap.radius);
  plane.num_lines = packed ? 0 : kMaxLines;

  // affine pressures in M
  const Vec3<D> up = cast<D>(f.up_S());
  const Vec3<D> center = cast<D>(overlap.center);
  const Vec3<D> center_S = apply_back(f.X_MS, center);
  Vec3<D> gradient_M = {D(0), D(0), D(0)}, gradient_S = gradient_M;
  D pressure_M = D(0), pressure_S = D(0);
  if (!f.rigid_M) {
    const D modulus = D(f.modulus_M);
    gradient_M = modulus * m.gradient();
    pressure_M = fused(modulus, m.extent(0), dot(gradient_M, center - m.vertex(0)));
  }
  if (!f.rigid_S) {
    const D modulus = D(f.modulus_S);
    if (f.half_space_S) {
      const D slope = D(-f.modulus_S / f.S->thickness);
      gradient_S = slope * up;
      pressure_S = slope * center_S.z;
    } else {
      gradient_S = modulus * rotate(f.X_MS, s.gradient());
      pressure_S = fused(modulus, s.extent(0), modulus * dot(s.gradient(), center_S - s.vertex(0)));
    }
  }

  // the plane: d = 0, its normal from S into M
  D height;  // of the centre over the plane, m
  if (f.rigid_S) {
    plane.normal = f.half_space_S ? up : rotate(f.X_MS, s.gradient());
    height = f.half_space_S ? center_S.z : dot(s.gradient(), center_S - s.vertex(0));
  } else if (f.rigid_M) {
    plane.normal = -m.gradient();
    height = -dot(m.gradient(), center - m.vertex(0));
  } else {
    const Vec3<D> difference = gradient_M - gradient_S;
    const D inverse = inverse_sqrt(dot(difference, difference));
    plane.normal = inverse * difference;
    height = (pressure_M - pressure_S) * inverse;
  }
  MaskOf<T> found = abs(height) <= cast<D>(overlap.radius);
  if (!any(found)) return found;
  plane.origin = fused(-height, plane.normal, center);
  plane.axes = make_basis(plane.normal);

  // pressure from the body in which it is flatter: it carries the smaller error
  MaskOf<T> from_M(f.rigid_S);
  if (!f.rigid_S && !f.rigid_M) from_M = dot(gradient_M, gradient_M) <= dot(gradient_S, gradient_S);
  const Vec3<D> gradient = select(from_M, gradient_M, gradient_S);
  plane.pressure = select(from_M, pressure_M, pressure_S) - height * dot(gradient, plane.normal);
  plane.pressure_u = dot(gradient, plane.axes.u);
  plane.pressure_v = dot(gradient, plane.axes.v);
  plane.gradient_M = dot(gradient_M, plane.normal);
  plane.gradient_S = -dot(gradient_S, plane.normal);
  if (f.gradient_filter) {
    plane.cosine_M = f.rigid_M ? D(1) : plane.gradient_M / norm(gradient_M);
    plane.cosine_S = f.rigid_S ? D(1) : plane.gradient_S / norm(gradient_S);
  }

  // lines of M, then of S, in each body's own frame
  MaskOf<T> zero_line_used(false);
  const D inverse_radius = D(1) / cast<D>(plane.radius);
  const D pressure_scale = D(f.pressure_scale);
  const PlaneFrame<D> in_M = {plane.origin, plane.axes.u, plane.axes.v, inverse_radius, pressure_scale};
  found = found && add_lines<packed>(m, f.rigid_M, gate.positive_M, 0, in_M, plane, zero_line_used);
  if (!any(found)) return found;

  const PlaneFrame<D> in_S = {apply_back(f.X_MS, plane.origin), rotate_back(f.X_MS, plane.axes.u),
                              rotate_back(f.X_MS, plane.axes.v), inverse_radius, pressure_scale};
  if (!f.half_space_S) {
    return found && add_lines<packed>(s, f.rigid_S, gate.positive_S, 4, in_S, plane, zero_line_used);
  }

  // a half space bounds a rigid surface by z <= 0; beside a compliant tet the polygon ends where its pressure does
  LineList<packed, T> list{plane};
  const auto surface = UnitLine<T>::make(-in_S.u.z, -in_S.v.z, -in_S.origin.z, inverse_radius);
  list.add(MaskOf<T>(f.rigid_M) && surface.cuts, 4, surface.line);
  for (int i = 5; i < kMaxLines; ++i) list.add(MaskOf<T>(false), i, {T(0), T(0), T(0)});
  return found && !(MaskOf<T>(f.rigid_M) && surface.misses);
}

}  // namespace isopatch::detail
