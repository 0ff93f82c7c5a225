// SPDX-License-Identifier: Apache-2.0
//
// The checks a tet mesh must pass before it can carry a pressure field, and the repairs.
#include "host/mesh/checks/geometry_check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/cuts.h"
#include "host/mesh/topology/element_check.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "host/threads/work_counter.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

void check_vertices(const TetMesh& mesh, const std::string& source) {
  check_indices(mesh.tets, mesh.points.size(), source);
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    check_distinct(mesh.tets[t], t, source);
    check_edges(mesh.points, mesh.tets[t], t, source);
  }
}

/// Whether the tet is inverted. Throws if its volume is zero.
bool check_volume(const TetMesh& mesh, std::size_t index, const std::string& source) {
  const Tet& tet = mesh.tets[index];
  const double six_v = six_volumes(mesh, tet);
  if (!(std::fabs(six_v) > kFlat * edge_product(mesh, tet))) {
    throw_error("{}: {} has zero volume ({} m^3 is within rounding); remove it or move its vertices", source,
                describe(index, tet), six_v / 6);
  }
  return six_v < 0;
}

std::int64_t turn_inverted_tets(TetMesh& mesh, const std::string& source) {
  std::int64_t inverted = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (!check_volume(mesh, t, source)) continue;
    std::swap(mesh.tets[t][2], mesh.tets[t][3]);
    ++inverted;
  }
  return inverted;
}

void refuse_duplicates(const TetMesh& mesh, const std::string& source) {
  const std::vector<std::pair<Tet, std::size_t>> sorted = sorted_elements(mesh.tets);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first != sorted[i - 1].first) continue;
    const std::size_t first = sorted[i - 1].second;
    throw_error("{}: {} is a duplicate of tet {}; remove one", source,
                describe(sorted[i].second, mesh.tets[sorted[i].second]), first);
  }
}

/// All tets are positively oriented here, so two tets on opposite sides of a face have its vertices in opposite orders.
void check_faces(const TetMesh& mesh, const std::vector<FaceUse>& faces, const std::string& source) {
  for (std::size_t i = 1; i < faces.size(); ++i) {
    const FaceUse& a = faces[i - 1];
    const FaceUse& b = faces[i];
    if (a.sorted != b.sorted) continue;
    const bool has_third = i + 1 < faces.size() && faces[i + 1].sorted == b.sorted;
    if (!has_third && a.even != b.even) continue;

    refuse_duplicates(mesh, source);  // duplicates share their faces in the same order
    const std::string face = fmt::format("face ({} {} {})", a.sorted[0], a.sorted[1], a.sorted[2]);
    if (has_third) {
      throw_error("{}: {} is shared by more than two tets ({}, {} and {}); at most two can share a face", source, face,
                  a.tet, b.tet, faces[i + 1].tet);
    }
    throw_error("{}: tets {} and {} lie on the same side of their shared {}; they must not overlap", source, a.tet,
                b.tet, face);
  }
}

std::vector<std::size_t> find_all_boundary_tets(const TetMesh& mesh, const std::vector<std::uint8_t>& on_surface) {
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const Tet& tet = mesh.tets[t];
    const bool all = std::all_of(tet.begin(), tet.end(), [&](std::int32_t v) { return on_surface[v] != 0; });
    if (all) found.push_back(t);
  }
  return found;
}

/// Counts the crossing edges and all-boundary tets, and splits or refuses them as `policy` says.
void repair_crossings(TetMesh& mesh, const std::vector<Triangle>& boundary, const std::string& source,
                      AllBoundaryTets policy, MeshReport& report) {
  const std::vector<std::size_t> found = find_all_boundary_tets(mesh, boundary_points(mesh, boundary));
  if (!found.empty() && policy == AllBoundaryTets::kRefuse) {
    throw_error(
        "{}: {} of {} tets have all four vertices on the surface, the first is {}; pressure would be zero in them: "
        "give them an interior vertex or allow the split",
        source, found.size(), mesh.tets.size(), describe(found[0], mesh.tets[found[0]]));
  }
  const std::vector<Simplex> crossing = crossing_simplices(mesh, boundary);
  report.all_boundary_tets = std::ssize(found);
  report.crossing_edges = std::count_if(crossing.begin(), crossing.end(), is_edge);
  if (policy == AllBoundaryTets::kSplit) report.split_tets = split_layers(mesh, crossing, source);
}

