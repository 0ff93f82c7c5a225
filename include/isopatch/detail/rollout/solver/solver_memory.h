// SPDX-License-Identifier: Apache-2.0
//
// What a solve for velocities works on: bodies, pairs and joints of the problem, and the memory of all of it.
#pragma once

#include "isopatch/detail/rollout/motion/given_memory.h"
#include "isopatch/detail/rollout/motion/step_stage.h"
#include "isopatch/detail/rollout/solver/elimination.h"
#include "isopatch/detail/rollout/solver/loop_term.h"
#include "isopatch/detail/rollout/solver/plate_term.h"
#include "isopatch/detail/rollout/solver/point_sums.h"
#include "isopatch/detail/rollout/solver/step_joint.h"
#include "isopatch/detail/rollout/tree/tree_memory.h"

namespace isopatch::detail {

/// A body in the problem.
struct SolvedBody {
  Vec3d center;        // of mass, world; of a body without degrees of freedom its origin, m
  Twist known;         // of the center, with all velocities 0
  Twist freedom;       // of the center, with a joint's rate of 1 more
  double mass;         // kg
  Symmetric3 inertia;  // about the center, world axes, kg m^2
  std::int32_t first_dof, num_dofs;
  bool is_touched;  // by contact

  // of a joint
  bool is_follower;                            // of another, whose degree of freedom it has
  double armature;                             // kg or kg m^2
  double joint_mass;                           // of all bodies that move with it, and the armature
  std::int32_t first_follower, next_follower;  // bodies; negative: none

  // of a tree
  std::int32_t tree;        // negative: it is of none
  std::int32_t parent;      // the body of the tree that carries it; negative: none
  std::int32_t block_dofs;  // of all that is eliminated with this body

  ISOPATCH_HD bool is_in_tree() const { return tree >= 0; }
  /// On no joint: with all degrees of freedom, or the three of a planar body.
  ISOPATCH_HD bool moves_freely() const { return num_dofs > 1; }
  /// The twist of degree of freedom k alone.
  ISOPATCH_HD Twist unit_twist(int k) const {
    if (num_dofs == 1) return freedom;
    const auto one = [&](int axis) { return k == axis ? 1.0 : 0.0; };
    if (num_dofs == 3) return {{one(0), one(1), 0}, {0, 0, one(2)}};
    return {{one(0), one(1), one(2)}, {one(3), one(4), one(5)}};
  }
  /// The twist of the center with these velocities, by its degrees of freedom alone; without `known` if they are
  /// differences.
  ISOPATCH_HD Twist twist(const double* velocities, bool difference = false) const {
    const Twist rest = difference ? Twist{{0, 0, 0}, {0, 0, 0}} : known;
    if (num_dofs == 0) return rest;
    const double* v = velocities + first_dof;
    if (num_dofs == 1) return fma(v[0], freedom, rest);
    if (num_dofs == 3) return {{v[0], v[1], 0}, {0, 0, v[2]}};
    return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  }
  /// Calls visit(k, component of a wrench about the center along degree of freedom k) for each k, a constant.
  template <class Visit>
  ISOPATCH_HD void project(const Momentum& wrench, const Visit& visit) const {
    if (num_dofs == 0) return;
    if (num_dofs == 1) return visit(0, along_freedom(wrench));
    visit(0, wrench.linear.x), visit(1, wrench.linear.y);
    if (num_dofs == 3) return visit(2, wrench.angular.z);
    visit(2, wrench.linear.z);
    visit(3, wrench.angular.x), visit(4, wrench.angular.y), visit(5, wrench.angular.z);
  }
  ISOPATCH_HD double along_freedom(const Momentum& wrench) const {
    return dot(freedom.linear, wrench.linear) + dot(freedom.angular, wrench.angular);
  }
  ISOPATCH_HD Momentum momentum(const Twist& twist) const { return {mass * twist.linear, inertia * twist.angular}; }
};

/// The twist of a body's center with these velocities; without `known` if they are differences.
ISOPATCH_HD Twist twist_of_center(const SolvedBody* bodies, int index, const double* velocities,
                                  bool difference = false) {
  const SolvedBody& body = bodies[index];
  Twist sum = body.twist(velocities, difference);
  for (std::int32_t k = body.parent; k >= 0; k = bodies[k].parent) {
    sum = fma(1.0, shifted(bodies[k].twist(velocities, true), body.center - bodies[k].center), sum);
  }
  return sum;
}

/// Whether two bodies move with one joint.
ISOPATCH_HD bool share_joint(const SolvedBody& a, const SolvedBody& b) {
  return a.num_dofs == 1 && b.num_dofs == 1 && a.first_dof == b.first_dof;
}

/// A pair with contact in the problem.
struct SolvedPair {
  std::int32_t pair;
  std::int32_t a, b;
  std::int32_t first_polygon, polygons;  // in the sorted list
  std::int32_t first_block;              // of its columns
  std::int32_t first_term, terms;        // of its contacts with state
  Vec3d point;                           // P, world, m
  double sums[ImpulseSums::kSize];       // of the last evaluation
  double potentials[2];                  // of its points, at both starts
  RelativeTwist<double> twist, change;   // of a line search

