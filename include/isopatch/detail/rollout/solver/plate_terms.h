// SPDX-License-Identifier: Apache-2.0
//
// Contacts with state in a stage: of each part pair one friction term, of the plate's slip of four numbers, in place
// of the friction of its points. Its normal impulse, the share that sticks and the limit are held in a solve, as the
// friction limits of points are, so that the term is convex (force_law/README.md).
#pragma once

#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/rollout/solver/begin_problem.h"

namespace isopatch::detail {

/// Lists the part pairs with a law among those of the pairs in contact. Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD void list_terms(Warp& warp, const StageInput& in, const Contacts& contacts, VelocityProblem& p,
                            const SolverMemory& m) {
  const SceneView& scene = in.scene;
  p.num_terms = 0;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const std::int32_t first_term = p.num_terms;
    std::int32_t view = pair.pair;
    while (true) {
      const PairView& of = scene.pairs[view];
      for (int base = of.part_pairs_begin; of.has_law && base < of.part_pairs_end; base += Warp::kSize) {
        const int at = base + warp.lane();
        int begin = 0, end = 0;
        if (at < of.part_pairs_end && scene.part_pairs[at].layer == 0) {
          int last = at + 1;  // behind the layers of its row
          while (last < of.part_pairs_end && scene.part_pairs[last].row == scene.part_pairs[at].row) ++last;
          begin = contacts.first_at(at);
          end = contacts.first_at(last);
        }
        const std::uint32_t found = warp.ballot(end > begin);
        if (end > begin) {
          PlateTerm& term = m.terms[p.num_terms + rank_in(found, warp.lane())];
          term.view = view;
          term.part_pair = at;
          term.first = begin - pair.first_polygon;
          term.polygons = end - begin;
        }
        p.num_terms += count_bits(found);
      }
      const std::int32_t next = view == pair.pair ? of.further : view + 1;
      if (next >= scene.num_pair_views || scene.pairs[next].pair != pair.pair) break;
      view = next;
    }
    warp.sync();
    if (warp.lane() == 0) {
      m.pairs[i].first_term = first_term;
      m.pairs[i].terms = p.num_terms - first_term;
    }
  }
  warp.sync();
}

/// The impulse of elastic forces, with their damping, of polygons before points are made of them. Called by all lanes.
template <class Warp>
ISOPATCH_HD double first_normal_impulse(Warp& warp, double step, const PolygonColumns& columns, const PlateTerm& term,
                                        const RelativeTwist<double>& twist) {
  double sums[1];
  lane_sums(
      warp, term.polygons,
      [&](int i, double(&add)[1]) {
        const PolygonPoints<double> points = columns.read(term.first + i);
        for (int k = 0; k < PolygonPoints<double>::kPoints; ++k) {
          const double v_n = dot(points.normal, twist.at(points.arm[k]));
          add[0] += step * points.force[k] * damped_share(points.dissipation, v_n);
        }
      },
      sums);
  return sums[0];
}

/// Begins the contacts with state of a stage, whose known velocities are in m.vectors.previous, and takes the friction
/// of their points away: after begin_problem(). `plates` are by row of the contact state. Called by all lanes.
template <class Warp, class PointSums, class Contacts>
ISOPATCH_HD_LARGE void begin_terms(Warp& warp, const PointSums& points, const StageInput& in, const SolverStage& stage,
                                   const Contacts& contacts, const PlateContact* plates, VelocityProblem& p,
                                   const SolverMemory& m) {
  list_terms(warp, in, contacts, p, m);
  const double* const known = m.vectors.previous;
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const PolygonColumns columns = columns_of(m, pair);
    const RelativeTwist<double> twist = relative_twist(m, pair, known);
    const Vec3d turning =
        0.5 * (twist_of_center(m.bodies, pair.a, known).angular + twist_of_center(m.bodies, pair.b, known).angular);
    for (int t = 0; t < pair.terms; ++t) {
      PlateTerm& shared = m.terms[pair.first_term + t];
      PlateTerm term = {};
      term.view = shared.view;
      term.part_pair = shared.part_pair;
      term.first = shared.first;
      term.polygons = shared.polygons;
      const PartPairView& parts = in.scene.part_pairs[term.part_pair];
      const PlateContact* const own = in.scene.pairs[term.view].has_plates ? plates + parts.row : nullptr;
      Softness softness = {};
      term.law = law_of(in.scene, in.contact, in.environment, term.view, parts, softness);
      term.law.slip_tolerance = p.parameters.slip_tolerance;
      term.row = parts.row;
      term.rolls = own != nullptr && own->rolls;
      if (own != nullptr) term.motion = own->motion;
      if (own != nullptr && warp.lane() == 0) columns.write(term.first, own->points);
      warp.sync();
      double sums[PlateSums::kSize];
      if (own == nullptr) points.plate(stage.step, columns, term.range(pair.polygons), twist, sums);
      const PatchPlate plate = own != nullptr ? plate_of(*own) : plate_of(sums, columns.read(term.first));
      term.arm = plate.arm;
      term.normal = plate.normal;
      term.spin_radius = term.law.spin_radius * plate.radius;
      const double speed = dot(plate.normal, twist.at(plate.arm));
      term.begun = touched(term.law, read_contact_state(in.scene, in.contact, in.environment, parts.row),
                           own != nullptr ? own->metric : 0.0, speed);
      if (own != nullptr && term.law.impact_factor >= 0 && warp.lane() == 0) {
        columns.set_dissipation(term.first, term.law.impact_factor / term.begun.impact_speed);
      }
      ISOPATCH_NO_UNROLL
      for (int k = warp.lane(); k < term.polygons; k += Warp::kSize) columns.set_friction(term.first + k, 0);
      warp.sync();
      term.friction = begin_friction(term.law, plate.normal, term.spin_radius, term.slip_at(twist),
                                     dot(plate.normal, turning), term.begun, stage.step);
      term.impulse =
          own != nullptr ? first_normal_impulse(warp, stage.step, columns, term, twist) : sums[PlateSums::kImpulse];
      if (warp.lane() == 0) shared = term;
      warp.sync();
    }
  }
}

