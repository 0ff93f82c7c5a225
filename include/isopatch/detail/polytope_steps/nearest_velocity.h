// SPDX-License-Identifier: Apache-2.0
//
// The velocities nearest to those without contact, in the metric of the masses, with which contacts that were chosen
// keep their gaps:
//
//   minimise l(v) subject to b_c + J_c v >= 0 of each contact c
//
// l is the potential of velocity_problem.h, with all that is compliant. By the method of multipliers (Rockafellar,
// "The multiplier method of Hestenes and Powell applied to convex programming", 1973): in a turn, l(v) plus
// max(0, p - r (b + J v))^2 / 2 r is minimised, and then p becomes max(0, p - r (b + J v)). In the solver's terms such
// a contact is a point with the elastic force (p - r b) / h, the stiffness r / h^2 and no damping, so columns, sums,
// line search and matrix are as for compliant contact. A turn brings the error down to about 1 / kPenalty.
#pragma once

#include "isopatch/detail/polytope_steps/step_contacts.h"
#include "isopatch/detail/rollout/solver/pair_damper.h"
#include "isopatch/detail/rollout/solver/solve_velocities.h"

namespace isopatch::detail {

/// Of a contact, over what resists along its normal: the penalty with which it begins.
inline constexpr double kPenalty = 1e5;
/// Contacts with less than this share of the largest impulse bear nothing.
inline constexpr double kNoImpulse = 1e-9;

struct NearestVelocity {
  bool found;
  int iterations;  // of Newton's method
};

/// One problem of a stage, in which relations have chosen contacts. Its methods are called by all lanes.
template <class Warp, class PointSums>
class RelationSolver {
 public:
  /// The rigid pairs are the first ones of the problem; their columns begin with a block. Memory is used in place.
  ISOPATCH_HD RelationSolver(Warp& warp, const PointSums& points, const VelocityProblem& problem,
                             const SolverMemory& memory, int num_rigid, std::int32_t first_block,
                             const RelationMemory& relations, RelationCounts counts)
      : warp_(warp),
        points_(points),
        p_(problem),
        m_(memory),
        num_rigid_(num_rigid),
        first_block_(first_block),
        r_(relations),
        counts_(counts) {}

  ISOPATCH_HD SolvedPair* rigid_pairs() const { return m_.pairs; }
  ISOPATCH_HD RelationCounts& counts() { return counts_; }
  ISOPATCH_HD double* velocity() const { return m_.vectors.velocity; }

  /// Finds the rates of all gaps at velocities.
  ISOPATCH_HD_MEMBER void find_rates(const double* velocities) {
    const SolvedPair* const pairs = rigid_pairs();
    for_each_contact([&](StepContact& c) {
      const SolvedPair& pair = pairs[c.pair];
      c.rate = c.offset + dot(c.normal, relative_twist(m_, pair, velocities).at(c.point - pair.point));
    });
    warp_.sync();
  }

  /// The scale of rates, m/s: the largest size of a contact's; at least 1, and so much that rounding of gaps is small
  /// beside it far away from the origin.
  ISOPATCH_HD_MEMBER double scale_of_rates() const {
    constexpr double kTolerance = 1e-10;  // Descent's, of rates
    const double far = kPositionRounding / kTolerance / p_.parameters.step;
    double largest = 1;
    for (std::int32_t i = 0; i < counts_.contacts; ++i) {
      const StepContact& c = r_.contacts[i];
      largest = max(max(largest, abs(c.rate)), far * farthest(c.point));
    }
    return largest;
  }

  /// The penalties with which contacts begin.
  ISOPATCH_HD_MEMBER void begin_penalties() {
    const SolvedPair* const pairs = rigid_pairs();
    for_each_contact([&](StepContact& c) {
      const SolvedPair& pair = pairs[c.pair];
      const Vec3d arm = c.point - pair.point;
      const double yields =
          mobility_of(m_, pair, 0).along(c.normal, arm) + mobility_of(m_, pair, 1).along(c.normal, arm);
      c.penalty = yields > 0 ? kPenalty / yields : 0;
    });
    warp_.sync();
  }

