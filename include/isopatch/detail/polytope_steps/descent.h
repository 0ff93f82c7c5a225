// SPDX-License-Identifier: Apache-2.0
//
// The choice of a contact for each relation, with which the velocities that keep the gaps of these contacts are near
// those without contact ("A geometrically exact contact model for polytopes in multirigid-body simulation", PEG, whose
// conditions 20 to 23 hold at the end).
//
// From a choice with which there is a solution, contacts that bear an impulse are exchanged for others of their
// relations that keep a gap anyway: then the cost falls. Where there are none, exchanges among contacts that have just
// no gap are tried: of all relations, of each pair's relations, of each alone. Costs fall and there are finitely many
// choices, so it ends; not always with the least cost of all.
#pragma once

#include "isopatch/detail/polytope_steps/nearest_velocity.h"

namespace isopatch::detail {

struct DescentResult {
  bool found;
  int solves;
  int iterations;  // of Newton's method
  double cost;     // J
};

template <class Warp, class PointSums>
class Descent : public RelationSolver<Warp, PointSums> {
  using Base = RelationSolver<Warp, PointSums>;
  using Base::counts_;
  using Base::r_;
  using Base::warp_;

 public:
  using Base::Base;

  /// The contacts that relations begin with: among the ones that touch or are apart, the one with the largest rate at
  /// hand; where there are none the one with the largest gap. With `strict`, none touches that is not apart. After
  /// find_rates().
  ISOPATCH_HD_MEMBER void begin_choices(bool strict = false) {
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = warp_.lane(); i < counts_.relations; i += Warp::kSize) {
      const Relation& relation = r_.relations[i];
      std::int32_t best = -1;
      for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
        const std::int32_t at = r_.members[k];
        const StepContact &c = r_.contacts[at], &of_best = r_.contacts[max(best, 0)];
        const bool keeps = strict ? c.gap >= 0 : c.touches, best_keeps = strict ? of_best.gap >= 0 : of_best.touches;
        const bool better = best < 0 || (keeps != best_keeps ? keeps
                                         : keeps             ? c.rate > of_best.rate
                                                             : c.gap > of_best.gap);
        if (better) best = at;
      }
      r_.choices[i] = best;
    }
    warp_.sync();
  }

  /// The same from contacts that were chosen before, where a relation has one.
  ISOPATCH_HD_MEMBER void begin_choices_among_chosen() {
    begin_choices();
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = warp_.lane(); i < counts_.relations; i += Warp::kSize) {
      const Relation& relation = r_.relations[i];
      std::int32_t best = -1;
      for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
        const std::int32_t at = r_.members[k];
        const StepContact& c = r_.contacts[at];
        if (c.is_chosen && (best < 0 || c.rate > r_.contacts[best].rate)) best = at;
      }
      if (best >= 0) r_.choices[i] = best;
    }
    warp_.sync();
  }

  /// From the choices and the velocities at hand to the best ones, with their sums, impulses and rates.
  /// `scale` is as scale_of_rates() has it, m/s.
  ISOPATCH_HD_MEMBER DescentResult descend(double scale) {
    constexpr double kFalls = 1e-4;  // of the cost, or of what the largest impulse does
    tolerance_ = 1e-10 * scale;
    accuracy_ = 1e-13 * scale;
    DescentResult result = {false, 0, 0, 0};
    this->choose(r_.choices);
    if (!solve(result, kInfinity)) return result;
    result.found = true;
    result.cost = this->cost();
    bool goes_on = true;
    while (goes_on && result.solves < kMostSolves) {
      keep();
      least_impulse_ = kNoImpulse * this->largest_impulse();
      goes_on = exchange([&](std::int32_t i, std::int32_t other) {
                  return bears(i) && r_.contacts[other].rate > tolerance_;
                }) > 0;
      if (goes_on) {
        goes_on = take(result, kInfinity);
      } else {
        goes_on = try_exchanges(result, result.cost - kFalls * max(abs(result.cost), this->largest_work()));
        if (goes_on) try_all_again(0);
      }
    }
    this->polish(accuracy_);
    return result;
  }

  /// Lets exchanges of relations from `first` on be tried again that have brought nothing.
  ISOPATCH_HD void try_all_again(std::int32_t first) {
    for (std::int32_t i = first + warp_.lane(); i < counts_.relations; i += Warp::kSize) r_.in_vain[i] = -1;
    warp_.sync();
  }

 private:
  static constexpr int kMostSolves = 100;

  ISOPATCH_HD_MEMBER bool solve(DescentResult& result, double limit) {
    const NearestVelocity found = this->find(accuracy_, limit);
    ++result.solves;
    result.iterations += found.iterations;
    return found.found;
  }

  /// Solves with the choices at hand, if that costs less than `limit`; else goes back to what was kept.
  ISOPATCH_HD_MEMBER bool take(DescentResult& result, double limit) {
    this->choose(r_.choices);
    if (solve(result, limit)) {
      const double cost = this->cost();
      if (cost < limit) {
        result.cost = cost;
        return true;
      }
    }
    go_back();
    this->for_each_contact([&](StepContact& c) { c.impulse = c.borne = c.kept_impulse; });
    this->copy(r_.found, this->velocity());
    this->choose(r_.choices);
    this->find_rates(this->velocity());
    return false;
  }

  ISOPATCH_HD_MEMBER void keep() {
    for (std::int32_t i = warp_.lane(); i < counts_.relations; i += Warp::kSize) r_.kept_choices[i] = r_.choices[i];
    this->for_each_contact([&](StepContact& c) { c.kept_impulse = c.impulse; });
    this->copy(this->velocity(), r_.found);
  }

  /// The best other contact of a relation; negative: there is none.
  ISOPATCH_HD_MEMBER std::int32_t other_of(std::int32_t relation) const {
    const Relation& of = r_.relations[relation];
    const std::int32_t choice = r_.choices[relation];
    std::int32_t best = -1;
    for (std::int32_t k = of.first; k < of.first + of.count; ++k) {
      const std::int32_t at = r_.members[k];
      if (at != choice && (best < 0 || r_.contacts[at].rate > r_.contacts[best].rate)) best = at;
    }
    return best;
  }

  ISOPATCH_HD bool bears(std::int32_t relation) const {
    return r_.contacts[r_.choices[relation]].impulse > least_impulse_;
  }

  /// Whether an exchange of a relation's choice alone has brought nothing in the step.
  ISOPATCH_HD bool is_in_vain(std::int32_t relation) const { return r_.in_vain[relation] == r_.choices[relation]; }

  /// Exchanges the choices of relations if accepts(relation, other contact). Returns how many of these bear an
  /// impulse: without such an exchange the cost stays.
  template <class Accepts>
  ISOPATCH_HD int exchange(const Accepts& accepts) {
    int count = 0;
    warp_.sync();
    ISOPATCH_NO_UNROLL
    for (std::int32_t base = 0; base < counts_.relations; base += Warp::kSize) {
      const std::int32_t i = base + warp_.lane();
      const std::int32_t other = i < counts_.relations ? other_of(i) : -1;
      const bool has = other >= 0 && accepts(i, other), counts = has && bears(i);
      if (has) r_.choices[i] = other;
      count += count_bits(warp_.ballot(counts));
    }
    warp_.sync();
    return count;
  }

  /// Tries exchanges for contacts that just keep their gaps: of all relations, of each pair's relations, of each alone.
  /// Takes the first that costs less than `limit`.
  ISOPATCH_HD_MEMBER bool try_exchanges(DescentResult& result, double limit) {
    const auto touch = [&](std::int32_t i, std::int32_t other) {
      const double own = r_.contacts[r_.choices[i]].rate, of_other = r_.contacts[other].rate;
      return own < tolerance_ && of_other > -tolerance_ && !is_in_vain(i);
    };
    const auto pair_of = [&](std::int32_t relation) { return r_.contacts[r_.choices[relation]].pair; };
    const int all = exchange(touch);
    if (all == 0) {
      go_back();
      return false;
    }
    if (take(result, limit)) return true;
    ISOPATCH_NO_UNROLL
    for (int pair = 0; pair < this->num_rigid_ && result.solves < kMostSolves; ++pair) {
      if (this->rigid_pairs()[pair].polygons == 0) continue;
      const auto of_pair = [&](std::int32_t i, std::int32_t other) { return pair_of(i) == pair && touch(i, other); };
      const int count = exchange(of_pair);
      if (count > 0 && count < all && take(result, limit)) return true;
      go_back();
      ISOPATCH_NO_UNROLL
      for (std::int32_t k = 0; k < counts_.relations && count > 0 && result.solves < kMostSolves; ++k) {
        const std::int32_t other = bears(k) ? other_of(k) : -1;
        if (other < 0 || !of_pair(k, other)) continue;
        if (count > 1) {  // else that has been tried
          exchange([&](std::int32_t i, std::int32_t) { return i == k; });
          if (take(result, limit)) return true;
        }
        give_up(k);
      }
    }
    return false;
  }

  /// The exchange of a relation has brought nothing.
  ISOPATCH_HD_MEMBER void give_up(std::int32_t relation) {
    warp_.sync();  // all have read its choice
    if (warp_.lane() == 0) r_.in_vain[relation] = r_.choices[relation];
    warp_.sync();
  }

  ISOPATCH_HD_MEMBER void go_back() {
    for (std::int32_t i = warp_.lane(); i < counts_.relations; i += Warp::kSize) r_.choices[i] = r_.kept_choices[i];
    warp_.sync();
  }

  double tolerance_ = 0, accuracy_ = 0;  // of rates, m/s
  double least_impulse_ = 0;             // of what bears, N s
};

}  // namespace isopatch::detail
