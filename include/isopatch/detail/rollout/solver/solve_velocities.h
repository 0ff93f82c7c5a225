// SPDX-License-Identifier: Apache-2.0
//
// Newton's method for the velocities of an implicit step, with a search along each direction, and again with friction
// limits from the new normal impulses until both agree.
#pragma once

#include "isopatch/detail/rollout/solver/plate_terms.h"
#include "isopatch/detail/rollout/solver/velocity_problem.h"

namespace isopatch::detail {

/// When a solve ends.
struct SolverLimits {
  double tolerance;         // relative to the momenta
  std::int32_t iterations;  // of each pass
  std::int32_t passes;
  double renewed_friction;  // friction limits that differ from mu times the normal impulses by more than this fraction
                            // are found again

  /// For a stage of h seconds.
  ISOPATCH_HD static SolverLimits of(const RolloutView& view, Integrator integrator, double h) {
    const std::int32_t passes = integrator == Integrator::kMidpoint ? view.midpoint_passes : view.friction_passes;
    constexpr double kRenewed = 0.01, kFromStep = 1e-3;  // s; below it, steps would not converge as h goes to 0
    const double renewed = integrator == Integrator::kSdirk2 ? 0.0 : kRenewed * min(h / kFromStep, 1.0);
    return {view.tolerance, view.max_iterations, passes, renewed};
  }
};

struct SolveResult {
  std::int32_t iterations;  // of Newton's method, in all passes
  bool converged;           // every pass
  bool friction_agrees;     // limits are within kMissedFriction of mu times the normal impulses
};

/// If they differ by more than this fraction after the last pass, there is a warning.
inline constexpr double kMissedFriction = 0.1;

/// How far to go along the direction from the previous velocity, until the slope of the potential is small; by Newton's
/// method within a bracket. The slope at 0 is -`steepness`; the slope at 1 was too large. Nothing is found unless the
/// team `searches`. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD double search_along(Warp& warp, const PointSums& points, const VelocityProblem& p, const SolverMemory& m,
                                double steepness, bool searches) {
  constexpr int kMaxTrials = 40;
  constexpr double kFlat = 0.1;
  const SolverVectors& v = m.vectors;
  // of the quadratic part: w . M (v - v*) at 0, and w . M w. The memory of M v is free until the next evaluation.
  multiply_by_mass(warp, p, m, v.previous, v.momentum);
  const double begin =
      sum_of_dofs(warp, p, [&](int i) { return v.direction[i] * (v.momentum[i] - v.free_momentum[i]); });
  warp.sync();  // before it changes
  multiply_by_mass(warp, p, m, v.direction, v.momentum);
  const double curvature = sum_of_dofs(warp, p, [&](int i) { return v.direction[i] * v.momentum[i]; });
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_pairs + p.num_loops; i += Warp::kSize) {
    SolvedPair& pair = m.pairs[i];
    pair.twist = relative_twist(m, pair, v.previous);
    pair.change = relative_twist(m, pair, v.direction, true);
  }
  warp.sync();

  double at = 1, low = 0, high = kInfinity;
  for (int trial = 0; trial < kMaxTrials; ++trial) {
    double slope = fma(at, curvature, begin), second = curvature;
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < p.num_joints; ++i) {
      const double change = v.direction[m.joint_dofs[i]], rate = fma(at, change, v.previous[m.joint_dofs[i]]);
      slope = fma(-m.joints[i].impulse(rate), change, slope);
      second = fma(m.joints[i].fall(rate) * change, change, second);
    }
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < p.num_pairs; ++i) {
      const SolvedPair& pair = m.pairs[i];
      const RelativeTwist<double> twist = {fma(at, pair.change.linear, pair.twist.linear),
                                           fma(at, pair.change.angular, pair.twist.angular)};
      double sums[2];
      points.slopes(p.parameters, columns_of<typename PointSums::Columns>(m, pair), pair.polygons, twist, pair.change,
                    sums);
      for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) { add_slopes(term, twist, pair.change, sums); });
      slope += sums[0];
      second += sums[1];
    }
    if constexpr (kTakesTrees<Warp>) {
      ISOPATCH_NO_UNROLL
      for (int i = 0; i < p.num_loops; ++i) {
        const SolvedPair& pair = m.pairs[p.num_pairs + i];
        double sums[2] = {0, 0};
        m.loops[i].add_slopes(
            {fma(at, pair.change.linear, pair.twist.linear), fma(at, pair.change.angular, pair.twist.angular)},
            pair.change, sums);
        slope += sums[0];
        second += sums[1];
      }
    }
    searches = searches && !(abs(slope) <= kFlat * steepness);
    if (!any_team(warp, searches)) break;
    if (!searches) continue;
    if (slope < 0) {
      low = at;
    } else {
      high = at;
    }
    double next = at - slope / second;
    if (!(next > low && next < high)) next = high < kInfinity ? 0.5 * (low + high) : 2 * at;
    at = next;
  }
  return at;
}

/// How steep the problem is at m.vectors.velocity, in J^(1/2): over the roots of masses.
struct Steepness {
  double gradient, scale;  // the scale is of the momenta that the gradient is a sum of
};

