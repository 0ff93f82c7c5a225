// SPDX-License-Identifier: Apache-2.0
//
// The memory in which trees of bodies move, of one environment: lanes share it, and it stays from where contact is
// looked for to where bodies go on.
#pragma once

#include "isopatch/detail/math/lower_matrix.h"
#include "isopatch/detail/rollout/motion/given_memory.h"
#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::detail {

/// A body of a tree.
struct TreeBody {
  double position, begun_position;  // of a joint: here, and where a part of a motion begins, m or rad
  Pose pose;
  Vec3d center;        // of mass, world, m
  Twist freedom;       // of the center, with a rate of 1 of the joint that moves it
  Vec3d from_base;     // to the center from the origin of the body that carries its tree, m
  Twist base;          // of that origin; zero of bodies on joints of the tree
  Twist twist;         // of the center
  double mass;         // kg
  Symmetric3 inertia;  // about the center, world axes, kg m^2
  double all_mass;     // of the body and all that its joint moves, as if locked
  Vec3d all_center;
  Symmetric3 all_inertia;
  Momentum momentum;  // of the same; or a force; about the body's own center
};

/// A free body that carries the rest of a tree, or a part of it, with what stays in a motion without forces.
struct TreeRoot {
  Vec3d drift;                 // velocity of the common center of mass, m/s
  Vec3d center;                // where that begins, m
  Vec3d angular;               // momentum about it, kg m^2/s
  double of_all, of_symmetry;  // of FreeTurning, with the inertia of all as it is where a motion begins
  Quaternion begun;            // orientation where a part of a motion begins
  // beside the turn of that top:
  Vec3d turn, turning;  // since the part began, and its rate
  Vec3d rate, sum;      // the angular velocity, rad/s; of the rates of all stages
};

struct TreeMemory {
  TreeBody* bodies;  // by RolloutView::tree_bodies
  TreeRoot* roots;
  // a number for each degree of freedom of trees
  double* rates;                   // velocities; of a root its center's and the angular ones
  double *first_momenta, *begun;   // where a motion, and a part of it, begins
  double* forces;                  // by which momenta change without forces from outside
  double *rate_sums, *force_sums;  // of the stages of a part
  double *solution, *momenta;      // of systems
  double *mass, *factor;           // matrices of all trees

  ISOPATCH_HD LowerMatrix mass_of(const TreeView& tree) const { return {mass + tree.first_entry, tree.num_dofs}; }
  ISOPATCH_HD LowerMatrix factor_of(const TreeView& tree) const { return {factor + tree.first_entry, tree.num_dofs}; }
};

/// Numbers of eight bytes that the trees of an environment take.
ISOPATCH_HD std::int64_t divide_tree_memory(const RolloutView& view, double* memory, TreeMemory& m) {
  GivenMemory given = {memory, 0};
  given.give(m.bodies, view.num_tree_bodies);
  given.give(m.roots, view.num_tree_roots);
  for (double** array :
       {&m.rates, &m.first_momenta, &m.begun, &m.forces, &m.rate_sums, &m.force_sums, &m.solution, &m.momenta}) {
    given.give(*array, view.num_tree_dofs);
  }
  given.give(m.mass, view.num_tree_entries);
  given.give(m.factor, view.num_tree_entries);
  return given.lines();
}

ISOPATCH_HD std::int64_t tree_words(const RolloutView& view) {
  TreeMemory m;
  return view.num_trees > 0 ? divide_tree_memory(view, nullptr, m) : 0;
}

ISOPATCH_HD TreeMemory tree_memory(const RolloutView& view, double* memory) {
  TreeMemory m = {};
  if (view.num_trees > 0) divide_tree_memory(view, memory, m);
  return m;
}

/// Calls visit(i, body) for the bodies of a tree: i is the place of a body in TreeMemory. Called by all lanes.
template <class Warp, class Visit>
ISOPATCH_HD void for_each_body(Warp& warp, const RolloutView& view, const TreeView& tree, const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (int i = tree.bodies_begin + warp.lane(); i < tree.bodies_end; i += Warp::kSize) {
    visit(i, view.bodies[view.tree_bodies[i]]);
  }
  warp.sync();
}

/// The same from the roots to the leaves: a body's parent is done before it. Called by all lanes.
template <class Warp, class Visit>
ISOPATCH_HD void for_each_from_roots(Warp& warp, const RolloutView& view, const TreeView& tree, const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (int level = tree.levels_begin; level < tree.levels_end; ++level) {
    ISOPATCH_NO_UNROLL
    for (int i = view.tree_levels[level] + warp.lane(); i < view.tree_levels[level + 1]; i += Warp::kSize) {
      visit(i, view.bodies[view.tree_bodies[i]]);
    }
    warp.sync();
  }
}

/// The same from the leaves to the roots. Called by all lanes.
template <class Warp, class Visit>
ISOPATCH_HD void for_each_from_leaves(Warp& warp, const RolloutView& view, const TreeView& tree, const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (int level = tree.levels_end - 1; level >= tree.levels_begin; --level) {
    ISOPATCH_NO_UNROLL
    for (int i = view.tree_levels[level] + warp.lane(); i < view.tree_levels[level + 1]; i += Warp::kSize) {
      visit(i, view.bodies[view.tree_bodies[i]]);
    }
    warp.sync();
  }
}

/// The body of a tree that carries this one's joint, in TreeMemory; null of a root and of what stands on another body.
ISOPATCH_HD TreeBody* parent_in_tree(const RolloutView& view, const TreeMemory& m, const MovingBody& body) {
  if (!body.is_joint() || body.joint.parent < 0) return nullptr;
  const MovingBody& parent = view.bodies[body.joint.parent];
  return parent.is_in_tree() ? m.bodies + parent.in_tree : nullptr;
}

/// Calls visit(child) for the bodies on joints of this one, in TreeMemory.
template <class Visit>
ISOPATCH_HD void for_each_child(const RolloutView& view, const TreeMemory& m, const MovingBody& body,
                                const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = body.first_child; k >= 0; k = view.bodies[k].joint.next_sibling) {
    visit(m.bodies[view.bodies[k].in_tree]);
  }
}

}  // namespace isopatch::detail
