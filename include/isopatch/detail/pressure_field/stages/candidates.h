// SPDX-License-Identifier: Apache-2.0
//
// Candidates of a part pair that are kept from one evaluation to the next. They are found with node boxes that are
// wider by a margin and by a test of cells whose errors are, so they hold every pair of cells that can have a polygon
// while no point of one part has moved by more than the margin relative to the other. Until then, a search only tests
// them without the margin. That test decides, so no bit changes.
//
// Why none is lost: let the parts have a polygon now, and x be a point of it, seen in M. In the pose that the
// candidates are of, the same point of S was within the margin of x, and both points have the extents that they have
// now, since these belong to the meshes. So at those extents the boxes of the nodes above the two cells overlapped once
// that of M was wider by the margin along each axis, and no test rejected them. Nor did the test of the two cells: its
// errors are those of WithinMargin, which allow for such a move.
#pragma once

#include "isopatch/detail/bvh/traverse.h"
#include "isopatch/detail/cells/node_test.h"

namespace isopatch::detail {

/// Room for the candidates of a part pair.
inline constexpr std::int32_t kMaxCandidates = 512;

/// Near candidates are those that may have a polygon within this share of the margin. While the parts have moved by no
/// more than that, the others are not tested.
inline constexpr float kNearShare = 0.125f;

/// How far parts may move until their candidates are found again.
struct CandidateMargin {
  float length;         // m; if it follows the motion: at most, over the smaller part's radius
  bool follows_motion;  // as far as the parts move in a few searches
};

/// What the candidates of a part pair depend on.
struct CandidateOrigin {
  const Node *nodes_M, *nodes_S;  // of the geometries
  Transform<float> X_MS;
  float weight_M, weight_S, depth_per_u;  // of CoarseTests: what else the tests depend on

  ISOPATCH_HD void set(const MeshPair& f, const HierarchyPair& hierarchies) {
    nodes_M = hierarchies.nodes_M;
    nodes_S = hierarchies.nodes_S;
    X_MS = f.coarse.X_MS;
    weight_M = f.coarse.weight_M;
    weight_S = f.coarse.weight_S;
    depth_per_u = f.coarse.depth_per_u;
  }

  /// Whether all but the pose is that of this context.
  ISOPATCH_HD bool is_of(const MeshPair& f, const HierarchyPair& hierarchies) const {
    return nodes_M == hierarchies.nodes_M && nodes_S == hierarchies.nodes_S && weight_M == f.coarse.weight_M &&
           weight_S == f.coarse.weight_S && depth_per_u == f.coarse.depth_per_u;
  }
};

/// The candidates of one part pair in one environment.
struct alignas(16) CandidateList {
  enum : std::int32_t {
    kNone,
    kSeen,  // none, but the pose of the last search is known
    kFound,
    kUsed,  // found, and a search has used them
    kTooMany
  };

  /// How many searches of a part pair keep nothing after candidates that no search could use: finding them takes longer
  /// than a search that keeps nothing.
  static constexpr std::int32_t kPause = 8;

  CandidateOrigin origin;
  float margin;           // m
  std::int32_t searches;  // that have used them
  std::int32_t state;
  std::int32_t near, far;  // how many were found: near ones, from the front of `cells`, and others, from its end
  std::int32_t pause;      // searches until candidates are kept again
  CellPair cells[kMaxCandidates];  // no particular order

  /// The index of a candidate, near ones first.
  ISOPATCH_HD const CellPair& operator[](int i) const { return cells[i < near ? i : kMaxCandidates - 1 - (i - near)]; }
};

/// A bound of how far a point of one part has moved relative to the other since `before`, m. Of a half space, all
/// points at the height of M's mesh count. The difference of two rotations stretches no vector by more than its
/// Frobenius norm over the root of 2: of its three singular values, two are equal, and one is 0.
ISOPATCH_HD float motion_bound(const MeshPair& f, const Transform<float>& before) {
  const Transform<float>& now = f.coarse.X_MS;
  const Vec3f shift = now.translation - before.translation;
  float turn = 0;  // square of the Frobenius norm
  for (int i = 0; i < 3; ++i) {
    const Vec3f change = now.row[i] - before.row[i];
    turn += dot(change, change);
  }
  const double radius = f.S.half_space ? coordinate_bound(f.M) + norm(f.X_MS.translation) : coordinate_bound(f.S);
  return fma(sqrt(0.5f * turn), static_cast<float>(radius), norm(shift)) + 4 * f.coarse.slack;
}

/// How far the parts may have moved since these candidates were found, m: infinite if there are none for this context.
ISOPATCH_HD float motion_since(const CandidateList& list, const MeshPair& f, const HierarchyPair& hierarchies) {
  constexpr float kUnknown = 1e30f;
  if (list.state == CandidateList::kNone || !list.origin.is_of(f, hierarchies)) return kUnknown;
  return motion_bound(f, list.origin.X_MS);
}

/// Whether a search may take these candidates after a motion of so many metres.
ISOPATCH_HD bool hold_after(const CandidateList& list, float motion) {
  return list.state > CandidateList::kSeen && motion <= list.margin;
}

/// The margin of candidates that hold for a few searches, m, if the parts go on as they have moved since the last ones
/// were found; 0 if that would be more than the most. Finding candidates takes longer than a search that keeps none.
ISOPATCH_HD float margin_ahead(const CandidateList& list, const MeshPair& f, float motion, CandidateMargin rule) {
  constexpr float kSearchesAhead = 8, kFewest = 3;  // searches
  constexpr float kSmallest = 0.0625f;              // over the most: parts at rest move by rounding
  const double radius_M = f.M.geometry->radius, radius_S = f.S.half_space ? radius_M : f.S.geometry->radius;
  const float most = rule.length * static_cast<float>(min(radius_M, radius_S));
  const float speed = motion / static_cast<float>(list.searches + 1);  // m a search
  if (!(kFewest * speed <= most)) return 0;
  return max(min(kSearchesAhead * speed, most), kSmallest * most);
}

/// Forgets the candidates before others are to be found, and returns their margin [m]; 0 if none should be. `motion` is
/// since the last ones. Called by one lane.
ISOPATCH_HD float begin(CandidateList& list, const MeshPair& f, const HierarchyPair& hierarchies, float motion,
                        CandidateMargin rule) {
  if (list.state == CandidateList::kFound) list.pause = CandidateList::kPause;
  list.margin = rule.follows_motion ? margin_ahead(list, f, motion, rule) : rule.length;
  list.searches = 0;
  list.state = rule.follows_motion ? CandidateList::kSeen : CandidateList::kNone;
  list.origin.set(f, hierarchies);
  if (list.pause == 0) return list.margin;
  --list.pause;
  return 0;
}

/// A node's box, wider by the margin.
ISOPATCH_HD NodeBox<float> widened_box(const Node& node, float margin) {
  NodeBox<float> box = box_of(node);
  box.box.half = box.box.half + Vec3f{margin, margin, margin};
  return box;
}

}  // namespace isopatch::detail
