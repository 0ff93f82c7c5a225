// SPDX-License-Identifier: Apache-2.0
#include "scene/hierarchy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "isopatch/isopatch.h"
#include "scene/hierarchy_statistics.h"

namespace isopatch {
namespace {

using detail::Node;

double low(const Node& n, int axis) { return static_cast<double>(n.center[axis]) - static_cast<double>(n.half[axis]); }
double high(const Node& n, int axis) { return static_cast<double>(n.center[axis]) + static_cast<double>(n.half[axis]); }
bool is_empty(const Node& n) { return n.half[0] < 0; }

/// The part of a cell up to an extent of `most`, as points: kept vertices, and where edges leave it.
std::vector<detail::Vec3d> corners_up_to(const detail::Cell& cell, double most) {
  std::vector<detail::Vec3d> points;
  for (int i = 0; i < 4; ++i) {
    if (cell.corner[i].extent <= most) points.push_back(cell.corner[i].vertex);
    for (int k = 0; k < 4; ++k) {
      if (!(cell.corner[i].extent < most && cell.corner[k].extent > most)) continue;
      const double t = (most - cell.corner[i].extent) / (cell.corner[k].extent - cell.corner[i].extent);
      points.push_back(cell.corner[i].vertex + t * (cell.corner[k].vertex - cell.corner[i].vertex));
    }
  }
  return points;
}

void expect_holds(const Node& node, const detail::Vec3d& p, double slack) {
  const double x[3] = {p.x, p.y, p.z};
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(low(node, axis), x[axis] + slack);
    EXPECT_GE(high(node, axis), x[axis] - slack);
  }
}

/// The extent at a point of a cell of node lies in the node's range about its slope.
void expect_ranges(const Node& node, const detail::Cell& cell, const detail::Vec3d& p) {
  const double extent = cell.corner[0].extent + dot(cell.gradient, p - cell.corner[0].vertex);
  double fit = 0, size = 1;
  const double x[3] = {p.x, p.y, p.z};
  for (int axis = 0; axis < 3; ++axis) {
    fit += static_cast<double>(node.slope[axis]) * (x[axis] - static_cast<double>(node.center[axis]));
    size += std::fabs(static_cast<double>(node.slope[axis]) * x[axis]) + norm(cell.gradient) * norm(p);
  }
  EXPECT_GE(extent - fit, static_cast<double>(node.low) - 1e-13 * size);
  EXPECT_LE(extent - fit, static_cast<double>(node.high) + 1e-13 * size);
}

/// Walks one layer from the root: boxes and ranges hold what is below, every cell is in exactly one leaf.
void check_layer(const Hierarchy& h, int layer) {
  const Node* nodes = h.view().layer(layer);
  const auto most = static_cast<double>(detail::layer_extent(layer));
  std::vector<int> seen(h.cells.size(), 0);
  std::vector<std::pair<int, int>> open = {{0, 1}};  // node, level
  std::vector<int> parent(static_cast<std::size_t>(h.view().num_nodes), -1);
  int visited = 0, deepest = 0;
  while (!open.empty()) {
    const auto [at, level] = open.back();
    open.pop_back();
    ++visited;
    deepest = std::max(deepest, level);
    const Node& node = nodes[at];
    if (node.is_leaf()) {
      ASSERT_LT(node.cell(), static_cast<int>(h.cells.size()));
      ++seen[static_cast<std::size_t>(node.cell())];
      const detail::Cell& cell = h.cells[static_cast<std::size_t>(node.cell())];
      for (const detail::Vec3d& p : corners_up_to(cell, most)) {
        expect_holds(node, p, 1e-14 * (std::fabs(p.x) + std::fabs(p.y) + std::fabs(p.z)));
        for (int above = at; above >= 0; above = parent[static_cast<std::size_t>(above)]) {
          expect_ranges(nodes[above], cell, p);
        }
      }
      continue;
    }
    ASSERT_GT(node.child, at);
    ASSERT_LT(node.child + 1, h.view().num_nodes);
    for (const int child : {node.child, node.child + 1}) {
      const Node& below = nodes[child];
      parent[static_cast<std::size_t>(child)] = at;
      for (int axis = 0; axis < 3 && !is_empty(below); ++axis) {
        // a child's own box is rounded outward once more than what it holds
        const double rounding =
            4e-7 * (std::fabs(static_cast<double>(below.center[axis])) + static_cast<double>(below.half[axis]));
        EXPECT_LE(low(node, axis), low(below, axis) + rounding);
        EXPECT_GE(high(node, axis), high(below, axis) - rounding);
      }
      open.push_back({child, level + 1});
    }
  }
  EXPECT_EQ(visited, h.view().num_nodes);
  EXPECT_EQ(deepest, h.depth);
  EXPECT_LE(h.depth, detail::kMaxDepth);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int count) { return count == 1; }));
}

void check_hierarchy(const Hierarchy& h) {
  ASSERT_EQ(h.view().num_nodes, 2 * static_cast<int>(h.cells.size()) - 1);
  for (int layer = 0; layer < detail::kNumLayers; ++layer) check_layer(h, layer);
}

TEST(Hierarchy, HoldsEveryCellOnceInNestedBoxes) {
  for (const Geometry& g : {make_sphere("ball", 0.1, 0), make_sphere("ball", 0.1, 3), make_box("cube", {0.1, 0.1, 0.1}),
                            make_box("brick", {1, 0.2, 0.03})}) {
    SCOPED_TRACE(g.name + ", " + std::to_string(g.mesh.tets.size()) + " tets");
    check_hierarchy(build_hierarchy(tet_cells(g)));
    check_hierarchy(build_hierarchy(triangle_cells(g)));
  }
}

/// Separate tets along a line, each `growth` times the size of the one before.
Geometry row_of_tets(int count, double growth) {
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
    size *= growth;
  }
  return g;
}

// The surface area heuristic alone would peel these off one by one.
TEST(Hierarchy, StaysWithinItsDepthForSizesThatGrowGeometrically) {
  for (const double growth : {1.0, 1.001, 1.005}) {
    SCOPED_TRACE(growth);
    const Hierarchy h = build_hierarchy(tet_cells(row_of_tets(10000, growth)));
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

TEST(HierarchyStatistics, CountNodesOfOneLayer) {
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
