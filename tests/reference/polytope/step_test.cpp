// SPDX-License-Identifier: Apache-2.0
//
// One step of rigid bodies with corners: velocities that an independent program has found, and what any solution must
// be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "host/reference/polytope/complementarity.h"
#include "tests/reference/polytope/random_shapes.h"
#include "tests/reference/polytope/step_bodies.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kPi = std::numbers::pi_v<Real>;
constexpr Real kStep = 0.01L, kGravity = 9.81L;

StepProblem problem_of(const std::vector<StepBody>& bodies, RelationMode mode, Real margin) {
  PairSettings settings;
  settings.mode = mode;
  settings.margin = margin;
  settings.time_step = kStep;
  std::vector<BodyPair> pairs;
  for (int i = 1; i < static_cast<int>(bodies.size()); ++i) pairs.push_back({0, i});
  return step_problem(bodies, pairs, settings);
}

/// The velocities of the first body, the impulses' sum and the solution's cost.
struct Expected {
  std::vector<Real> velocity;
  Real impulses = -1, cost = -1;  // negative: of any size
  Real tolerance = 1e-9L;         // of velocities, relative to the largest
};

void expect_step(const std::vector<StepBody>& bodies, RelationMode mode, Real margin, const Expected& expected) {
  const auto found = global_step(problem_of(bodies, mode, margin));
  ASSERT_TRUE(found.has_value());
  Real scale = 0;
  for (const Real v : expected.velocity) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < expected.velocity.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(found->velocity[static_cast<Eigen::Index>(i)]),
                static_cast<double>(expected.velocity[i]), static_cast<double>(expected.tolerance * scale))
        << i;
  }
  if (expected.impulses >= 0) {
    EXPECT_NEAR(static_cast<double>(found->impulses.sum()), static_cast<double>(expected.impulses), 1e-8);
  }
  if (expected.cost >= 0) {
    EXPECT_NEAR(static_cast<double>(found->cost), static_cast<double>(expected.cost),
                1e-6 * static_cast<double>(expected.cost));
  }
}

std::vector<StepBody> on_its_tip(const Vector3& tip, const Vector3& velocity) {
  const ConvexShape square = rectangle(-0.1L, -0.1L, 0.1L, 0.1L);
  const Transform pose = placed({0, 0, 1}, kPi / 4, tip + Vector3(0, 0.1L * std::sqrt(Real{2}), 0));
  return {thrown_polygon(square, pose, velocity), fixed(rectangle(-1, -1, 0, 0))};
}

TEST(PolytopeStep, PassesACorner) {
  const auto bodies = on_its_tip({0.02L, -0.01L, 0}, {0.5L, -1, 0});
  expect_step(bodies, RelationMode::kExact, 0.05L, {{0.5L, -1, 0}, 0, 0});
  expect_step(bodies, RelationMode::kUnilateral, 0.05L, {{-0.063156406L, 1, -12.791086025L}});
  expect_step(bodies, RelationMode::kSeparating, 0.05L, {{0.5L, -1, 0}, 0});
}

TEST(PolytopeStep, TakesTheCheapWayAroundACorner) {
  const auto bodies = on_its_tip({-0.004L, 0.002L, 0}, {1, -1, 0});
  expect_step(bodies, RelationMode::kExact, 0.01L,
              {{1.038023113L, -0.961976887L, 0.840812862L}, -1, 1.520925e-4L, 1e-8L});
  expect_step(bodies, RelationMode::kUnilateral, 0.01L, {{0.836030728L, -0.187839169L, -3.040207813L}});
  expect_step(bodies, RelationMode::kSeparating, 0.01L, {{1, -0.2L, 0}});
}

TEST(PolytopeStep, FallsPastABlockThatUnilateralContactsHaveNoWayOutOf) {
  const std::vector<StepBody> bodies = {thrown_polygon(rectangle(-0.02L, -0.06L, 0.12L, -0.01L), {}, {0.3L, -0.5L, 0}),
                                        fixed(rectangle(0, 0, 0.1L, 1))};
  expect_step(bodies, RelationMode::kExact, 0.15L, {{0.3L, -0.5L, 0}, 0});
  expect_step(bodies, RelationMode::kSeparating, 0.15L, {{0.3L, -0.5L, 0}, 0});
  EXPECT_FALSE(global_step(problem_of(bodies, RelationMode::kUnilateral, 0.15L)).has_value());
}

