// SPDX-License-Identifier: Apache-2.0
#include "scene/wide_nodes.h"

#include <algorithm>
#include <cstddef>

namespace isopatch {

using detail::Node;

namespace {

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

  std::vector<detail::WideNode> wide_nodes() const {
    std::vector<detail::WideNode> out(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      for (std::size_t i = 0; i < detail::kWide; ++i) {
        Node node = {};
        node.half[0] = node.half[1] = node.half[2] = -1e30f;  // touches nothing
        node.low = 1e30f;
        node.high = -1e30f;
        if (i < groups_[g].nodes.size()) {
          node = nodes_[static_cast<std::size_t>(groups_[g].nodes[i])];
          node.child = groups_[g].child[i];
        }
        for (std::size_t k = 0; k < 3; ++k) {
          out[g].center[k][i] = node.center[k];
          out[g].half[k][i] = node.half[k];
          out[g].drift[k][i] = node.drift[k];
          out[g].growth[k][i] = node.growth[k];
        }
        out[g].low[i] = node.low;
        out[g].high[i] = node.high;
        out[g].size[i] = node.size;
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

std::vector<detail::WideNode> wide_nodes(std::span<const Node> nodes) { return Widening(nodes).wide_nodes(); }

}  // namespace isopatch
