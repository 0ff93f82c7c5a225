// SPDX-License-Identifier: Apache-2.0
//
// Whether the bodies of a pair overlap although they have no surface of equal pressure.
//
// Let d = p_M - p_S on the overlap, p_M being 0 on M's surface and p_S on that of S (a rigid body's is infinite
// inside). On M's surface d <= 0, on that of S d >= 0. A connected part of the overlap that is bounded by both surfaces
// contains a surface d = 0, and so has polygons. A part without polygons is bounded by one surface alone: it is a whole
// connected component of one body, inside the other. So if a pair has no polygon, either all points of a component are
// in the other body or none is, and testing one point of each is enough. A rigid component inside a compliant body has
// polygons all over its surface, so only compliant components are tested.
//
// A field from a file need not be 0 on the surface, and can be 0 inside. Then a pair can overlap in part without a
// polygon, which one point may miss; what is found is still an overlap without a polygon.
#pragma once

#include "isopatch/detail/bvh/node.h"
#include "isopatch/detail/pressure_field/context/pair_context.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// A ray from the point, along (kLeanX, kLeanY, 1), shows whether it is inside. Any direction is valid; this one is
/// along no face or edge of regular meshes.
inline constexpr double kLeanX = 0.17320846, kLeanY = 0.31415362;

/// Coordinates across the ray, and the height along it, of `offset` from the ray's origin.
ISOPATCH_HD Vec3d across_ray(Vec3d offset) {
  return {std::fma(-kLeanX, offset.z, offset.x), std::fma(-kLeanY, offset.z, offset.y), offset.z};
}

/// False where the ray from x certainly misses the box of a node of triangles, which have the extent 0.
ISOPATCH_HD bool ray_may_meet(const Node& n, Vec3d x) {
  const Vec3d center = across_ray(cast<double>(Vec3f{n.center[0], n.center[1], n.center[2]}) - x);
  const Vec3d half = cast<double>(Vec3f{n.half[0], n.half[1], n.half[2]});
  return std::fabs(center.x) <= std::fma(kLeanX, half.z, half.x) &&
         std::fabs(center.y) <= std::fma(kLeanY, half.z, half.y) && center.z >= -half.z;
}

/// 1 where the ray from x leaves a body through a surface triangle, -1 where it enters, else 0. An edge is decided by
/// the same bits for both its triangles, so a ray through it counts once, not twice or never.
ISOPATCH_HD int crossing(CellRef triangle, Vec3d x) {
  int winding = 0;
  for (int i = 0; i < 3; ++i) {
    const Vec3d a = across_ray(triangle.vertex(i) - x), b = across_ray(triangle.vertex(i + 1) - x);
    const bool rises = b.y > 0;
    if ((a.y > 0) == rises) continue;
    const Vec3d low = rises ? a : b, high = rises ? b : a;
    if (std::fma(low.x, high.y, -(high.x * low.y)) > 0) winding += rises ? 1 : -1;
  }
  const double ahead = dot(triangle.gradient(), triangle.vertex(0) - x);  // seen along the outward normal
  return winding * ahead > 0 ? winding : 0;
}

/// x is inside a closed surface: the crossings of a ray add up to its winding number. Depth first without a stack: the
/// path from the root, with a bit 1 for each right child, says what is left to visit.
ISOPATCH_HD bool is_inside(const HierarchyView& surface, Vec3d x) {
  const Node* nodes = surface.nodes;
  int sum = 0, level = 0, turns = 0;
  std::int32_t at = 0;
  while (true) {
    const Node& node = nodes[at];
    if (ray_may_meet(node, x)) {
      if (!node.is_leaf()) {
        at = node.child;
        turns *= 2;
        ++level;
        continue;
      }
      sum += crossing({surface.cells + node.cell()}, x);
    }
    while (level > 0 && (turns & 1) != 0) {
      turns /= 2;
      --level;
    }
    if (level == 0) return sum > 0;
    turns += 1;
    at = 0;
    for (int i = level - 1; i >= 0; --i) at = nodes[at].child + (turns >> i & 1);
  }
}

/// x, in the geometry's context, is inside it.
ISOPATCH_HD bool is_inside(const GeometryView& g, Vec3d x) {
  if (g.half_space) return x.z < g.high;
  const Vec3d away = abs(x - g.center);
  return away.x <= g.half.x && away.y <= g.half.y && away.z <= g.half.z && is_inside(g.field->surface, x);
}

/// For a pair without a polygon: whether a compliant body, or a component of it, is inside the other body. Called by
/// all lanes.
template <class Warp>
ISOPATCH_HD_LARGE bool is_enclosed(Warp& warp, const PairContext& f) {
  const std::int32_t of_M = f.M.rigid ? 0 : f.M.field->num_components, of_S = f.S.rigid ? 0 : f.S.field->num_components;
  bool inside = false;
  for (std::int32_t i = warp.lane(); i < of_M + of_S; i += Warp::kSize) {
    const bool is_M = i < of_M;
    const Vec3d x = is_M ? apply_back(f.X_MS, f.M.field->component_points[i])
                         : apply(f.X_MS, f.S.field->component_points[i - of_M]);
    inside = inside || is_inside(is_M ? *f.S.geometry : *f.M.geometry, x);
  }
  return warp.ballot(inside) != 0u;
}

}  // namespace isopatch::detail