void count_points(const TetMesh& mesh, const std::vector<Triangle>& boundary, MeshReport& report) {
  const std::vector<std::uint8_t> used = used_points(mesh.tets, mesh.points.size());
  const std::vector<std::uint8_t> on_surface = boundary_points(mesh, boundary);
  const auto used_count = std::accumulate(used.begin(), used.end(), std::int64_t{0});
  report.points = std::ssize(mesh.points);
  report.tets = std::ssize(mesh.tets);
  report.boundary_triangles = std::ssize(boundary);
  report.unused_points = report.points - used_count;
  report.interior_points = used_count - std::accumulate(on_surface.begin(), on_surface.end(), std::int64_t{0});
}

/// 3 x inradius / circumradius of a positively oriented tet: 1 for a regular one, 0 for a flat one.
double tet_quality(const TetMesh& mesh, const Tet& tet) {
  const Point3& origin = point_at(mesh, tet[0]);
  const Point3 u = point_at(mesh, tet[1]) - origin;
  const Point3 v = point_at(mesh, tet[2]) - origin;
  const Point3 w = point_at(mesh, tet[3]) - origin;
  const Point3 uv = cross(u, v);
  const Point3 vw = cross(v, w);
  const Point3 wu = cross(w, u);
  const double six_v = dot(uv, w);

  // inradius = 3V / area; the circumcentre from `origin` is (|u|^2 vw + |v|^2 wu + |w|^2 uv) / 12V
  const double twice_area = norm(uv) + norm(vw) + norm(wu) + norm(uv + vw + wu);
  const double inradius = six_v / twice_area;
  const double circumradius = norm(dot(u, u) * vw + dot(v, v) * wu + dot(w, w) * uv) / (2 * six_v);
  return 3 * inradius / circumradius;
}

/// Volume, quality and the flat tets of positively oriented tets.
void measure_tets(const TetMesh& mesh, MeshReport& report) {
  double six_v = 0;
  double sum = 0;
  double smallest = 1;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const Tet& tet = mesh.tets[t];
    if (relative_height(mesh, tet) < limits::kFlatTet && report.flat_tets++ == 0) {
      report.first_flat_tet = static_cast<std::int64_t>(t);
    }
    const double quality = tet_quality(mesh, tet);
    six_v += six_volumes(mesh, tet);
    sum += quality;
    smallest = std::min(smallest, quality);
  }
  report.volume = six_v / 6;
  report.min_quality = smallest;
  report.mean_quality = sum / static_cast<double>(mesh.tets.size());
}

}  // namespace

MeshReport check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy) {
  std::vector<Triangle> boundary;
  return check_and_repair(mesh, source, policy, boundary);
}

MeshReport detail::check_and_repair(TetMesh& mesh, const std::string& source, AllBoundaryTets policy,
                                    std::vector<Triangle>& boundary) {
  const StandardArithmetic standard;
  if (static_cast<int>(policy) > static_cast<int>(AllBoundaryTets::kKeep)) {
    throw_error("{}: the policy is {}; it must be one of AllBoundaryTets", source, static_cast<int>(policy));
  }
  check_counts(mesh.points.size(), mesh.tets.size(), "tets", "at least one", source);
  check_point_data(mesh, source);
  check_points(mesh.points, source);
  check_vertices(mesh, source);
  check_size(mesh.points, mesh.tets, source);

  MeshReport report;
  report.inverted_tets = turn_inverted_tets(mesh, source);
  check_cancelled();
  {
    const std::vector<FaceUse> faces = sorted_faces(mesh.tets);
    check_faces(mesh, faces, source);
    boundary = boundary_triangles(mesh, faces);
  }
  check_cancelled();
  repair_crossings(mesh, boundary, source, policy, report);
  if (report.split_tets > 0) boundary = boundary_triangles(mesh);  // the same triangles in another order

  check_cancelled();
  count_points(mesh, boundary, report);
  measure_tets(mesh, report);
  return report;
}

void detail::measure_again(Geometry& geometry) {
  check_cancelled();
  geometry.surface = boundary_triangles(geometry.mesh);
  count_points(geometry.mesh, geometry.surface, geometry.report);
  geometry.report.flat_tets = 0;
  geometry.report.first_flat_tet = -1;
  measure_tets(geometry.mesh, geometry.report);
}

}  // namespace isopatch
