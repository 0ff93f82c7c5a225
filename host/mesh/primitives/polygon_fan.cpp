// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/polygon_fan.h"

#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

class PolygonFan {
 public:
  PolygonFan(const std::vector<Point3>& points, const std::vector<std::int32_t>& corners)
      : points_(points), corners_(corners) {
    for (std::size_t i = 1; i + 1 < size(); ++i) normal_ = normal_ + twice_area(0, i, i + 1);
  }

  std::size_t size() const { return corners_.size(); }

  /// Whether all triangles of the fan about corner `apex` face the same way as the polygon.
  bool is_upright(std::size_t apex) const {
    for (std::size_t k = 1; k + 1 < size(); ++k) {
      if (!(dot(twice_area(apex, apex + k, apex + k + 1), normal_) > 0)) return false;
    }
    return true;
  }

  double diagonal(std::size_t apex) const { return norm(point(apex + 2) - point(apex)); }

  void append(std::size_t apex, std::vector<Triangle>& triangles) const {
    for (std::size_t k = 1; k + 1 < size(); ++k) {
      triangles.push_back({corner(apex), corner(apex + k), corner(apex + k + 1)});
    }
  }

 private:
  std::int32_t corner(std::size_t i) const { return corners_[i % size()]; }
  const Point3& point(std::size_t i) const { return points_[corner(i)]; }
  Point3 twice_area(std::size_t i, std::size_t j, std::size_t k) const {
    return cross(point(j) - point(i), point(k) - point(i));
  }

  const std::vector<Point3>& points_;
  const std::vector<std::int32_t>& corners_;
  Point3 normal_ = {0, 0, 0};
};

}  // namespace

bool append_fan(const std::vector<Point3>& points, const std::vector<std::int32_t>& corners,
                std::vector<Triangle>& triangles) {
  const PolygonFan fan(points, corners);
  std::size_t apex = 0;
  if (fan.size() == 4) {
    // a concave quad has one diagonal outside; a quad that is folded along either is cut along the shorter one
    const bool first = fan.is_upright(0), second = fan.is_upright(1);
    apex = first != second ? (first ? 0 : 1) : (fan.diagonal(0) <= fan.diagonal(1) ? 0 : 1);
  } else if (fan.size() > 4) {
    while (apex < fan.size() && !fan.is_upright(apex)) ++apex;
    if (apex == fan.size()) return false;
  }
  fan.append(apex, triangles);
  return true;
}

void drop_repeated_corners(std::vector<std::int32_t>& corners) {
  for (std::size_t i = corners.size(); i-- > 0 && corners.size() > 3;) {
    if (corners[i] == corners[(i + 1) % corners.size()])
      corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void append_cone(TetMesh& mesh, std::int32_t apex, const Polygons& polygons) {
  for (const auto& polygon : polygons) {
    if (polygon[0] == apex) continue;
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      mesh.tets.push_back(positively_oriented(mesh, {apex, polygon[0], polygon[i - 1], polygon[i]}));
    }
  }
}

}  // namespace isopatch::detail
