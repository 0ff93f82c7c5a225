// SPDX-License-Identifier: Apache-2.0
//
// Polygons that are poured into a box, by the global minimum of each step, without friction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <optional>

#include "host/reference/polytope/nearest_velocity.h"
#include "tests/reference/polytope/step_bodies.h"

namespace isopatch::reference::polytope {
namespace {

/// SplitMix64.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  Real operator()() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return static_cast<Real>((x ^ (x >> 31)) >> 11) * 0x1p-53L;
  }

 private:
  std::uint64_t state_;
};

constexpr Real kGravity = 9.81L, kHeight = 3, kSpeed = 2;

StepBody poured_polygon(Draws& draw) {
  const int count = 3 + static_cast<int>(6 * draw());
  const Real radius = 0.2L + 0.15L * draw();
  std::vector<Vector3> corners;
  for (int i = 0; i < count; ++i) corners.push_back(radius * direction(360 * (i + 0.6L * draw()) / count));
  const Real x = 1.2L * (draw() - 0.5L), angle = 2 * std::numbers::pi_v<Real> * draw();
  StepBody body = thrown_polygon(polygon(corners), placed({0, 0, 1}, angle, {0, 0, 0}), {0, -kSpeed, 0});
  body.body.pose.translation = Vector3(x, kHeight, 0) - body.body.pose.rotation * body.body.center;
  return body;
}

struct Pour {
  int steps = 0, steps_with_trap = 0;
  std::optional<int> stuck_at;  // the step that has no velocities
  Real mean_overlap = 0;        // after steps, m^2
};

/// What a contact that is broken as a step begins asks for: to be undone, by at most the margin.
void recover(StepProblem& problem, const PairSettings& settings, Real margin) {
  for (StepContact& contact : problem.contacts) {
    contact.b += (std::max(contact.contact.gap, -margin) - contact.contact.gap) / settings.time_step;
  }
}

Real overlap_of(const std::vector<StepBody>& bodies, const std::vector<BodyPair>& pairs, const PairSettings& settings) {
  Real sum = 0;
  for (const BodyPair& pair : pairs) {
    sum += evaluate_pair(bodies[static_cast<std::size_t>(pair.a)].body, bodies[static_cast<std::size_t>(pair.b)].body,
                         settings)
               .overlap;
  }
  return sum;
}

/// Whether a relation holds although one of its contacts does not.
bool is_trap(const StepProblem& problem, const VectorX& v) {
  for (const Relation& relation : problem.relations) {
    for (const int member : relation.members) {
      if (problem.gap_rate(member, v) < -1e-9L && problem.gap_rate(relation, v) > -1e-9L) return true;
    }
  }
  return false;
}

Pour pour(std::uint64_t seed, RelationMode mode, Real step, int polygons, Real duration) {
  Draws draw(seed);
  StepBody container = fixed(rectangle(-1.5L, -0.5L, 1.5L, 0));
  container.body.parts.push_back(rectangle(-1.5L, 0, -1, 4));
  container.body.parts.push_back(rectangle(1, 0, 1.5L, 4));
  std::vector<StepBody> bodies = {container};
  PairSettings settings;
  settings.mode = mode;
  settings.margin = 0.01L;
  settings.time_step = step;
  Pour result;
  const int steps = static_cast<int>(std::lround(duration / step)), every = static_cast<int>(std::lround(0.25L / step));
  for (; result.steps < steps; ++result.steps) {
    if (result.steps % every == 0 && static_cast<int>(bodies.size()) <= polygons) {
      bodies.push_back(poured_polygon(draw));
    }
    std::vector<BodyPair> pairs;
    for (int a = 0; a < static_cast<int>(bodies.size()); ++a) {
      if (a > 0) bodies[static_cast<std::size_t>(a)].body.velocity.y() -= step * kGravity;
      for (int b = 0; b < a; ++b) pairs.push_back({a, b});
    }
    StepProblem problem = step_problem(bodies, pairs, settings);
    if (mode != RelationMode::kUnilateral) recover(problem, settings, *settings.margin);
    auto found = global_step(problem);
    if (!found && mode != RelationMode::kUnilateral) {
      recover(problem, settings, 0);
      found = global_step(problem);
    }
    if (!found) {
      result.stuck_at = result.steps;
      break;
    }
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const Vector3 v = found->velocity.segment<3>(problem.first_dofs[i]);
      PolytopeBody& body = bodies[i].body;
      const Vector3 center = body.pose * body.center + step * Vector3(v[0], v[1], 0);
      body.velocity = {v[0], v[1], 0};
      body.angular_velocity = {0, 0, v[2]};
      body.pose.rotation = placed({0, 0, 1}, step * v[2], {0, 0, 0}).rotation * body.pose.rotation;
      body.pose.translation = center - body.pose.rotation * body.center;
    }
    result.steps_with_trap += is_trap(problem, found->velocity) ? 1 : 0;
    result.mean_overlap += overlap_of(bodies, pairs, settings) / static_cast<Real>(steps);
  }
  return result;
}

TEST(PolytopePour, DrawsAreThoseOfOthers) {
  Draws draw(1);
  for (const double expected : {0.56656157517, 0.74578175726, 0.97100275359}) {
    EXPECT_NEAR(static_cast<double>(draw()), expected, 1e-11);
  }
  Draws first(1);
  const StepBody body = poured_polygon(first);
  EXPECT_EQ(body.body.parts[0].vertices.size(), 6u);
  EXPECT_NEAR(static_cast<double>(body.mass), 0.246827697748, 1e-12);
}

/// Ten polygons in 2.5 s. By themselves contacts get stuck, as relations never do; one linearisation leaves an overlap,
/// since bodies turn.
TEST(PolytopePour, RelationsNeverGetStuck) {
  const struct {
    Real step;
    int stuck;          // at least, of three runs with unilateral contacts
    Real mean_overlap;  // m^2, as an independent program has found it
  } cases[] = {{0.02L, 3, 3e-4L}, {0.04L, 3, 4e-3L}};
  for (const auto& tested : cases) {
    int stuck = 0, steps = 0, with_trap = 0;
    Real overlap = 0;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const Pour exact = pour(seed, RelationMode::kExact, tested.step, 10, 2.5L);
      EXPECT_FALSE(exact.stuck_at) << "step of " << tested.step << " s, seed " << seed;
      overlap += exact.mean_overlap / 3;
      steps += exact.steps;
      with_trap += exact.steps_with_trap;
      if (pour(seed, RelationMode::kUnilateral, tested.step, 10, 2.5L).stuck_at) ++stuck;
    }
    std::printf("step of %Lg s: mean overlap %.2Lg m^2, traps in %.0f %% of steps, unilateral stuck in %d of 3\n",
                tested.step, overlap, 100.0 * with_trap / steps, stuck);
    EXPECT_GE(stuck, tested.stuck);
    EXPECT_LT(overlap, 10 * tested.mean_overlap);
    EXPECT_GT(overlap, tested.mean_overlap / 10);
    EXPECT_GT(with_trap, 0.15 * steps);
    EXPECT_LT(with_trap, 0.7 * steps);
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
