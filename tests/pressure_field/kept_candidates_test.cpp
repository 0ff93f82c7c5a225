// SPDX-License-Identifier: Apache-2.0
//
// What a search of stages keeps of a part pair: with it, no cells that pass are missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/stages/integrate.h"
#include "tests/support/pair_contexts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using detail::CandidateList;
using Cells = std::set<std::pair<std::int32_t, std::int32_t>>;

constexpr float kMargin = 2e-3f;  // m

bool has_polygon(const detail::PairContext& f, const detail::AcceptedCells& cells) {
  detail::ContactPlane<double> plane;
  detail::Segments<double> segments;
  detail::Contribution<double> contribution;
  return detail::contribution_of(f, cell_of_M(f, cells.m), cell_of_S(f, cells.s), cells.bounds,
                                 detail::LinesInPlace<true>(), plane, segments, contribution);
}

/// A part pair in a state, with all that its search needs.
class Search {
 public:
  explicit Search(float margin = kMargin) : Search(detail::CandidateMargin{margin, false}) {}
  explicit Search(detail::CandidateMargin margin) : margin_(margin), work_(1 << 14) {}

  /// The cells with polygons that a search lists in this context.
  Cells operator()(const detail::PairContext& context) {
    detail::StagedPair pair = {};
    detail::StagedPartPair part_pair = {context, 0, 0, 0};
    std::int32_t one = 1, count = 0;
    const detail::StagedPairs staged = {
        &pair, nullptr, {&part_pair, &one, 1}, {work_.data(), &count, static_cast<std::int32_t>(work_.size())}};
    detail::SerialWarp warp;
    detail::search_staged_pair<true>(warp, memory_, staged, 0, {}, &list_, margin_);
    EXPECT_EQ(pair.incomplete, 0u);
    Cells found;
    for (std::int32_t i = 0; i < count; ++i) {
      const detail::AcceptedCells& cells = work_[static_cast<std::size_t>(i)].cells;
      if (!has_polygon(context, cells)) continue;
      EXPECT_TRUE(found.insert({cells.m, cells.s}).second) << cells.m << ", " << cells.s << " twice";
    }
    return found;
  }

  CandidateList& list() { return list_; }

  Cells candidates(int count) const {
    Cells found;
    for (int i = 0; i < count; ++i) found.insert({list_[i].m, list_[i].s});
    return found;
  }

 private:
  detail::CandidateMargin margin_;
  detail::SearchMemory<1> memory_;
  CandidateList list_ = {};
  std::vector<detail::CellWork> work_;
};

/// The cells that have a polygon, of all, without a hierarchy.
Cells with_polygons(const detail::PairContext& f) {
  Cells found;
  for (std::int32_t m = 0; m < f.M.hierarchy.num_cells; ++m) {
    for (std::int32_t k = 0; k < (f.S.half_space ? 1 : f.S.hierarchy.num_cells); ++k) {
      detail::AcceptedCells cells = {m, f.S.half_space ? -1 : k, {}};
      if (detail::test_cells(f, cells) && has_polygon(f, cells)) found.insert({cells.m, cells.s});
    }
  }
  return found;
}

bool includes(const Cells& all, const Cells& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

/// Turns and shifts every body by about `length`, m.
Batch moved(const Batch& batch, Random& random, double length) {
  Batch next = batch;
  for (std::size_t i = 0; i < next.poses.size(); ++i) {
    next.poses[i] += (i % 7 < 3 ? 1 : 10) * random.uniform(-length, length);
  }
  return next;
}

TEST(KeptCandidates, HoldAllCellsThatHavePolygonsWithinTheMargin) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 12, 71, 0.14, true);
  Random random(72);
  int moves = 0, near_moves = 0, passed = 0, listed = 0, near = 0;
  for (std::int64_t e = 0; e < batch.num_environments; ++e) {
    for (int pair = 0; pair < scene.num_pairs(); ++pair) {
      SCOPED_TRACE(testing::Message() << "environment " << e << ", pair " << pair);
      const detail::PairContext before = pair_context(scene.data().view, batch.state(), e, pair);
      Search search;
      const Cells at_first = search(before);
      EXPECT_EQ(at_first, with_polygons(before));
      const CandidateList& list = search.list();
      if (list.state != CandidateList::kFound || at_first.empty()) continue;
      listed += list.near + list.far;
      near += list.near;
      for (int i = 0; i < 8; ++i) {
        const Batch next = moved(batch, random, i % 2 == 0 ? 4e-5 : 4e-4);
        const detail::PairContext now = pair_context(scene.data().view, next.state(), e, pair);
        const float motion = detail::motion_since(list, now, hierarchies_of(now));
        if (motion > kMargin) continue;
        const Cells found = with_polygons(now);
        EXPECT_TRUE(includes(search.candidates(list.near + list.far), found));
        if (motion <= detail::kNearShare * kMargin) {
          ++near_moves;
          EXPECT_TRUE(includes(search.candidates(list.near), found));
        }
        EXPECT_EQ(search(now), found);
        EXPECT_EQ(list.state, CandidateList::kUsed);
        ++moves;
        passed += static_cast<int>(found.size());
      }
    }
  }
  EXPECT_GT(moves, 200);
  EXPECT_GT(near_moves, 50);
  EXPECT_GT(passed, 1000);
  EXPECT_LT(near, 0.9 * listed);
}

