// SPDX-License-Identifier: Apache-2.0
//
// Medial meshes of a sphere, a cylinder and a capsule, and the ellipsoid's mesh: all inner vertices have the largest
// distance to the surface, and every tet reaches from the surface to them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/revolve.h"
#include "host/mesh/primitives/tet_counts.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// As for boxes: a height that differs from the diameter by less than this fraction counts as equal to it.
constexpr double kSameHeight = 1e-10;

/// The longest edge of the subdivided icosahedron is below this times the radius: 1.0515, then 1.236 .. 1.324 / 2^n.
constexpr double kLongestEdge = 1.33;

constexpr int kSecantSteps = 5;

void check_length(const char* shape, const char* what, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw_error("{}: {} {} m; it must be finite and positive", shape, what, value);
}

void check_segments(const char* shape, int segments) {
  if (segments >= limits::kSegmentStep && segments <= limits::kMaxSegments && segments % limits::kSegmentStep == 0) {
    return;
  }
  throw_error("{0}: {1} segments; they must be a multiple of {2} from {2} to {3}", shape, segments,
              limits::kSegmentStep, limits::kMaxSegments);
}

/// By how much a regular polygon inscribed in a circle grows to have its area.
double polygon_growth(int segments) {
  return std::sqrt(std::numbers::pi / (segments / 2.0 * fixed_sin(2 * std::numbers::pi / segments)));
}

/// The half ball above the ring `seam`, about the point `centre` at `height`. Row j of its surface has 4j points, so
/// that each of its quarters is a lattice of triangles of about one size. Its points lie outside the ball by `outside`
/// times what the faces around them lie inside on average where their corners lie on it.
void add_hemisphere(RevolvedMesh& mesh, std::size_t centre, std::size_t seam, double radius, double height, int rows,
                    double outside) {
  constexpr double kQuarter = std::numbers::pi / 2;
  const double between_rows = kQuarter / rows;
  const auto radius_at = [&](double in_row) {
    return radius * (1 + outside * (between_rows * between_rows + in_row * in_row) / 12);
  };
  std::vector<std::vector<std::int32_t>> row{{mesh.add_point({0, 0, height + radius_at(kQuarter * between_rows)})}};
  for (int j = 1; j < rows; ++j) {
    const double angle = kQuarter * j / rows;
    const double sine = fixed_sin(angle), distance = radius_at(kQuarter * sine / j);
    row.emplace_back();
    for (const auto& [c, s] : unit_circle(4 * j)) {
      row.back().push_back(
          mesh.add_point({distance * sine * c, distance * sine * s, height + distance * fixed_cos(angle)}));
    }
  }
  row.emplace_back();
  for (int k = 0; k < 4 * rows; ++k) row.back().push_back(mesh.point(seam, k));

  const std::int32_t apex = mesh.point(centre, 0);
  const auto at = [&row](int j, int k) {
    const auto& points = row[j];
    return points[static_cast<std::size_t>(k) % points.size()];
  };
  for (int j = 0; j < rows; ++j) {
    for (int quarter = 0; quarter < 4; ++quarter) {
      for (int i = 0; i <= j; ++i) {
        const int upper = quarter * j + i;
        const int lower = quarter * (j + 1) + i;
        mesh.add_tet({apex, at(j, upper), at(j + 1, lower), at(j + 1, lower + 1)});
        if (i < j) mesh.add_tet({apex, at(j, upper), at(j + 1, lower + 1), at(j, upper + 1)});
      }
    }
  }
}

/// A capsule whose cylindrical part has the radius `outer`; `outside` as for add_hemisphere().
TetMesh capsule_mesh(double radius, double length, int segments, double outer, double outside) {
  RevolvedMesh upper(segments);
  const std::size_t middle = upper.add_ring(0, 0);
  const std::size_t end = upper.add_ring(0, length / 2);
  const std::size_t seam = upper.add_ring(outer, length / 2);
  const std::size_t equator = upper.add_ring(outer, 0);
  upper.add_triangle(middle, end, seam);
  upper.add_triangle(middle, seam, equator);

  add_hemisphere(upper, end, seam, radius, length / 2, segments / 4, outside);
  return upper.mirrored();
}

struct UnitSphere {
  std::vector<Point3> points;
  std::vector<Triangle> triangles;  // outward oriented
};

