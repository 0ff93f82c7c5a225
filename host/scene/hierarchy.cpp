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

using Corner = Cell::Corner;

/// The corners of the part of a cell with an extent of at most `most`.
std::vector<Corner> layer_corners(const Cell& cell, double most) {
  std::vector<Corner> corners;
  for (const Corner& a : cell.corner) {
    if (a.extent > most) continue;
    corners.push_back(a);
    for (const Corner& b : cell.corner) {
      if (b.extent <= most) continue;
      const double t = (most - a.extent) / (b.extent - a.extent);
      corners.push_back({fused(t, b.vertex - a.vertex, a.vertex), most});
    }
  }
  return corners;
}

double volume(const Cell& cell) {
  const detail::Vec3d a = cell.corner[0].vertex;
  const auto edge = [&](int i) { return cell.corner[i].vertex - a; };
  return std::fabs(dot(cross(edge(1), edge(2)), edge(3))) / 6;
}

/// One layer of nodes: boxes and slopes from the leaves up (children come after their parent), then the ranges about
/// them.
class LayerFit {
 public:
  LayerFit(const std::vector<Cell>& cells, float most, std::span<Node> nodes)
      : nodes_(nodes), parent_(nodes.size(), -1) {
    std::vector<Box> boxes(nodes.size(), Box::empty());
    std::vector<detail::Vec3d> weighted(nodes.size(), {0, 0, 0});  // integral of the gradient, and the volume
    std::vector<double> weight(nodes.size(), 0);
    std::vector<std::vector<Corner>> corners(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
      const Node& node = nodes[i];
      if (node.is_leaf()) {
        const Cell& cell = cells[static_cast<std::size_t>(node.cell())];
        corners[i] = layer_corners(cell, static_cast<double>(most));
        for (const Corner& corner : corners[i]) boxes[i].add(corner.vertex);
        weight[i] = volume(cell);
        weighted[i] = weight[i] * cell.gradient;
      } else {
        for (const std::int32_t child : {node.child, node.child + 1}) {
          const auto at = static_cast<std::size_t>(child);
          parent_[at] = static_cast<std::int32_t>(i);
          boxes[i].add(boxes[at]);
          weight[i] += weight[at];
          weighted[i] = weighted[i] + weighted[at];
        }
      }
      set_box(nodes[i], boxes[i]);
      set_slope(nodes[i], weight[i] > 0 ? (1 / weight[i]) * weighted[i] : detail::Vec3d{0, 0, 0});
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const Corner& corner : corners[i]) widen(static_cast<std::int32_t>(i), corner);
    }
    for (Node& node : nodes_) {
      if (node.low > node.high) node.low = node.high = 0;  // nothing below in this layer
    }
  }

 private:
  // centre and half edge must cover the box after rounding; nothing touches an empty one
  static void set_box(Node& node, const Box& box) {
    for (std::size_t k = 0; k < 3; ++k) {
      node.center[k] = box.is_empty() ? 0.0f : 0.5f * (box.low[k] + box.high[k]);
      const float half = std::max(node.center[k] - box.low[k], box.high[k] - node.center[k]);
      node.half[k] = box.is_empty() ? -1e30f : std::nextafter(half, kInfinity);
    }
  }

  static void set_slope(Node& node, const detail::Vec3d& slope) {
    node.slope[0] = static_cast<float>(slope.x);
    node.slope[1] = static_cast<float>(slope.y);
    node.slope[2] = static_cast<float>(slope.z);
    node.low = kInfinity;
    node.high = -kInfinity;
  }

  // takes a corner into the range of a leaf and of all above it
  void widen(std::int32_t at, const Corner& corner) {
    for (; at >= 0; at = parent_[static_cast<std::size_t>(at)]) {
      Node& node = nodes_[static_cast<std::size_t>(at)];
      const detail::Vec3d slope = to_double(node.slope);
      const double rest = corner.extent - dot(slope, corner.vertex - to_double(node.center));
      node.low = std::min(node.low, below(rest));
      node.high = std::max(node.high, above(rest));
    }
  }

  static detail::Vec3d to_double(const float (&v)[3]) {
    return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
  }

  std::span<Node> nodes_;
  std::vector<std::int32_t> parent_;  // -1 for the root
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
  out.longest_edge = above(longest);
  return out;
}

