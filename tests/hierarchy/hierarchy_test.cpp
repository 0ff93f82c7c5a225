// SPDX-License-Identifier: Apache-2.0
#include "host/hierarchy/hierarchy.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "host/scene/scene_data.h"
#include "host/threads/parallel_for.h"
#include "isopatch/isopatch.h"

namespace isopatch {

using namespace detail;

namespace {

using detail::Node;

double at(const float (&start)[3], const float (&slope)[3], std::size_t axis, double extent) {
  return static_cast<double>(start[axis]) + static_cast<double>(slope[axis]) * extent;
}

std::array<double, 3> coordinates(const detail::Vec3d& p) { return {p.x, p.y, p.z}; }

double size_of(const detail::Cell& cell) {
  double size = 0;
  for (const auto& corner : cell.corner) {
    for (const double x : coordinates(corner.vertex)) size = std::max(size, std::fabs(x));
  }
  return size;
}

/// A cell's vertices are in the node's box at their extents; so then is every other point of it, where all is linear.
void expect_holds(const Node& node, const detail::Cell& cell) {
  for (const auto& corner : cell.corner) {
    const std::array<double, 3> x = coordinates(corner.vertex);
    EXPECT_LE(static_cast<double>(node.low), corner.extent);
    EXPECT_GE(static_cast<double>(node.high), corner.extent);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double away = std::fabs(x[axis] - at(node.center, node.velocity, axis, corner.extent));
      EXPECT_LE(away, at(node.half, node.expansion, axis, corner.extent) + 1e-14 * size_of(cell));
    }
  }
}

/// They are the children of the larger child and the other one, or both children where these are leaves.
void expect_descendants(const Node* nodes, const Node& node) {
  const auto [pair, single] = node.descendants;
  const Node &left = nodes[node.child], &right = nodes[node.child + 1];
  if (left.is_leaf() && right.is_leaf()) {
    EXPECT_EQ(pair, node.child);
    EXPECT_EQ(single, -1);
    return;
  }
  ASSERT_TRUE(single == node.child || single == node.child + 1);
  const Node &kept = nodes[single], &opened = single == node.child ? right : left;
  EXPECT_EQ(pair, opened.child);
  EXPECT_TRUE(kept.is_leaf() || kept.size <= opened.size);
}

/// Walks from the root: boxes hold what is below, every cell is in exactly one leaf.
void check_hierarchy(const Hierarchy& h) {
  ASSERT_EQ(h.view().num_nodes, 2 * static_cast<int>(h.cells.size()) - 1);
  const Node* nodes = h.view().nodes;
  std::vector<int> seen(h.cells.size(), 0);
  std::vector<std::pair<int, int>> open = {{0, 1}};  // node, level
  std::vector<int> parent(static_cast<std::size_t>(h.view().num_nodes), -1);
  int visited = 0, deepest = 0;
  while (!open.empty()) {
    const auto [number, level] = open.back();
    open.pop_back();
    ++visited;
    deepest = std::max(deepest, level);
    const Node& node = nodes[number];
    if (node.is_leaf()) {
      ASSERT_LT(node.cell(), static_cast<int>(h.cells.size()));
      ++seen[static_cast<std::size_t>(node.cell())];
      const detail::Cell& cell = h.cells[static_cast<std::size_t>(node.cell())];
      for (int i = number; i >= 0; i = parent[static_cast<std::size_t>(i)]) expect_holds(nodes[i], cell);
      continue;
    }
    ASSERT_GT(node.child, number);
    ASSERT_LT(node.child + 1, h.view().num_nodes);
    expect_descendants(nodes, node);
    for (const int child : {node.child, node.child + 1}) {
      parent[static_cast<std::size_t>(child)] = number;
      open.push_back({child, level + 1});
    }
  }
  EXPECT_EQ(visited, h.view().num_nodes);
  EXPECT_EQ(deepest, h.depth);
  EXPECT_LE(h.depth, detail::kMaxDepth);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

TEST(Hierarchy, HoldsEveryCellOnce) {
  for (const Geometry& g :
       {make_sphere("ball", 0.1, 0), make_sphere("ball", 0.1, 3), make_box("cube", {0.1, 0.1, 0.1}),
        make_box("brick", {1, 0.2, 0.03}), make_bolt("bolt", {.thread = {}, .length = 0.02, .segments = 12})}) {
    SCOPED_TRACE(g.name + ", " + std::to_string(g.mesh.tets.size()) + " tets");
    check_hierarchy(build_hierarchy(tet_cells(g)));
    check_hierarchy(build_hierarchy(triangle_cells(g)));
  }
}

// The slice of a tet between a triangle on the surface and a vertex in the middle shrinks with the extent, and so does
// its box.
TEST(Hierarchy, BoxesOfTetsOnTheSurfaceAreThoseOfTheirSlices) {
  const Hierarchy h = build_hierarchy(tet_cells(make_sphere("ball", 0.1, 2)));
  int leaves = 0;
  for (const Node& node : h.nodes) {
    if (!node.is_leaf()) continue;
    ++leaves;
    const detail::Cell& cell = h.cells[static_cast<std::size_t>(node.cell())];
    const std::array<double, 3> apex = coordinates(cell.corner[detail::kZeroFace].vertex);
    for (const double extent : {0.0, 0.25, 1.0}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double low = 1e300, high = -1e300;
        for (int i = 0; i < detail::kZeroFace; ++i) {
          const double base = coordinates(cell.corner[i].vertex)[axis], x = base + extent * (apex[axis] - base);
          low = std::min(low, x);
          high = std::max(high, x);
        }
        const double center = at(node.center, node.velocity, axis, extent),
                     half = at(node.half, node.expansion, axis, extent);
        EXPECT_NEAR(center - half, low, 4e-5 * 0.1);  // 2^-15 of the mesh is added for the rounding of tests
        EXPECT_NEAR(center + half, high, 4e-5 * 0.1);
      }
    }
  }
  EXPECT_EQ(leaves, 320);
}

// A constant far above the extents' differences leaves nothing of a box's slope in float; the box is a fixed one then.
TEST(Hierarchy, BoxesStayPutWhereExtentsAreNearlyConstant) {
  Geometry ball = make_sphere("ball", 0.1, 2);
  for (double& extent : ball.extent) extent += 1e6;
  const Hierarchy h = build_hierarchy(tet_cells(ball));
  check_hierarchy(h);
  for (const Node& node : h.nodes) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(node.velocity[axis], 0);
      EXPECT_EQ(node.expansion[axis], 0);
    }
  }
}

