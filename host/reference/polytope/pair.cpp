// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/pair.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "host/reference/polytope/separation.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kMarginOfRadius = 0.02L;
constexpr Real kToleranceOfRadius = 1e-6L;
constexpr Real kMinTurning = 1e-6L, kMaxTurning = 0.4L;

Real radius_of(const PolytopeBody& body, int part) {
  const ConvexShape& shape = body.parts[static_cast<std::size_t>(part)];
  return shape.is_half_space() ? std::numeric_limits<Real>::infinity() : radius_about(shape, body.center);
}

/// The largest speed of a point of a part.
Real speed_of(const PolytopeBody& body, Real radius) {
  const Real turning = body.angular_velocity.norm();
  return body.velocity.norm() + (turning > 0 ? turning * radius : 0);
}

}  // namespace

RelationRange range_of(const PolytopeBody& a, int part_a, const PolytopeBody& b, int part_b,
                       const PairSettings& settings) {
  const Real radius_a = radius_of(a, part_a), radius_b = radius_of(b, part_b), radius = std::min(radius_a, radius_b);
  const Real time_step = settings.time_step;
  RelationRange range;
  range.reach = settings.margin.value_or(kMarginOfRadius * radius);
  if (time_step > 0) range.reach += time_step * (speed_of(a, radius_a) + speed_of(b, radius_b));
  range.turning =
      std::min<Real>(kMaxTurning, time_step * (a.angular_velocity.norm() + b.angular_velocity.norm()) + kMinTurning);
  range.tolerance = settings.tolerance.value_or(kToleranceOfRadius * radius);
  return range;
}

PartPair evaluate_part_pair(const PolytopeBody& a, int part_a, const PolytopeBody& b, int part_b,
                            const PairSettings& settings) {
  const ConvexShape one = moved(a.parts[static_cast<std::size_t>(part_a)], a.pose);
  const ConvexShape other = moved(b.parts[static_cast<std::size_t>(part_b)], b.pose);
  PartPair pair;
  pair.part_a = part_a;
  pair.part_b = part_b;
  pair.range = range_of(a, part_a, b, part_b, settings);
  pair.set = find_relations(one, other, pair.range, settings.mode);
  pair.nearest = separation(one, other);
  if (pair.nearest.gap < 0) pair.overlap = overlap(one, other);
  return pair;
}

PairResult evaluate_pair(const PolytopeBody& a, const PolytopeBody& b, const PairSettings& settings) {
  PairResult result;
  result.separation = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < static_cast<int>(a.parts.size()); ++i) {
    for (int j = 0; j < static_cast<int>(b.parts.size()); ++j) {
      const PartPair pair = evaluate_part_pair(a, i, b, j, settings);
      result.separation = std::min(result.separation, pair.nearest.gap);
      result.overlap += pair.overlap;
      result.is_deep |= pair.is_deep();
      result.part_pairs.push_back(pair);
    }
  }
  return result;
}

}  // namespace isopatch::reference::polytope