TEST(PolytopeStep, OfTwoVertices) {
  const Vector3 corner = 0.03L * direction(110);
  const ConvexShape triangle = polygon({corner, corner + direction(230), corner + direction(280)});
  const Vector3 velocity = (0.03L * direction(40) - corner) / kStep;
  const std::vector<StepBody> bodies = {thrown_polygon(triangle, {}, velocity),
                                        fixed(polygon({{0, 0, 0}, direction(-30), direction(30)}))};
  const std::vector<Real> expected = {2.763016145L, -0.989665788L, 3.9151339L};
  expect_step(bodies, RelationMode::kExact, 0.05L, {expected, 0.218259347L});
  expect_step(bodies, RelationMode::kSeparating, 0.05L, {expected});
  expect_step(bodies, RelationMode::kUnilateral, 0.05L, {{2.314691271L, -3.205695951L, 2.320073966L}});
}

TEST(PolytopeStep, Lands) {
  const StepBody square = thrown_polygon(rectangle(-0.5L, -0.5L, 0.5L, 0.5L),
                                         placed({0, 0, 1}, kPi / 180, {0, 0.51L, 0}), {0, -3 - kStep * kGravity, 0});
  const std::vector<StepBody> bodies = {square, fixed(half_space(), placed({1, 0, 0}, -kPi / 2, {0, 0, 0}))};
  for (const RelationMode mode : {RelationMode::kExact, RelationMode::kUnilateral, RelationMode::kSeparating}) {
    expect_step(bodies, mode, 0.01L, {{0, -0.992383598L, -1.745506493L}, 2.1057164L});
  }
}

TEST(PolytopeStep, GlidesOverASeam) {
  const StepBody square = thrown_polygon(rectangle(-0.1L, -0.1L, 0.1L, 0.1L), {Matrix3::Identity(), {-0.105L, 0.1L, 0}},
                                         {1, -kStep * kGravity, 0});
  const std::vector<StepBody> bodies = {square, fixed(rectangle(-2, -1, 0, 0)), fixed(rectangle(0, -1, 2, 0))};
  expect_step(bodies, RelationMode::kExact, 0.01L, {{1, 0, 0}});
  expect_step(bodies, RelationMode::kUnilateral, 0.01L, {{0.643362624L, 0.150530755L, -1.433626241L}});
}

TEST(PolytopeStep, OfCrossedBars) {
  const std::vector<StepBody> bodies = {
      thrown_box({1, 0.1L, 0.1L}, placed({1, 0, 0}, kPi / 4, {0.05L, 0.02L, 0.1L * std::sqrt(Real{2}) + 0.001L}),
                 {0, 0, -1 - kStep * kGravity}),
      fixed(box({0.1L, 1, 0.1L}), placed({0, 1, 0}, kPi / 4, {0, 0, 0}))};
  for (const RelationMode mode : {RelationMode::kExact, RelationMode::kUnilateral, RelationMode::kSeparating}) {
    expect_step(bodies, mode, 0.01L, {{0, 0, -0.128791346L, 0, 0.575826923L, 0}, 0.009693087L});
  }
}

TEST(PolytopeStep, RestsOnACubeThatIsTurned) {
  const std::vector<StepBody> bodies = {
      thrown_box({1, 1, 1}, placed({0, 0, 1}, kPi / 4, {0, 0, 1}), {0, 0, -kStep * kGravity}), fixed(box({1, 1, 1}))};
  const auto found = global_step(problem_of(bodies, RelationMode::kExact, 0.01L));
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(found->velocity.cwiseAbs().maxCoeff(), 1e-13L);
  EXPECT_NEAR(static_cast<double>(found->impulses.sum()), 0.0981, 1e-13);
}

TEST(PolytopeStep, OfABarPastARidge) {
  const Real height = 0.05L * std::sqrt(Real{2}) + 0.066L;
  const std::vector<StepBody> bodies = {
      thrown_box({0.3L, 0.1L, 0.1L}, placed({0, 1, 0}, 0.1L, {-0.13L, 0, height}), {3, 0, -1.2L}),
      fixed(box({0.1L, 1, 0.1L}), placed({0, 1, 0}, kPi / 4, {0, 0, 0}))};
  expect_step(bodies, RelationMode::kExact, 0.05L, {{3.019402046L, 0, -1.006626703L, 0, -3.170287639L, 0}});
  expect_step(bodies, RelationMode::kUnilateral, 0.05L, {{-1.148317476L, 0, 0.476041659L, 0, 4.098156226L, 0}});
}

