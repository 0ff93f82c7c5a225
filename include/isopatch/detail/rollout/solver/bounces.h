// SPDX-License-Identifier: Apache-2.0
//
// Restitution in the steps of Integrator::kMidpoint that are long for a contact, whose damper would bring it to rest.
// Bodies that come with v_i leave such a step with e v_i: the contact's elastic force and stiffness are replaced by
//
//   f = (e v_i (1 + c) - v*) / (w h),  k = c / (w h^2),  c = 200
//
// with what a unit of impulse along the normal changes their speed by, w, and the speed of separation without contact,
// v*. So f - h k v gives e v_i to one contact alone, and to several of a body what suits them best. Bodies that leave
// are not pushed beyond e v_i by what still overlaps. v_i is less here by what forces may have given since they met.
#pragma once

#include "isopatch/detail/rollout/solver/begin_problem.h"

namespace isopatch::detail {

/// A contact with a restitution in a step, along its normal.
struct Bounce {
  double leaving;   // e v_i, m/s; v_i without what half a step gives
  double before;    // as its bodies part before the step, m/s
  double free;      // v*, m/s
  double softness;  // w, 1/kg
  bool is_impact;   // not pressed together by forces that give as much speed in two steps
};

ISOPATCH_HD Bounce bounce_of(const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                             const SolvedPair& pair, const ContactTerm& term) {
  const auto along = [&](const double* velocities) {
    return dot(term.normal, relative_twist(m, pair, velocities).at(term.arm));
  };
  Bounce bounce;
  bounce.before = along(m.vectors.previous);
  bounce.free = along(m.vectors.free_velocity);
  const double gained = 0.5 * max(bounce.before - bounce.free, 0.0);
  bounce.leaving = term.law.restitution * (term.begun.impact_speed - gained);
  bounce.softness =
      mobility_of(m, pair, 0).along(term.normal, term.arm) + mobility_of(m, pair, 1).along(term.normal, term.arm);
  const double pressed = max(stage.step * norm(in.input.gravity(in.view, in.environment)), bounce.before - bounce.free);
  bounce.is_impact = term.begun.impact_speed > max(2 * pressed, term.law.small_speed) && bounce.softness > 0;
  return bounce;
}

ISOPATCH_HD bool has_restitution(const StageInput& in, const ContactTerm& term) {
  return term.law.impact_factor >= 0 &&
         in.scene.pairs[term.view].model != static_cast<std::int32_t>(ContactModel::kPressureField);
}

/// Changes the points of contacts with a restitution, which begin_points() has made: of each contact one polygon.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void begin_bounces(Warp& warp, const StageInput& in, const VelocityProblem& p,
                                     const SolverStage& stage, const SolverMemory& m) {
  constexpr double kLong = 0.06;  // a of pair_damper.h; the damper leaves .97 of what is asked for in shorter steps
  constexpr double kStiff = 200;
  constexpr int kPoints = PolygonPoints<double>::kPoints;
  const double h = stage.step;
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const int terms = stage.integrator == Integrator::kMidpoint ? pair.terms : 0;
    const PolygonColumns columns = columns_of(m, pair);
    for (int t = warp.lane(); t < terms; t += Warp::kSize) {
      ContactTerm& term = m.terms[pair.first_term + t];
      if (!has_restitution(in, term)) continue;
      const Bounce bounce = bounce_of(in, stage, m, pair, term);
      if (!bounce.is_impact) continue;
      PolygonPoints<double> points = columns.load(term.first);
      const double of_step = bounce.softness * h;
      if (bounce.before < -0.5 * term.begun.impact_speed && relative_stiffness(h, pair.sums) > kLong) {
        points.stiffness = kStiff / (of_step * h * kPoints);
        points.dissipation = 0;
        for (int k = 0; k < kPoints; ++k) {
          points.arm[k] = term.arm;  // it pushes, but does not turn
          points.force[k] = fma(bounce.leaving, 1 + kStiff, -bounce.free) / (of_step * kPoints);
        }
        term.impulse = (bounce.leaving - bounce.free) / bounce.softness;
      } else if (bounce.before > 0.5 * bounce.leaving) {
        const double slope = h * points.stiffness * kPoints,
                     undamped = 1 - term.law.impact_factor * term.law.restitution;
        double force = 0;
        for (int k = 0; k < kPoints; ++k) force += points.force[k];
        const double most = max(slope * max(bounce.before, bounce.leaving),
                                fma(slope, bounce.leaving, (bounce.leaving - bounce.free) / (of_step * undamped)));
        for (int k = 0; k < kPoints && force > most; ++k) points.force[k] *= most / force;
      }
      columns.store(term.first, points);
    }
  }
  warp.sync();
}

/// Whether a stage of sdirk2 pushes bodies apart with more than (e + .01) v_i, after an impact that was too stiff for
/// it and left overlap. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE bool bounces_too_far(Warp& warp, const StageInput& in, const VelocityProblem& p,
                                       const SolverStage& stage, const SolverMemory& m) {
  constexpr double kBeyond = 0.01;
  const double slow = 2 * stage.step * norm(in.input.gravity(in.view, in.environment));
  bool is_beyond = false;
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    for (int t = warp.lane(); t < pair.terms; t += Warp::kSize) {
      const ContactTerm& term = m.terms[pair.first_term + t];
      const double impact = term.begun.impact_speed, most = (term.law.restitution + kBeyond) * impact;
      const auto exceeds = [&](const double* velocities) {
        return dot(term.normal, relative_twist(m, pair, velocities).at(term.arm)) > most;
      };
      is_beyond = is_beyond || (has_restitution(in, term) && impact > max(slow, term.law.small_speed) &&
                                exceeds(m.vectors.velocity) && !exceeds(m.vectors.free_velocity));
    }
  }
  return warp.ballot(is_beyond) != 0u;
}

}  // namespace isopatch::detail
