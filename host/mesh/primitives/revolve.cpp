// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/revolve.h"

#include <algorithm>
#include <numbers>

#include "host/mesh/math/fixed_math.h"
#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

bool has_repeated_vertex(Tet tet) {
  std::sort(tet.begin(), tet.end());
  return std::adjacent_find(tet.begin(), tet.end()) != tet.end();
}

}  // namespace

std::vector<std::array<double, 2>> unit_circle(int segments) {
  const int quarter = std::max(segments / 4, 1);
  // cosines of the first quarter; its sines are the same values in reverse
  std::vector<double> cosine;
  for (int k = 0; k <= quarter; ++k) cosine.push_back(fixed_cos(2 * std::numbers::pi * k / segments));
  cosine.back() = 0;

  std::vector<std::array<double, 2>> circle;
  for (int k = 0; k < segments; ++k) {
    const auto along = static_cast<std::size_t>(k % quarter);
    const double c = cosine[along];
    const double s = cosine[static_cast<std::size_t>(quarter) - along];
    const double minus_c = 0 - c;  // not -c, so that no -0 appears
    const double minus_s = 0 - s;
    const std::array<std::array<double, 2>, 4> turned{{{c, s}, {minus_s, c}, {minus_c, minus_s}, {s, minus_c}}};
    circle.push_back(turned[k / quarter]);
  }
  return circle;
}

RevolvedMesh::RevolvedMesh(int segments) : circle_(unit_circle(segments)) {}

std::size_t RevolvedMesh::add_ring(double radius, double z) {
  first_.push_back(static_cast<std::int32_t>(mesh_.points.size()));
  on_axis_.push_back(radius == 0);
  if (radius == 0) {
    mesh_.points.push_back({0, 0, z});
  } else {
    for (const auto& [c, s] : circle_) mesh_.points.push_back({radius * c, radius * s, z});
  }
  return first_.size() - 1;
}

std::int32_t RevolvedMesh::point(std::size_t ring, int k) const {
  const int segments = static_cast<int>(circle_.size());
  return first_[ring] + (on_axis_[ring] != 0 ? 0 : k % segments);
}

void RevolvedMesh::add_triangle(std::size_t a, std::size_t b, std::size_t c) {
  std::array<std::size_t, 3> ring{a, b, c};
  std::sort(ring.begin(), ring.end());
  for (int k = 0; k < static_cast<int>(circle_.size()); ++k) {
    // the staircase of tets from the even ray to the odd one; the diagonal of each quad depends on the quad alone
    const int even = k % 2 == 0 ? k : k + 1;
    const int odd = k % 2 == 0 ? k + 1 : k;
    const auto e = [&](std::size_t i) { return point(ring[i], even); };
    const auto o = [&](std::size_t i) { return point(ring[i], odd); };
    add_tet({e(0), e(1), e(2), o(2)});
    add_tet({e(0), e(1), o(1), o(2)});
    add_tet({e(0), o(0), o(1), o(2)});
  }
}

std::int32_t RevolvedMesh::add_point(const Point3& p) {
  mesh_.points.push_back(p);
  return static_cast<std::int32_t>(mesh_.points.size()) - 1;
}

void RevolvedMesh::add_tet(const Tet& tet) {
  if (has_repeated_vertex(tet)) return;
  mesh_.tets.push_back(positively_oriented(mesh_, tet));
}

TetMesh RevolvedMesh::mirrored() const {
  TetMesh mesh = mesh_;
  std::vector<std::int32_t> image;
  for (std::size_t i = 0; i < mesh_.points.size(); ++i) {
    const Point3& p = mesh_.points[i];
    image.push_back(static_cast<std::int32_t>(p[2] == 0 ? i : mesh.points.size()));
    if (p[2] != 0) mesh.points.push_back({p[0], p[1], -p[2]});
  }
  for (const Tet& tet : mesh_.tets) {
    const auto at = [&](std::size_t i) { return image[tet[i]]; };
    mesh.tets.push_back({at(0), at(1), at(3), at(2)});
  }
  return mesh;
}

}  // namespace isopatch::detail
