// SPDX-License-Identifier: Apache-2.0
//
// Restitution in the steps of Integrator::kMidpoint that are long for a contact, whose damper would bring it to rest.
// Bodies that come with v_i leave such a step with e v_i: the contact's elastic force and stiffness are replaced by
//
//   f = (v' (1 + c) - v*) / (w h),  k = c / (w h^2),  c = 2000,  v' = e v_i
//
// with what a unit of impulse along the normal changes their speed by, w, and the speed of separation without contact,
// v*. So f - h k v gives v' to one contact alone, and to several of a body what suits them best. As the overlap took no
// work, it gives none back while the impact lasts: what parts is let part, and what comes again, pushed by another
// contact, leaves with no more than it comes with. The work of an impulse along the normal is the mean of both speeds
// times the impulse, never positive. Friction of several impacts at once may still give energy, as Kane has shown of
// this law of impact (A Dynamics Puzzle, 1984): then they are solved again without rebound. v_i is less here by
// what forces may have given since they met.
#pragma once

#include "isopatch/detail/rollout/solver/begin_problem.h"

namespace isopatch::detail {

/// A contact with a restitution in a step, along its normal.
struct Bounce {
  double leaving;  // v', m/s
  double before;   // as its bodies part before the step, m/s
  double free;     // v*, m/s
  bool rebounds;   // in place of the contact's spring
  bool limits;     // the contact's spring to what leads to v'
};

/// How fast its bodies part, m/s.
ISOPATCH_HD double parting_speed(const PlateTerm& term, const RelativeTwist<double>& twist) {
  return dot(term.normal, twist.at(term.arm));
}

/// w, 1/kg.
ISOPATCH_HD double softness_of(const SolverMemory& m, const SolvedPair& pair, const PlateTerm& term) {
  return mobility_of(m, pair, 0).along(term.normal, term.arm) + mobility_of(m, pair, 1).along(term.normal, term.arm);
}

ISOPATCH_HD bool has_restitution(const StageInput& in, const PlateTerm& term) {
  return term.law.impact_factor >= 0 && in.scene.pairs[term.view].has_plates;
}

ISOPATCH_HD Bounce bounce_of(const StageInput& in, const SolverStage& stage, const SolverMemory& m,
                             const SolvedPair& pair, const PlateTerm& term) {
  constexpr double kLong = 0.06;  // a of pair_damper.h; the damper leaves .97 of what is asked for in shorter steps
  constexpr double kVeryLong = 0.25;
  constexpr double kFirst = 8;     // steps; what has touched for longer is pressed together by something else
  constexpr double kMost = 0.999;  // several contacts that share an impact leave with up to 1 + 2 / c of v'
  Bounce bounce = {};
  if (!has_restitution(in, term)) return bounce;
  const double h = stage.step, impact = term.begun.impact_speed;
  bounce.before = parting_speed(term, relative_twist(m, pair, m.vectors.previous));
  bounce.free = parting_speed(term, relative_twist(m, pair, m.vectors.free_velocity));
  const double given = bounce.before - bounce.free,
               pressed = max(h * norm(in.input.gravity(in.view, in.environment)), given);
  if (!(impact > max(2 * pressed, term.law.small_speed))) return bounce;
  bounce.leaving = term.law.restitution * (impact - 0.5 * max(given, 0.0));
  const double came = -bounce.before, a = relative_stiffness(h, pair.sums);
  const bool comes = came > 0.9 * bounce.leaving;
  bounce.rebounds = term.begun.age <= kFirst * h && a > (comes ? kLong : kVeryLong);
  bounce.limits = !bounce.rebounds && a <= kVeryLong && bounce.before > 0.5 * bounce.leaving;
  if (bounce.rebounds) {
    bounce.leaving = comes ? min(bounce.leaving, kMost * came) : came * (came > 0 ? term.law.restitution : 1);
  }
  return bounce;
}

/// Lets a contact of one polygon leave with a speed.
ISOPATCH_HD void rebound(const SolverStage& stage, double softness, double free, double leaving,
                         const PolygonColumns& columns, PlateTerm& term) {
  constexpr double kStiff = 2000;
  constexpr int kPoints = PolygonPoints<double>::kPoints;
  PolygonPoints<double> points = columns.load(term.first);
  points.stiffness = kStiff / (softness * stage.step * stage.step * kPoints);
  points.dissipation = 0;
  for (int k = 0; k < kPoints; ++k) {
    points.arm[k] = term.arm;  // it pushes, but does not turn
    points.force[k] = fma(leaving, 1 + kStiff, -free) / (softness * stage.step * kPoints);
  }
  columns.store(term.first, points);
  term.impulse = max(leaving - free, 0.0) / softness;
}

struct BouncesFound {
  bool rebound;        // a contact does
  bool change_points;  // of a contact
};

/// Changes the points of contacts with a restitution, which begin_points() has made: of each contact one polygon.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE BouncesFound begin_bounces(Warp& warp, const StageInput& in, const VelocityProblem& p,
                                             const SolverStage& stage, const SolverMemory& m) {
  constexpr int kPoints = PolygonPoints<double>::kPoints;
  bool rebounds = false, limits = false;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const int terms = stage.integrator == Integrator::kMidpoint ? pair.terms : 0;
    const PolygonColumns columns = columns_of(m, pair);
    ISOPATCH_NO_UNROLL
    for (int t = warp.lane(); t < terms; t += Warp::kSize) {
      PlateTerm& term = m.terms[pair.first_term + t];
      const double softness = softness_of(m, pair, term);
      const Bounce bounce = softness > 0 ? bounce_of(in, stage, m, pair, term) : Bounce{};
      term.rebounds = bounce.rebounds;
      if (bounce.rebounds) {
        rebounds = true;
        term.parted = bounce.before;
        term.slipped = term.slip_at(relative_twist(m, pair, m.vectors.previous));
        rebound(stage, softness, bounce.free, bounce.leaving, columns, term);
      } else if (bounce.limits) {
        limits = true;
        PolygonPoints<double> points = columns.load(term.first);
        const double slope = stage.step * points.stiffness * kPoints,
                     undamped = 1 - term.law.impact_factor * term.law.restitution;
        double force = 0;
        for (int k = 0; k < kPoints; ++k) force += points.force[k];
        const double of_impact = (bounce.leaving - bounce.free) / (softness * stage.step * undamped);
        const double most = max(slope * max(bounce.before, bounce.leaving), fma(slope, bounce.leaving, of_impact));
        for (int k = 0; k < kPoints && force > most; ++k) points.force[k] *= most / force;
        columns.store(term.first, points);
      }
    }
  }
  warp.sync();
  return {warp.ballot(rebounds) != 0u, warp.ballot(rebounds || limits) != 0u};
}

