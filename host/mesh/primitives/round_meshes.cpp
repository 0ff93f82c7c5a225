// SPDX-License-Identifier: Apache-2.0
//
// Medial meshes of a cylinder and a capsule, and the ellipsoid's mesh: all inner vertices have the largest distance to
// the surface, and every tet reaches from the surface to them.

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
constexpr double kSameSize = 1e-10;

/// The longest edge of the subdivided icosahedron is below this times the radius: 1.0515, then 1.236 .. 1.324 / 2^n.
constexpr double kLongestEdge = 1.33;

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

/// The half ball above the ring `seam`, about the point `centre` at `height`. Row j of its surface has 4j points, so
/// that each of its quarters is a lattice of triangles of about one size.
void add_hemisphere(RevolvedMesh& mesh, std::size_t centre, std::size_t seam, double radius, double height, int rows) {
  std::vector<std::vector<std::int32_t>> row{{mesh.add_point({0, 0, height + radius})}};
  for (int j = 1; j < rows; ++j) {
    const double angle = std::numbers::pi / 2 * j / rows;
    const double r = radius * fixed_sin(angle);
    row.emplace_back();
    for (const auto& [c, s] : unit_circle(4 * j)) {
      row.back().push_back(mesh.add_point({r * c, r * s, height + radius * fixed_cos(angle)}));
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

TetMesh make_ellipsoid_mesh(const Point3& semi_axes, int subdivisions) {
  const StandardArithmetic standard;
  for (const double semi_axis : semi_axes) check_length("ellipsoid", "semi-axis", semi_axis);
  TetMesh mesh = make_sphere_mesh(1, subdivisions);
  for (Point3& p : mesh.points) p = {semi_axes[0] * p[0], semi_axes[1] * p[1], semi_axes[2] * p[2]};
  return mesh;
}

/// A flat cylinder has six for each sector and half; other profiles have fewer.
std::int64_t detail::cylinder_tets(int segments) { return std::int64_t{12} * segments; }

TetMesh make_cylinder_mesh(double radius, double height, int segments) {
  const StandardArithmetic standard;
  check_length("cylinder", "radius", radius);
  check_length("cylinder", "height", height);
  check_segments("cylinder", segments);
  const double half = height / 2;
  const double longer = half - radius;
  const bool tall = longer > kSameSize * radius;
  const bool flat = -longer > kSameSize * half;

  // the upper half of the profile, inner points first
  RevolvedMesh upper(segments);
  const std::size_t middle = upper.add_ring(0, 0);
  const std::size_t medial = tall   ? upper.add_ring(0, longer)   // the medial set is a piece of the axis,
                             : flat ? upper.add_ring(-longer, 0)  // a disk,
                                    : middle;                     // or the centre
  const std::size_t top = upper.add_ring(0, half);
  const std::size_t rim = upper.add_ring(radius, half);
  const std::size_t equator = upper.add_ring(radius, 0);
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

TetMesh make_capsule_mesh(double radius, double length, int segments) {
  const StandardArithmetic standard;
  check_length("capsule", "radius", radius);
  check_length("capsule", "length", length);
  check_segments("capsule", segments);

  // the cylindrical part
  RevolvedMesh upper(segments);
  const std::size_t middle = upper.add_ring(0, 0);
  const std::size_t end = upper.add_ring(0, length / 2);
  const std::size_t seam = upper.add_ring(radius, length / 2);
  const std::size_t equator = upper.add_ring(radius, 0);
  upper.add_triangle(middle, end, seam);
  upper.add_triangle(middle, seam, equator);

  add_hemisphere(upper, end, seam, radius, length / 2, segments / 4);
  return upper.mirrored();
}

}  // namespace isopatch
