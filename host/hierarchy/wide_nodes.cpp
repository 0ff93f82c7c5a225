// SPDX-License-Identifier: Apache-2.0
#include "host/hierarchy/hierarchy.h"

#include <cstddef>
#include <cstdint>

namespace isopatch::detail {
namespace {

/// Decides which nodes go into one wide node. From the leaves up, in sweeps, the largest subtrees of at most kWide
/// clusters become one cluster each, until the root is one. At first each leaf is a cluster. So most wide nodes are
/// well filled, especially the many at the bottom.
class WideNodeBuilder {
 public:
  explicit WideNodeBuilder(std::span<const Node> nodes) : nodes_(nodes), sweep_of_(nodes.size(), kNever) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_leaf()) sweep_of_[i] = 0;
    }
    for (std::uint8_t sweep = 1; sweep_of_[0] == kNever; ++sweep) {
      if (gather(0, sweep) > 0) sweep_of_[0] = sweep;
    }
  }

  std::vector<WideNode> wide_nodes() const {
    std::vector<WideNode> out;
    std::vector<std::int32_t> parents = {-1};  // of each wide node: the cluster whose members it holds
    std::vector<std::int32_t> members;
    for (std::size_t at = 0; at < parents.size(); ++at) {
      members.clear();
      find_members(parents[at], members);
      out.emplace_back();
      for (std::size_t i = 0; i < kWide; ++i) {
        Node node = {};
        node.half[0] = node.half[1] = node.half[2] = -1e30f;  // touches nothing
        node.low = 1e30f;
        node.high = -1e30f;
        if (i < members.size()) {
          node = nodes_[members[i]];
          if (!node.is_leaf()) {
            node.child = static_cast<std::int32_t>(parents.size());
            parents.push_back(members[i]);
          }
        }
        for (std::size_t k = 0; k < 3; ++k) {
          out[at].center[k][i] = node.center[k];
          out[at].half[k][i] = node.half[k];
          out[at].velocity[k][i] = node.velocity[k];
          out[at].expansion[k][i] = node.expansion[k];
        }
        out[at].low[i] = node.low;
        out[at].high[i] = node.high;
        out[at].size[i] = node.size;
        out[at].child[i] = node.child;
      }
    }
    return out;
  }

 private:
  /// each sweep makes at least one cluster of a subtree of three levels, so there are fewer sweeps than kMaxDepth
  static constexpr std::uint8_t kNever = 255;

  std::uint8_t sweep_of(std::int32_t node) const { return sweep_of_[node]; }
  std::int32_t left_of(std::int32_t node) const { return nodes_[node].child; }

  /// The count of clusters of earlier sweeps below a node; 0 if they are more than kWide, and its children have become
  /// clusters.
  int gather(std::int32_t node, std::uint8_t sweep) {
    if (sweep_of(node) < sweep) return 1;
    const std::int32_t left = left_of(node), right = left + 1;
    const int on_left = gather(left, sweep), on_right = gather(right, sweep);
    if (on_left > 0 && on_right > 0 && on_left + on_right <= kWide) return on_left + on_right;
    if (on_left > 1) sweep_of_[left] = sweep;
    if (on_right > 1) sweep_of_[right] = sweep;
    return 0;
  }

  /// The clusters that `cluster` was made from; for -1 the root alone.
  void find_members(std::int32_t cluster, std::vector<std::int32_t>& members) const {
    if (cluster < 0) return members.push_back(0);
    add_members(left_of(cluster), sweep_of(cluster), members);
    add_members(left_of(cluster) + 1, sweep_of(cluster), members);
  }

  void add_members(std::int32_t node, std::uint8_t sweep, std::vector<std::int32_t>& members) const {
    if (sweep_of(node) < sweep) return members.push_back(node);
    add_members(left_of(node), sweep, members);
    add_members(left_of(node) + 1, sweep, members);
  }

  std::span<const Node> nodes_;
  std::vector<std::uint8_t> sweep_of_;  // of each node: the sweep that made it a cluster, 0 for a leaf
};

}  // namespace

std::vector<WideNode> wide_nodes(std::span<const Node> nodes) { return WideNodeBuilder(nodes).wide_nodes(); }

}  // namespace isopatch::detail
