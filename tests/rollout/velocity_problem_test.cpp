// SPDX-License-Identifier: Apache-2.0
//
// The gradient of a step's potential is its slope, and the matrix that of the gradient.
#include "isopatch/detail/rollout/solver/velocity_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/rollout/first_problem.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

constexpr double kDifference = 2e-5;  // m/s or rad/s; the slip tolerance is 2500 times as large
constexpr double kTolerance = 1e-8;   // relative

/// A ball on a cube on the ground, all compliant, and a slider that a drive with a limit pushes against the cube.
SceneDescription pushed_cube() {
  SceneDescription scene;
  scene.geometries = {make_box("cube", {0.1, 0.1, 0.1}), make_sphere("ball", 0.04, 0), make_half_space("ground", 0.1)};
  scene.bodies.resize(4);
  const char* const names[] = {"cube", "ball", "slider", "ground"};
  for (int i = 0; i < 4; ++i) {
    Body& body = scene.bodies[static_cast<std::size_t>(i)];
    body.name = names[i];
    body.geometry = i < 2 ? i : i - 1;
    body.modulus = 1e5 * (1 + i);
    body.dissipation = 1 + 0.5 * i;
    body.friction = 0.3 + 0.1 * i;
    if (i < 2) body.velocity = {0.1, 0.05 - 0.02 * i, -0.1 - 0.1 * i, 1, -0.5, 0.3};
  }
  scene.bodies[0].pose = {0, 0, 0.047, 1, 0.01, 0.02, 0.1};
  scene.bodies[1].pose = {0.01, 0.02, 0.129, 1, 0.3, 0.1, 0.2};
  scene.bodies[2].pose = {-0.08, 0.01, 0.06, 1, 0.2, 0.1, 0};
  scene.bodies[2].motion = {
      .type = MotionType::kPrismatic,
      .axis = {1, 0.1, 0.2},
      .velocity = 0.2,
      .drive = {.force = {{0, 1}}, .stiffness = 300, .damping = 4, .target = {{0, 1e-3}}, .force_limit = 1}};
  scene.bodies[3].fixed = true;
  scene.pairs = {{0, 1, {}, {}}, {2, 0, {}, {}}, {0, 3, {}, {}}};
  scene.contact.slip_tolerance = 0.05;
  scene.rollout.time_step = 0.01;
  return scene;
}

/// Which points push, and whether the drives are at their limits: derivatives jump where that changes.
std::vector<bool> regime(const FirstProblem& tested, const std::vector<double>& velocity) {
  const detail::VelocityProblem& p = tested.problem();
  const detail::SolverMemory& m = tested.memory();
  std::vector<bool> result;
  for (int i = 0; i < p.num_pairs; ++i) {
    const detail::SolvedPair& pair = m.pairs[i];
    const auto twist = relative_twist(m, pair, velocity.data());
    for (int polygon = 0; polygon < pair.polygons; ++polygon) {
      const detail::PolygonPoints<double> points = columns_of(m, pair).load(polygon);
      for (int k = 0; k < detail::PolygonPoints<double>::kPoints; ++k) {
        const double v_n = dot(points.normal, twist.at(points.arm[k]));
        result.push_back(normal_impulse(points.law(k, p.parameters.step), v_n).value > 0);
      }
    }
  }
  for (int i = 0; i < p.num_joints; ++i)
    result.push_back(m.joints[i].fall(velocity[static_cast<std::size_t>(m.joint_dofs[i])]) > 0);
  return result;
}

std::vector<double> moved_along(std::vector<double> velocity, std::size_t dof, double by) {
  velocity[dof] += by;
  return velocity;
}

bool is_smooth_along(const FirstProblem& tested, const std::vector<double>& velocity, std::size_t dof) {
  return regime(tested, moved_along(velocity, dof, 2 * kDifference)) ==
         regime(tested, moved_along(velocity, dof, -2 * kDifference));
}

/// The fourth-order central difference.
template <class Function>
double slope_along(const std::vector<double>& velocity, std::size_t dof, const Function& f) {
  const auto at = [&](double by) { return f(moved_along(velocity, dof, by * kDifference)); };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kDifference);
}

std::vector<double> random_velocity(Random& random, int dofs) {
  const double size = std::pow(10, random.uniform(-2, 0));
  std::vector<double> velocity;
  for (int i = 0; i < dofs; ++i) velocity.push_back(size * random.uniform(-1, 1));
  return velocity;
}

