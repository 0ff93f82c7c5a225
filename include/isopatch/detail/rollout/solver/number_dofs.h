// SPDX-License-Identifier: Apache-2.0
//
// In which order the degrees of freedom of an environment are eliminated, and so their numbers.
#pragma once

#include "isopatch/detail/rollout/solver/solver_memory.h"
#include "isopatch/detail/rollout/solver/stage_input.h"

namespace isopatch::detail {

/// The body with whose degrees of freedom a body's are eliminated.
ISOPATCH_HD int owner_of(const RolloutView& view, int body) {
  const MovingBody& moving = view.bodies[body];
  return moving.is_in_tree() ? view.trees[moving.tree].body : moving.is_follower() ? moving.joint.leader : body;
}

/// The bodies that one touches and with which it is eliminated; writes whether it touches any.
ISOPATCH_HD BodySet touched_by(const RolloutView& view, const SolvedPair* pairs, int num_pairs, int body,
                               bool& is_touched) {
  BodySet touching = 0;
  ISOPATCH_NO_UNROLL
  for (int k = 0; k < num_pairs && view.bodies[body].own_dofs() > 0; ++k) {
    const SolvedPair& pair = pairs[k];
    is_touched = is_touched || pair.a == body || pair.b == body;
    const int a = owner_of(view, pair.a), b = owner_of(view, pair.b), other = a == body ? b : b == body ? a : body;
    if (other != body && view.bodies[other].num_dofs() > 0) touching |= set_of(other);
  }
  return touching;
}

/// Orders the bodies that move, and numbers their degrees of freedom. Called by all lanes.
template <class Warp>
ISOPATCH_HD void number_dofs(Warp& warp, const StageInput& in, int num_pairs, const SolverMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.scene.num_bodies; i += Warp::kSize) {
    const MovingBody& moving = in.view.bodies[i];
    const bool on_tree =
        moving.is_joint() && moving.joint.parent >= 0 && in.view.bodies[moving.joint.parent].is_in_tree();
    m.bodies[i].num_dofs = moving.num_dofs();
    m.bodies[i].first_dof = 0;
    m.bodies[i].tree = moving.tree;
    m.bodies[i].parent = on_tree ? moving.joint.parent : -1;
    m.bodies[i].block_dofs = moving.is_in_tree() ? in.view.trees[moving.tree].num_dofs : moving.num_dofs();
    bool is_touched = false;
    const BodySet touching = touched_by(in.view, m.pairs, num_pairs, i, is_touched);
    m.bodies[i].is_touched = is_touched;
    m.order->touching[i] = touching;
  }
  warp.sync();
  if (warp.lane() == 0) {
    BodySet moving = 0;
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < in.scene.num_bodies; ++i) {
      if (in.view.bodies[i].own_dofs() > 0 && owner_of(in.view, i) == i) moving |= set_of(i);
    }
    order_bodies(moving, *m.order);
    std::int32_t next = 0;
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < m.order->count; ++i) {
      SolvedBody& body = m.bodies[m.order->body[i]];
      body.first_dof = next;
      next += body.block_dofs;
    }
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < in.scene.num_bodies; ++i) {
      const int in_tree = in.view.bodies[i].is_in_tree() ? in.view.bodies[i].tree_dof : 0;
      m.bodies[i].first_dof = m.bodies[owner_of(in.view, i)].first_dof + in_tree;
    }
  }
  warp.sync();
}

}  // namespace isopatch::detail