UnitSphere make_icosahedron() {
  constexpr double kPhi = std::numbers::phi;
  const double length = std::sqrt(1 + kPhi * kPhi);
  UnitSphere sphere;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double s : {-1.0, 1.0}) {
      for (const double t : {-kPhi, kPhi}) {
        Point3 p{};
        p[axis] = s / length;
        p[(axis + 1) % 3] = t / length;
        sphere.points.push_back(p);
      }
    }
  }

  // the faces are the triples of vertices at edge length (2 before normalisation) from each other
  const auto near = [&](std::int32_t i, std::int32_t j) {
    return norm(sphere.points[i] - sphere.points[j]) < 2.1 / length;
  };
  for (std::int32_t i = 0; i < 12; ++i) {
    for (std::int32_t j = i + 1; j < 12; ++j) {
      for (std::int32_t k = j + 1; k < 12; ++k) {
        if (!near(i, j) || !near(j, k) || !near(k, i)) continue;
        const auto at = [&](std::int32_t v) { return sphere.points[v]; };
        const bool outward = dot(cross(at(i), at(j)), at(k)) > 0;
        sphere.triangles.push_back(outward ? Triangle{i, j, k} : Triangle{i, k, j});
      }
    }
  }
  return sphere;
}

/// Splits every triangle in four at its edges' midpoints, moved out onto the sphere.
UnitSphere subdivide(const UnitSphere& coarse) {
  UnitSphere fine;
  fine.points = coarse.points;
  struct Edge {
    std::int32_t to = -1, midpoint = -1;
  };
  std::vector<std::array<Edge, 6>> edges(coarse.points.size());  // from each point, at most six, to later ones
  const auto midpoint = [&](std::int32_t i, std::int32_t j) {
    const auto [low, high] = std::minmax(i, j);
    Edge* edge = edges[low].data();
    while (edge->to >= 0 && edge->to != high) ++edge;
    if (edge->to < 0) {
      *edge = {high, static_cast<std::int32_t>(fine.points.size())};
      const Point3 sum = fine.points[i] + fine.points[j];
      fine.points.push_back((1 / norm(sum)) * sum);
    }
    return edge->midpoint;
  };
  for (const auto& [a, b, c] : coarse.triangles) {
    const std::int32_t ab = midpoint(a, b);
    const std::int32_t bc = midpoint(b, c);
    const std::int32_t ca = midpoint(c, a);
    for (const Triangle& part : {Triangle{a, ab, ca}, Triangle{b, bc, ab}, Triangle{c, ca, bc}, Triangle{ab, bc, ca}}) {
      fine.triangles.push_back(part);
    }
  }
  return fine;
}

}  // namespace

int circle_segments(double radius, double edge_length) {
  const StandardArithmetic standard;
  check_length("segments", "radius", radius);
  check_length("segments", "edge length", edge_length);
  const double quarters = std::numbers::pi / 2 * radius / edge_length;
  if (!(quarters <= limits::kMaxSegments / 4.0)) {
    throw_error("edge length {} m needs more than {} segments on a radius of {} m; use at least {:.3g} m", edge_length,
                limits::kMaxSegments, radius, 2 * std::numbers::pi * radius / limits::kMaxSegments);
  }
  return 4 * std::max(1, static_cast<int>(std::ceil(quarters)));
}

int sphere_subdivisions(double radius, double edge_length) {
  const StandardArithmetic standard;
  check_length("subdivisions", "radius", radius);
  check_length("subdivisions", "edge length", edge_length);
  double longest = kLongestEdge * radius;
  for (int n = 0; n <= limits::kMaxSubdivisions; ++n, longest /= 2) {
    if (longest <= edge_length) return n;
  }
  throw_error("edge length {} m needs more than {} subdivisions on a radius of {} m; use at least {:.3g} m",
              edge_length, limits::kMaxSubdivisions, radius, 2 * longest);
}

std::int64_t detail::sphere_tets(int subdivisions) { return std::int64_t{20} << (2 * subdivisions); }

