// SPDX-License-Identifier: Apache-2.0
#include "scene/hierarchy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

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
  std::array<float, 3> low, high;

  static Box empty() { return {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}}; }
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

class Builder {
 public:
  explicit Builder(Hierarchy& out)
      : out_(out), order_(out.cells.size()), right_area_(out.cells.size()), reach_(reach_of(out.cells)) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  void build() {
    out_.nodes.reserve(2 * order_.size());
    out_.nodes.emplace_back();
    split(0, order_, 1);
  }

 private:
  using Range = std::span<std::int32_t>;

  BoxFit split(std::size_t at, Range range, int level) {
    out_.depth = std::max(out_.depth, level);
    if (range.size() == 1) {
      const BoxFit fit(cell(range[0]));
      fit.write(out_.nodes[at], reach_);
      out_.nodes[at].child = ~range[0];
      return fit;
    }
    const std::size_t first = out_.nodes.size();
    out_.nodes.resize(first + 2);
    const std::size_t half = partition(range, level);
    const BoxFit left = split(first, range.first(half), level + 1);
    const BoxFit right = split(first + 1, range.subspan(half), level + 1);
    BoxFit fit(left, right);
    fit.write(out_.nodes[at], reach_);
    out_.nodes[at].child = static_cast<std::int32_t>(first);
    return fit;
  }

  const Cell& cell(std::int32_t i) const { return out_.cells[static_cast<std::size_t>(i)]; }

  void sort(Range range, std::size_t axis) {
    std::sort(range.begin(), range.end(), [&](std::int32_t a, std::int32_t b) {
      const float x = middle(cell(a), axis), y = middle(cell(b), axis);
      return x != y ? x < y : a < b;
    });
  }

  // Orders the range and returns where to cut it: so that all wide nodes of cells but one are full.
  std::size_t partition(Range range, int level) {
    const int needed = std::bit_width(range.size() - 1) + 1;  // levels a median split still needs
    std::size_t best_axis = 0, best_half = range.size() / 2;
    float best_cost = std::numeric_limits<float>::infinity();
    const std::size_t whole = range.size() > detail::kWide ? detail::kWide : 1;
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
        if (i % whole != 0) continue;
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
  double reach_;
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
