// SPDX-License-Identifier: Apache-2.0
#include "host/hierarchy/hierarchy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "host/hierarchy/box_fit.h"
#include "host/threads/parallel_for.h"

namespace isopatch::detail {
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

/// An integer key with the order of x; -0 is 0.
std::uint64_t order_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x + 0.0F);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

/// Radix sort by the upper 32 bits; stable.
void sort_by_upper_half(std::vector<std::uint64_t>& keys) {
  std::vector<std::uint64_t> sorted(keys.size());
  for (int shift = 32; shift < 64; shift += 8) {
    std::array<std::size_t, 257> next = {};
    for (const std::uint64_t key : keys) ++next[(key >> shift & 255) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (const std::uint64_t key : keys) sorted[next[key >> shift & 255]++] = key;
    keys.swap(sorted);
  }
}

/// Sorts the cells along each axis once; a cut keeps the order on both sides. While subtrees are large, threads divide
/// the cuts of each level among them; after that, each takes whole subtrees. The index of every node is known in
/// advance, so it does not depend on the threads: below a node with n cells there are 2 n - 2 nodes, stored from its
/// first child on.
class Builder {
 public:
  explicit Builder(Hierarchy& out) : out_(out), reach_(reach_of(out.cells)) {
    const std::size_t count = out.cells.size();
    std::vector<Box> boxes;
    boxes.reserve(count);
    for (const Cell& c : out.cells) {
      boxes.push_back({{c.box_low[0], c.box_low[1], c.box_low[2]}, {c.box_high[0], c.box_high[1], c.box_high[2]}});
    }
    parallel_for(static_cast<std::int64_t>(count), 3, 1,
                 [&](std::size_t axis) { order_[axis] = sorted_along(axis, boxes); });
    on_left_.resize(count);
    right_side_.resize(count);
    right_area_.resize(count);
  }

  void build() {
    const std::size_t count = out_.cells.size();
    out_.nodes.resize(2 * count - 1);
    std::vector<Top> top = {{0, {1, 0, count, 1}}};
    for (std::size_t begin = 0, end = 1; begin < end; begin = end, end = top.size()) {
      parallel_for(items_of(count), items_of(end - begin), 1, [&](std::size_t i) { cut(top[begin + i]); });
      for (std::size_t i = begin; i < end; ++i) add_children(top, i);
    }
    const auto large_first = [](const Top* a, const Top* b) { return a->range.size() > b->range.size(); };
    std::vector<Top*> subtrees;
    for (Top& node : top) {
      if (node.left == 0) subtrees.push_back(&node);
    }
    std::sort(subtrees.begin(), subtrees.end(), large_first);
    parallel_for(items_of(count), items_of(subtrees.size()), 1,
                 [&](std::size_t i) { subtrees[i]->tree = split(subtrees[i]->at, subtrees[i]->range); });
    for (std::size_t i = top.size(); i-- > 0;) {
      if (top[i].left == 0) continue;
      const Subtree &left = top[top[i].left].tree, &right = top[top[i].left + 1].tree;
      top[i].tree = join(top[i].at, top[i].range, left, right);
    }
    out_.depth = top[0].tree.depth;
  }

 private:
  /// A node to split: where its children go, its cells, [begin, end) of each order, and its level.
  struct Range {
    std::size_t first_child, begin, end;
    int level;
    std::size_t size() const { return end - begin; }
  };
  struct Subtree {
    BoxFit fit;
    int depth = 0;
  };

  /// The index of a cell with its box, so that cuts read memory in order.
  struct Item {
    Box box;
    std::int32_t cell;
  };

  static constexpr std::size_t kLarge = 1024;  // cells whose subtree takes about a millisecond

  static std::vector<Item> sorted_along(std::size_t axis, const std::vector<Box>& boxes) {
    std::vector<std::uint64_t> keys(boxes.size());  // the position along the axis, above the cell's index
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = order_of(boxes[i].middle(axis)) << 32 | i;
    sort_by_upper_half(keys);

    std::vector<Item> items;
    items.reserve(keys.size());
    for (const std::uint64_t key : keys) {
      const auto cell = static_cast<std::uint32_t>(key);
      items.push_back({boxes[cell], static_cast<std::int32_t>(cell)});
    }
    return items;
  }

  static std::int64_t items_of(std::size_t count) { return static_cast<std::int64_t>(count); }

  /// A node above the subtrees that single threads split, or the root of one of them. Children are stored side by side.
  struct Top {
    std::size_t at;
    Range range;
    std::size_t half = 0;  // cells of the left child
    std::size_t left = 0;  // the left child's index among these
    Subtree tree = {};
  };

  void cut(Top& node) {
    if (node.range.size() > alone_) node.half = partition(node.range);
  }

  static void add_children(std::vector<Top>& top, std::size_t i) {
    if (top[i].half == 0) return;
    const auto [left, right] = children(top[i].range, top[i].half);
    const std::size_t first = top[i].range.first_child;
    top[i].left = top.size();
    top.push_back({first, left});
    top.push_back({first + 1, right});
  }

  static std::pair<Range, Range> children(const Range& range, std::size_t half) {
    const std::size_t first = range.first_child + 2, middle = range.begin + half;
    return {{first, range.begin, middle, range.level + 1}, {first + 2 * half - 2, middle, range.end, range.level + 1}};
  }

  Subtree split(std::size_t at, const Range& range) {
    if (range.size() > kLarge) check_cancelled();
    if (range.size() > 1) {
      const auto [left, right] = children(range, partition(range));
      const Subtree left_tree = split(range.first_child, left);
      return join(at, range, left_tree, split(range.first_child + 1, right));
    }
    const std::int32_t cell = order_[0][range.begin].cell;
    BoxFit fit(out_.cells[cell]);
    out_.nodes[at].child = ~cell;
    fit.write(out_.nodes[at], reach_);
    return {std::move(fit), range.level};
  }

  /// The node above two subtrees.
  Subtree join(std::size_t at, const Range& range, const Subtree& left, const Subtree& right) {
    BoxFit fit(left.fit, right.fit);
    out_.nodes[at].child = static_cast<std::int32_t>(range.first_child);
    fit.write(out_.nodes[at], reach_);
    out_.nodes[at].descendants = descendants_of(out_.nodes[at]);
    return {std::move(fit), std::max(left.depth, right.depth)};
  }

  Descendants descendants_of(const Node& node) const {
    const std::int32_t left = node.child, right = left + 1;
    const Node &l = out_.nodes[left], &r = out_.nodes[right];
    if (l.is_leaf() && r.is_leaf()) return {left, -1};
    const bool open_left = r.is_leaf() || (!l.is_leaf() && l.size >= r.size);
    return open_left ? Descendants{l.child, right} : Descendants{r.child, left};
  }

  /// Puts the cells of the left child first and returns their count. It is a multiple of the width of a wide node, so
  /// that at most one is not full; or half of all cells if the tree would become too deep.
  std::size_t partition(const Range& range) {
    const int needed = std::bit_width(range.size() - 1) + 1;  // levels that median splits still need
    const bool deep = range.level + needed >= kMaxDepth - 1;
    const std::size_t whole = range.size() > kWide ? kWide : 1;
    std::size_t best_axis = 0, best = range.begin + range.size() / 2;
    float best_cost = kInfinity;
    for (std::size_t axis = 0; axis < 3 && !deep; ++axis) {
      const std::vector<Item>& order = order_[axis];
      Box right;
      for (std::size_t i = range.end; i-- > range.begin + 1;) {
        right.add(order[i].box);
        right_area_[i] = right.area();
      }
      Box left;
      for (std::size_t i = range.begin; i + whole < range.end;) {
        for (std::size_t k = 0; k < whole; ++k) left.add(order[i++].box);
        const float cost =
            left.area() * static_cast<float>(i - range.begin) + right_area_[i] * static_cast<float>(range.end - i);
        if (cost < best_cost) best_cost = cost, best_axis = axis, best = i;
      }
    }

    for (std::size_t i = range.begin; i < range.end; ++i) on_left_[order_[best_axis][i].cell] = i < best ? 1 : 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis == best_axis) continue;
      std::size_t left = range.begin, right = range.begin;
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const Item& item = order_[axis][i];
        (on_left_[item.cell] != 0 ? order_[axis][left++] : right_side_[right++]) = item;
      }
      std::copy(right_side_.begin() + static_cast<std::ptrdiff_t>(range.begin),
                right_side_.begin() + static_cast<std::ptrdiff_t>(right),
                order_[axis].begin() + static_cast<std::ptrdiff_t>(left));
    }
    return best - range.begin;
  }

  Hierarchy& out_;
  double reach_;
  const std::size_t alone_ = static_cast<std::size_t>(std::max<std::int64_t>(current_parallelism.alone, 1));
  std::array<std::vector<Item>, 3> order_;  // along each axis; a subtree has one range of each
  std::vector<std::uint8_t> on_left_;       // of each cell: where the current cut puts it
  std::vector<Item> right_side_;            // working memory, by position
  std::vector<float> right_area_;
};

