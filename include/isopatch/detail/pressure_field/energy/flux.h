// SPDX-License-Identifier: Apache-2.0
//
// The elastic energy from the contact surface alone. In double.
//
// Let R be where M's pressure is the smaller one. Its boundary is the contact surface and a part of M's surface. If a
// vector field F in M has the divergence p_M and no flux through M's surface, then by Gauss' theorem the integral of
// p_M over R is the flux of F through the contact surface, out of R: towards where p_M is the larger one, which is the
// way the normal points. The same holds for S, with the opposite normal. So the energy is a sum over the contact
// polygons, which lie on a surface, while the overlap of two bodies fills a volume: it consists of far more overlaps of
// tets, and of more still whose boxes overlap and that have to be told apart.
//
// There is such a field, with one exception: what all of M has cannot vanish, but has to end in a sink, a tet in which
// the divergence is less by a rate times the pressure. Where R reaches into it, the rate times the pressure's integral
// is added.
//
// In a tet with vertices x_i, extents e_i, barycentric coordinates l_i, volume V, the extent e = sum of e_i l_i, and
// fluxes out of the faces opposite the vertices of f_i times the sum of the extents at the face's vertices
// (host/hierarchy/cell_fluxes.cpp finds f_i, so that they agree on both sides of every face),
//
//     F / E = sum over i of (e f_i - r e_i l_i) / V (x - x_i),   r = sum of e_i f_i / sum of e_i.
//
// The field l_i (x - x_i) has no flux through any face and the divergence 4 l_i - 1; e (x - x_i) has one through face i
// only, which grows with e along the face, and the divergence 4 e - e_i. So the divergence of F is proportional to e,
// and is e where the fluxes add up to the integral of e. F is as small as the pressure: in a shallow contact, which has
// a small part of a tet's energy, so is all that is added, and little cancels. On a plane with the normal n, (x - x_i)
// . n does not change and the rest is linear: the flux through a polygon is its area times the value at its centroid.
//
// All of this needs a contact surface without gaps, which it does not have where both pressures are equal throughout a
// volume. A second field without divergence, but with fluxes through every face, tells: its flux through a closed
// surface is 0. Its size is that of the first, so that it tells of rounding too.
#pragma once

#include "isopatch/detail/pressure_field/energy/overlap.h"
#include "isopatch/detail/pressure_field/stages/search.h"

namespace isopatch::detail {

/// The energy of a lane's share of a pair, J, and what should be 0.
struct EnergySum {
  FixedPointScale<double> scale;
  ReproducibleSum<double> energy = {}, check = {};
  SumBound bound = {};

  ISOPATCH_HD void add(double joules, double gap) {
    const double quanta = joules * scale.to_quanta, check_quanta = gap * scale.to_quanta;
    if (quanta == 0 && check_quanta == 0) return;
    if (!bound.add(max(std::fabs(quanta), std::fabs(check_quanta)))) return;
    energy.add(quanta);
    check.add(check_quanta);
  }
};

/// Fluxes of both fields of a body per area, in units of the modulus.
struct FluxDensity {
  double energy, check;
};

/// Those through a plane in a cell: its normal, and the centroid of a polygon, in the frame of the cell.
ISOPATCH_HD FluxDensity flux_density(const Cell& cell, const CellFlux& flux, Vec3d normal, Vec3d centroid) {
  const auto vertex = [&](int i) { return cell.corner[i & 3].vertex; };
  const Vec3d origin = vertex(0);
  const double six_volumes = std::fabs(dot(cross(vertex(1) - origin, vertex(2) - origin), vertex(3) - origin));
  double extent = 0, extents = 0, returning = 0, returning_check = 0;
  double part[4], height[4];  // of the extent, that of vertex i; of the centroid over the vertex
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    const Vec3d inward = cell.face[i].inward, on_face = vertex(i + 1);
    const double coordinate = dot(inward, centroid - on_face) / dot(inward, vertex(i) - on_face);
    part[i] = cell.corner[i].extent * coordinate;
    height[i] = dot(normal, centroid - vertex(i));
    extent += part[i];
    extents += cell.corner[i].extent;
    returning = std::fma(cell.corner[i].extent, flux.outward[i], returning);
    returning_check = std::fma(cell.corner[i].extent, flux.check[i], returning_check);
  }
  const double per_extent = extents > 0 ? 1 / extents : 0.0;
  returning *= per_extent;
  returning_check *= per_extent;
  double of_energy = 0, of_check = 0;
  ISOPATCH_UNROLL
  for (int i = 0; i < 4; ++i) {
    of_energy = std::fma(std::fma(extent, flux.outward[i], -(returning * part[i])), height[i], of_energy);
    of_check = std::fma(std::fma(extent, flux.check[i], -(returning_check * part[i])), height[i], of_check);
  }
  const double per_volume = 6 / six_volumes;
  return {per_volume * of_energy, per_volume * of_check};
}

/// Whether the energy of a part pair can be found by fluxes.
ISOPATCH_HD bool has_fluxes(const PairContext& f) {
  if (f.S.half_space || f.law.gradient_filter) return false;
  return (f.M.rigid || f.M.field->fluxes != nullptr) && (f.S.rigid || f.S.field->fluxes != nullptr);
}

/// Adds the fluxes through a contact polygon.
ISOPATCH_HD void add_polygon(const PairContext& f, std::int32_t m, std::int32_t s, const ContactPlane<double>& plane,
                             const SidesInPlace<double>& sides, EnergySum& to) {
  const Segments<double>& segments = sides.segments;
  const AreaMoments<double> moments = area_moments(sides);
  if (!is_polygon(sides, moments)) return;
  const double per_area = 1 / moments.one, radius = plane.radius;
  const double x = radius * std::fma(moments.x, per_area, segments.middle_x);
  const double y = radius * std::fma(moments.y, per_area, segments.middle_y);
  const Vec3d centroid = fma(x, plane.axes.u, fma(y, plane.axes.v, plane.origin));
  double energy = 0, check = 0;
  if (!f.M.rigid) {
    const FluxDensity flux = flux_density(f.M.hierarchy.cells[m], f.M.field->fluxes[m], plane.normal, centroid);
    energy = f.M.modulus * flux.energy;
    check = f.M.modulus * flux.check;
  }
  if (!f.S.rigid) {
    const FluxDensity flux = flux_density(f.S.hierarchy.cells[s], f.S.field->fluxes[s],
                                          rotate_back(f.X_MS, plane.normal), apply_back(f.X_MS, centroid));
    energy = std::fma(-f.S.modulus, flux.energy, energy);
    check = std::fma(-f.S.modulus, flux.check, check);
  }
  const double area = radius * radius * moments.one;
  to.add(area * energy, area * check);
}

/// Adds the fluxes through the contact polygons that a traversal finds.
template <class Warp>
struct FluxVisitor : CellSearch<PairContext> {
  EnergySum& to;

  ISOPATCH_HD void visit(bool active, const AcceptedCells& cells) {
    const PairContext& f = this->context;
    ContactPlane<double> plane;
    Segments<double> segments;
    const LinesInPlace<Warp::kCompactLines> lines = {};
    if (!active ||
        !make_contact_plane<false>(f, cell_of_M(f, cells.m), cell_of_S(f, cells.s), cells.bounds, lines, plane)) {
      return;
    }
    if (!lines.clip(plane.line, plane.num_lines, segments)) return;
    add_polygon(f, cells.m, cells.s, plane, lines.sides(segments, plane.num_lines), to);
  }
};

}  // namespace isopatch::detail