/// By how much what a term holds differs from what the velocities of a solve say, as ImpulseSums::kMissed, and that
/// friction. The terms keep the normal impulses that were found. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD_LARGE void add_term_agreement(Warp& warp, const PointSums& points, const VelocityProblem& p,
                                          const SolverMemory& m, const double* velocities, double& missed,
                                          double& friction) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const RelativeTwist<double> twist = relative_twist(m, pair, velocities);
    for (int t = 0; t < pair.terms; ++t) {
      PlateTerm& term = m.terms[pair.first_term + t];
      const double impulse =
          points.normal_impulses(p.parameters, columns_of(m, pair), term.range(pair.polygons), twist);
      if (warp.lane() == 0) term.found_impulse = impulse;
      const double of_limit = term.law.friction;
      missed += of_limit * abs(impulse - term.impulse);
      friction += of_limit * impulse;
      if (!term.law.has_bristles) continue;
      const double sticking = term.sticking(term.slip_at(twist), p.parameters.step);
      missed += of_limit * impulse * abs(sticking - term.friction.weights.sticking);
    }
  }
}

/// Holds what the velocities of a solve say: after add_term_agreement(). From the second pass on the sticking share
/// goes halfway: where a step is about to slide, shares and velocities would take turns. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void renew_terms(Warp& warp, const VelocityProblem& p, const SolverMemory& m,
                                   const double* velocities, int pass) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const RelativeTwist<double> twist = relative_twist(m, pair, velocities);
    ISOPATCH_NO_UNROLL
    for (int t = warp.lane(); t < pair.terms; t += Warp::kSize) {
      PlateTerm& term = m.terms[pair.first_term + t];
      term.impulse = term.found_impulse;
      if (!term.law.has_bristles) continue;
      const double held = term.friction.weights.sticking;
      const double found = term.sticking(term.slip_at(twist), p.parameters.step);
      const double sticking = pass < 2 ? found : 0.5 * (held + found);
      term.friction = friction_step(term.law, term.friction.bent, sticking, term.begun.dwell, p.parameters.step);
    }
  }
  warp.sync();
}

/// What a term keeps after a stage, at the velocities that were found. Where another stage of the sub-step follows, its
/// bend is extrapolated as momenta are.
ISOPATCH_HD ContactState state_after(const PlateTerm& term, const SolverStage& stage, Slip slip) {
  const FrictionStep& friction = term.friction;
  ContactState next = end_friction(term.law, friction, friction_at(friction.term, slip).bristles, term.spin_radius,
                                   term.begun, stage.step, stage.duration);
  if (!term.law.has_bristles || stage.last) return next;
  constexpr double kBeyond = (1 - kGamma) / kGamma;
  next.bend = fma(kBeyond, next.bend - term.begun.bend, term.begun.bend);
  next.twist = fma(kBeyond, next.twist - term.begun.twist, term.begun.twist);
  next.dwell = dwell_after(term.law.bristle, term.sticking(slip, stage.step), term.begun.dwell, stage.duration);
  return next;
}

/// Writes the contact states after a stage: zeros for part pairs with a law that do not touch. Before another stage of
/// the sub-step, also into `now`, which that stage begins with. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void end_terms(Warp& warp, const StageInput& in, const SolverStage& stage, const VelocityProblem& p,
                                 const SolverMemory& m, double* now, double* next) {
  const int size = in.scene.contact.state_size;
  for (int view = 0; view < in.scene.num_pair_views; ++view) {
    const PairView& of = in.scene.pairs[view];
    if (!of.has_law) continue;
    for (int i = size * of.rows_begin + warp.lane(); i < size * of.rows_end; i += Warp::kSize) {
      next[i] = 0;
      if (!stage.last) now[i] = 0;
    }
  }
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const RelativeTwist<double> twist = relative_twist(m, pair, m.vectors.velocity);
    ISOPATCH_NO_UNROLL
    for (int t = warp.lane(); t < pair.terms; t += Warp::kSize) {
      const PlateTerm& term = m.terms[pair.first_term + t];
      const std::int64_t first = static_cast<std::int64_t>(size) * term.row;
      for_each_number_of(state_after(term, stage, term.slip_at(twist)), [&](int k, double value) {
        next[first + k] = value;
        if (!stage.last) now[first + k] = value;
      });
    }
  }
  warp.sync();
}

}  // namespace isopatch::detail
