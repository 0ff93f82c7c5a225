// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of a double pendulum whose tip strikes the ground while it slides along it (Ahmed, Lankarani and
// Pereira 1999): how much of its kinetic energy one impact takes, with its configuration frozen. A program of its own
// steps it with single_contact() and the damping matrix.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "isopatch/single_contact.h"

namespace isopatch::test {
namespace {

/// Two links of 1 m and 2 kg, angles from the vertical; the second hangs from the first.
struct Pendulum {
  double first, second;                      // rad
  double first_rate = -1, second_rate = -2;  // the second link turns by -1 rad/s relative to the first

  double coupling() const { return std::cos(first - second); }
  double energy() const {
    constexpr double kFirst = 1.0 / 6 + 2.5, kSecond = 1.0 / 6 + 0.5;
    return 0.5 * kFirst * first_rate * first_rate + 0.5 * kSecond * second_rate * second_rate +
           coupling() * first_rate * second_rate;
  }
  double tip_x() const { return std::cos(first) * first_rate + std::cos(second) * second_rate; }
  double tip_z() const { return std::sin(first) * first_rate + std::sin(second) * second_rate; }

  /// One linearly implicit step.
  void step(const SingleContact& contact, double dt) {
    const double jx[] = {std::cos(first), std::cos(second)}, jz[] = {std::sin(first), std::sin(second)};
    double m[2][2] = {{1.0 / 6 + 2.5, coupling()}, {coupling(), 1.0 / 6 + 0.5}}, right[2];
    const auto& d = contact.damping_matrix;
    for (int i = 0; i < 2; ++i) {
      right[i] = dt * (jx[i] * contact.wrench[0] + jz[i] * contact.wrench[2]);
      for (int j = 0; j < 2; ++j) {
        m[i][j] += dt * (jx[i] * (d[0] * jx[j] + d[2] * jz[j]) + jz[i] * (d[12] * jx[j] + d[14] * jz[j]));
      }
    }
    const double determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    first_rate += (m[1][1] * right[0] - m[0][1] * right[1]) / determinant;
    second_rate += (m[0][0] * right[1] - m[1][0] * right[0]) / determinant;
  }
};

/// In percent of the kinetic energy.
double loss(Pendulum pendulum, double restitution, double friction) {
  ContactForceLaw law;
  law.stiffness = 1e9;
  law.restitution = restitution;
  law.friction = friction;
  law.friction_model = FrictionModel::kBristle;
  law.bristle_flow = BristleFlow::kAlways;
  law.bristle = {1e5, std::sqrt(1e5), 0, 1e-3, 0.01, 1};
  constexpr double kStep = 2e-7;
  const double before = pendulum.energy();
  ContactStateRow state = {};
  double depth = 1e-15;
  for (int i = 0; i < 1'000'000 && depth > 0; ++i) {
    ContactMotion motion;
    motion.velocity_a = {pendulum.tip_x(), 0, pendulum.tip_z()};
    const SingleContact contact = single_contact(law, Depth{depth, {}, {0, 0, 1}}, motion, state, kStep);
    state = contact.state;
    pendulum.step(contact, kStep);
    depth -= kStep * pendulum.tip_z();
  }
  EXPECT_LE(depth, 0);
  return 100 * (1 - pendulum.energy() / before);
}

constexpr double kFrictions[] = {0, 0.2, 0.4, 1};
struct Row {
  double restitution;
  std::array<double, 4> losses;
};

void expect_losses(const Pendulum& pendulum, const std::array<Row, 3>& rows) {
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(loss(pendulum, row.restitution, kFrictions[i]), row.losses[i], 0.1)
          << row.restitution << ' ' << kFrictions[i];
    }
  }
}

constexpr double kDegree = 3.14159265358979324 / 180;

TEST(Pendulum, LosesAsMuchAsTheBenchmarkIfBothLinksLean) {
  expect_losses({18 * kDegree, 30 * kDegree}, {{{0.01, {35.54, 41.96, 45.85, 51.70}},
                                                {0.5, {26.66, 35.97, 41.45, 49.75}},
                                                {0.9, {6.75, 22.04, 30.50, 41.76}}}});
}

TEST(Pendulum, LosesMoreWithMoreRestitutionForSomeFriction) {
  const Pendulum pendulum = {0, 20.7 * kDegree};
  expect_losses(pendulum, {{{0.01, {14.92, 25.47, 31.49, 40.06}},
                            {0.5, {11.19, 26.61, 35.15, 46.94}},
                            {0.9, {2.83, 22.11, 32.52, 46.49}}}});
  EXPECT_GT(loss(pendulum, 0.5, 0.2), loss(pendulum, 0.01, 0.2));
}

}  // namespace
}  // namespace isopatch::test