  /// A pair without contact, which changes nothing: where an environment has fewer pairs than another of its warp.
  ISOPATCH_HD void set_empty() { *this = SolvedPair{}; }
  ISOPATCH_HD bool is_empty() const { return polygons == 0; }
  static constexpr std::int32_t kLoop = -1;  // in place of polygons: of a loop
  /// The impulse on body a about P, from the last evaluation.
  ISOPATCH_HD Momentum impulse() const {
    const double *force = sums + ImpulseSums::kForce, *moment = sums + ImpulseSums::kMoment;
    return {{force[0], force[1], force[2]}, {moment[0], moment[1], moment[2]}};
  }
};

/// Vectors of the problem, with a number for each degree of freedom.
struct SolverVectors {
  double *velocity, *previous, *direction;
  double* momentum;       // M v
  double* free_velocity;  // v*
  double* free_momentum;  // M v*
  double* force_impulse;  // of gravity and external wrenches in the step
  double* gradient;
  double* inverse_mass;  // of the diagonal of M
  static constexpr int kCount = 9;

  ISOPATCH_HD static SolverVectors of(double* memory, int size) {
    const auto at = [&](int i) { return memory + static_cast<std::ptrdiff_t>(i) * size; };
    return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8)};
  }
};

/// The memory of one solve, which lanes share: what a stage keeps from its beginning to its end, and what only finding
/// the velocities needs.
struct SolverMemory {
  SolvedBody* bodies;        // of all bodies
  StepJoint* joints;         // all of them; not of followers
  std::int32_t* joint_dofs;  // of each of them: the degree of freedom
  SolvedPair* pairs;         // of pairs with contact
  PlateTerm* terms;          // of contacts with state
  LoopTerm* loops;           // theirs are the pairs behind those with contact
  EliminationOrder* order;
  SolverVectors vectors;

  TreeMemory trees;
  const TreeView* tree_views;

  std::int32_t* rows;  // of the matrix, for the body at hand
  LowerMatrix matrix;
  double* columns;           // of polygons
  PairMobility* mobilities;  // of pairs with bodies of trees, as the next two: see tree_columns.h
  std::int32_t* tree_dofs;
  double* tree_columns;
  double* tree_rows;  // six of the degrees of freedom of a tree
  std::int32_t max_chain;
};

/// The largest size of a solve, from which its memory follows.
struct SolverSize {
  std::int32_t bodies, joints, dofs;
  std::int32_t pairs;      // with contact
  std::int32_t polygons;   // of all of them
  std::int32_t terms;      // with memory
  std::int32_t max_chain;  // RolloutView's; 0 without trees
  std::int32_t loops;

  /// The last block of each pair may have a single polygon.
  ISOPATCH_HD std::int64_t blocks() const { return polygons / kSumLanes + min(polygons, pairs); }

  static constexpr std::int64_t kLine = GivenMemory::kLine;

  /// Numbers of eight bytes that it takes, whole lines: of what is kept, and of what only finding the velocities needs,
  /// whose columns are read again and again and begin with a line.
  ISOPATCH_HD std::int64_t kept_words() const {
    SolverMemory m;
    return divide_kept(nullptr, m);
  }
  ISOPATCH_HD std::int64_t finding_words() const {
    SolverMemory m;
    return divide_finding(nullptr, m);
  }
  ISOPATCH_HD SolverMemory in(double* kept, double* finding) const {
    SolverMemory m;
    divide_kept(kept, m);
    divide_finding(finding, m);
    return m;
  }

 private:
  ISOPATCH_HD std::int64_t divide_kept(double* memory, SolverMemory& m) const {
    GivenMemory taken = {memory, 0};
    double* vectors = nullptr;
    taken.give(m.bodies, bodies);
    taken.give(m.joints, joints);
    taken.give(m.joint_dofs, joints);
    taken.give(m.pairs, min(polygons, pairs) + loops);
    taken.give(m.terms, min(polygons, terms));
    taken.give(m.loops, loops);
    taken.give(m.order, 1);
    taken.give(vectors, std::int64_t{dofs} * SolverVectors::kCount);
    m.vectors = SolverVectors::of(vectors, dofs);
    return taken.lines();
  }
  ISOPATCH_HD std::int64_t divide_finding(double* memory, SolverMemory& m) const {
    GivenMemory taken = {memory, 0};
    taken.give(m.columns, blocks() * PolygonColumns::kBlock);
    taken.give(m.matrix.entries, std::int64_t{dofs} * dofs);
    taken.give(m.rows, dofs);
    m.matrix.size = dofs;
    const std::int64_t with_trees = max_chain > 0 ? min(polygons, pairs) + loops : 0,
                       room = 2 * std::int64_t{max_chain};
    taken.give(m.mobilities, with_trees);
    taken.give(m.tree_dofs, with_trees * (room + 1));
    taken.give(m.tree_columns, with_trees * room * 6);
    taken.give(m.tree_rows, with_trees > 0 ? std::int64_t{6} * dofs : 0);
    m.max_chain = max_chain;
    return taken.lines();
  }
};

}  // namespace isopatch::detail
