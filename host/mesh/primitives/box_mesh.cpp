// SPDX-License-Identifier: Apache-2.0
//
// The medial mesh of a box. Each face owns the points that are nearer to it than to any other face: a convex region
// between the face and the inner points, on which the distance to the surface is linear. Every region is cut into
// tets by coning its facets from its first vertex, and every facet into triangles by a fan from the facet's first
// vertex, "first" by one order for the whole box. A facet's triangles then depend on its own vertices alone, so the
// two regions that share a facet agree on them.
#include <algorithm>
#include <cmath>

#include "host/mesh/math/point_math.h"
#include "host/mesh/primitives/polygon_fan.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch {

using namespace detail;

namespace {

/// Half sizes whose difference is below this fraction of the smallest count as equal: in double 0.3 - 0.2 is not 0.1,
/// and a tet as thin as the difference has no usable volume.
constexpr double kSameSize = 1e-10;

constexpr std::size_t kCorners = 8;

using Facet = Polygons::value_type;

/// The box's points: 8 corners, then the inner points; and for each corner the inner point it is nearest to.
struct BoxPoints {
  std::vector<Point3> points;
  std::array<std::int32_t, kCorners> inner_of{};
};

BoxPoints make_box_points(const Point3& half) {
  const double smallest = *std::min_element(half.begin(), half.end());
  Point3 inner_half{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double rest = half[k] - smallest;
    inner_half[k] = rest > kSameSize * smallest ? rest : 0;
  }

  BoxPoints box;
  std::vector<Point3> inner;
  for (std::size_t corner = 0; corner < kCorners; ++corner) {
    Point3 outer{};
    Point3 nearest{};
    for (std::size_t k = 0; k < 3; ++k) {
      const bool high = (corner >> (2 - k) & 1) != 0;
      outer[k] = high ? half[k] : -half[k];
      nearest[k] = high ? inner_half[k] : 0 - inner_half[k];  // not -0
    }
    box.points.push_back(outer);
    const auto found = std::find(inner.begin(), inner.end(), nearest);
    box.inner_of[corner] = static_cast<std::int32_t>(kCorners + static_cast<std::size_t>(found - inner.begin()));
    if (found == inner.end()) inner.push_back(nearest);
  }
  box.points.insert(box.points.end(), inner.begin(), inner.end());
  return box;
}

/// Appends the polygon unless merged points leave it fewer than three vertices.
void add_facet(Polygons& facets, const std::array<std::int32_t, 4>& quad) {
  Facet facet;
  for (const std::int32_t v : quad) {
    if (std::find(facet.begin(), facet.end(), v) == facet.end()) facet.push_back(v);
  }
  if (facet.size() >= 3) facets.push_back(facet);
}

/// The region of the face with normal +-`axis`: the face, the inner polygon, and a facet through each edge of the face.
Polygons region_facets(const BoxPoints& box, std::size_t axis, bool high) {
  const std::size_t axis_bit = std::size_t{4} >> axis;
  const std::size_t u = std::size_t{4} >> ((axis + 1) % 3);
  const std::size_t v = std::size_t{4} >> ((axis + 2) % 3);
  const std::size_t base = high ? axis_bit : 0;
  const std::array<std::size_t, 4> face{base, base + u, base + u + v, base + v};

  const auto outer = [&](std::size_t i) { return static_cast<std::int32_t>(face[i % 4]); };
  const auto inner = [&](std::size_t i) { return box.inner_of[face[i % 4]]; };
  Polygons facets;
  add_facet(facets, {outer(0), outer(1), outer(2), outer(3)});
  add_facet(facets, {inner(0), inner(1), inner(2), inner(3)});
  for (std::size_t i = 0; i < 4; ++i) add_facet(facets, {outer(i), outer(i + 1), inner(i + 1), inner(i)});
  return facets;
}

/// The order of the whole box: inner points before corners, each by index.
bool comes_before(std::int32_t a, std::int32_t b) {
  const bool inner_a = a >= static_cast<std::int32_t>(kCorners);
  const bool inner_b = b >= static_cast<std::int32_t>(kCorners);
  return inner_a != inner_b ? inner_a : a < b;
}

void cone_region(TetMesh& mesh, Polygons facets) {
  std::int32_t apex = facets[0][0];
  for (Facet& facet : facets) {
    std::rotate(facet.begin(), std::min_element(facet.begin(), facet.end(), comes_before), facet.end());
    apex = std::min(apex, facet[0], comes_before);
  }
  append_cone(mesh, apex, facets);  // the apex comes before all others, so it is first in each facet that has it
}

}  // namespace

TetMesh make_box_mesh(const Point3& size) {
  const StandardArithmetic standard;
  for (const double edge : size) {
    if (std::isfinite(edge) && edge > 0) continue;
    throw_error("box: size ({}, {}, {}) m; each must be finite and positive", size[0], size[1], size[2]);
  }
  const BoxPoints box = make_box_points(0.5 * size);

  TetMesh mesh;
  mesh.points = box.points;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const bool high : {false, true}) cone_region(mesh, region_facets(box, axis, high));
  }
  return mesh;
}

}  // namespace isopatch
