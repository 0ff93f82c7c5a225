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
#include "isopatch/detail/pair_frame.h"

namespace isopatch::detail {

/// A bounding box in M, in float.
struct Bounds {
  Vec3f low, high;
};

/// Where two boxes overlap.
struct Overlap {
  bool meets;  // within the slack
  Vec3f center;
  float radius;  // of a ball about the centre that holds it
};

ISOPATCH_HD Overlap overlap_of(const Bounds& a, const Bounds& b, float slack) {
  const Vec3f low = max(a.low, b.low), high = min(a.high, b.high);
  const Vec3f size = high - low;
  const bool meets = size.x >= -slack && size.y >= -slack && size.z >= -slack;
  return {meets, 0.5f * (low + high), std::fma(0.5f, norm(max(size, Vec3f{0, 0, 0})), 2 * slack)};
}

/// The vertices of a cell of S in M, in float.
ISOPATCH_HD void vertices_in_M(const PairFrame& f, const Cell& s, Vec3f (&vertex)[4]) {
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) vertex[i] = apply(f.coarse, cast<float>(s.vertex[i]));
}

ISOPATCH_HD Bounds bounds_of(const Vec3f (&vertex)[4]) {
  return {min(min(vertex[0], vertex[1]), min(vertex[2], vertex[3])),
          max(max(vertex[0], vertex[1]), max(vertex[2], vertex[3]))};
}

/// The overlap of the cells' boxes. `s` is null for a half space, which any cell may meet.
ISOPATCH_HD Overlap find_overlap(const PairFrame& f, const Cell& m, const Cell* s) {
  const Bounds box_M = {{m.box_low[0], m.box_low[1], m.box_low[2]}, {m.box_high[0], m.box_high[1], m.box_high[2]}};
  if (s == nullptr) return overlap_of(box_M, box_M, f.slack);
  Vec3f vertex[4];
  vertices_in_M(f, *s, vertex);
  return overlap_of(box_M, bounds_of(vertex), f.slack);
}

/// Bit i is set where d at vertex i is positive. A cell is cut if its mask is neither 0 nor 15.
struct Gate {
  std::uint32_t positive_M, positive_S;
  float d_M[4], d_S[4];  // d itself, for places only
};

ISOPATCH_HD bool is_cut(std::uint32_t mask) { return mask != 0u && mask != 15u; }

/// The exactly-once gate. `s` is null for a half space.
ISOPATCH_HD bool pass_gate(const PairFrame& f, const Cell& m, const Cell* s, Gate& gate) {
  gate.positive_M = gate.positive_S = 0;

  // d at the vertices of M: p_M - p_S, or the height over S
  if (!f.rigid_M) {
    Vec3d gradient, origin;  // of what is subtracted from p_M, in M
    double at_origin, own;
    if (s == nullptr) {
      const double slope = f.rigid_S ? 1.0 : -f.modulus_S / f.S->thickness;
      gradient = slope * Vec3d{f.X_MS.row[0].z, f.X_MS.row[1].z, f.X_MS.row[2].z};
      origin = f.X_MS.translation;
      at_origin = 0;
    } else {
      gradient = (f.rigid_S ? 1.0 : f.modulus_S) * rotate(f.X_MS, s->gradient);
      origin = apply(f.X_MS, s->vertex[0]);
      at_origin = f.modulus_S * s->extent[0];
    }
    own = f.rigid_S ? 0.0 : f.modulus_M;
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const double other = at_origin + dot(gradient, m.vertex[i] - origin);
      const double d = f.rigid_S ? other : own * m.extent[i] - other;
      gate.positive_M |= d > f.snap_M ? 1u << i : 0u;
      gate.d_M[i] = static_cast<float>(d);
    }
    if (!is_cut(gate.positive_M)) return false;
  }

  // d at the vertices of S: p_M - p_S, both compliant
  if (s != nullptr && !f.rigid_S) {
    const Vec3d gradient = f.modulus_M * rotate_back(f.X_MS, m.gradient);
    const Vec3d origin = apply_back(f.X_MS, m.vertex[0]);
    const double at_origin = f.modulus_M * m.extent[0];
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {
      const double d = (at_origin + dot(gradient, s->vertex[i] - origin)) - f.modulus_S * s->extent[i];
      gate.positive_S |= d > f.snap_S ? 1u << i : 0u;
      gate.d_S[i] = static_cast<float>(d);
    }
    if (!is_cut(gate.positive_S)) return false;
  }
  return true;
}

/// Bounds of the section of a cut tet by the plane d = 0: of the points where edges cross it.
ISOPATCH_HD Bounds section_bounds(const Vec3f (&vertex)[4], const float (&d)[4], std::uint32_t positive) {
  constexpr float kFar = 1e30f;
  Bounds out = {{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}};
  ISOPATCH_UNROLL
  for (int i = 0; i < 3; ++i) {
    ISOPATCH_UNROLL
    for (int k = i + 1; k < 4; ++k) {
      if (((positive >> i ^ positive >> k) & 1u) == 0u) continue;
      const float t = min(1.0f, max(0.0f, d[i] / (d[i] - d[k])));
      const Vec3f crossing = fused(t, vertex[k] - vertex[i], vertex[i]);
      out = {min(out.low, crossing), max(out.high, crossing)};
    }
  }
  return out;
}