TEST(KeptCandidates, AreNoneWhereTheyDoNotFitAndNoCellsAreMissed) {
  const Scene scene(two_bodies(make_sphere("ball", 0.05, 2), make_sphere("other", 0.05, 2)));
  const Batch batch = random_batch(scene, 6, 73, 0.05);
  int too_many = 0;
  for (std::int64_t e = 0; e < batch.num_environments; ++e) {
    const detail::PairContext f = pair_context(scene.data().view, batch.state(), e, 0);
    Search search(2e-2f);
    for (int call = 0; call < 2; ++call)
      EXPECT_EQ(search(f), with_polygons(f)) << "environment " << e << ", call " << call;
    too_many += search.list().state == CandidateList::kTooMany ? 1 : 0;
  }
  EXPECT_GT(too_many, 2);
}

TEST(KeptCandidates, PauseAfterASearchThatWasForNothing) {
  const Scene scene(two_bodies(make_sphere("ball", 0.05, 1), make_box("box", {0.1, 0.08, 0.2})));
  Batch batch = random_batch(scene, 1, 701, 0.1);
  Search search;
  std::vector<std::int32_t> states;
  for (int call = 0; call < 11; ++call) {
    const detail::PairContext f = pair_context(scene.data().view, batch.state(), 0, 0);
    EXPECT_EQ(search(f), with_polygons(f)) << "call " << call;
    states.push_back(search.list().state);
    batch.poses[0] += 2 * static_cast<double>(kMargin) * (call % 2 == 0 ? 1 : -1);
  }
  std::vector<std::int32_t> expected(11, CandidateList::kNone);
  expected[0] = CandidateList::kFound;
  expected[1 + CandidateList::kPause] = CandidateList::kFound;
  EXPECT_EQ(states, expected);
}

/// The first search learns the pose, the second one how fast the parts move.
TEST(KeptCandidates, FollowTheMotionOfTheParts) {
  const Scene scene(two_bodies(make_sphere("ball", 0.05, 1), make_box("box", {0.1, 0.08, 0.2})));
  struct Case {
    double speed;  // m a search
    int found;     // times in 40 searches
    float least, most;
  };
  constexpr float kRadius = 0.05f;
  for (const Case& c : {Case{0, 1, 0.003f * kRadius, 0.004f * kRadius}, Case{2e-5, 5, 1.6e-4f, 2e-4f},
                        Case{2e-4, 5, 1.6e-3f, 2e-3f}, Case{2e-3, 0, 0, 0}}) {
    SCOPED_TRACE(c.speed);
    Batch batch = random_batch(scene, 1, 701, 0.1);
    Search search(detail::CandidateMargin{0.05f, true});
    int found = 0;
    for (int call = 0; call < 40; ++call) {
      const detail::PairContext f = pair_context(scene.data().view, batch.state(), 0, 0);
      EXPECT_EQ(search(f), with_polygons(f)) << "call " << call;
      const CandidateList& list = search.list();
      if (call == 0) {
        EXPECT_EQ(list.state, CandidateList::kSeen);
      }
      if (list.state == CandidateList::kFound) {
        ++found;
        EXPECT_GE(list.margin, c.least);
        EXPECT_LE(list.margin, c.most);
      }
      batch.poses[0] += c.speed;
    }
    EXPECT_EQ(found, c.found);
  }
}

}  // namespace
}  // namespace isopatch::test