// ---- wide nodes

void count_cells(const Hierarchy& h, std::int32_t number, std::vector<int>& seen, int& part_full) {
  const detail::WideNode& wide = h.wide_nodes[static_cast<std::size_t>(number)];
  int cells = 0, nodes = 0;
  for (std::size_t i = 0; i < detail::kWide; ++i) {
    if (wide.low[i] > wide.high[i]) continue;  // an unused entry
    if (wide.child[i] < 0) {
      ++cells;
      const std::int32_t cell = ~wide.child[i];
      ++seen[static_cast<std::size_t>(cell)];
    } else {
      ++nodes;
      ASSERT_GT(wide.child[i], number);
      count_cells(h, wide.child[i], seen, part_full);
    }
  }
  if (number > 0 && cells > 0) part_full += cells + nodes < detail::kWide ? 1 : 0;
}

TEST(WideNodes, HoldEveryCellOnceInFullNodes) {
  for (const Geometry& g : {make_sphere("ball", 0.1, 0), make_sphere("ball", 0.1, 3), make_box("brick", {1, 0.2, 0.03}),
                            make_bolt("bolt", {.thread = {}, .length = 0.02, .segments = 12})}) {
    SCOPED_TRACE(g.name);
    const Hierarchy h = build_hierarchy(tet_cells(g));
    std::vector<int> seen(h.cells.size(), 0);
    int part_full = 0;
    count_cells(h, 0, seen, part_full);
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
    EXPECT_LE(part_full, 1);
  }
}

// ---- depth

/// Separate tets along a line, each `expansion` times the size of the one before.
Geometry row_of_tets(int count, double expansion) {
  Geometry g;
  double at = 0, size = 1e-12;
  for (int i = 0; i < count; ++i) {
    const auto first = static_cast<std::int32_t>(g.mesh.points.size());
    for (const Point3& p : {Point3{at, 0, 0}, Point3{at + size, 0, 0}, Point3{at, size, 0}, Point3{at, 0, size}}) {
      g.mesh.points.push_back(p);
      g.extent.push_back(g.extent.size() % 4 == 3 ? 1 : 0);
    }
    g.mesh.tets.push_back({first, first + 1, first + 2, first + 3});
    at += 2 * size;
    size *= expansion;
  }
  return g;
}

