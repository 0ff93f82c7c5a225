// SPDX-License-Identifier: Apache-2.0
//
// Nodes above two cells that share a point at equal pressure are never taken for apart.
#include "isopatch/detail/cells/node_test.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "host/cpu/pressure_field/traversal_counts.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/context/pair_context.h"
#include "tests/support/pair_contexts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

using detail::Node;
using detail::Vec3d;

constexpr int kTrials = 3000;

/// For each cell the nodes above it, from its leaf to the root.
std::vector<std::vector<const Node*>> nodes_above_cells(const Hierarchy& h) {
  std::vector<std::vector<const Node*>> above(h.cells.size());
  std::vector<std::size_t> parent(h.nodes.size(), 0);
  for (std::size_t i = 0; i < h.nodes.size(); ++i) {
    if (!h.nodes[i].is_leaf()) {
      const auto child = static_cast<std::size_t>(h.nodes[i].child);
      parent[child] = parent[child + 1] = i;
      continue;
    }
    auto& list = above[static_cast<std::size_t>(h.nodes[i].cell())];
    for (std::size_t at = i; list.empty() || list.back() != &h.nodes[0]; at = parent[at]) list.push_back(&h.nodes[at]);
  }
  return above;
}

/// A point of a cell, at times on a face, an edge or a vertex of it.
struct Point {
  Vec3d x = {0, 0, 0};
  double extent = 0;
};
Point random_point(const detail::Cell& cell, int corners, Random& random) {
  std::array<double, 4> weight = {};
  double sum = 0;
  while (sum < 1e-3) {
    sum = 0;
    for (int i = 0; i < corners; ++i) {
      auto& w = weight[static_cast<std::size_t>(i)];
      w = random.below(3) == 0 ? 0 : random.uniform(0, 1);
      sum += w;
    }
  }
  Point p;
  for (int i = 0; i < corners; ++i) {
    const double w = weight[static_cast<std::size_t>(i)] / sum;
    p.x = fma(w, cell.corner[i].vertex, p.x);
    p.extent += w * cell.corner[i].extent;
  }
  return p;
}

/// Both bodies in one environment: a upright at the origin, b turned at random.
struct Pose {
  Batch batch = Batch::of_two_bodies(1);

  explicit Pose(Random& random) {
    std::array<double, 4> q{};
    double length = 0;
    for (double& c : q) c = random.uniform(-1, 1), length += c * c;
    for (double& c : q) c /= std::sqrt(length);
    batch.poses = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, q[0], q[1], q[2], q[3]};
    batch.modulus = {1e5, 1e5};
  }
  detail::PairContext context(const Scene& scene) const { return pair_context(scene.data().view, batch.state(), 0, 0); }
  /// Moves b so that its point `in_b` is at `in_a` of a.
  void join(const Scene& scene, Vec3d in_a, Vec3d in_b) {
    const Vec3d to = in_a - rotate(context(scene).X_MS, in_b);
    batch.poses[7] = to.x, batch.poses[8] = to.y, batch.poses[9] = to.z;
  }
};

/// Tested once, and with the boxes in the frames of both bodies.
bool may_meet_both_ways(const detail::PairContext& f, const Node& m, const Node& s) {
  const auto in_both = [&] { return may_meet(f, transformed_M(f, box_of(m)), transformed_S(f, box_of(s))); };
  return may_meet(f, box_of(m), box_of(s)) && in_both();
}

const detail::Cell& any_cell(const Hierarchy& h, std::size_t& number, Random& random) {
  number = static_cast<std::size_t>(random.below(static_cast<int>(h.cells.size())));
  return h.cells[number];
}

TEST(MayMeet, HoldsForNodesOfCellsThatShareAPointAtEqualPressure) {
  Random random(91);
  Geometry shifted = make_sphere("shifted", 0.05, 1);
  for (auto& point : shifted.mesh.points) point[0] += 0.4;
  const std::vector<Geometry> shapes = {make_sphere("ball", 0.1, 2), make_box("box", {0.1, 0.2, 0.03}),
                                        make_capsule("capsule", 0.05, 0.1, 12), make_tet_mesh("shifted", shifted.mesh),
                                        make_bolt("bolt", {.thread = {}, .length = 0.01, .segments = 12})};
  for (const Geometry& a : shapes) {
    for (const Geometry& b : shapes) {
      const Scene scene(two_bodies(a, b));
      const Hierarchy &of_a = scene.data().geometries.solids[0], &of_b = scene.data().geometries.solids[1];
      const auto above_a = nodes_above_cells(of_a), above_b = nodes_above_cells(of_b);
      for (int i = 0; i < kTrials / 10; ++i) {
        std::size_t m = 0, s = 0;
        const Point in_a = random_point(any_cell(of_a, m, random), 4, random);
        const Point in_b = random_point(any_cell(of_b, s, random), 4, random);
        if (in_a.extent < 1e-9 || in_b.extent < 1e-9) continue;
        Pose pose(random);
        pose.batch.modulus = {1e5 / in_a.extent, 1e5 / in_b.extent};
        pose.join(scene, in_a.x, in_b.x);
        const detail::PairContext f = pose.context(scene);
        for (const Node* node_a : above_a[m]) {
          for (const Node* node_b : above_b[s]) {
            ASSERT_TRUE(may_meet_both_ways(f, *node_a, *node_b)) << a.name << ", " << b.name;
            ASSERT_TRUE(detail::may_overlap(f, detail::box_of(*node_a), detail::box_of(*node_b)));
          }
        }
      }
    }
  }
}

