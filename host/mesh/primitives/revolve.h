// SPDX-License-Identifier: Apache-2.0
//
// Tet meshes of revolution, symmetric under reflection at every coordinate plane.
#pragma once

#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// The points (cos, sin) of a regular polygon; `segments` is a multiple of 4. Reflections at the axes and at the
/// diagonals map the points onto each other exactly, without rounding.
std::vector<std::array<double, 2>> unit_circle(int segments);

/// Revolves a triangulated profile about the z axis. Every profile point becomes a ring of points, or one point where
/// its radius is 0; every triangle becomes up to three tets in each of the `segments` sectors.
///
/// The diagonals of the quads go from a point on an even ray to one on an odd ray. So they are mirrored from sector to
/// sector, and the mesh is symmetric about every plane through the axis and a ray.
class RevolvedMesh {
 public:
  explicit RevolvedMesh(int segments);

  /// A profile point; the profile's triangles refer to it by the returned index.
  std::size_t add_ring(double radius, double z);
  void add_triangle(std::size_t a, std::size_t b, std::size_t c);

  /// The mesh's point of a ring on ray `k`, counted modulo the number of segments.
  std::int32_t point(std::size_t ring, int k) const;

  /// A single point, and a single tet in either orientation; a tet with a repeated vertex is left out.
  std::int32_t add_point(const Point3& p);
  void add_tet(const Tet& tet);

  /// The mesh, which has z >= 0, and its mirror image below, joined at the points with z = 0.
  TetMesh mirrored() const;

 private:
  std::vector<std::array<double, 2>> circle_;
  std::vector<std::int32_t> first_;    // of every ring: its first point
  std::vector<std::uint8_t> on_axis_;  // of every ring: whether it is one point
  TetMesh mesh_;
};

}  // namespace isopatch::detail
