// SPDX-License-Identifier: Apache-2.0
//
// Integrals over the overlap of two cells: of the smaller of both pressures, or of it where one body has it. In double.
//
// The overlap of two convex cells is a convex polyhedron, cut in two by the plane of equal pressure. Seen from an
// origin O, an integral of q0 + g.x over a polyhedron is a sum over its faces: with h the distance of the face's plane
// from O, a cone over the face gives h (q0/3 area + 1/4 integral of g.x dA). Each face is a polygon bounded by the
// other planes: the same clip() as the contact polygon's. With O on the plane of equal pressure the cut itself adds
// nothing.
#pragma once

#include "isopatch/detail/cells/tet_filter.h"
#include "isopatch/detail/polygon/clip.h"
#include "isopatch/detail/pressure_field/context/pair_context.h"

namespace isopatch::detail {

/// A plane that bounds a polyhedron; `height` is that of the origin over it, on the inside.
struct BoundingPlane {
  Vec3d inward;
  double height;
};

/// q0 + gradient . x about the origin.
struct AffineField {
  double value;
  Vec3d gradient;
};

/// The line in which plane `cut` bounds the face of `face`, lengths in units of `radius`. If the planes coincide,
/// `face` keeps its polygon only if they face the same way and it is the `first` of the two. Returns false if nothing
/// is left.
ISOPATCH_HD bool cut_face(const BoundingPlane& face, const Basis<double>& axes, const BoundingPlane& cut, double radius,
                          double touch, bool first, Line<double>& line) {
  constexpr double kSameDirection = 1e-12;
  const double x = dot(cut.inward, axes.u), y = dot(cut.inward, axes.v);
  const double facing = dot(cut.inward, face.inward);
  const double c = cut.height - face.height * facing;  // height of the origin's foot on the face
  const double length = std::sqrt(std::fma(x, x, y * y));
  line = {0, 0, 0};
  if (length <= kSameDirection) return facing > 0 && first ? c >= -touch : c > touch;
  if (c >= length * radius) return true;
  const double inverse = 1 / length;
  line = {x * inverse, y * inverse, c * inverse / radius};
  return c > -length * radius;
}

inline constexpr int kMaxPlanes =
    kMaxLines + 1;  // of a polyhedron: four of M, up to four of S, and one of equal pressure

/// The planes of a polyhedron where they are.
struct PlanesInPlace {
  static constexpr bool kCompactLines = true;  // a face's lines lie side by side, and only those there are get clipped

  BoundingPlane plane[kMaxPlanes];

  ISOPATCH_HD BoundingPlane get(int i) const { return plane[i]; }
  ISOPATCH_HD void set(int i, const BoundingPlane& p) { plane[i] = p; }
};

/// The planes of a lane in memory that the lanes of a GPU share: a lane's own memory is in registers only where no
/// index is dynamic. All lines of a face are clipped, as they are in registers then.
template <int size>
struct StoredPlanes {
  static constexpr bool kCompactLines = false;

  double* numbers;  // of this lane: 4 for each plane, every `size`-th

  ISOPATCH_HD BoundingPlane get(int i) const {
    const double* n = numbers + 4 * size * i;
    return {{n[0], n[size], n[2 * size]}, n[3 * size]};
  }
  ISOPATCH_HD void set(int i, const BoundingPlane& p) {
    double* n = numbers + 4 * size * i;
    n[0] = p.inward.x, n[size] = p.inward.y, n[2 * size] = p.inward.z, n[3 * size] = p.height;
  }
};

template <class Planes>
struct CutPolyhedron {
  Planes& planes;  // the plane of equal pressure last
  int num_planes;
  bool has_cut;   // the last one is the plane of equal pressure
  double radius;  // of a ball about the origin that holds the polyhedron
  double touch;   // planes this close coincide, m

