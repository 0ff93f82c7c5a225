// SPDX-License-Identifier: Apache-2.0
//
// Whatever the test in float is certain of is also the result in double.
#include "isopatch/detail/cells/tet_filter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "tests/support/pair_contexts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using detail::PolygonBounds;

TEST(Inverse, IsWithinAFewRoundings) {
  Random random(7);
  for (int i = 0; i < 100000; ++i) {
    const double x = (i % 2 == 0 ? 1 : -1) * std::exp2(random.uniform(-90, 90));
    // the last iteration rounds once and the product here once more, each by 2^-53, or 2^-24 in float
    EXPECT_NEAR(detail::reciprocal(x) * x, 1, 2.3e-16) << x;
    const auto narrow = static_cast<float>(x);
    EXPECT_NEAR(static_cast<double>(detail::reciprocal(narrow)) * static_cast<double>(narrow), 1, 1.2e-7) << x;
  }
}

struct Counts {
  int pass = 0, certain = 0, settled = 0, left_out = 0, all = 0;
};

template <class T>
bool has_polygon(const detail::PairContext& f, detail::CellRef m, detail::CellRef s,
                 const PolygonBounds<float>& bounds) {
  detail::ContactPlane<T> plane;
  detail::Segments<T> segments;
  detail::Contribution<T> contribution;
  return detail::contribution_of(f, m, s, bounds, detail::LinesInPlace<true>(), plane, segments, contribution);
}

/// Compares both for all cells of one pair.
void compare(const detail::PairContext& f, Counts& counts) {
  const int cells_S = f.S.half_space ? 1 : f.S.hierarchy.num_cells;
  for (std::int32_t m = 0; m < f.M.hierarchy.num_cells; ++m) {
    for (std::int32_t k = 0; k < cells_S; ++k) {
      const std::int32_t s = f.S.half_space ? -1 : k;
      const detail::CoarseRef coarse_M = {f.M.hierarchy.coarse_cells + m};
      const detail::CoarseRef coarse_S = {f.S.half_space ? nullptr : f.S.hierarchy.coarse_cells + s};
      const detail::FilterResult<float> coarse = detail::filter_cells(f, coarse_M, coarse_S);
      const detail::CellRef cell_M = cell_of_M(f, m), cell_S = cell_of_S(f, s);
      PolygonBounds<float> exact = {};
      const bool pass = detail::test_cells_exactly(f, cell_M, cell_S, exact);
      ++counts.all;
      counts.settled += coarse.certain ? 1 : 0;
      if (!pass) continue;
      ++counts.pass;
      if (!coarse.possible) {  // their sections are apart, although the boxes about these are not
        ++counts.left_out;
        EXPECT_FALSE(has_polygon<float>(f, cell_M, cell_S, exact));
        EXPECT_FALSE(has_polygon<double>(f, cell_M, cell_S, exact));
        continue;
      }
      if (!coarse.certain) continue;
      ++counts.certain;
      EXPECT_EQ(coarse.bounds.positive, exact.positive);
      EXPECT_LE(norm(coarse.bounds.center - exact.center), coarse.bounds.radius);
      EXPECT_GE(coarse.bounds.radius, 0.999999f * exact.radius);  // boxes that hold the exact ones but for rounding
    }
  }
}

Counts compare_all(const Scene& scene, const Batch& batch) {
  Counts counts;
  for (std::int64_t e = 0; e < batch.num_environments; ++e) {
    for (int pair = 0; pair < scene.num_pairs(); ++pair) {
      compare(pair_context(scene.data().view, batch.state(), e, pair), counts);
    }
  }
  return counts;
}

TEST(TetFilter, KnowsMostPairsOfCellsOfAnyKindOfBodies) {
  const Scene scene(mixed_scene());
  const Counts counts = compare_all(scene, random_batch(scene, 40, 11, 0.14, true));
  EXPECT_GT(counts.pass, 1000);
  EXPECT_GT(counts.left_out, 100);
  EXPECT_GT(counts.certain + counts.left_out, 0.95 * counts.pass);
  EXPECT_GT(counts.settled, 0.95 * counts.all);
}

TEST(TetFilter, LeavesOutTetsThatMeetThePlaneOfARigidTriangleOutsideIt) {
  SceneDescription description = two_bodies(make_sphere("a", 0.05, 2), make_sphere("b", 0.06, 2));
  description.bodies[1].rigid = true;
  const Scene scene(description);
  const Counts counts = compare_all(scene, random_batch(scene, 20, 12, 0.1));
  EXPECT_GT(counts.pass, 1000);
  EXPECT_GT(counts.left_out, 0.1 * counts.pass);
}

TEST(TetFilter, ClaimsNothingFalseOfVerticesOnTheContactPlane) {
  const Scene scene(two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.1, 0.1, 0.1})));
  Counts counts;
  for (const double shift : {0.0, 1e-17, 1e-12, 1e-8, 1e-6, 1e-4}) {  // the centres' distance from that of the planes
    Batch batch = Batch::of_two_bodies(1);
    batch.poses = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0.05 + shift, 1, 0, 0, 0};
    const Counts one = compare_all(scene, batch);
    counts.pass += one.pass, counts.certain += one.certain, counts.left_out += one.left_out;
  }
  EXPECT_GT(counts.pass, 100);
  EXPECT_LT(counts.certain + counts.left_out, counts.pass);
}

}  // namespace
}  // namespace isopatch::test
