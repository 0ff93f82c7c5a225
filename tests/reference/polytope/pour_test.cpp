// SPDX-License-Identifier: Apache-2.0
//
// Polygons that are poured into a box, by the global minimum of each step, without friction.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <optional>

#include "tests/reference/polytope/pour.h"

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

constexpr Real kHeight = 3, kSpeed = 2;

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

struct Outcome {
  int steps = 0, steps_with_trap = 0;
  bool is_stuck = false;
  Real mean_overlap = 0;  // after steps, m^2
};

Outcome outcome_of(std::uint64_t seed, RelationMode mode, Real step, int polygons, Real duration) {
  PourOptions options;
  options.container = {fixed(rectangle(-1.5L, -0.5L, 1.5L, 0))};
  options.container[0].body.parts.push_back(rectangle(-1.5L, 0, -1, 4));
  options.container[0].body.parts.push_back(rectangle(1, 0, 1.5L, 4));
  Draws draw(seed);
  for (int i = 0; i < polygons; ++i) options.poured.push_back(poured_polygon(draw));
  options.gravity = {0, -9.81L, 0};
  options.step = step;
  options.every = 0.25L;
  options.mode = mode;
  options.solve = [](const StepProblem& problem) { return global_step(problem); };
  Pour pour(options);
  Outcome result;
  const int steps = static_cast<int>(std::lround(duration / step));
  for (; result.steps < steps; ++result.steps) {
    const std::optional<PouredStep> taken = pour.step();
    result.is_stuck = !taken;
    if (!taken) break;
    result.steps_with_trap += taken->traps > 0 ? 1 : 0;
    result.mean_overlap += taken->overlap / static_cast<Real>(steps);
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
      const Outcome exact = outcome_of(seed, RelationMode::kExact, tested.step, 10, 2.5L);
      EXPECT_FALSE(exact.is_stuck) << "step of " << tested.step << " s, seed " << seed;
      overlap += exact.mean_overlap / 3;
      steps += exact.steps;
      with_trap += exact.steps_with_trap;
      if (outcome_of(seed, RelationMode::kUnilateral, tested.step, 10, 2.5L).is_stuck) ++stuck;
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