  /// Takes the contacts that relations have chosen.
  ISOPATCH_HD_MEMBER void choose(const std::int32_t* choices) {
    has_friction_ = false;
    for (std::int32_t i = 0; i < counts_.relations; ++i) {
      has_friction_ = has_friction_ || r_.contacts[choices[i]].friction > 0;
    }
    warp_.sync();
    if (warp_.lane() == 0) {
      for (std::int32_t i = 0; i < counts_.contacts; ++i) r_.contacts[i].is_chosen = false;
      for (std::int32_t i = 0; i < counts_.relations; ++i) r_.contacts[choices[i]].is_chosen = true;
      SolvedPair* const pairs = rigid_pairs();
      for (int k = 0; k < num_rigid_; ++k) pairs[k].polygons = 0;
      for (std::int32_t i = 0; i < counts_.contacts; ++i) {
        StepContact& c = r_.contacts[i];
        if (!c.is_chosen) {
          c.impulse = 0;
        } else {
          ++pairs[c.pair].polygons;
        }
      }
      std::int32_t at = 0, block = first_block_;
      for (int k = 0; k < num_rigid_; ++k) {
        pairs[k].first_polygon = at;
        pairs[k].first_block = block;
        at += pairs[k].polygons;
        block += PolygonColumns::blocks_of(pairs[k].polygons);
        pairs[k].polygons = 0;
      }
      for (std::int32_t i = 0; i < counts_.contacts; ++i) {
        const StepContact& c = r_.contacts[i];
        if (c.is_chosen) r_.chosen[pairs[c.pair].first_polygon + pairs[c.pair].polygons++] = i;
      }
    }
    warp_.sync();
  }

  /// Finds the velocities, from those in m.vectors.velocity on and from the impulses of the contacts. `accuracy` is
  /// of rates, m/s. Gives up without a solution, or where none costs less than `limit`.
  ISOPATCH_HD_MEMBER NearestVelocity find(double accuracy, double limit = kInfinity) {
    constexpr int kMostTurns = 40, kMostLimits = 20;
    constexpr double kSlow = 0.1, kLargest = 1e9;  // of errors; of penalties, relative to the first
    constexpr double kFriction = 1e-8;             // of the largest impulse: what friction may miss
    constexpr double kRough = 1e3;                 // of the accuracy
    constexpr double kFalls = 0.5, kStays = 1e-4;  // what it may miss if it does not fall to this share
    NearestVelocity result = {false, 0};
    begin_penalties();
    for_each_contact([&](StepContact& c) { c.borne = c.impulse; });
    warp_.sync();
    double error = kInfinity, missed = kInfinity, raised = 1, share = 1;
    ISOPATCH_NO_UNROLL
    for (int turn = 0; turn < kMostTurns; ++turn) {
      write_columns();
      result.iterations += minimise(accuracy);
      find_rates(velocity());
      if (limit < kInfinity && (turn > 0 || !has_friction_) && cost() + penalty_cost() > limit)
        return {false, result.iterations};
      const double error_before = error, missed_before = missed;
      error = renew_impulses();
      missed = missed_friction();
      // contacts that contradict each other by rounding leave an error for ever
      const bool stays = turn > 2 && error > kFalls * error_before;
      result.found = error <= accuracy || (stays && error <= kRough * accuracy);
      // rounding of gaps lets impulses of contacts that say the same drift for ever
      const double least = missed > kFalls * missed_before ? kStays : kFriction;
      const bool has_limits = !has_friction_ || turn >= kMostLimits || missed <= least * largest_impulse();
      if (!(error < kInfinity) || (result.found && has_limits)) break;
      if (!has_limits) limit_friction(turn > 0, share);
      const bool is_slow = has_limits ? error > kSlow * error_before : missed > missed_before;
      if (error > kRough * accuracy && is_slow && raised < kLargest) {
        raised *= 10;
        for_each_contact([&](StepContact& c) { c.penalty *= 10; });
        warp_.sync();
      }
    }
    return result;
  }

