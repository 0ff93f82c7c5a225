// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/nearest_velocity.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "isopatch/error.h"

namespace isopatch::reference::polytope {
namespace {

/// The contacts that are at 0, with their impulses. Their rows are independent.
class ActiveSet {
 public:
  explicit ActiveSet(const StepProblem& problem) : problem_(problem), mass_(problem.mass) {}

  const std::vector<int>& contacts() const { return contacts_; }
  VectorX& impulses() { return impulses_; }

  /// How velocities change by an impulse at a contact of 1 while the active ones stay at 0, and by how much less the
  /// impulses of these are.
  std::pair<VectorX, VectorX> change(int contact) const {
    const VectorX along = mass_.solve(row(contact));
    if (contacts_.empty()) return {along, VectorX()};
    const MatrixX N = rows(), moved = mass_.solve(N);
    const VectorX r = (N.transpose() * moved).ldlt().solve(N.transpose() * along);
    return {along - moved * r, r};
  }
  void add(int contact, Real impulse) {
    contacts_.push_back(contact);
    impulses_.conservativeResize(impulses_.size() + 1);
    impulses_[impulses_.size() - 1] = impulse;
  }
  void remove(Eigen::Index at) {
    contacts_.erase(contacts_.begin() + at);
    for (Eigen::Index i = at; i + 1 < impulses_.size(); ++i) impulses_[i] = impulses_[i + 1];
    impulses_.conservativeResize(impulses_.size() - 1);
  }
  const VectorX& row(int contact) const { return problem_.contacts[static_cast<std::size_t>(contact)].J; }
  VectorX moved(int contact) const { return mass_.solve(row(contact)); }

  /// The velocities and impulses that have all active contacts at 0, without what rounding has added.
  VectorX velocity() {
    if (contacts_.empty()) return problem_.free_velocity;
    const MatrixX N = rows(), moved = mass_.solve(N);
    VectorX missing(N.cols());
    for (Eigen::Index i = 0; i < N.cols(); ++i) {
      missing[i] = -problem_.gap_rate(contacts_[static_cast<std::size_t>(i)], problem_.free_velocity);
    }
    impulses_ = (N.transpose() * moved).ldlt().solve(missing);
    return problem_.free_velocity + moved * impulses_;
  }

 private:
  MatrixX rows() const {
    MatrixX N(problem_.num_dofs(), static_cast<Eigen::Index>(contacts_.size()));
    for (std::size_t i = 0; i < contacts_.size(); ++i) N.col(static_cast<Eigen::Index>(i)) = row(contacts_[i]);
    return N;
  }

  const StepProblem& problem_;
  Eigen::LLT<MatrixX> mass_;
  std::vector<int> contacts_;
  VectorX impulses_;
};

/// Brings a contact that is below 0 to 0. Returns whether there are velocities for it.
bool activate(const StepProblem& problem, int contact, ActiveSet& active, VectorX& v) {
  constexpr Real kLeft = 1e-14L;  // relative length of what is left of a row, squared
  Real impulse = 0;
  while (true) {
    const auto [z, r] = active.change(contact);
    const VectorX& n = active.row(contact);
    const Real freedom = z.dot(n), whole = active.moved(contact).dot(n);
    const bool is_dependent = freedom <= kLeft * whole;
    const Real to_zero = is_dependent ? std::numeric_limits<Real>::infinity() : -problem.gap_rate(contact, v) / freedom;
    Real to_release = std::numeric_limits<Real>::infinity();
    Eigen::Index released = -1;
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      if (r[i] <= 0 || active.impulses()[i] / r[i] >= to_release) continue;
      to_release = active.impulses()[i] / r[i];
      released = i;
    }
    const Real step = std::min(to_zero, to_release);
    if (!std::isfinite(step)) return false;
    if (!is_dependent) v += step * z;
    active.impulses() -= step * r;
    impulse += step;
    if (step == to_zero) {
      active.add(contact, impulse);
      v = active.velocity();
      return true;
    }
    active.remove(released);
  }
}

StepSolution solution_of(const StepProblem& problem, ActiveSet& active, const VectorX& v) {
  StepSolution solution = {v, VectorX::Zero(static_cast<Eigen::Index>(problem.contacts.size())), problem.cost(v)};
  for (std::size_t i = 0; i < active.contacts().size(); ++i) {
    solution.impulses[active.contacts()[i]] += active.impulses()[static_cast<Eigen::Index>(i)];
  }
  return solution;
}

}  // namespace

Real gap_rate_tolerance(const StepProblem& problem) {
  Real largest = 1;
  for (int i = 0; i < static_cast<int>(problem.contacts.size()); ++i) {
    largest = std::max(largest, std::abs(problem.gap_rate(i, problem.free_velocity)));
  }
  return 1e-13L * largest;
}

std::optional<StepSolution> nearest_velocity(const StepProblem& problem, const std::vector<int>& contacts) {
  const Real tolerance = gap_rate_tolerance(problem);
  ActiveSet active(problem);
  VectorX v = problem.free_velocity;
  // contacts that can be fulfilled together only just, by huge impulses, may come and go by rounding without end
  for (std::size_t left = 50 * contacts.size() + 100; left > 0; --left) {
    int worst = -1;
    Real lowest = -tolerance;
    for (const int contact : contacts) {
      if (problem.gap_rate(contact, v) >= lowest) continue;
      lowest = problem.gap_rate(contact, v);
      worst = contact;
    }
    if (worst < 0) return solution_of(problem, active, v);
    if (!activate(problem, worst, active, v)) break;
  }
  return {};
}

namespace {

class Branches {
 public:
  Branches(const StepProblem& problem, int max_solves)
      : problem_(problem), tolerance_(gap_rate_tolerance(problem)), solves_left_(max_solves) {}

  void search(std::vector<int>& chosen) {
    if (solves_left_-- == 0) throw Error("the reference has branched too often for the global minimum of a step");
    const std::optional<StepSolution> found = nearest_velocity(problem_, chosen);
    if (!found || (best_ && found->cost >= best_->cost)) return;
    const Relation* worst = nullptr;
    Real lowest = -2 * tolerance_;
    for (const Relation& relation : problem_.relations) {
      const Real rate = problem_.gap_rate(relation, found->velocity);
      if (rate >= lowest) continue;
      lowest = rate;
      worst = &relation;
    }
    if (worst == nullptr) {
      best_ = found;
      return;
    }
    std::vector<int> members = worst->members;  // those that miss least first, so that good solutions come early
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
      return problem_.gap_rate(a, found->velocity) > problem_.gap_rate(b, found->velocity);
    });
    for (const int member : members) {
      chosen.push_back(member);
      search(chosen);
      chosen.pop_back();
    }
  }
  const std::optional<StepSolution>& best() const { return best_; }

 private:
  const StepProblem& problem_;
  Real tolerance_;
  int solves_left_;
  std::optional<StepSolution> best_;
};

}  // namespace

std::optional<StepSolution> global_step(const StepProblem& problem, int max_solves) {
  Branches branches(problem, max_solves);
  std::vector<int> chosen;
  branches.search(chosen);
  return branches.best();
}

}  // namespace isopatch::reference::polytope