TetMesh make_sphere_mesh(double radius, int subdivisions, Facets facets) {
  const StandardArithmetic standard;
  check_length("sphere", "radius", radius);
  if (subdivisions < 0 || subdivisions > limits::kMaxSubdivisions) {
    throw_error("sphere: {} subdivisions; they must lie in [0, {}]", subdivisions, limits::kMaxSubdivisions);
  }
  if (facets == Facets::kEqualVolume) {
    constexpr double kVolume = 4 * std::numbers::pi / 3;
    radius *= fixed_pow(kVolume / volume_of(make_sphere_mesh(1, subdivisions)), 1.0 / 3);
  }
  UnitSphere sphere = make_icosahedron();
  for (int i = 0; i < subdivisions; ++i) sphere = subdivide(sphere);

  TetMesh mesh;
  mesh.points.reserve(sphere.points.size() + 1);
  for (const Point3& p : sphere.points) mesh.points.push_back(radius * p);
  const auto centre = static_cast<std::int32_t>(mesh.points.size());
  mesh.points.push_back({0, 0, 0});
  mesh.tets.reserve(sphere.triangles.size());
  for (const auto& [a, b, c] : sphere.triangles) mesh.tets.push_back({centre, a, b, c});
  return mesh;
}

TetMesh make_ellipsoid_mesh(const Point3& semi_axes, int subdivisions, Facets facets) {
  const StandardArithmetic standard;
  for (const double semi_axis : semi_axes) check_length("ellipsoid", "semi-axis", semi_axis);
  TetMesh mesh = make_sphere_mesh(1, subdivisions, facets);
  for (Point3& p : mesh.points) p = {semi_axes[0] * p[0], semi_axes[1] * p[1], semi_axes[2] * p[2]};
  return mesh;
}

/// A flat cylinder has six for each sector and half; other profiles have fewer.
std::int64_t detail::cylinder_tets(int segments) { return std::int64_t{12} * segments; }

TetMesh make_cylinder_mesh(double radius, double height, int segments, Facets facets) {
  const StandardArithmetic standard;
  check_length("cylinder", "radius", radius);
  check_length("cylinder", "height", height);
  check_segments("cylinder", segments);
  const double half = height / 2;
  const double longer = half - radius;
  const bool tall = longer > kSameHeight * radius;
  const bool flat = -longer > kSameHeight * half;

  // the upper half of the profile, inner points first
  const bool grows = facets == Facets::kEqualVolume;
  const double outer = grows ? radius * polygon_growth(segments) : radius;
  RevolvedMesh upper(segments);
  const std::size_t middle = upper.add_ring(0, 0);
  const std::size_t medial = tall   ? upper.add_ring(0, longer)   // the medial set is a piece of the axis,
                             : flat ? upper.add_ring(-longer, 0)  // a disk,
                                    : middle;                     // or the centre
  const std::size_t top = upper.add_ring(0, half);
  const std::size_t rim = upper.add_ring(outer, half);
  const std::size_t equator = upper.add_ring(outer, 0);
  if (tall) {
    upper.add_triangle(medial, top, rim);
    upper.add_triangle(middle, medial, rim);
    upper.add_triangle(middle, rim, equator);
  } else {
    upper.add_triangle(middle, top, rim);
    if (flat) upper.add_triangle(middle, medial, rim);
    upper.add_triangle(medial, rim, equator);
  }
  return upper.mirrored();
}

/// Three for each sector and half of the cylindrical part, and one for each triangle of the half balls.
std::int64_t detail::capsule_tets(int segments) {
  return std::int64_t{segments} * segments / 2 + std::int64_t{6} * segments;
}

TetMesh make_capsule_mesh(double radius, double length, int segments, Facets facets) {
  const StandardArithmetic standard;
  check_length("capsule", "radius", radius);
  check_length("capsule", "length", length);
  check_segments("capsule", segments);
  if (facets == Facets::kInscribed) return capsule_mesh(radius, length, segments, radius, 0);

  // the cylindrical part has its volume by its radius; the half balls by how far outside their points lie, near 1
  const double grown = polygon_growth(segments);
  constexpr double kVolume = std::numbers::pi * (4.0 / 3 + 1);  // with a radius and a length of 1
  const auto missing = [&](double outside) {
    return kVolume - volume_of(capsule_mesh(1, 1, segments, grown, outside));
  };
  double before = 0, outside = 1, missing_before = missing(before);
  for (int i = 0; i < kSecantSteps; ++i) {
    const double now = missing(outside), slope = (now - missing_before) / (outside - before);
    if (!(slope < 0)) break;
    before = outside;
    missing_before = now;
    outside -= now / slope;
  }
  return capsule_mesh(radius, length, segments, radius * grown, outside);
}

}  // namespace isopatch