  /// Begins again with these velocities, and no contact.
  ISOPATCH_HD_MEMBER void forget(const double* velocities) {
    for_each_contact([&](StepContact& c) {
      c.impulse = c.borne = 0;
      c.is_chosen = false;
    });
    copy(velocities, velocity());
  }

  /// Whether the friction of contacts is within kMissedFriction of what their impulses say. After polish().
  ISOPATCH_HD bool friction_agrees() const { return friction_agrees_; }

  /// Takes one more turn from a solution, as far as rounding lets it, and finds rates and sums.
  ISOPATCH_HD_MEMBER void polish(double accuracy) {
    constexpr int kMostTurns = 8;
    begin_penalties();
    ISOPATCH_NO_UNROLL
    for (int turn = 0; turn < kMostTurns; ++turn) {
      write_columns();
      minimise(accuracy);
      find_rates(velocity());
      const double error = renew_impulses();
      friction_agrees_ = !has_friction_ || missed_friction() <= kMissedFriction * largest_impulse();
      if (error <= accuracy) break;
    }
    settle();
  }

  /// Finds columns and sums for the velocities and impulses at hand.
  ISOPATCH_HD_MEMBER void settle() {
    write_columns();
    find_sums({false, false});
  }

  /// l(v) at the velocities at hand, with the friction of the contacts in use, J. After find_rates().
  ISOPATCH_HD_MEMBER double cost() {
    static_assert(PointSums::kHasPlates);  // else points that have begun would begin again
    const SolverVectors& v = m_.vectors;
    multiply_by_mass(warp_, p_, m_, v.velocity, v.momentum);
    double sum = 0.5 * sum_of_dofs(warp_, p_, [&](int i) {
                   return (v.velocity[i] - v.free_velocity[i]) * (v.momentum[i] - v.free_momentum[i]);
                 });
    for (int i = 0; i < p_.num_joints; ++i) sum += m_.joints[i].potential(v.velocity[m_.joint_dofs[i]]);
    for (int i = num_rigid_; i < p_.num_pairs; ++i) {
      const SolvedPair& pair = m_.pairs[i];
      const RelativeTwist<double> twist = relative_twist(m_, pair, v.velocity);
      double potentials[2];
      points_.begin(p_.parameters, columns_of<typename PointSums::Columns>(m_, pair), pair.polygons,
                    {PointsBegin::kBegun, twist, twist, {}}, potentials);
      sum += potentials[0];
      for_each_term<PointSums>(m_, pair, [&](const PlateTerm& term) { sum += potential_of(term, twist); });
    }
    if constexpr (kTakesTrees<Warp>) {
      for (int i = 0; i < p_.num_loops; ++i) {
        sum += m_.loops[i].potential(relative_twist(m_, m_.pairs[p_.num_pairs + i], v.velocity));
      }
    }
    if (!has_friction_) return sum;
    const double v_s = p_.parameters.slip_tolerance;
    for_each_chosen([&](const StepContact& c) {
      const SolvedPair& pair = rigid_pairs()[c.pair];
      const Vec3d u = relative_twist(m_, pair, v.velocity).at(c.point - pair.point);
      const Vec3d slip = fma(-dot(c.normal, u), c.normal, u);
      const double squared = dot(slip, slip);
      sum = fma(c.friction * c.borne, squared / (sqrt(fma(v_s, v_s, squared)) + v_s), sum);
    });
    return sum;
  }

  /// |v|_M^2 of a difference of velocities, J.
  ISOPATCH_HD_MEMBER double squared_length(const double* difference) {
    warp_.sync();  // before the momenta change
    multiply_by_mass(warp_, p_, m_, difference, m_.vectors.momentum);
    return sum_of_dofs(warp_, p_, [&](int i) { return difference[i] * m_.vectors.momentum[i]; });
  }

  /// a . M b.
  ISOPATCH_HD_MEMBER double product(const double* a, const double* b) {
    warp_.sync();  // before the momenta change
    multiply_by_mass(warp_, p_, m_, b, m_.vectors.momentum);
    return sum_of_dofs(warp_, p_, [&](int i) { return a[i] * m_.vectors.momentum[i]; });
  }

