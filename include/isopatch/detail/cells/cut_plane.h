// SPDX-License-Identifier: Apache-2.0
//
// A plane through two cells and the lines that bound their polygon on it.
//
// A face whose vertices are all on one side of the plane does not bound the polygon and is left out. That also removes
// faces that lie in the plane.
//
// All of this is in double, because affine values cancel and the faces may be far larger than the polygon. The clipping
// and the integrals that follow run in the scalar of the evaluation, about an origin near the polygon.
#pragma once

#include "isopatch/detail/cells/tet_filter.h"
#include "isopatch/detail/polygon/polygon_lines.h"

namespace isopatch::detail {

/// A plane, and the half-planes on it. Lengths on the plane are in units of `radius`.
template <class T>
struct CutPlane {
  using D = DoubleOf<T>;

  Vec3<D> origin;  // on the plane, in M
  Basis<D> axes;
  Vec3<D> normal;  // unit, from S into M
  T radius;
  Line<T> line[kMaxLines];
  int num_lines;
};

/// Makes the axes again on a GPU, where twelve registers that hold them over the clip would be spilled.
template <class T>
ISOPATCH_HD void renew_axes([[maybe_unused]] CutPlane<T>& plane) {
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

/// A plane in the frame of one body.
template <class D>
struct PlaneFrame {
  Vec3<D> origin, u, v;
  D inverse_radius;
};

/// Projects the faces of one cell onto the plane; the bits of its vertices and its lines begin at `first`. For the face
/// without pressure zero_face(cell, used, x, y, c) may change the line and whether it is used. False where the polygon
/// is certainly empty.
template <class T, class Cells, class Lines, class ZeroFace>
ISOPATCH_HD MaskOf<T> add_lines(const Cells& cell, bool rigid, IntOf<T> positive, int first,
                                const PlaneFrame<DoubleOf<T>>& frame, const Lines& lines, CutPlane<T>& plane,
                                const ZeroFace& zero_face) {
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
    if (i == kZeroFace) zero_face(cell, used, x, y, c);
    const UnitLine<T> found = UnitLine<T>::make(x, y, c, frame.inverse_radius);
    inside = inside && !(used && found.misses);
    lines.add(used && found.cuts, first + i, found.line, plane.line, plane.num_lines);
  }
  return inside;
}

/// Lines of a half space: it bounds a rigid surface by z <= 0; beside a compliant tet the polygon ends where its
/// pressure does. A layer bounds both from above and below. False where the polygon is certainly empty.
template <class T, class Lines>
ISOPATCH_HD MaskOf<T> add_half_space_lines(const MeshPair& f, const PlaneFrame<DoubleOf<T>>& in_S, const Lines& lines,
                                           CutPlane<T>& plane) {
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

}  // namespace isopatch::detail