CoarseCell coarse_copy(const Cell& cell) {
  CoarseCell out = {};
  double longest = 0;
  for (int i = 0; i < 4; ++i) {
    const auto v = cast<float>(cell.corner[i].vertex);
    out.vertex[i][0] = v.x, out.vertex[i][1] = v.y, out.vertex[i][2] = v.z;
    out.extent[i] = static_cast<float>(cell.corner[i].extent);
    for (int k = 0; k < i; ++k) longest = std::max(longest, norm(cell.corner[i].vertex - cell.corner[k].vertex));
  }
  const auto g = cast<float>(cell.gradient);
  out.gradient[0] = g.x, out.gradient[1] = g.y, out.gradient[2] = g.z;
  out.longest_edge = std::nextafter(static_cast<float>(longest), kInfinity);
  return out;
}

}  // namespace

HierarchyView Hierarchy::view() const {
  return {cells.data(),
          coarse_cells.data(),
          nodes.data(),
          wide_nodes.data(),
          smoothed_gradients.data(),
          static_cast<std::int32_t>(cells.size()),
          static_cast<std::int32_t>(nodes.size())};
}

Hierarchy build_hierarchy(std::vector<Cell> cells) {
  Hierarchy out;
  out.cells = std::move(cells);
  if (out.cells.empty()) return out;
  out.coarse_cells.resize(out.cells.size());
  const auto count = std::ssize(out.cells);
  parallel_for(count, count, 512, [&](std::size_t i) { out.coarse_cells[i] = coarse_copy(out.cells[i]); });
  Builder(out).build();
  out.wide_nodes = wide_nodes(out.nodes);
  return out;
}

HierarchyStatistics hierarchy_statistics(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return {};
  const Hierarchy h = build_hierarchy(geometry.is_surface_mesh() ? triangle_cells(geometry) : tet_cells(geometry));
  return {h.view().num_nodes, h.view().num_cells, h.depth};
}

}  // namespace isopatch::detail
