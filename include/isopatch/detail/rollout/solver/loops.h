// SPDX-License-Identifier: Apache-2.0
//
// What holds two bodies together at an anchor: over a step a stiff damper between their velocities there,
//
//   impulse on A = -G (u - u*),   G = 1 / (epsilon W),   u* = -gap / (2 h)
//
// with the velocity u of A relative to B at the anchor, and angular, and how much W of it a unit of impulse gives, the
// mean over directions. epsilon is a millionth: what the bodies part by in a step is that part of what they would
// without it, and half of a gap is closed in a step. It has a potential as contact has. Beside contact's, the pairs of
// loops follow those of contact in SolverMemory::pairs.
#pragma once

#include "isopatch/detail/rollout/motion/loop_gap.h"
#include "isopatch/detail/rollout/solver/pair_damper.h"
#include "isopatch/detail/rollout/solver/stage_input.h"
#include "isopatch/detail/rollout/solver/velocity_problem.h"

namespace isopatch::detail {

/// Lists the loops behind the pairs that have contacts. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void list_loops(Warp& warp, StageInput in, SolverStage stage, int num_pairs, SolverMemory m) {
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
    const double rate = -0.5 / stage.step;
    m.loops[i] = {rate * gap.linear, rate * gap.angular, gap.axis, 0, 0};
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
  for (int side = 0; side < 2; ++side) {
    const BodyMobility of = mobility_of(m, pair, side);
    for (int k = 0; k < 3; ++k) sum.linear += of.along(axes[k], none);
    const Symmetric3& W = of.inverse_inertia;
    sum.angular += fma(of.inverse_of_joint, dot(of.angular, of.angular), W.xx + W.yy + W.zz);
  }
  return {sum.linear / 3, sum.angular / 3};
}

/// Finds how stiff the loops are, after begin_tree_columns(). Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_loops(Warp& warp, int num_pairs, int num_loops, SolverMemory m) {
  constexpr double kSoft = 1e-6;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < num_loops; i += Warp::kSize) {
    const MeanMobility W = mean_mobility(m, m.pairs[num_pairs + i]);
    LoopTerm& loop = m.loops[i];
    loop.stiffness = W.linear > 0 ? 1 / (kSoft * W.linear) : 0.0;
    loop.turning_stiffness = W.angular > 0 ? 1 / (kSoft * W.angular) : 0.0;
  }
  warp.sync();
}

}  // namespace isopatch::detail
