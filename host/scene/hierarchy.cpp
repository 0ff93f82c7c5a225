// SPDX-License-Identifier: Apache-2.0
#include "scene/hierarchy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "scene/hierarchy_statistics.h"

namespace isopatch {

using detail::Cell;
using detail::kMaxDepth;
using detail::Node;

namespace {

struct Box {
  std::array<float, 3> low, high;

  static Box empty() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  }
  void add(const Cell& c) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], c.box_low[k]);
      high[k] = std::max(high[k], c.box_high[k]);
    }
  }
  float area() const {
    const float x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    return x * y + y * z + z * x;
  }
};

float middle(const Cell& c, std::size_t axis) { return c.box_low[axis] + c.box_high[axis]; }

class Builder {
 public:
  explicit Builder(Hierarchy& out) : out_(out), order_(out.cells.size()), right_area_(out.cells.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void build() {
    out_.nodes.reserve(2 * order_.size());
    out_.nodes.emplace_back();
    split(0, order_, 1);
  }

 private:
  using Range = std::span<std::int32_t>;

  void split(std::size_t at, Range range, int level) {
    out_.depth = std::max(out_.depth, level);
    Node node = make_node(range);
    if (range.size() == 1) {
      node.child = ~range[0];
      out_.nodes[at] = node;
      return;
    }
    const std::size_t first = out_.nodes.size();
    node.child = static_cast<std::int32_t>(first);
    out_.nodes[at] = node;
    out_.nodes.resize(first + 2);

    const std::size_t half = partition(range, level);
    split(first, range.first(half), level + 1);
    split(first + 1, range.subspan(half), level + 1);
  }

  const Cell& cell(std::int32_t i) const { return out_.cells[static_cast<std::size_t>(i)]; }

  void sort(Range range, std::size_t axis) {
    std::sort(range.begin(), range.end(), [&](std::int32_t a, std::int32_t b) {
      const float x = middle(cell(a), axis), y = middle(cell(b), axis);
      return x != y ? x < y : a < b;
    });
  }

  // orders the range and returns where to cut it
  std::size_t partition(Range range, int level) {
    const int needed = std::bit_width(range.size() - 1) + 1;  // levels a median split still needs
    std::size_t best_axis = 0, best_half = range.size() / 2;
    float best_cost = std::numeric_limits<float>::infinity();
    const bool deep = level + needed >= kMaxDepth - 1;

    for (std::size_t axis = 0; axis < 3 && !deep; ++axis) {
      sort(range, axis);
      Box right = Box::empty();
      for (std::size_t i = range.size(); i-- > 1;) {
        right.add(cell(range[i]));
        right_area_[i] = right.area();
      }
      Box left = Box::empty();
      for (std::size_t i = 1; i < range.size(); ++i) {
        left.add(cell(range[i - 1]));
        const float cost = left.area() * static_cast<float>(i) + right_area_[i] * static_cast<float>(range.size() - i);
        if (cost < best_cost) best_cost = cost, best_axis = axis, best_half = i;
      }
    }
    sort(range, best_axis);
    return best_half;
  }

  Node make_node(Range range) const {
    Box box = Box::empty();
    double extent_min = std::numeric_limits<double>::infinity(), extent_max = -extent_min;
    for (const std::int32_t i : range) {
      box.add(cell(i));
      for (const double e : cell(i).extent) extent_min = std::min(extent_min, e), extent_max = std::max(extent_max, e);
    }
    Node node = {};
    for (std::size_t k = 0; k < 3; ++k) {
      // centre and half edge must cover the box after rounding
      node.center[k] = 0.5f * (box.low[k] + box.high[k]);
      const float half = std::max(node.center[k] - box.low[k], box.high[k] - node.center[k]);
      node.half[k] = std::nextafter(half, std::numeric_limits<float>::infinity());
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    node.extent_min = std::nextafter(static_cast<float>(extent_min), -kInfinity);
    node.extent_max = std::nextafter(static_cast<float>(extent_max), kInfinity);
    return node;
  }

  Hierarchy& out_;
  std::vector<std::int32_t> order_;
  std::vector<float> right_area_;
};

}  // namespace

detail::HierarchyView Hierarchy::view() const {
  return {cells.data(), nodes.data(), static_cast<std::int32_t>(cells.size()), static_cast<std::int32_t>(nodes.size())};
}

Hierarchy build_hierarchy(std::vector<Cell> cells) {
  Hierarchy out;
  out.cells = std::move(cells);
  if (!out.cells.empty()) Builder(out).build();
  return out;
}

HierarchyStatistics hierarchy_statistics(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return {};
  const Hierarchy h = build_hierarchy(tet_cells(geometry));
  return {static_cast<int>(h.nodes.size()), static_cast<int>(h.cells.size()), h.depth};
}

}  // namespace isopatch