/// Where the polygon of two cells that pass the gate can be: far tighter than the cells' boxes, so it rejects most
/// pairs that have none, and it puts the origin of the float arithmetic at the polygon.
ISOPATCH_HD Overlap polygon_overlap(const PairFrame& f, const Cell& m, const Cell* s, const Gate& gate) {
  const Vec3f vertex_M[4] = {cast<float>(m.vertex[0]), cast<float>(m.vertex[1]), cast<float>(m.vertex[2]),
                             cast<float>(m.vertex[3])};
  const Bounds section_M = f.rigid_M ? bounds_of(vertex_M) : section_bounds(vertex_M, gate.d_M, gate.positive_M);
  if (s == nullptr) return overlap_of(section_M, section_M, f.slack);
  Vec3f vertex_S[4];
  vertices_in_M(f, *s, vertex_S);
  const Bounds section_S = f.rigid_S ? bounds_of(vertex_S) : section_bounds(vertex_S, gate.d_S, gate.positive_S);
  return overlap_of(section_M, section_S, f.slack);
}

/// The contact plane of one pair of cells, and the half-planes on it. Lengths on the plane are in units of `radius`.
template <class T>
struct ContactPlane {
  Vec3d origin;  // on the plane, in M
  Basis<double> axes;
  Vec3d normal;                   // unit, from S into M
  double pressure;                // at the origin, Pa
  double pressure_u, pressure_v;  // slopes along the axes, Pa/m
  double gradient_M, gradient_S;  // slopes into each body, Pa/m: grad p_M . n and -grad p_S . n
  double cosine_M, cosine_S;      // of the normal with each inward gradient
  T radius;
  bool zero_line_used;  // the line of zero pressure is in the list
  Line<T> line[kMaxLines];
  int num_lines;
};

/// Face `i` of a tet bounds the polygon if its vertices are on both sides.
ISOPATCH_HD bool is_crossed(std::uint32_t mask, int face) {
  const std::uint32_t others = 15u & ~(1u << face);
  return (mask & others) != 0u && (mask & others) != others;
}

/// How lines are kept: `packed` appends the used ones (few, for a scalar loop); otherwise every face has its fixed
/// place, so that a register array needs no dynamic index. The results have the same bits.
template <bool packed, class T>
struct LineList {
  ContactPlane<T>& plane;

  ISOPATCH_HD void add(bool used, int place, Line<T> line) {
    if constexpr (packed) {
      if (used) plane.line[plane.num_lines++] = line;
    } else {
      plane.line[place] = used ? line : Line<T>{T(0), T(0), T(0)};
    }
  }
};

/// A line from its coefficients of any length, about the origin, lengths in metres. `cuts` is false for a line farther
/// than the unit disc, `misses` is true if that leaves nothing of the polygon.
template <class T>
struct UnitLine {
  Line<T> line;
  bool cuts, misses;

  ISOPATCH_HD static UnitLine make(double x, double y, double c, double inverse_radius) {
    const double length = std::sqrt(std::fma(x, x, y * y));
    const double distance = c * inverse_radius;
    const double inverse = 1.0 / length;
    return {{static_cast<T>(x * inverse), static_cast<T>(y * inverse), static_cast<T>(distance * inverse)},
            distance < length,
            distance < -length};
  }
};

/// Projects the faces of one cell on the plane. A zero-pressure face is where the pressure on the plane is zero: one
/// line for both bodies, the same bits in every tet, and right however flat the face lies to the plane (beside a much
/// stiffer body it is almost in it). Returns false if the polygon is certainly empty.
template <bool packed, class T>
ISOPATCH_HD bool add_lines(const Cell& cell, std::uint32_t faces, int first, Vec3d origin, Vec3d u, Vec3d v,
                           ContactPlane<T>& plane) {
  LineList<packed, T> list{plane};
  const double inverse_radius = 1.0 / static_cast<double>(plane.radius);
  bool inside = true;
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    bool used = (faces >> i & 1u) != 0u;
    if (packed && !used) continue;
    UnitLine<T> found;
    if (i == cell.zero_face) {
      found = UnitLine<T>::make(plane.pressure_u, plane.pressure_v, plane.pressure, inverse_radius);
      used = used && !plane.zero_line_used;
      plane.zero_line_used = plane.zero_line_used || used;
    } else {
      const Vec3d face = cell.inward[i];
      found =
          UnitLine<T>::make(dot(face, u), dot(face, v), dot(face, origin - cell.vertex[(i + 1) & 3]), inverse_radius);
    }
    inside = inside && !(used && found.misses);
    list.add(used && found.cuts, first + i, found.line);
  }
  return inside;
}