/// Whether rebounds, with their friction, give energy to the bodies: more than 1e-4 of what they turn back.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE bool bounces_gain(Warp& warp, const VelocityProblem& p, const SolverMemory& m) {
  constexpr double kGain = 1e-4;
  warp.sync();                  // impulses that were found
  double work = 0, turned = 0;  // twice those of all, J; every lane adds them up, in the same order
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const RelativeTwist<double> twist = relative_twist(m, pair, m.vectors.velocity);
    for (int t = 0; t < pair.terms; ++t) {
      const PlateTerm& term = m.terms[pair.first_term + t];
      if (!term.rebounds) continue;
      const Slip slip = term.slip_at(twist), friction = friction_at(term.friction.term, slip).total;
      work = fma(term.found_impulse, term.parted + parting_speed(term, twist), work);
      work = fma(-term.impulse, dot(friction, fma(1.0, term.slipped, slip)), work);
      turned = fma(term.found_impulse, abs(term.parted), turned);
    }
  }
  return work > kGain * turned;
}

/// Lets nothing rebound, after begin_bounces(). Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void stop_bounces(Warp& warp, const VelocityProblem& p, const SolverStage& stage,
                                    const SolverMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    ISOPATCH_NO_UNROLL
    for (int t = warp.lane(); t < pair.terms; t += Warp::kSize) {
      PlateTerm& term = m.terms[pair.first_term + t];
      if (!term.rebounds) continue;
      const double free = parting_speed(term, relative_twist(m, pair, m.vectors.free_velocity));
      rebound(stage, softness_of(m, pair, term), free, 0, columns_of(m, pair), term);
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
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    ISOPATCH_NO_UNROLL
    for (int t = warp.lane(); t < pair.terms; t += Warp::kSize) {
      const PlateTerm& term = m.terms[pair.first_term + t];
      const double impact = term.begun.impact_speed, most = (term.law.restitution + kBeyond) * impact;
      const auto exceeds = [&](const double* velocities) {
        return parting_speed(term, relative_twist(m, pair, velocities)) > most;
      };
      is_beyond = is_beyond || (has_restitution(in, term) && impact > max(slow, term.law.small_speed) &&
                                exceeds(m.vectors.velocity) && !exceeds(m.vectors.free_velocity));
    }
  }
  return warp.ballot(is_beyond) != 0u;
}

}  // namespace isopatch::detail
