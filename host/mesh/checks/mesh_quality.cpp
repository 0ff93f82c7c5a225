// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/checks/mesh_quality.h"

#include <algorithm>

#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/element_check.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

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

}  // namespace

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

void measure_again(Geometry& geometry) {
  geometry.surface = boundary_triangles(geometry.mesh);
  MeshReport& report = geometry.report;
  const std::vector<std::uint8_t> on_surface = boundary_points(geometry.mesh, geometry.surface);
  report.points = static_cast<std::int64_t>(geometry.mesh.points.size());
  report.tets = static_cast<std::int64_t>(geometry.mesh.tets.size());
  report.boundary_triangles = static_cast<std::int64_t>(geometry.surface.size());
  report.interior_points = std::count(on_surface.begin(), on_surface.end(), 0) - report.unused_points;
  report.flat_tets = 0;
  report.first_flat_tet = -1;
  measure_tets(geometry.mesh, report);
}

}  // namespace isopatch::detail
