// SPDX-License-Identifier: Apache-2.0
//
// Candidates of a part pair that are kept from one evaluation to the next. They are found with node boxes that are
// wider by a margin, so they hold every pair of cells that can have a polygon while no point of one part has moved by
// more than the margin relative to the other. Until then, a search starts at the tests of cells. Those decide, so no
// bit changes.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/pressure_field/cells/node_test.h"

namespace isopatch::detail {

/// Room for the candidates of a part pair.
inline constexpr std::int32_t kMaxCandidates = 512;

/// The candidates of one part pair in one environment, and what they depend on.
struct alignas(16) CandidateList {
  enum : std::int32_t { kNone = 0, kFound = 1, kTooMany = 2 };

  const Node *nodes_M, *nodes_S;  // of the geometries
  Transform<float> X_MS;
  float modulus_ratio, depth_per_u;  // of CoarseTests: what else the test of two nodes depends on
  std::int32_t state;
  std::int32_t count;  // how many were found, more than kMaxCandidates where there was no room
  CellPair cells[kMaxCandidates];
};

/// A bound of how far a point of one part has moved relative to the other since `before`, m. Of a half space, all
/// points at the height of M's mesh count.
ISOPATCH_HD float motion_bound(const PairContext& f, const Transform<float>& before) {
  const Transform<float>& now = f.coarse.X_MS;
  const Vec3f shift = now.translation - before.translation;
  float turn = 0;  // squared, of the Frobenius norm
  for (int i = 0; i < 3; ++i) {
    const Vec3f change = now.row[i] - before.row[i];
    turn += dot(change, change);
  }
  const double radius = f.S.half_space ? coordinate_bound(f.M) + norm(f.X_MS.translation) : coordinate_bound(f.S);
  return fma(sqrt(turn), static_cast<float>(radius), norm(shift)) + 4 * f.coarse.slack;
}

/// Whether the candidates are those of this context.
ISOPATCH_HD bool is_valid(const CandidateList& list, const PairContext& f, const HierarchyPair& hierarchies,
                          float margin) {
  return list.state != CandidateList::kNone && list.nodes_M == hierarchies.nodes_M &&
         list.nodes_S == hierarchies.nodes_S && list.modulus_ratio == f.coarse.modulus_ratio &&
         list.depth_per_u == f.coarse.depth_per_u && motion_bound(f, list.X_MS) <= margin;
}

/// Makes candidates ready to be found. Called by one lane.
ISOPATCH_HD void begin(CandidateList& list, const PairContext& f, const HierarchyPair& hierarchies) {
  list.nodes_M = hierarchies.nodes_M;
  list.nodes_S = hierarchies.nodes_S;
  list.X_MS = f.coarse.X_MS;
  list.modulus_ratio = f.coarse.modulus_ratio;
  list.depth_per_u = f.coarse.depth_per_u;
  list.state = CandidateList::kNone;
  list.count = 0;
}

/// A node's box, wider by the margin.
ISOPATCH_HD NodeBox<float> widened_box(const Node& node, float margin) {
  NodeBox<float> box = box_of(node);
  box.box.half = box.box.half + Vec3f{margin, margin, margin};
  return box;
}

}  // namespace isopatch::detail