  template <class Visit>
  ISOPATCH_HD void for_each_contact(const Visit& visit) {
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = warp_.lane(); i < counts_.contacts; i += Warp::kSize) visit(r_.contacts[i]);
  }

  /// In one order, by every lane alone.
  template <class Visit>
  ISOPATCH_HD void for_each_chosen(const Visit& visit) const {
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = 0; i < counts_.contacts; ++i) {
      if (r_.contacts[i].is_chosen) visit(r_.contacts[i]);
    }
  }

  ISOPATCH_HD_MEMBER double largest_impulse() const {
    double largest = 0;
    for_each_chosen([&](const StepContact& c) { largest = max(largest, c.impulse); });
    return largest;
  }

  /// The most that a contact's impulse would do to its bodies alone, J; less where penalties have been raised.
  ISOPATCH_HD_MEMBER double largest_work() const {
    double largest = 0;
    for_each_chosen([&](const StepContact& c) {
      if (c.penalty > 0) largest = max(largest, 0.5 * kPenalty / c.penalty * c.impulse * c.impulse);
    });
    return largest;
  }

  ISOPATCH_HD void copy(const double* from, double* to) {
    ISOPATCH_NO_UNROLL
    for (int i = warp_.lane(); i < p_.num_dofs; i += Warp::kSize) to[i] = from[i];
    warp_.sync();
  }

 protected:
  /// Writes the contacts in use as columns of their pairs: three equal points each.
  ISOPATCH_HD_MEMBER void write_columns() {
    constexpr double kShare = 1.0 / PolygonPoints<double>::kPoints;
    const double h = p_.parameters.step;
    const SolvedPair* const pairs = rigid_pairs();
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < num_rigid_; ++k) {
      const SolvedPair& pair = pairs[k];
      const PolygonColumns columns = columns_of(m_, pair);
      constexpr int kVector = PolygonColumns::kMaxVector;
      const int room = (pair.polygons + kVector - 1) / kVector * kVector;
      ISOPATCH_NO_UNROLL
      for (int i = warp_.lane(); i < room; i += Warp::kSize) {
        if (i >= pair.polygons) {
          columns.write_nothing(i);
          continue;
        }
        const StepContact& c = r_.contacts[r_.chosen[pair.first_polygon + i]];
        PolygonPoints<double> points;
        points.normal = c.normal;
        points.stiffness = kShare * c.penalty / (h * h);
        points.dissipation = 0;
        points.friction = c.friction;
        ISOPATCH_UNROLL
        for (int j = 0; j < PolygonPoints<double>::kPoints; ++j) {
          points.arm[j] = c.point - pair.point;
          points.force[j] = kShare * fma(-c.penalty, c.offset, c.impulse) / h;
          points.limit[j] = kShare * c.friction * c.borne;
        }
        columns.store(i, points);
      }
    }
    warp_.sync();
  }

  /// The impulses and the gradient at the velocities at hand, and the matrix.
  ISOPATCH_HD_MEMBER void find_sums(Evaluation how) { evaluate(warp_, points_, p_, m_, how); }

  /// Minimises the function of a turn by Newton's method. Returns its iterations. While the same contacts push, the
  /// function is quadratic but for friction and what is compliant, and one iteration is enough.
  /// `accuracy` is of rates, m/s.
  ISOPATCH_HD_MEMBER int minimise(double accuracy) {
    constexpr int kMost = 60;
    constexpr double kShort = -0.5, kLong = 0.1;  // slopes at the end of a whole step that need no search
    constexpr double kEnds = 1e-13;               // of the velocities and of the first gradient
    const SolverVectors& v = m_.vectors;
    const double small = 1e-3 * accuracy;  // of velocities, m/s or rad/s
    const Evaluation how = {PointSums::kTakesAll, false};
    find_sums(how);
    const double begin = steepness_of(warp_, p_, v).gradient;
    int iterations = 0;
    while (iterations < kMost) {
      if constexpr (!PointSums::kTakesAll) find_matrix(warp_, points_, p_, m_);
      find_direction(warp_, p_, m_);
      double sums[4];
      lane_sums(
          warp_, p_.num_dofs,
          [&](int i, double(&add)[4]) {
            const double mass = 1 / v.inverse_mass[i], d = v.direction[i], u = v.velocity[i];
            add[0] = fma(v.gradient[i], d, add[0]);
            add[1] = fma(mass * d, d, add[1]);
            add[2] = fma(mass, max(u * u, v.free_velocity[i] * v.free_velocity[i]), add[2]);
            add[3] += mass;
          },
          sums);
      const double fall = sums[0];
      if (!(sums[1] < kInfinity)) break;
      ISOPATCH_NO_UNROLL
      for (int i = warp_.lane(); i < p_.num_dofs; i += Warp::kSize) {
        v.previous[i] = v.velocity[i];
        v.velocity[i] += v.direction[i];
      }
      warp_.sync();
      ++iterations;
      if (sums[1] <= max(kEnds * kEnds * sums[2], small * small * sums[3])) break;
      find_sums(how);
      if (steepness_of(warp_, p_, v).gradient <= kEnds * begin) break;
      const double slope = sum_of_dofs(warp_, p_, [&](int i) { return v.gradient[i] * v.direction[i]; });
      if (slope >= kShort * -fall && slope <= kLong * -fall) continue;
      warp_.sync();  // before the momenta change
      const double along = search_along(warp_, points_, p_, m_, -fall, true);
      ISOPATCH_NO_UNROLL
      for (int i = warp_.lane(); i < p_.num_dofs; i += Warp::kSize) {
        v.velocity[i] = fma(along, v.direction[i], v.previous[i]);
      }
      warp_.sync();
      find_sums(how);
    }
    return iterations;
  }

  /// After find_rates(). Returns by how much contacts in use miss their rates: what they lack, or have although they
  /// bear an impulse, m/s.
  ISOPATCH_HD_MEMBER double renew_impulses() {
    double error = 0;
    for_each_chosen([&](const StepContact& c) { error = max(error, next_impulse(c) > 0 ? abs(c.rate) : -c.rate); });
    warp_.sync();
    for_each_contact([&](StepContact& c) {
      if (c.is_chosen) c.impulse = next_impulse(c);
    });
    warp_.sync();
    return error;
  }
  /// By how much impulses are not those by which friction is limited, N s.
  ISOPATCH_HD_MEMBER double missed_friction() const {
    double missed = 0;
    for_each_chosen([&](const StepContact& c) {
      if (c.friction > 0) missed = max(missed, abs(c.impulse - c.borne));
    });
    return missed;
  }
  /// Limits friction by the impulses at hand, to which it goes by a share.
  ISOPATCH_HD_MEMBER void limit_friction(bool has_missed, double& share) {
    double along = 0, length = 0;
    for_each_chosen([&](const StepContact& c) {
      const double change = c.impulse - c.borne - c.missed;
      along = fma(c.missed, change, along);
      length = fma(change, change, length);
    });
    if (has_missed) share = relaxed_share(share, along, length);
    warp_.sync();
    for_each_contact([&](StepContact& c) {
      c.missed = c.impulse - c.borne;
      c.borne = max(0.0, fma(share, c.missed, c.borne));
    });
    warp_.sync();
  }
  ISOPATCH_HD static double next_impulse(const StepContact& c) { return max(0.0, fma(-c.penalty, c.rate, c.impulse)); }

  /// What a turn's function has beside l(v): with it, it is less than the least cost that keeps all gaps, J.
  ISOPATCH_HD_MEMBER double penalty_cost() const {
    double sum = 0;
    for_each_chosen([&](const StepContact& c) {
      const double next = next_impulse(c);
      if (c.penalty > 0) sum += (next - c.impulse) * (next + c.impulse) / (2 * c.penalty);
    });
    return sum;
  }

  Warp& warp_;
  const PointSums& points_;
  VelocityProblem p_;
  const SolverMemory& m_;
  int num_rigid_;
  std::int32_t first_block_;
  const RelationMemory& r_;
  RelationCounts counts_;
  bool has_friction_ = false, friction_agrees_ = true;
};

}  // namespace isopatch::detail