  ISOPATCH_HD void add(const BoundingPlane& plane) { planes.set(num_planes++, plane); }
};

/// Finds the polygon of face i, lengths in units of the radius; `axes` are those of the face. The last plane is
/// reversed if `other_side`. Returns false if nothing is left.
template <class Planes>
ISOPATCH_HD bool clip_face(const CutPolyhedron<Planes>& p, int i, const BoundingPlane& face, const Basis<double>& axes,
                           bool other_side, Segments<double>& segments, int& count) {
  Line<double> line[kMaxLines];
  count = 0;
  ISOPATCH_UNROLL
  for (int other = 0; other < kMaxLines; ++other) {
    const int k = other < i ? other : other + 1;
    Line<double> found = {0, 0, 0};
    if (k < p.num_planes) {
      BoundingPlane cut = p.planes.get(k);
      if (p.has_cut && k == p.num_planes - 1 && other_side) cut = {-cut.inward, -cut.height};
      if (!cut_face(face, axes, cut, p.radius, p.touch, i < k, found)) return false;
    }
    const bool cuts = found.x != 0 || found.y != 0;
    if constexpr (Planes::kCompactLines) {
      if (cuts) line[count++] = found;
    } else {
      line[other] = cuts ? found : no_line<double>(other);
    }
  }
  if constexpr (!Planes::kCompactLines) count = kMaxLines;
  return clip(line, count, segments);
}

/// Integral of `field` over the polyhedron. The last plane is reversed if `other_side`.
template <class Planes>
ISOPATCH_HD double integrate_volume(const CutPolyhedron<Planes>& p, bool other_side, const AffineField& field) {
  const int faces = p.has_cut ? p.num_planes - 1 : p.num_planes;
  double sum = 0;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < faces; ++i) {
    const BoundingPlane face = p.planes.get(i);
    const Basis<double> axes = make_basis(face.inward);
    Segments<double> segments;
    int count;
    if (!clip_face(p, i, face, axes, other_side, segments, count)) continue;

    const AreaMoments<double> m = area_moments(segments, count);
    const double square = p.radius * p.radius;
    const double area = square * m.one;
    const Vec3d middle = fma(p.radius * segments.middle_x, axes.u,
                             fma(p.radius * segments.middle_y, axes.v, -face.height * face.inward));
    const Vec3d first = square * p.radius * fma(m.x, axes.u, m.y * axes.v);
    const double weighted = std::fma(area, dot(field.gradient, middle), dot(field.gradient, first));
    sum += face.height * (field.value * area / 3 + weighted / 4);
  }
  return sum;
}

/// 1 for a tet; -1 for an inverted cone of a rigid surface mesh, which makes up for what the others count too much.
ISOPATCH_HD double orientation(const Cell& c) {
  const Vec3d a = c.corner[0].vertex;
  return dot(cross(c.corner[1].vertex - a, c.corner[2].vertex - a), c.corner[3].vertex - a) < 0 ? -1.0 : 1.0;
}

/// All vertices of a cell, in the form of a section, for is_outside().
ISOPATCH_HD Section<float> all_of(const Vec3f (&vertex)[4]) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  Section<float> out = {};
  ISOPATCH_UNROLL
  for (int i = 0; i < Section<float>::kEdges; ++i) out.point[i] = i < 4 ? vertex[i] : Vec3f{kNone, kNone, kNone};
  return out;
}

/// Exchanges two vertices of an inverted cone: is_outside() needs a positive volume.
ISOPATCH_HD void turn_upright(const Cell& cell, Vec3f (&vertex)[4]) {
  if (orientation(cell) > 0) return;
  const Vec3f first = vertex[1];
  vertex[1] = vertex[2];
  vertex[2] = first;
}

/// Finds where the cells' boxes overlap; false where the cells do not meet. `s` is null for a half space, which any
/// cell may meet.
ISOPATCH_HD bool cells_overlap(const PairContext& f, CellRef m, CellRef s, CoarseRef coarse_M, CoarseRef coarse_S,
                               PolygonBounds<float>& bounds) {
  const float *low = m.cell->box_low, *high = m.cell->box_high;
  const Bounds<float> box_M = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  if (f.S.half_space) return bound_overlap(box_M, box_M, f.coarse.slack, bounds);
  Vec3f vertex_M[4], vertex_S[4];
  for (int i = 0; i < 4; ++i) {
    vertex_M[i] = coarse_M.vertex(i);
    vertex_S[i] = apply(f.coarse.X_MS, cast<float>(s.vertex(i)));
  }
  if (!bound_overlap(box_M, bounds_of(vertex_S), f.coarse.slack, bounds)) return false;
  const Section<float> all_M = all_of(vertex_M), all_S = all_of(vertex_S);
  turn_upright(*m.cell, vertex_M);
  turn_upright(*s.cell, vertex_S);
  const float edge_M = coarse_M.longest_edge(), edge_S = coarse_S.longest_edge();
  const float rounding = fma(0x1p-20f, edge_M + edge_S, f.coarse.slack);  // as for sections: see filter_cells()
  return !is_outside(vertex_M, all_S, rounding * (edge_M * edge_M)) &&
         !is_outside(vertex_S, all_M, rounding * (edge_S * edge_S));
}

/// Which body has the smaller pressure throughout the overlap of two cells, by the test that finds their polygon: where
/// both pressures are equal throughout, it counts as on the side that the polygons around it have it.
enum class SmallerPressure : std::uint8_t { kOfM, kOfS, kOfBoth };
ISOPATCH_HD SmallerPressure smaller_pressure(const PairContext& f, const Cell& m, const Cell* s) {
  if (f.S.rigid || s == nullptr) return f.S.rigid ? SmallerPressure::kOfM : SmallerPressure::kOfBoth;
  if (f.M.rigid) return SmallerPressure::kOfS;
  constexpr std::uint32_t kAll = 15;
  PolygonBounds<float> bounds = {};
  test_cells_exactly(f, CellRef{&m}, CellRef{s}, bounds);
  const auto positive = static_cast<std::uint32_t>(bounds.positive);
  const std::uint32_t of_M = positive & kAll;  // where M is not cut, its bits decide, and else those of S
  const std::uint32_t bits = of_M == 0 || of_M == kAll ? of_M : positive >> kBitsOfS & kAll;
  if (bits == 0) return SmallerPressure::kOfM;
  return bits == kAll ? SmallerPressure::kOfS : SmallerPressure::kOfBoth;
}

