// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are poured into a container, one after the other, by steps of the reference without friction.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "host/reference/polytope/nearest_velocity.h"
#include "tests/reference/polytope/step_bodies.h"

namespace isopatch::reference::polytope {

struct PourOptions {
  std::vector<StepBody> container, poured;  // these as they come in
  Vector3 gravity = Vector3::Zero();        // m/s^2
  Real step = 0, every = 0;                 // s, every: between two that come in
  Real margin = 0.01L;                      // m
  RelationMode mode = RelationMode::kExact;
  std::function<std::optional<StepSolution>(const StepProblem&)> solve;
};

/// What a step has left.
struct PouredStep {
  Real overlap = 0;  // of all pairs, m^2 or m^3
  int contacts = 0;
  int traps = 0;  // relations that hold although one of their contacts does not
};

class Pour {
 public:
  explicit Pour(PourOptions options) : options_(std::move(options)), bodies_(options_.container) {
    settings_.mode = options_.mode;
    settings_.margin = options_.margin;
    settings_.time_step = options_.step;
  }

  /// Nothing if it is stuck: there are no velocities.
  std::optional<PouredStep> step() {
    const std::size_t fixed = options_.container.size();
    const Real time = options_.step * taken_++;
    while (num_in() < options_.poured.size() && time >= options_.every * static_cast<Real>(num_in()) - kRounding) {
      bodies_.push_back(options_.poured[num_in()]);
    }
    std::vector<BodyPair> pairs;
    for (std::size_t a = fixed; a < bodies_.size(); ++a) {
      bodies_[a].body.velocity += options_.step * options_.gravity;
      for (std::size_t b = 0; b < a; ++b) pairs.push_back({static_cast<int>(a), static_cast<int>(b)});
    }
    StepProblem problem = step_problem(bodies_, pairs, settings_);
    const std::optional<StepSolution> found = solved(problem);
    if (!found) return {};
    for (std::size_t i = fixed; i < bodies_.size(); ++i) move(bodies_[i], found->velocity, problem.first_dofs[i]);
    PouredStep result;
    for (const BodyPair& pair : pairs) result.overlap += overlap(pair);
    result.contacts = static_cast<int>(problem.contacts.size());
    for (const Relation& relation : problem.relations) result.traps += is_trap(problem, relation, found->velocity);
    return result;
  }

  /// How many bodies have come in, and one of them.
  std::size_t num_in() const { return bodies_.size() - options_.container.size(); }
  const PolytopeBody& body(std::size_t i) const { return bodies_[options_.container.size() + i].body; }

 private:
  static constexpr Real kRounding = 1e-9L;  // s, and m/s

  /// Contacts that exclude each other but for rounding have a solution too, of velocities that are beyond all reason.
  std::optional<StepSolution> reasonable(const StepProblem& problem) const {
    constexpr Real kFastest = 1000;  // m/s, and rad/s
    std::optional<StepSolution> found = options_.solve(problem);
    if (found && found->velocity.cwiseAbs().maxCoeff() > kFastest) found.reset();
    return found;
  }

  /// A contact that is broken as a step begins asks to be undone, by at most the margin; if that has no solution, to
  /// come no deeper.
  std::optional<StepSolution> solved(StepProblem& problem) const {
    if (options_.mode == RelationMode::kUnilateral) return reasonable(problem);
    for (const Real most : {options_.margin, Real{0}}) {
      for (StepContact& row : problem.contacts) {
        row.b += (std::max(row.contact.gap, -most) - row.contact.gap) / options_.step;
      }
      std::optional<StepSolution> found = reasonable(problem);
      if (found) return found;
    }
    return {};
  }

  /// The angular momentum stays.
  void move(StepBody& moving, const VectorX& velocities, int first) const {
    PolytopeBody& body = moving.body;
    if (moving.is_planar) {
      body.velocity = {velocities[first], velocities[first + 1], 0};
      body.angular_velocity = {0, 0, velocities[first + 2]};
    } else {
      body.velocity = velocities.segment<3>(first);
      body.angular_velocity = velocities.segment<3>(first + 3);
    }
    const Vector3 center = body.pose * body.center + options_.step * body.velocity;
    const Real speed = body.angular_velocity.norm();
    if (speed > 0) {
      const Matrix3 turn = placed(body.angular_velocity, options_.step * speed, {0, 0, 0}).rotation;
      body.pose.rotation = turn * body.pose.rotation;
      if (!moving.is_planar) {
        const Vector3 momentum = moving.inertia * body.angular_velocity;
        moving.inertia = turn * moving.inertia * turn.transpose();
        body.angular_velocity = moving.inertia.inverse() * momentum;
      }
    }
    body.pose.translation = center - body.pose.rotation * body.center;
  }

  Real overlap(const BodyPair& pair) const {
    const auto body = [&](int i) -> const PolytopeBody& { return bodies_[static_cast<std::size_t>(i)].body; };
    return evaluate_pair(body(pair.a), body(pair.b), settings_).overlap;
  }

  static bool is_trap(const StepProblem& problem, const Relation& relation, const VectorX& v) {
    return problem.gap_rate(relation, v) > -kRounding &&
           std::any_of(relation.members.begin(), relation.members.end(),
                       [&](int member) { return problem.gap_rate(member, v) < -kRounding; });
  }

  PourOptions options_;
  PairSettings settings_;
  std::vector<StepBody> bodies_;
  int taken_ = 0;
};

}  // namespace isopatch::reference::polytope
