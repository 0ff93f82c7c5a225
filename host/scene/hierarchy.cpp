// SPDX-License-Identifier: Apache-2.0
#include "scene/hierarchy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "scene/box_fit.h"
#include "scene/hierarchy_statistics.h"
#include "scene/wide_nodes.h"

namespace isopatch {

using detail::Cell;
using detail::kMaxDepth;
using detail::Node;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Box {
  std::array<float, 3> low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};

  void add(const Box& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }
  float middle(std::size_t axis) const { return low[axis] + high[axis]; }  // twice
  float area() const {
    const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
  }
};

/// The largest coordinate of any cell.
double reach_of(const std::vector<Cell>& cells) {
  double reach = 0;
  for (const Cell& cell : cells) {
    for (const auto& corner : cell.corner) {
      reach = std::max({reach, std::fabs(corner.vertex.x), std::fabs(corner.vertex.y), std::fabs(corner.vertex.z)});
    }
  }
  return reach;
}

/// Cells are sorted along each axis once; a cut keeps the order on both sides. Threads share large subtrees out, whose
/// nodes have their places whoever is first: those below a node with n cells are the 2 n - 2 from its first child on.
class Builder {
 public:
  explicit Builder(Hierarchy& out) : out_(out), reach_(reach_of(out.cells)) {
    const std::size_t count = out.cells.size();
    for (const Cell& c : out.cells) {
      boxes_.push_back({{c.box_low[0], c.box_low[1], c.box_low[2]}, {c.box_high[0], c.box_high[1], c.box_high[2]}});
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      order_[axis].resize(count);
      std::iota(order_[axis].begin(), order_[axis].end(), 0);
      std::sort(order_[axis].begin(), order_[axis].end(), [&](std::int32_t a, std::int32_t b) {
        const float x = box(a).middle(axis), y = box(b).middle(axis);
        return x != y ? x < y : a < b;
      });
    }
    on_left_.resize(count);
    right_side_.resize(count);
    right_area_.resize(count);
  }

  void build() {
    out_.nodes.resize(2 * out_.cells.size() - 1);
    Subtree root;
#pragma omp parallel if (out_.cells.size() > kSmall)
#pragma omp single
    root = split(0, {1, 0, out_.cells.size(), 1});
    out_.depth = root.depth;
  }

 private:
  /// The node to split, where its children go, and its cells: places [begin, end) of each order.
  struct Range {
    std::size_t first_child, begin, end;
    int level;
    std::size_t size() const { return end - begin; }
  };
  struct Subtree {
    BoxFit fit;
    int depth = 0;
  };
  static constexpr std::size_t kSmall = 4096;  // cells of a subtree that one thread builds

  const Box& box(std::int32_t cell) const { return boxes_[static_cast<std::size_t>(cell)]; }

  Subtree split(std::size_t at, const Range& range) {
    Node& node = out_.nodes[at];
    Subtree tree;
    if (range.size() == 1) {
      const std::int32_t cell = order_[0][range.begin];
      tree = {BoxFit(out_.cells[static_cast<std::size_t>(cell)]), range.level};
      node.child = ~cell;
    } else {
      const std::size_t half = partition(range), first = range.first_child, middle = range.begin + half;
      Subtree left, right;
#pragma omp task shared(left) if (range.size() > kSmall)
      left = split(first, {first + 2, range.begin, middle, range.level + 1});
      right = split(first + 1, {first + 2 * half, middle, range.end, range.level + 1});
#pragma omp taskwait
      tree = {BoxFit(left.fit, right.fit), std::max(left.depth, right.depth)};
      node.child = static_cast<std::int32_t>(first);
    }
    tree.fit.write(node, reach_);
    return tree;
  }