/// Which nodes stand side by side. From the leaves up, the largest subtrees of at most kWide units become one unit
/// each, until the root is one; so most wide nodes are well filled, above all the many at the bottom.
class Widening {
 public:
  explicit Widening(std::span<const Node> nodes) : nodes_(nodes), is_unit_(nodes.size()), members_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) is_unit_[i] = nodes[i].is_leaf();
    while (!is_unit_[0]) {
      Units below_root;
      next_units_.clear();
      if (gather(0, below_root)) close(0, below_root);
      std::fill(is_unit_.begin(), is_unit_.end(), false);
      for (const std::int32_t unit : next_units_) is_unit_[static_cast<std::size_t>(unit)] = true;
    }
    groups_.push_back({{0}, {}});
    for (std::size_t at = 0; at < groups_.size(); ++at) {
      for (const std::int32_t node : Units(groups_[at].nodes)) {
        const auto i = static_cast<std::size_t>(node);
        const auto next = static_cast<std::int32_t>(groups_.size());
        groups_[at].child.push_back(nodes[i].is_leaf() ? nodes[i].child : next);
        if (!nodes[i].is_leaf()) groups_.push_back({members_[i], {}});
      }
    }
  }

  /// The wide nodes of one layer of the same hierarchy.
  std::vector<detail::WideNode> of_layer(std::span<const Node> layer) const {
    std::vector<detail::WideNode> out(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t i = 0; i < detail::kWide; ++i) {
        Node node = {};
        node.half[0] = node.half[1] = node.half[2] = -1e30f;  // touches nothing
        if (i < groups_[g].nodes.size()) {
          node = layer[static_cast<std::size_t>(groups_[g].nodes[i])];
          node.child = groups_[g].child[i];
        }
        for (std::size_t k = 0; k < 3; ++k) {
          out[g].center[k][i] = node.center[k];
          out[g].half[k][i] = node.half[k];
          out[g].slope[k][i] = node.slope[k];
        }
        out[g].low[i] = node.low;
        out[g].high[i] = node.high;
        out[g].child[i] = node.child;
      }
    }
    return out;
  }

 private:
  using Units = std::vector<std::int32_t>;

  struct Group {
    Units nodes;
    std::vector<std::int32_t> child;  // of each, as in WideNode
  };

  /// The units below a node; false where they are too many and have been closed.
  bool gather(std::int32_t node, Units& units) {
    const auto i = static_cast<std::size_t>(node);
    if (is_unit_[i]) {
      units = {node};
      return true;
    }
    const std::int32_t left = nodes_[i].child, right = left + 1;
    Units right_units;
    const bool left_open = gather(left, units), right_open = gather(right, right_units);
    if (left_open && right_open && units.size() + right_units.size() <= detail::kWide) {
      units.insert(units.end(), right_units.begin(), right_units.end());
      return true;
    }
    if (left_open) close(left, units);
    if (right_open) close(right, right_units);
    return false;
  }

  /// Makes one unit of those below a node.
  void close(std::int32_t node, const Units& units) {
    const std::int32_t unit = units.size() == 1 ? units[0] : node;
    if (units.size() > 1) members_[static_cast<std::size_t>(node)] = units;
    next_units_.push_back(unit);
  }

  std::span<const Node> nodes_;
  std::vector<bool> is_unit_;
  std::vector<Units> members_;  // of nodes that have a wide node below them
  Units next_units_;
  std::vector<Group> groups_;
};

}  // namespace

detail::HierarchyView Hierarchy::view() const {
  return {cells.data(),
          coarse_cells.data(),
          nodes.data(),
          static_cast<std::int32_t>(cells.size()),
          static_cast<std::int32_t>(nodes.size()) / detail::kNumLayers,
          wide_nodes.data(),
          static_cast<std::int32_t>(wide_nodes.size()) / detail::kNumLayers};
}

Hierarchy build_hierarchy(std::vector<Cell> cells) {
  Hierarchy out;
  out.cells = std::move(cells);
  if (out.cells.empty()) return out;
  for (const Cell& cell : out.cells) out.coarse_cells.push_back(coarse_copy(cell));
  Builder(out).build();
  const std::vector<Node> topology = out.nodes;
  out.nodes.clear();
  for (int layer = 0; layer < detail::kNumLayers; ++layer) {
    std::vector<Node> nodes = topology;
    LayerFit(out.cells, detail::layer_extent(layer), nodes);
    out.nodes.insert(out.nodes.end(), nodes.begin(), nodes.end());
  }

  const std::size_t count = topology.size();
  const Widening widening(std::span(out.nodes).last(count));
  for (std::size_t layer = 0; layer < detail::kNumLayers; ++layer) {
    const std::vector<detail::WideNode> wide = widening.of_layer(std::span(out.nodes).subspan(layer * count, count));
    out.wide_nodes.insert(out.wide_nodes.end(), wide.begin(), wide.end());
  }
  return out;
}

HierarchyStatistics hierarchy_statistics(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return {};
  const Hierarchy h = build_hierarchy(geometry.is_surface_mesh() ? triangle_cells(geometry) : tet_cells(geometry));
  return {h.view().num_nodes, h.view().num_cells, h.depth};
}

}  // namespace isopatch
