// SPDX-License-Identifier: Apache-2.0
#include "host/rollout/rollout_trees.h"

#include <algorithm>
#include <numeric>

namespace isopatch::detail {
namespace {

class Bodies {
 public:
  explicit Bodies(std::vector<MovingBody>& bodies) : bodies_(bodies), first_(bodies.size()) {
    std::iota(first_.begin(), first_.end(), std::int32_t{0});
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!bodies[i].is_joint()) continue;
      if (bodies[i].is_follower()) join(static_cast<std::int32_t>(i), bodies[i].joint.leader);
      if (carried_by_moving(bodies[i])) join(static_cast<std::int32_t>(i), bodies[i].joint.parent);
    }
  }

  MovingBody& operator[](std::int32_t i) const { return bodies_[static_cast<std::size_t>(i)]; }

  /// The first of those that move together with a body.
  std::int32_t first_of(std::int32_t i) const {
    while (first_[static_cast<std::size_t>(i)] != i) i = first_[static_cast<std::size_t>(i)];
    return i;
  }

  /// Whether a body is on a joint of one that has degrees of freedom.
  bool carried_by_moving(const MovingBody& body) const {
    return body.is_joint() && body.joint.parent >= 0 && (*this)[body.joint.parent].num_dofs() > 0;
  }

  int depth_of(const MovingBody& body) const {
    int depth = body.is_joint() ? 1 : 0;
    for (const MovingBody* at = &body; carried_by_moving(*at) && (*this)[at->joint.parent].is_joint(); ++depth) {
      at = &(*this)[at->joint.parent];
    }
    return depth;
  }

 private:
  void join(std::int32_t a, std::int32_t b) {
    const auto [low, high] = std::minmax({first_of(a), first_of(b)});
    first_[static_cast<std::size_t>(high)] = low;
  }

  std::vector<MovingBody>& bodies_;
  std::vector<std::int32_t> first_;
};

/// The bodies of each tree, from its roots to its leaves.
std::vector<std::vector<std::int32_t>> members_of_trees(const Bodies& bodies, std::int32_t count) {
  std::vector<std::vector<std::int32_t>> members(static_cast<std::size_t>(count));
  std::vector<bool> is_tree(static_cast<std::size_t>(count), false);
  for (std::int32_t i = 0; i < count; ++i) {
    if (bodies[i].num_dofs() == 0) continue;
    const auto first = static_cast<std::size_t>(bodies.first_of(i));
    members[first].push_back(i);
    if (bodies.carried_by_moving(bodies[i])) is_tree[first] = true;
  }
  std::vector<std::vector<std::int32_t>> trees;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!is_tree[i]) continue;
    std::stable_sort(members[i].begin(), members[i].end(),
                     [&](std::int32_t a, std::int32_t b) { return bodies[a].depth < bodies[b].depth; });
    trees.push_back(members[i]);
  }
  return trees;
}

}  // namespace

RolloutTrees add_trees(std::vector<MovingBody>& all, RolloutView& view) {
  const Bodies bodies(all);
  const auto count = static_cast<std::int32_t>(all.size());
  for (MovingBody& body : all) {
    body.tree = body.in_tree = body.tree_dof = body.root = -1;
    body.depth = bodies.depth_of(body);
    view.max_depth = std::max(view.max_depth, body.depth);
  }

  RolloutTrees result;
  for (const std::vector<std::int32_t>& members : members_of_trees(bodies, count)) {
    TreeView tree = {};
    tree.bodies_begin = static_cast<std::int32_t>(result.tree_bodies.size());
    tree.levels_begin = static_cast<std::int32_t>(result.tree_levels.size());
    tree.body = -1;
    tree.first_dof = view.num_tree_dofs;
    tree.first_entry = view.num_tree_entries;
    std::int32_t depth = -1;
    for (const std::int32_t i : members) {
      MovingBody& body = bodies[i];
      body.tree = static_cast<std::int32_t>(result.trees.size());
      body.in_tree = static_cast<std::int32_t>(result.tree_bodies.size());
      if (body.depth != depth) result.tree_levels.push_back(body.in_tree);
      depth = body.depth;
      result.tree_bodies.push_back(i);
      tree.has_followers = tree.has_followers || body.is_follower();
      tree.has_roots = tree.has_roots || !body.is_joint();
      const bool stands = body.is_joint() && body.joint.parent >= 0 && !bodies.carried_by_moving(body);
      tree.on_moving_base = tree.on_moving_base || (stands && bodies[body.joint.parent].kind != MotionKind::kFixed);
      body.root = body.is_joint() ? (stands || body.joint.parent < 0 ? -1 : bodies[body.joint.parent].root)
                                  : view.num_tree_roots++;
      if (body.is_follower()) continue;
      if (tree.body < 0) tree.body = i;
      body.tree_dof = tree.num_dofs;
      tree.num_dofs += body.num_dofs();
    }
    tree.bodies_end = static_cast<std::int32_t>(result.tree_bodies.size());
    tree.levels_end = static_cast<std::int32_t>(result.tree_levels.size());
    result.tree_levels.push_back(tree.bodies_end);
    for (const std::int32_t i : members) {
      if (bodies[i].is_follower()) bodies[i].tree_dof = bodies[bodies[i].joint.leader].tree_dof;
      std::int32_t chain = bodies[i].num_dofs();
      for (const MovingBody* at = &bodies[i]; bodies.carried_by_moving(*at); chain += at->num_dofs()) {
        at = &bodies[at->joint.parent];
      }
      view.max_chain = std::max({view.max_chain, chain, std::int32_t{6}});
    }
    view.num_tree_dofs += tree.num_dofs;
    view.num_tree_entries += tree.num_dofs * tree.num_dofs;
    result.trees.push_back(tree);
  }
  view.num_trees = static_cast<std::int32_t>(result.trees.size());
  view.num_tree_bodies = static_cast<std::int32_t>(result.tree_bodies.size());
  view.trees = result.trees.data();
  view.tree_bodies = result.tree_bodies.data();
  view.tree_levels = result.tree_levels.data();
  return result;
}

}  // namespace isopatch::detail