  /// Puts the cells of the left child first and says how many they are: so many that all wide nodes of cells but one
  /// are full, or half of them where the tree gets too deep.
  std::size_t partition(const Range& range) {
    const int needed = std::bit_width(range.size() - 1) + 1;  // levels a median split still needs
    const bool deep = range.level + needed >= kMaxDepth - 1;
    const std::size_t whole = range.size() > detail::kWide ? detail::kWide : 1;
    std::size_t best_axis = 0, best = range.begin + range.size() / 2;
    float best_cost = kInfinity;
    for (std::size_t axis = 0; axis < 3 && !deep; ++axis) {
      const std::vector<std::int32_t>& order = order_[axis];
      Box right;
      for (std::size_t i = range.end; i-- > range.begin + 1;) {
        right.add(box(order[i]));
        right_area_[i] = right.area();
      }
      Box left;
      for (std::size_t i = range.begin + 1; i < range.end; ++i) {
        left.add(box(order[i - 1]));
        if ((i - range.begin) % whole != 0) continue;
        const float cost =
            left.area() * static_cast<float>(i - range.begin) + right_area_[i] * static_cast<float>(range.end - i);
        if (cost < best_cost) best_cost = cost, best_axis = axis, best = i;
      }
    }

    for (std::size_t i = range.begin; i < range.end; ++i) {
      on_left_[static_cast<std::size_t>(order_[best_axis][i])] = i < best ? 1 : 0;
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis == best_axis) continue;
      std::size_t left = range.begin, right = range.begin;
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const std::int32_t cell = order_[axis][i];
        (on_left_[static_cast<std::size_t>(cell)] != 0 ? order_[axis][left++] : right_side_[right++]) = cell;
      }
      std::copy(right_side_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                right_side_.begin() + static_cast<std::ptrdiff_t>(right),
                order_[axis].begin() + static_cast<std::ptrdiff_t>(left));
    }
    return best - range.begin;
  }

  Hierarchy& out_;
  double reach_;
  std::vector<Box> boxes_;                          // of each cell
  std::array<std::vector<std::int32_t>, 3> order_;  // cells along each axis; those of a subtree are in one range
  std::vector<std::uint8_t> on_left_;               // of each cell: where the cut that is being made puts it
  std::vector<std::int32_t> right_side_;            // work space, by place
  std::vector<float> right_area_;
};

detail::CoarseCell coarse_copy(const Cell& cell) {
  detail::CoarseCell out = {};
  double longest = 0;
  for (int i = 0; i < 4; ++i) {
    const auto v = detail::cast<float>(cell.corner[i].vertex);
    out.vertex[i][0] = v.x, out.vertex[i][1] = v.y, out.vertex[i][2] = v.z;
    out.extent[i] = static_cast<float>(cell.corner[i].extent);
    for (int k = 0; k < i; ++k) longest = std::max(longest, norm(cell.corner[i].vertex - cell.corner[k].vertex));
  }
  const auto g = detail::cast<float>(cell.gradient);
  out.gradient[0] = g.x, out.gradient[1] = g.y, out.gradient[2] = g.z;
  out.longest_edge = std::nextafter(static_cast<float>(longest), kInfinity);
  return out;
}

}  // namespace

detail::HierarchyView Hierarchy::view() const {
  return {cells.data(),
          coarse_cells.data(),
          nodes.data(),
          wide_nodes.data(),
          static_cast<std::int32_t>(cells.size()),
          static_cast<std::int32_t>(nodes.size())};
}

Hierarchy build_hierarchy(std::vector<Cell> cells) {
  Hierarchy out;
  out.cells = std::move(cells);
  if (out.cells.empty()) return out;
  for (const Cell& cell : out.cells) out.coarse_cells.push_back(coarse_copy(cell));
  Builder(out).build();
  out.wide_nodes = wide_nodes(out.nodes);
  return out;
}

HierarchyStatistics hierarchy_statistics(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return {};
  const Hierarchy h = build_hierarchy(geometry.is_surface_mesh() ? triangle_cells(geometry) : tet_cells(geometry));
  return {h.view().num_nodes, h.view().num_cells, h.depth};
}

}  // namespace isopatch