// The surface area heuristic alone would peel these off one by one.
TEST(Hierarchy, StaysWithinItsDepthForSizesThatGrowGeometrically) {
  for (const double expansion : {1.0, 1.001, 1.005}) {
    SCOPED_TRACE(expansion);
    const Hierarchy h = build_hierarchy(tet_cells(row_of_tets(10000, expansion)));
    check_hierarchy(h);
    EXPECT_GE(h.depth, 14);  // 2^14 > 10 000 leaves need 15 levels, or 14 with some missing
  }
  check_hierarchy(build_hierarchy(tet_cells(row_of_tets(60, 2))));
}

TEST(Hierarchy, StaysWithinItsDepthForCellsInOnePlace) {
  Geometry g = row_of_tets(1, 1);
  g.mesh.tets.assign(5000, g.mesh.tets[0]);
  check_hierarchy(build_hierarchy(tet_cells(g)));
}

TEST(Hierarchy, OfOneCellIsOneLeaf) {
  const Hierarchy h = build_hierarchy(tet_cells(row_of_tets(1, 1)));
  check_hierarchy(h);
  EXPECT_EQ(h.depth, 1);
  EXPECT_EQ(build_hierarchy({}).depth, 0);
}

// ---- threads

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

bool same_cells(const std::vector<detail::Cell>& a, const std::vector<detail::Cell>& b) {
  constexpr std::size_t kUsed = offsetof(detail::Cell, box_high) + sizeof(detail::Cell::box_high);
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const detail::Cell& x, const detail::Cell& y) { return std::memcmp(&x, &y, kUsed) == 0; });
}

void expect_same(const Hierarchy& a, const Hierarchy& b) {
  EXPECT_TRUE(same_cells(a.cells, b.cells));
  EXPECT_TRUE(same_bytes(a.coarse_cells, b.coarse_cells));
  EXPECT_TRUE(same_bytes(a.nodes, b.nodes));
  EXPECT_TRUE(same_bytes(a.wide_nodes, b.wide_nodes));
  EXPECT_EQ(a.depth, b.depth);
}

Scene scene_on_threads(int threads) {
  const ParallelismScope on_threads({.threads = threads});
  SceneDescription scene;
  scene.geometries = {make_sphere("ball", 0.1, 5), make_bolt("bolt", {.thread = {}, .length = 0.02, .segments = 48})};
  scene.bodies = {{.name = "ball", .geometry = 0}, {.name = "bolt", .geometry = 1}};
  return Scene(std::move(scene));
}

// Large enough that their cells, faces and points are shared out.
TEST(Scene, IsTheSameOnAnyNumberOfThreads) {
  const Scene alone = scene_on_threads(1);
  for (const int threads : {2, 5}) {
    SCOPED_TRACE(threads);
    const Scene shared = scene_on_threads(threads);
    for (std::size_t g = 0; g < 2; ++g) {
      SCOPED_TRACE(g);
      const Geometry &a = alone.description().geometries[g], &b = shared.description().geometries[g];
      EXPECT_TRUE(same_bytes(a.surface, b.surface));
      EXPECT_TRUE(same_bytes(a.extent, b.extent));
      expect_same(alone.data().geometries.solids[g], shared.data().geometries.solids[g]);
      expect_same(alone.data().geometries.surfaces[g], shared.data().geometries.surfaces[g]);
    }
  }
}

TEST(HierarchyStatistics, CountNodes) {
  const HierarchyStatistics ball = hierarchy_statistics(make_sphere("ball", 0.1, 2));
  EXPECT_EQ(ball.leaves, 320);
  EXPECT_EQ(ball.nodes, 639);
  EXPECT_GE(ball.depth, 10);
  EXPECT_LE(ball.depth, detail::kMaxDepth);
  const HierarchyStatistics ground = hierarchy_statistics(make_half_space("ground", 0.1));
  EXPECT_EQ(ground.nodes, 0);
  EXPECT_EQ(ground.leaves, 0);
  EXPECT_EQ(ground.depth, 0);
}

}  // namespace
}  // namespace isopatch
