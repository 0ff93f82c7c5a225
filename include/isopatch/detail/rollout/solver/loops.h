// SPDX-License-Identifier: Apache-2.0
//
// What holds two bodies together at an anchor: over a step a stiff damper between their velocities there,
//
//   impulse on A = -G (u - u*),   G = 1 / (epsilon W),   u* = -gap / h - 3/4 d
//
// with the velocity u of A relative to B at the anchor, and angular, and how much W of it a unit of impulse gives, the
// mean over directions. epsilon is a millionth: what the bodies part by in a step is that part of what they would
// without it. It has a potential as contact has. d is what u changes by in the half step before the contact is found:
// it would change by as much in the half after, since bodies turn. So u* leads both the gap and u to 0 at the end of
// the step: of an error of either nothing is left after two steps. The pairs of loops follow the pairs in contact in
// SolverMemory::pairs.
#pragma once

#include "isopatch/detail/rollout/motion/loop_gap.h"
#include "isopatch/detail/rollout/solver/pair_damper.h"
#include "isopatch/detail/rollout/solver/stage_input.h"
#include "isopatch/detail/rollout/solver/velocity_problem.h"

namespace isopatch::detail {

/// The velocity of A relative to B at the anchor in a state.
ISOPATCH_HD RelativeTwist<double> loop_twist(const LoopView& loop, const EnvironmentState& state) {
  const Pose a = load_pose(state.poses, loop.a), b = load_pose(state.poses, loop.b);
  const Vec3d middle = gap_of(loop, a, b).middle;
  const Twist of_a = shifted(state.twist(loop.a), middle - a.position),
              of_b = shifted(state.twist(loop.b), middle - b.position);
  return {of_a.linear - of_b.linear, of_a.angular - of_b.angular};
}

/// Lists the loops behind the pairs that have contacts. `changes` are from the sub-step before, six numbers of each
/// loop; null in the first one of a step. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void list_loops(Warp& warp, StageInput in, int num_pairs, const double* changes, SolverMemory m) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < in.view.num_loops; i += Warp::kSize) {
    const LoopView& loop = in.view.loops[i];
    const LoopGap gap = gap_of(loop, load_pose(in.poses(), loop.a), load_pose(in.poses(), loop.b));
    SolvedPair& pair = m.pairs[num_pairs + i];
    pair.set_empty();
    pair.pair = -1;
    pair.a = loop.a;
    pair.b = loop.b;
    pair.polygons = SolvedPair::kLoop;
    pair.point = gap.middle;
    LoopTerm& term = m.loops[i];
    term.linear = gap.linear;
    term.angular = gap.angular;
    term.axis = gap.axis;
    term.change = changes == nullptr
                      ? loop_twist(loop, in.state)
                      : RelativeTwist<double>{{changes[6 * i], changes[6 * i + 1], changes[6 * i + 2]},
                                              {changes[6 * i + 3], changes[6 * i + 4], changes[6 * i + 5]}};
    term.is_first = changes == nullptr;
  }
  warp.sync();
}

/// The velocities that an impulse at the point of a pair gives, as a mean over directions.
struct MeanMobility {
  double linear, angular;
};

ISOPATCH_HD MeanMobility mean_mobility(const SolverMemory& m, const SolvedPair& pair) {
  MeanMobility sum = {0, 0};
  const Vec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, none = {0, 0, 0};
  ISOPATCH_NO_UNROLL
  for (int side = 0; side < 2; ++side) {
    const BodyMobility of = mobility_of(m, pair, side);
    for (int k = 0; k < 3; ++k) sum.linear += of.along(axes[k], none);
    const Symmetric3& W = of.inverse_inertia;
    sum.angular += fma(of.inverse_of_joint, dot(of.angular, of.angular), W.xx + W.yy + W.zz);
  }
  return {sum.linear / 3, sum.angular / 3};
}

/// Finds how stiff the loops are and which velocities they ask for, after begin_tree_columns(). Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_loops(Warp& warp, int num_pairs, int num_loops, double step, SolverMemory m) {
  constexpr double kSoft = 1e-6;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_loops; i += Warp::kSize) {
    const SolvedPair& pair = m.pairs[num_pairs + i];
    const MeanMobility W = mean_mobility(m, pair);
    LoopTerm& loop = m.loops[i];
    loop.stiffness = W.linear > 0 ? 1 / (kSoft * W.linear) : 0.0;
    loop.turning_stiffness = W.angular > 0 ? 1 / (kSoft * W.angular) : 0.0;
    if (loop.is_first) {
      const RelativeTwist<double> known = relative_twist(m, pair, m.vectors.previous);
      loop.change = {known.linear - loop.change.linear, known.angular - loop.change.angular};
    }
    const double rate = -1 / step;
    loop.linear = fma(-0.75, loop.change.linear, rate * loop.linear);
    loop.angular = fma(-0.75, loop.change.angular, rate * loop.angular);
  }
  warp.sync();
}

/// Keeps what the velocities changed by for the next sub-step. Called by all lanes.
template <class Warp>
ISOPATCH_HD void keep_changes(Warp& warp, int num_loops, const SolverMemory& m, double* changes) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_loops; i += Warp::kSize) {
    const auto [linear, angular] = m.loops[i].change;
    const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 6; ++k) changes[6 * i + k] = values[k];
  }
}

}  // namespace isopatch::detail