/// What is integrated over an overlap.
enum class Integrand : std::uint8_t {
  kPressure,   // the smaller of both
  kPressureM,  // that where it is M's
  kPressureS   // that where it is S's
};

/// The integral over the overlap of one pair of cells; `s` is null for a half space. The planes of the overlap go to
/// `planes`.
template <class Planes>
ISOPATCH_HD double integrate_overlap(const PairContext& f, const Cell& m, const Cell* s,
                                     const PolygonBounds<float>& bounds, Integrand integrand, Planes& planes) {
  Vec3d origin = cast<double>(bounds.center);
  AffineField field_M = {0, {0, 0, 0}}, field_S = {0, {0, 0, 0}};
  const Vec3d up = f.up_S();
  if (!f.M.rigid) field_M.gradient = pressure_gradient(f.M, m.gradient);
  if (!f.S.rigid) {
    field_S.gradient =
        s == nullptr ? half_space_pressure_slope(f.S) * up : pressure_gradient(f.S, rotate(f.X_MS, s->gradient));
  }
  const auto value_M = [&] {
    return pressure_at(f.M, m.corner[0].extent, dot(field_M.gradient, origin - m.corner[0].vertex));
  };
  const auto value_S = [&] {
    if (s == nullptr) return dot(field_S.gradient, origin - f.X_MS.translation);
    return pressure_at(f.S, s->corner[0].extent, dot(field_S.gradient, origin - apply(f.X_MS, s->corner[0].vertex)));
  };

  // the plane of equal pressure, through the origin if it comes near
  const double radius = static_cast<double>(bounds.radius);
  CutPolyhedron<Planes> p = {planes, 0, false, 4 * radius, 0};
  bool below_M = !f.M.rigid, below_S = !f.S.rigid;  // true where that body's pressure is the smaller one somewhere
  BoundingPlane cut = {};
  if (below_M && below_S) {
    const Vec3d difference = field_S.gradient - field_M.gradient;  // p_S - p_M grows towards where p_M is smaller
    const double slope = norm(difference), excess = value_S() - value_M();
    const double height = excess / slope;  // infinite or NaN for equal gradients
    p.has_cut = std::fabs(height) <= radius;
    if (p.has_cut) {
      const Vec3d n = (1 / slope) * difference;
      origin = fma(-height, n, origin);
      cut = {n, 0.0};
    } else {
      below_M = excess >= 0;
      below_S = !below_M;
    }
  }
  field_M.value = f.M.rigid ? 0.0 : value_M();
  field_S.value = f.S.rigid ? 0.0 : value_S();
  if (integrand != Integrand::kPressure) {
    if (const SmallerPressure smaller = smaller_pressure(f, m, s); smaller != SmallerPressure::kOfBoth) {
      p.has_cut = false;
      below_M = smaller == SmallerPressure::kOfM;
      below_S = !below_M;
    }
    below_M = below_M && integrand == Integrand::kPressureM;
    below_S = below_S && integrand == Integrand::kPressureS;
  }

  for (int i = 0; i < 4; ++i) {
    p.add({m.face[i].inward, dot(m.face[i].inward, origin - m.corner[(i + 1) & 3].vertex)});
  }
  const Vec3d origin_S = apply_back(f.X_MS, origin);
  for (int i = 0; i < 4 && s != nullptr; ++i) {
    p.add({rotate(f.X_MS, s->face[i].inward), dot(s->face[i].inward, origin_S - s->corner[(i + 1) & 3].vertex)});
  }
  if (s == nullptr) p.add({-up, f.S.geometry->high - origin_S.z});
  if (s == nullptr && f.S.geometry->is_layer) p.add({up, origin_S.z - f.S.geometry->low});
  if (p.has_cut) p.add(cut);
  p.touch = kZeroTolerance * (norm(f.M.geometry->center) + f.M.geometry->radius);

  double sum = 0;
  ISOPATCH_NO_UNROLL
  for (int side = 0; side < 2; ++side) {
    const bool of_S = side == 1;
    const AffineField field = {of_S ? field_S.value : field_M.value, select(of_S, field_S.gradient, field_M.gradient)};
    if (of_S ? below_S : below_M) sum += integrate_volume(p, of_S, field);
  }
  return sum * orientation(m) * (s == nullptr ? 1.0 : orientation(*s));
}

}  // namespace isopatch::detail