/// Of polygons thrown at each other: what a solution must fulfil, that none is cheaper, and that the paper's form has
/// no cheaper one.
TEST(PolytopeStep, NoSolutionIsCheaperThanTheGlobalMinimum) {
  RandomShapes random(5);
  int solved = 0, with_impulse = 0;
  for (int trial = 0; trial < 150; ++trial) {
    std::vector<StepBody> bodies;
    for (int i = 0; i < 4; ++i) {
      const Vector3 at = 0.38L * Vector3(i % 2, i < 2 ? 0 : 1, 0);
      const Transform pose = placed({0, 0, 1}, random.uniform(-3, 3), at);
      const Vector3 velocity = {random.uniform(-8, 8), random.uniform(-8, 8), random.uniform(-50, 50)};
      std::vector<Vector3> corners;
      const int count = random.integer(3, 6);
      for (int k = 0; k < count; ++k) {
        corners.push_back(0.2L * direction(360 * (k + random.uniform(0, 0.6)) / count));
      }
      bodies.push_back(thrown_polygon(polygon(corners), pose, velocity));
    }
    PairSettings settings;
    settings.margin = 0.01L;
    settings.time_step = kStep;
    const StepProblem problem = step_problem(bodies, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, settings);
    const auto best = global_step(problem);
    if (!best) continue;
    ++solved;
    with_impulse += best->impulses.sum() > 0 ? 1 : 0;
    EXPECT_GE(best->impulses.minCoeff(), 0);
    const Real tolerance = 4 * gap_rate_tolerance(problem);
    VectorX momentum = problem.mass * (best->velocity - problem.free_velocity);
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const Real impulse = best->impulses[static_cast<Eigen::Index>(i)];
      momentum -= impulse * problem.contacts[i].J;
      if (impulse == 0) continue;
      EXPECT_NEAR(static_cast<double>(problem.gap_rate(static_cast<int>(i), best->velocity)), 0, 1e-10);
    }
    EXPECT_LT(momentum.cwiseAbs().maxCoeff(), 1e-13L);
    for (const Relation& relation : problem.relations) {
      EXPECT_GE(problem.gap_rate(relation, best->velocity), -tolerance) << trial;
    }
    for (const bool cross_bears : {false, true}) {
      const auto other = complementary_step(problem, cross_bears);
      if (!other) continue;
      for (const Relation& relation : problem.relations) {
        EXPECT_GE(problem.gap_rate(relation, other->velocity), -1e-8L) << trial;
      }
      EXPECT_GE(other->cost, best->cost * (1 - 1e-9L)) << trial;
    }
  }
  EXPECT_GT(solved, 100);
  EXPECT_GT(with_impulse, 50);
  std::printf("%d of 150 steps solved, %d with an impulse\n", solved, with_impulse);
}

/// Problems whose solution is known: of a positive definite matrix it is the only one.
TEST(LinearComplementarity, FindsKnownSolutions) {
  RandomShapes random(11);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = random.integer(1, 20);
    MatrixX root(n, n);
    VectorX z(n), w(n);
    for (int i = 0; i < n; ++i) {
      const bool is_active = random.uniform(0, 1) < 0.5;
      z[i] = is_active ? random.uniform(0.1, 10) : Real{0};
      w[i] = is_active ? Real{0} : random.uniform(0.1, 10);
      for (int k = 0; k < n; ++k) root(i, k) = random.uniform(-1, 1);
    }
    const MatrixX A = root * root.transpose() + Real{0.1L} * MatrixX::Identity(n, n);
    const auto found = solve_lcp(A, w - A * z);
    ASSERT_TRUE(found.has_value());
    EXPECT_LT((*found - z).cwiseAbs().maxCoeff(), 1e-10L) << trial;
  }
}

TEST(LinearComplementarity, EndsOnARayWhereThereIsNoSolution) {
  MatrixX A(2, 2);
  A << 0, 0, 0, 1;
  VectorX b(2);
  b << -1, 1;
  EXPECT_FALSE(solve_lcp(A, b).has_value());
}

}  // namespace
}  // namespace isopatch::reference::polytope
