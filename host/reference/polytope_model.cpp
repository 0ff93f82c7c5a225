// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope_model.h"

#include <algorithm>

#include "host/reference/polytope/convex_hull.h"
#include "host/reference/polytope/overlap.h"
#include "host/reference/polytope/separation.h"

namespace isopatch::reference {

namespace {

polytope::ConvexShape shape_of(const PartState& part, const BodyState& body) {
  const Transform X_WG = body.X_WB * part.X_BG;
  const Geometry& geometry = *part.geometry;
  if (geometry.kind == GeometryKind::kHalfSpace) return polytope::moved(polytope::half_space(), X_WG);
  std::vector<bool> used(geometry.mesh.points.size());
  for (const Triangle& triangle : geometry.surface) {
    for (const auto point : triangle) used[static_cast<std::size_t>(point)] = true;
  }
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Point3& p = geometry.mesh.points[i];
    if (used[i]) points.emplace_back(p[0], p[1], p[2]);
  }
  return polytope::moved(polytope::convex_hull(points), X_WG);
}

}  // namespace

PairResult evaluate_polytopes(const PairInput& input) {
  const Pair& pair = (*input.scene.pairs)[input.pair];
  const auto body = [&](int index) -> const BodyState& {
    return input.environment.bodies[static_cast<std::size_t>(index)];
  };
  PairResult result;
  result.X_WA = body(pair.a).X_WB;
  for (const PartIndices& parts : input.part_pairs) {
    const polytope::ConvexShape a = shape_of(input.environment.parts[parts.a], body(pair.a)),
                                b = shape_of(input.environment.parts[parts.b], body(pair.b));
    const Real gap = polytope::separation(a, b).gap;
    result.separation = std::min(result.separation.value_or(gap), gap);
    if (gap < 0) result.overlap += polytope::overlap(a, b);
  }
  result.of_part_pairs.resize(input.part_pairs.size());
  return result;
}

}  // namespace isopatch::reference