/// The plane of equal pressure, or of the rigid surface, and its lines. Returns false if the polygon is empty.
template <bool packed, class T>
ISOPATCH_HD bool make_contact_plane(const PairFrame& f, const Cell& m, const Cell* s, std::uint32_t positive_M,
                                    std::uint32_t positive_S, const Overlap& overlap, ContactPlane<T>& plane) {
  plane.radius = static_cast<T>(overlap.radius);
  plane.num_lines = packed ? 0 : kMaxLines;
  plane.zero_line_used = false;

  // affine pressures in M
  const Vec3d center = cast<double>(overlap.center);
  Vec3d gradient_M = {0, 0, 0}, gradient_S = {0, 0, 0};
  double pressure_M = 0, pressure_S = 0;
  Vec3d center_S = apply_back(f.X_MS, center);
  if (!f.rigid_M) {
    gradient_M = f.modulus_M * m.gradient;
    pressure_M = std::fma(f.modulus_M, m.extent[0], dot(gradient_M, center - m.vertex[0]));
  }
  if (!f.rigid_S) {
    if (s == nullptr) {
      const double slope = -f.modulus_S / f.S->thickness;
      gradient_S = slope * Vec3d{f.X_MS.row[0].z, f.X_MS.row[1].z, f.X_MS.row[2].z};
      pressure_S = slope * center_S.z;
    } else {
      gradient_S = f.modulus_S * rotate(f.X_MS, s->gradient);
      pressure_S = std::fma(f.modulus_S, s->extent[0], f.modulus_S * dot(s->gradient, center_S - s->vertex[0]));
    }
  }

  // the plane: d = 0, its normal from S into M
  double height;  // of the centre over the plane, m
  if (f.rigid_S) {
    plane.normal =
        s == nullptr ? Vec3d{f.X_MS.row[0].z, f.X_MS.row[1].z, f.X_MS.row[2].z} : rotate(f.X_MS, s->gradient);
    height = s == nullptr ? center_S.z : dot(s->gradient, center_S - s->vertex[0]);
  } else if (f.rigid_M) {
    plane.normal = -m.gradient;
    height = -dot(m.gradient, center - m.vertex[0]);
  } else {
    const Vec3d difference = gradient_M - gradient_S;
    const double inverse = 1.0 / norm(difference);
    plane.normal = inverse * difference;
    height = (pressure_M - pressure_S) * inverse;
  }
  if (!(std::fabs(height) <= static_cast<double>(overlap.radius))) return false;
  plane.origin = fused(-height, plane.normal, center);
  plane.axes = make_basis(plane.normal);

  // pressure from the body in which it is flatter: it carries the smaller error
  const bool from_M = f.rigid_S || (!f.rigid_M && dot(gradient_M, gradient_M) <= dot(gradient_S, gradient_S));
  const Vec3d gradient = from_M ? gradient_M : gradient_S;
  plane.pressure = (from_M ? pressure_M : pressure_S) - height * dot(gradient, plane.normal);
  plane.pressure_u = dot(gradient, plane.axes.u);
  plane.pressure_v = dot(gradient, plane.axes.v);
  plane.gradient_M = dot(gradient_M, plane.normal);
  plane.gradient_S = -dot(gradient_S, plane.normal);
  if (f.gradient_filter) {
    plane.cosine_M = f.rigid_M ? 1.0 : plane.gradient_M / norm(gradient_M);
    plane.cosine_S = f.rigid_S ? 1.0 : plane.gradient_S / norm(gradient_S);
  }

  // lines of M, then of S, in each body's own frame
  std::uint32_t faces = f.rigid_M ? 7u : 0u;
  for (int i = 0; i < 4 && !f.rigid_M; ++i) faces |= is_crossed(positive_M, i) ? 1u << i : 0u;
  if (!add_lines<packed>(m, faces, 0, plane.origin, plane.axes.u, plane.axes.v, plane)) return false;

  const Vec3d u_S = rotate_back(f.X_MS, plane.axes.u), v_S = rotate_back(f.X_MS, plane.axes.v);
  const Vec3d origin_S = apply_back(f.X_MS, plane.origin);
  if (s != nullptr) {
    faces = f.rigid_S ? 7u : 0u;
    for (int i = 0; i < 4 && !f.rigid_S; ++i) faces |= is_crossed(positive_S, i) ? 1u << i : 0u;
    return add_lines<packed>(*s, faces, 4, origin_S, u_S, v_S, plane);
  }

  // a half space bounds a rigid surface by z <= 0; beside a compliant tet the polygon ends where its pressure does
  LineList<packed, T> list{plane};
  const auto surface = UnitLine<T>::make(-u_S.z, -v_S.z, -origin_S.z, 1.0 / static_cast<double>(plane.radius));
  list.add(f.rigid_M && surface.cuts, 4, surface.line);
  for (int i = 5; i < kMaxLines; ++i) list.add(false, i, {T(0), T(0), T(0)});
  return !(f.rigid_M && surface.misses);
}

}  // namespace isopatch::detail