TEST(MayMeet, HoldsForNodesBesideARigidSurface) {
  Random random(92);
  SceneDescription description = two_bodies(make_sphere("ball", 0.1, 2), make_box("box", {0.1, 0.2, 0.03}));
  description.bodies[1].rigid = true;
  const Scene scene(description);
  const Hierarchy &of_a = scene.data().geometries.solids[0], &of_b = scene.data().geometries.surfaces[1];
  const auto above_a = nodes_above_cells(of_a), above_b = nodes_above_cells(of_b);
  for (int i = 0; i < kTrials; ++i) {
    std::size_t m = 0, s = 0;
    const Point in_a = random_point(any_cell(of_a, m, random), 4, random);
    const Point in_b = random_point(any_cell(of_b, s, random), 3, random);
    Pose pose(random);
    pose.join(scene, in_a.x, in_b.x);
    const detail::PairContext f = pose.context(scene);
    for (const Node* node_a : above_a[m]) {
      for (const Node* node_b : above_b[s]) {
        ASSERT_TRUE(may_meet_both_ways(f, *node_a, *node_b));
      }
    }
  }
}

TEST(MayMeet, HoldsForNodesInAHalfSpace) {
  Random random(93);
  for (const bool rigid_ball : {false, true}) {
    for (const bool rigid_ground : {false, true}) {
      if (rigid_ball && rigid_ground) continue;
      SceneDescription description = two_bodies(make_sphere("ball", 0.1, 2), make_half_space("ground", 0.05));
      description.bodies[0].rigid = rigid_ball;
      description.bodies[1].rigid = rigid_ground;
      const Scene scene(description);
      const Hierarchy& of_a = rigid_ball ? scene.data().geometries.surfaces[0] : scene.data().geometries.solids[0];
      const auto above = nodes_above_cells(of_a);
      for (int i = 0; i < kTrials; ++i) {
        std::size_t m = 0;
        const Point in_a = random_point(any_cell(of_a, m, random), rigid_ball ? 3 : 4, random);
        if (!rigid_ball && in_a.extent < 1e-9) continue;
        const double deep = rigid_ground ? 0 : random.uniform(1e-6, 0.05);
        Pose pose(random);
        if (!rigid_ball && !rigid_ground) pose.batch.modulus = {1e5 / in_a.extent, 1e5 * 0.05 / deep};
        pose.join(scene, in_a.x, {random.uniform(-1, 1), random.uniform(-1, 1), -deep});
        const detail::PairContext f = pose.context(scene);
        for (const Node* node : above[m]) {
          ASSERT_TRUE(detail::may_meet(f, detail::box_of(*node), detail::NodeBox<float>{}));
          ASSERT_TRUE(detail::may_overlap(f, detail::box_of(*node), detail::NodeBox<float>{}));
        }
      }
    }
  }
}

TEST(RoughInverse, IsWithinItsBoundAndInfiniteForZeroes) {
  Random random(94);
  for (int i = 0; i < kTrials; ++i) {
    const double x = (random.below(2) == 0 ? -1 : 1) * std::exp2(random.uniform(-60, 60));
    const auto rounded = static_cast<float>(x);
    const double product = static_cast<double>(detail::approximate_reciprocal(rounded)) * static_cast<double>(rounded);
    ASSERT_NEAR(product, 1, static_cast<double>(detail::kReciprocalError)) << x;
  }
  EXPECT_EQ(detail::approximate_reciprocal(0.0f), std::numeric_limits<float>::infinity());
  EXPECT_EQ(detail::approximate_reciprocal(-0.0f), -std::numeric_limits<float>::infinity());
}

TEST(Interval, IsNotCutWhereNothingIsKnown) {
  for (const float fall : {0.0f, -0.0f}) {
    for (const float value : {0.0f, 1.0f}) {  // value - u fall >= 0 for all u
      detail::Interval<float> range = {0.25f, 0.5f};
      range.cut(value, fall);
      EXPECT_EQ(range.low, 0.25f) << value << " - u " << fall;
      EXPECT_EQ(range.high, 0.5f) << value << " - u " << fall;
    }
    detail::Interval<float> range = {0.25f, 0.5f};
    range.cut(-1.0f, fall);
    EXPECT_GT(range.low, range.high);
  }
}

// Two balls of tets that all reach to the centre: their bounding boxes overlap in nearly all pairs.
TEST(Traversal, TestsFewMoreTetPairsThanHaveAPolygon) {
  SceneDescription description = two_bodies(make_sphere("a", 0.05, 3), make_sphere("b", 0.05, 3));
  description.bodies[1].pose = {0.02, 0.01, 0.03, 0.9, 0.1, 0.4, 0.1};
  const Scene scene(description);
  Batch batch = Batch::of_two_bodies(1);
  for (const Body& body : description.bodies) {
    batch.poses.insert(batch.poses.end(), body.pose.begin(), body.pose.end());
  }
  const TraversalCounts counts = count_traversal(scene, batch.state(), 0);
  const UnwrittenResults results =
      evaluate(scene, batch, {Backend::kCpu, Precision::kDouble, 1}, detail::Outputs::kPatch);
  EXPECT_GT(results.polygon_count[0], 1000);
  EXPECT_LT(counts.accepted, 1.05 * results.polygon_count[0]);
  EXPECT_LT(counts.tet_pairs, 5 * results.polygon_count[0]);
}

}  // namespace
}  // namespace isopatch::test