/// The roots of the masses of the degrees of freedom.
std::vector<double> mass_roots(const FirstProblem& tested) {
  std::vector<double> roots;
  for (int i = 0; i < tested.problem().num_dofs; ++i) {
    roots.push_back(1 / std::sqrt(tested.memory().vectors.inverse_mass[i]));
  }
  return roots;
}

TEST(VelocityProblem, HasContactFrictionAJointAndADrive) {
  FirstProblem tested(pushed_cube());
  const detail::VelocityProblem& p = tested.problem();
  EXPECT_EQ(p.num_pairs, 3);
  EXPECT_EQ(p.num_dofs, 13);
  EXPECT_EQ(p.num_joints, 1);
  for (int i = 0; i < p.num_pairs; ++i) EXPECT_GT(tested.memory().pairs[i].polygons, 2);
}

TEST(VelocityProblem, HasTheGradientOfItsPotential) {
  FirstProblem tested(pushed_cube());
  const std::vector<double> roots = mass_roots(tested);
  Random random(3);
  int compared = 0, at_limit = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const std::vector<double> velocity = random_velocity(random, tested.problem().num_dofs);
    const std::vector<double> gradient = tested.gradient_at(velocity);
    double size = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) size = std::max(size, std::fabs(gradient[i]) / roots[i]);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (!is_smooth_along(tested, velocity, i)) continue;
      const double slope = slope_along(velocity, i, [&](const auto& v) { return tested.potential_at(v); });
      EXPECT_NEAR(gradient[i] / roots[i], slope / roots[i], kTolerance * size)
          << "velocity " << i << ", trial " << trial;
      ++compared;
    }
    const detail::SolverMemory& m = tested.memory();
    at_limit += m.joints[0].fall(velocity[static_cast<std::size_t>(m.joint_dofs[0])]) > 0 ? 0 : 1;
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(at_limit, 5);
  EXPECT_LT(at_limit, 95);
}

/// Also where points begin to push and the drive reaches its limit.
TEST(VelocityProblem, HasThePotentialThatItsGradientAddsUpTo) {
  constexpr int kParts = 1000;
  constexpr double kMidpoints = 1e-5;  // relative; of the midpoint rule with so many parts across kinks
  FirstProblem tested(pushed_cube());
  Random random(5);
  for (int trial = 0; trial < 10; ++trial) {
    const std::vector<double> from = random_velocity(random, tested.problem().num_dofs),
                              to = random_velocity(random, tested.problem().num_dofs);
    double sum = 0, size = 0;
    for (int part = 0; part < kParts; ++part) {
      std::vector<double> velocity = from;
      for (std::size_t i = 0; i < from.size(); ++i) velocity[i] += (part + 0.5) / kParts * (to[i] - from[i]);
      const std::vector<double> gradient = tested.gradient_at(velocity);
      double slope = 0;
      for (std::size_t i = 0; i < from.size(); ++i) slope += gradient[i] * (to[i] - from[i]);
      sum += slope / kParts;
      size += std::fabs(slope) / kParts;
    }
    EXPECT_NEAR(tested.potential_at(to) - tested.potential_at(from), sum, kMidpoints * size) << trial;
  }
}

TEST(VelocityProblem, HasTheMatrixOfItsGradient) {
  FirstProblem tested(pushed_cube());
  const std::vector<double> roots = mass_roots(tested);
  const int dofs = tested.problem().num_dofs;
  Random random(4);
  int compared = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const std::vector<double> velocity = random_velocity(random, dofs);
    for (int column = 0; column < dofs; ++column) {
      const auto dof = static_cast<std::size_t>(column);
      if (!is_smooth_along(tested, velocity, dof)) continue;
      tested.gradient_at(velocity);
      std::vector<double> expected;
      double size = 0;
      for (int row = column; row < dofs; ++row) {
        expected.push_back(tested.memory().matrix.at(row, column) / roots[dof] / roots[static_cast<std::size_t>(row)]);
        size = std::max(size, std::fabs(expected.back()));
      }
      for (int row = column; row < dofs; ++row) {
        const auto i = static_cast<std::size_t>(row);
        const double slope = slope_along(velocity, dof, [&](const auto& v) { return tested.gradient_at(v)[i]; });
        EXPECT_NEAR(expected[i - dof], slope / roots[dof] / roots[i], kTolerance * size)
            << "row " << row << ", column " << column << ", trial " << trial;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2000);
}

}  // namespace
}  // namespace isopatch::test
