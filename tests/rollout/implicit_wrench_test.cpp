// SPDX-License-Identifier: Apache-2.0
#include "isopatch/implicit_wrench.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;

using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector = Eigen::Matrix<double, 6, 1>;

constexpr double kRounding = 1e-9;  // of six equations whose numbers are about 1

TEST(ImplicitWrench, IsThatAtTheEndOfTheStep) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto number = [&] { return normal(random); };
  const auto matrix = [&] {
    const Matrix a = Matrix::NullaryExpr(number);
    return Matrix(a * a.transpose());
  };
  const double h = 0.01;
  for (int i = 0; i < 100; ++i) {
    const Matrix k = matrix(), c = matrix(), m = matrix() + Matrix::Identity();
    const Vector w = Vector::NullaryExpr(number), v = Vector::NullaryExpr(number), f = Vector::NullaryExpr(number);
    const std::vector<double> found = implicit_wrench({.time_step = h,
                                                       .inertia = {m.data(), 36},
                                                       .stiffness = {k.data(), 36},
                                                       .damping = {c.data(), 36},
                                                       .wrench = {w.data(), 6},
                                                       .velocity = {v.data(), 6},
                                                       .other = {f.data(), 6}});
    const Vector applied = Eigen::Map<const Vector>(found.data());
    const Vector after = v + h * m.partialPivLu().solve(f + applied);
    const Vector expected = w - h * (k * after) - c * (after - v);
    EXPECT_LT((applied - expected).norm(), kRounding * (1 + expected.norm())) << i;
  }
}

TEST(ImplicitWrench, LeavesNegativeEigenvaluesOut) {
  const double k = -1e4, zero = 0, one = 1;
  ImplicitStep step = {.time_step = 0.02,
                       .inertia = {&one, 1},
                       .stiffness = {&k, 1},
                       .damping = {&zero, 1},
                       .wrench = {&one, 1},
                       .velocity = {&zero, 1}};
  EXPECT_EQ(implicit_wrench(step), std::vector<double>{1});
  step.clamp = false;
  EXPECT_LT(implicit_wrench(step)[0], 0);
}

TEST(ImplicitWrench, NamesBadInput) {
  const std::vector<double> one = {1}, two = {1, 2}, nan = {std::numeric_limits<double>::quiet_NaN()};
  const ImplicitStep good = {
      .time_step = 0.1, .inertia = one, .stiffness = one, .damping = one, .wrench = one, .velocity = one};
  const auto error = [&](const auto& change) {
    ImplicitStep step = good;
    change(step);
    return error_of([&] { implicit_wrench(step); });
  };
  EXPECT_NO_THROW(implicit_wrench(good));
  EXPECT_EQ(error([](ImplicitStep& s) { s.time_step = 0; }),
            "implicit_wrench: time_step is 0; it must be finite and greater than 0, in s");
  EXPECT_EQ(error([&](ImplicitStep& s) { s.damping = two; }), "implicit_wrench: damping is 2 numbers; it must have 1");
  EXPECT_EQ(error([&](ImplicitStep& s) { s.other = two; }), "implicit_wrench: other is 2 numbers; it must have 1");
  EXPECT_EQ(error([&](ImplicitStep& s) { s.inertia = nan; }), "implicit_wrench: inertia[0] is nan; it must be finite");
}

/// A contact at (1, 0, 0) whose normal is z.
DiscreteContact contact_on_x() {
  DiscreteContact contact = {};
  contact.point[0] = 1;
  contact.normal[2] = 1;
  contact.area = 0.5F;
  contact.pressure = 8;
  contact.stiffness = 100;
  contact.dissipation = 0.25;
  contact.friction = 0.5;
  return contact;
}

TEST(ContactMatrices, AreThoseOfItsSpringsDampersAndFriction) {
  const DiscreteContact contact = contact_on_x();
  // at the contact 3 m/s along x, and -1 m/s along z of which 1 m/s is spin
  const ContactMatrices found = contact_matrices({&contact, 1}, {0, 0, 0}, {3, 0, 0, 0, 1, 0}, 4);
  const auto at = [](const std::array<double, 36>& matrix, std::size_t row, std::size_t column) {
    return matrix[6 * row + column];
  };
  const double damped = 1.25, force = 4, secant = 0.5 * force * damped / 5;  // sqrt(3^2 + 4^2)
  EXPECT_DOUBLE_EQ(at(found.stiffness, 2, 2), 100 * damped);
  EXPECT_DOUBLE_EQ(at(found.stiffness, 4, 4), 100 * damped) << "tilting about y, by an arm of 1 m";
  EXPECT_DOUBLE_EQ(at(found.stiffness, 2, 4), -100 * damped);
  EXPECT_DOUBLE_EQ(at(found.stiffness, 0, 0), 0);
  EXPECT_DOUBLE_EQ(at(found.damping, 0, 0), secant);
  EXPECT_DOUBLE_EQ(at(found.damping, 1, 1), secant);
  EXPECT_DOUBLE_EQ(at(found.damping, 5, 5), secant) << "spin about z";
  EXPECT_DOUBLE_EQ(at(found.damping, 1, 5), secant);
  EXPECT_DOUBLE_EQ(at(found.damping, 2, 2), 0.25 * force);
}

TEST(ContactMatrices, AreZeroWhereBodiesPartTooFast) {
  const DiscreteContact contact = contact_on_x();
  const ContactMatrices found = contact_matrices({&contact, 1}, {0, 0, 0}, {0, 0, 5, 0, 0, 0}, 1e-4);
  EXPECT_EQ(found.stiffness, (std::array<double, 36>{}));
  EXPECT_EQ(found.damping, (std::array<double, 36>{}));
  EXPECT_EQ(error_of([&] {
              contact_matrices({&contact, 1}, {}, {}, 0);
            }),
            "contact_matrices: slip_tolerance is 0; it must be finite and greater than 0, in m/s");
}

TEST(Simulator, TakesEmptyBracesForTheDefaults) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.05, 0)};
  description.bodies = {{.name = "ball"}};
  description.rollout.time_step = 0.25;
  EXPECT_EQ(Simulator(Scene(description), {}).rollout().time_step, 0.25);
  EXPECT_EQ(HostSimulator(Scene(description), {}).simulator().rollout().time_step, 0.25);
  EXPECT_EQ(Simulator(Scene(description), {.time_step = 0.5}).rollout().time_step, 0.5);
}

TEST(Simulator, RefusesPosesOfNoEnvironments) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.05, 0)};
  description.bodies = {{.name = "ball"}};
  const HostSimulator simulator{Scene(description)};
  std::vector<double> poses(7), velocities(6);
  RolloutState state;
  EXPECT_NO_THROW(simulator.step(state));
  state.poses = poses.data();
  state.velocities = velocities.data();
  EXPECT_EQ(error_of([&] { simulator.step(state); }),
            "step: state.num_environments is 0; give the number of environments that state.poses has, or no poses for "
            "none");
}

}  // namespace
}  // namespace isopatch
