// SPDX-License-Identifier: Apache-2.0
//
// Vector arithmetic on mesh points.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

inline Point3 operator+(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Point3 operator-(const Point3& a, const Point3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Point3 operator*(double s, const Point3& a) { return {s * a[0], s * a[1], s * a[2]}; }

inline double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double norm(const Point3& a) { return std::sqrt(dot(a, a)); }

inline Point3 cross(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A vertex of a tet or triangle mesh.
template <class Mesh>
const Point3& point_at(const Mesh& mesh, std::int32_t index) {
  return mesh.points[index];
}

/// The box around points, parallel to the axes; at first it has none.
struct Box {
  Point3 low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};

  void add(const Point3& p) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
  bool overlaps(const Box& b) const {
    return low[0] <= b.high[0] && b.low[0] <= high[0] && low[1] <= b.high[1] && b.low[1] <= high[1] &&
           low[2] <= b.high[2] && b.low[2] <= high[2];
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
};

/// The box around the vertices of elements.
template <class Element>
Box box_of(const std::vector<Point3>& points, const std::vector<Element>& elements) {
  Box box;
  for (const Element& element : elements) {
    for (const std::int32_t v : element) box.add(points[v]);
  }
  return box;
}

/// Six times the signed volume of tet (a,b,c,d): positive when d is on the side to which the normal of abc points.
inline double six_volumes(const Point3& a, const Point3& b, const Point3& c, const Point3& d) {
  return dot(cross(b - a, c - a), d - a);
}

inline double six_volumes(const TetMesh& mesh, const Tet& tet) {
  return six_volumes(point_at(mesh, tet[0]), point_at(mesh, tet[1]), point_at(mesh, tet[2]), point_at(mesh, tet[3]));
}

/// The signed volume of all tets, m^3.
inline double volume_of(const TetMesh& mesh) {
  double six_v = 0;
  for (const Tet& tet : mesh.tets) six_v += six_volumes(mesh, tet);
  return six_v / 6;
}

/// The volume inside a closed surface with at least one triangle, outward oriented, m^3.
inline double volume_of(const TriangleMesh& mesh) {
  // about a point of the mesh, so that a mesh far from the origin loses no digits
  const Point3& origin = point_at(mesh, mesh.triangles[0][0]);
  double six_v = 0;
  for (const Triangle& t : mesh.triangles) {
    six_v += six_volumes(origin, point_at(mesh, t[0]), point_at(mesh, t[1]), point_at(mesh, t[2]));
  }
  return six_v / 6;
}

/// The product of the lengths of the three edges at a tet's first vertex, to compare its volume with.
inline double edge_product(const TetMesh& mesh, const Tet& tet) {
  const Point3& origin = point_at(mesh, tet[0]);
  return norm(point_at(mesh, tet[1]) - origin) * norm(point_at(mesh, tet[2]) - origin) *
         norm(point_at(mesh, tet[3]) - origin);
}

/// An inverted tet with its last two vertices exchanged, any other as it is.
inline Tet positively_oriented(const TetMesh& mesh, Tet tet) {
  if (six_volumes(mesh, tet) < 0) std::swap(tet[2], tet[3]);
  return tet;
}

}  // namespace isopatch::detail