/// After evaluate(). Called by all lanes.
template <class Warp>
ISOPATCH_HD Steepness steepness_of(Warp& warp, const VelocityProblem& p, const SolverVectors& v) {
  double squares[4];
  lane_sums(
      warp, p.num_dofs,
      [&](int i, double(&add)[4]) {
        const double w = v.inverse_mass[i];
        add[0] = fma(w * v.gradient[i], v.gradient[i], add[0]);
        add[1] = fma(w * v.momentum[i], v.momentum[i], add[1]);
        add[2] = fma(w * v.free_momentum[i], v.free_momentum[i], add[2]);
        add[3] = fma(w * v.force_impulse[i], v.force_impulse[i], add[3]);
      },
      squares);
  return {sqrt(squares[0]), sqrt(max(max(squares[1], squares[2]), squares[3]))};
}

/// Of what points and terms hold: by how much the friction that they take differs from what the velocities say, and
/// that friction, N s.
struct FrictionAgreement {
  double missed, friction;
};

/// After evaluate(). Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD FrictionAgreement agreement_of(Warp& warp, const PointSums& points, const VelocityProblem& p,
                                           const SolverMemory& m) {
  FrictionAgreement found = {0, 0};
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    found.missed += m.pairs[i].sums[ImpulseSums::kMissed];
    found.friction += m.pairs[i].sums[ImpulseSums::kFriction];
  }
  if constexpr (PointSums::kHasPlates) {
    if (p.num_terms > 0) add_term_agreement(warp, points, p, m, m.vectors.velocity, found.missed, found.friction);
  }
  return found;
}

/// Finds the velocities, which are in m.vectors.velocity at a start and then at the end, if it `is_solved`. The teams
/// of a warp take every turn together: one that has ended, or has less to do in it, finds once more what it knows.
/// Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD SolveResult solve_velocities(Warp& warp, const PointSums& points, const VelocityProblem& p,
                                         const SolverMemory& m, const SolverLimits& limits, bool is_solved) {
  constexpr double kMin = 1e-14;                // of the gradient over the roots of masses, J^(1/2)
  constexpr double kShort = -0.5, kLong = 0.1;  // slopes at the end of a whole step that need no search
  const SolverVectors& v = m.vectors;
  SolveResult result = {0, true, true};
  int pass = 1, iterations = 0;
  bool whole_step = false;  // the velocity is the end of one, which may be too long
  double steepness = 0;
  Evaluation how = {PointSums::kTakesAll, false};

  while (true) {
    evaluate(warp, points, p, m, how);
    how.renews = false;
    if (any_team(warp, whole_step)) {
      const double slope = sum_of_dofs(warp, p, [&](int i) { return v.gradient[i] * v.direction[i]; });
      const bool searches = whole_step && !(slope >= kShort * steepness && slope <= kLong * steepness);
      whole_step = false;
      if (any_team(warp, searches)) {
        const double along = search_along(warp, points, p, m, steepness, searches);
        ISOPATCH_NO_UNROLL
        for (int i = warp.lane(); i < p.num_dofs && searches; i += Warp::kSize) {
          v.velocity[i] = fma(along, v.direction[i], v.previous[i]);
        }
        warp.sync();
        how.with_matrix = PointSums::kTakesAll;
        continue;
      }
    }

    const Steepness found = steepness_of(warp, p, v);
    const bool converged = found.gradient <= fma(limits.tolerance, found.scale, kMin);
    bool renews = false;
    if (is_solved && (converged || iterations >= limits.iterations || !(found.gradient < kInfinity))) {
      result.iterations += iterations;
      result.converged = result.converged && converged;
      const auto [missed, friction] = agreement_of(warp, points, p, m);
      result.friction_agrees = missed <= kMissedFriction * friction;
      renews = converged && pass < limits.passes && missed > limits.renewed_friction * friction;
      is_solved = renews;
    }
    if (!any_team(warp, is_solved)) return result;
    if (any_team(warp, renews)) {
      if constexpr (PointSums::kHasPlates) {
        warp.sync();  // all have read the terms
        if (p.num_terms > 0) renew_terms(warp, p, m, v.velocity, pass);
      }
      if (renews) {
        ++pass;
        iterations = 0;
      }
      how = {PointSums::kTakesAll, renews};
      continue;
    }
    if constexpr (!PointSums::kTakesAll) {
      find_matrix(warp, points, p, m);
    } else if (!how.with_matrix) {  // as the end of a whole step is often the last velocity
      how.with_matrix = true;
      continue;
    }
    how.with_matrix = false;
    if constexpr (requires { points.expected_iterations; }) {  // unless it may be the last velocity
      how.with_matrix = result.iterations + iterations + 1 < points.expected_iterations;
    }
    find_direction(warp, p, m);
    const double fall = sum_of_dofs(warp, p, [&](int i) { return v.gradient[i] * v.direction[i]; });
    if (is_solved) {
      steepness = -fall;
      ISOPATCH_NO_UNROLL
      for (int i = warp.lane(); i < p.num_dofs; i += Warp::kSize) {
        v.previous[i] = v.velocity[i];
        v.velocity[i] += v.direction[i];
      }
      whole_step = true;
      ++iterations;
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail
