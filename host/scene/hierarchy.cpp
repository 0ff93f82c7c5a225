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

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float below(double x) { return std::nextafter(static_cast<float>(x), -kInfinity); }
float above(double x) { return std::nextafter(static_cast<float>(x), kInfinity); }

struct Box {
  std::array<float, 3> low, high;

  static Box empty() { return {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}}; }
  void add(const Cell& c) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], c.box_low[k]);
      high[k] = std::max(high[k], c.box_high[k]);
    }
  }
  bool is_empty() const { return low[0] > high[0]; }
  void add(const Box& other) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], other.low[k]);
      high[k] = std::max(high[k], other.high[k]);
    }
  }
  void add(const detail::Vec3d& p) {
    const std::array<double, 3> x = {p.x, p.y, p.z};
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], below(x[k]));
      high[k] = std::max(high[k], above(x[k]));
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
    Node node = {};
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

  Hierarchy& out_;
  std::vector<std::int32_t> order_;
  std::vector<float> right_area_;
};

/// The part of a cell with an extent of at most `most`.
Box layer_box(const Cell& cell, double most) {
  Box box = Box::empty();
  for (int i = 0; i < 4; ++i) {
    if (cell.extent[i] <= most) box.add(cell.vertex[i]);
    for (int k = 0; k < 4; ++k) {
      if (cell.extent[i] > most || cell.extent[k] <= most) continue;
      const double t = (most - cell.extent[i]) / (cell.extent[k] - cell.extent[i]);
      box.add(fused(t, cell.vertex[k] - cell.vertex[i], cell.vertex[i]));
    }
  }
  return box;
}

/// Boxes and extents of one layer, from the leaves up. Children come after their parent.
void fit_layer(const std::vector<Cell>& cells, float most, std::span<Node> nodes) {
  std::vector<Box> boxes(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    Node& node = nodes[i];
    if (node.is_leaf()) {
      const Cell& cell = cells[static_cast<std::size_t>(node.cell())];
      const auto [low, high] = std::minmax_element(std::begin(cell.extent), std::end(cell.extent));
      node.extent_min = below(*low);
      node.extent_max = std::min(above(*high), most);
      boxes[i] = layer_box(cell, static_cast<double>(most));
    } else {
      const auto child = static_cast<std::size_t>(node.child);
      boxes[i] = boxes[child];
      boxes[i].add(boxes[child + 1]);
      node.extent_min = std::min(nodes[child].extent_min, nodes[child + 1].extent_min);
      node.extent_max = std::max(nodes[child].extent_max, nodes[child + 1].extent_max);
    }

    // centre and half edge must cover the box after rounding; nothing touches an empty one
    for (std::size_t k = 0; k < 3; ++k) {
      const Box& box = boxes[i];
      node.center[k] = box.is_empty() ? 0.0f : 0.5f * (box.low[k] + box.high[k]);
      const float half = std::max(node.center[k] - box.low[k], box.high[k] - node.center[k]);
      node.half[k] = box.is_empty() ? -1e30f : std::nextafter(half, kInfinity);
    }
  }
}

}  // namespace

detail::HierarchyView Hierarchy::view() const {
  return {cells.data(), nodes.data(), static_cast<std::int32_t>(cells.size()),
          static_cast<std::int32_t>(nodes.size()) / detail::kNumLayers};
}

Hierarchy build_hierarchy(std::vector<Cell> cells) {
  Hierarchy out;
  out.cells = std::move(cells);
  if (out.cells.empty()) return out;
  Builder(out).build();
  const std::vector<Node> topology = out.nodes;
  out.nodes.clear();
  for (int layer = 0; layer < detail::kNumLayers; ++layer) {
    std::vector<Node> nodes = topology;
    fit_layer(out.cells, detail::layer_extent(layer), nodes);
    out.nodes.insert(out.nodes.end(), nodes.begin(), nodes.end());
  }
  return out;
}

HierarchyStatistics hierarchy_statistics(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return {};
  const Hierarchy h = build_hierarchy(tet_cells(geometry));
  return {h.view().num_nodes, h.view().num_cells, h.depth};
}

}  // namespace isopatch
