// SPDX-License-Identifier: Apache-2.0
//
// A body's elements, in the frame a pair is evaluated in.
#pragma once

#include <vector>

#include "host/reference/scene/vector.h"
#include "isopatch/geometry/geometry.h"

namespace isopatch::reference {

/// A layer of a half space, in which the pressure is affine: the whole, or a slab between two levels of the extent.
struct HalfSpaceLayer {
  Affine pressure;
  Affine smoothed_slope;     // of the pressure against the depth, Pa/m: affine between the levels
  bool has_top, has_bottom;  // levels that bound it; nothing has pressure over the surface
  Affine below_top;          // depth under the upper level, m
  Affine above_bottom;       // height over the lower level, m
};

struct PosedBody {
  bool rigid = false;
  bool half_space = false;

  // mesh
  std::vector<PressureTet> tets;  // without pressures if rigid
  std::vector<Real> tet_signs;    // 1, or -1 for an inverted cone of a surface mesh
  std::vector<Box> tet_boxes;
  std::vector<SurfaceTriangle> triangles;  // the outward surface, only if rigid
  std::vector<Box> triangle_boxes;
  Real size = 0;  // diagonal of the bounding box, m

  // half space
  Affine height;                       // distance above the surface, m
  std::vector<HalfSpaceLayer> layers;  // from the surface down, only if compliant

  Real largest_gradient = 0;  // of the pressure, Pa/m

  /// Transforms the geometry by X, from the body's frame to the pair's.
  PosedBody(const Geometry& geometry, bool rigid, Real modulus, const Transform& X);

 private:
  void add_half_space(const Geometry& geometry, Real modulus, const Transform& X);
  void add_cones(const Geometry& geometry, const std::vector<Vector3>& points);
  void add_tet(PressureTet tet, Real sign);
  void add_tets(const Geometry& geometry, Real modulus, const std::vector<Vector3>& points);
  void smooth_gradients(const Geometry& geometry);
  void add_triangles(const Geometry& geometry, const std::vector<Vector3>& points);
};

}  // namespace isopatch::reference
