// SPDX-License-Identifier: Apache-2.0
//
// One step of a ball on a table in four states, of which an independent program printed the results to ten digits.
#include "isopatch/single_contact.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/force_law/single_contact_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kPrinted = 1e-9;  // of the largest number of its kind

ContactForceLaw table_law() {
  ContactForceLaw law;
  law.stiffness = 1e7;
  law.restitution = 0.5;
  law.friction = 0.05;
  law.friction_model = FrictionModel::kBristle;
  law.bristle_flow = BristleFlow::kAlways;
  law.bristle = {1e5, std::sqrt(1e5), 0, 1e-3, 0.3, 1.6};
  return law;
}

constexpr Point3 kBall = {0.01, 0.02, 0.0975};

ContactMotion ball_motion(const Point3& velocity, const Point3& angular, double table_spin = 0) {
  ContactMotion motion = moving(velocity, angular);
  motion.origin_a = kBall;
  motion.angular_velocity_b = {0, 0, table_spin};
  return motion;
}

struct Expected {
  std::array<double, 6> wrench;
  double impact_speed;
  Point3 bend;
  double twist, dwell;
};

void expect_contact(const SingleContact& found, const Expected& expected) {
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(found.wrench[i], expected.wrench[i], kPrinted * (i < 3 ? expected.wrench[2] : 0.1)) << i;
  }
  EXPECT_DOUBLE_EQ(found.state[0], expected.impact_speed);
  EXPECT_EQ(found.state[1], 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.state[2 + i], expected.bend[i], kPrinted * 1e-6) << i;
  EXPECT_NEAR(found.state[5], expected.twist, kPrinted * 1e-5);
  EXPECT_NEAR(found.state[6], expected.dwell, kPrinted);
}

TEST(SingleContact, BeginsWithTheSpeedOfItsTouch) {
  const SingleContact found = single_contact(table_law(), ball_on_plane(kBall, 0.1),
                                             ball_motion({0.02, -0.01, -0.3}, {1, 2, 3}), ContactStateRow{}, 1e-3);
  EXPECT_NEAR(found.point[2], -8.350840336e-4, 1e-13);
  EXPECT_NEAR(found.radius, 0.01284257461, 1e-11);
  expect_contact(found, {{2.079217191, -1.039608595, 47.36888715, -0.1098986523, -0.2197973047, -0.005823205075},
                         0.3,
                         {-1.054570522e-7, 5.272852608e-8, 0},
                         1.79074464e-6,
                         0});
  EXPECT_EQ(found.state[7], 1e-3);
}

TEST(SingleContact, HoldsAtItsLimit) {
  expect_contact(
      single_contact(table_law(), ball_on_plane(kBall, 0.1), ball_motion({-3e-4, -1.5e-3, 0}, {0.012, -0.004, 0.002}),
                     ContactStateRow{0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1}, 1e-3),
      {{-0.4414127534, 1.110385829, 19.47132947, 0.10909786, 0.04343703481, -0.00220825679},
       0.3,
       {2.06414551e-7, -2.129829605e-7, 0},
       9.249502295e-6,
       0.4016447905});
}

TEST(SingleContact, SharesItsLimitBetweenForceAndTorque) {
  expect_contact(single_contact(table_law(), ball_on_plane(kBall, 0.1), ball_motion({1e-4, -1e-4, 0}, {0, 0, 0.05}),
                                ContactStateRow{0.3, 0, 4e-7, -6e-7, 0, 3e-5, 0.9, 0.1}, 5e-3),
                 {{-0.2536104731, 0.2811096685, 19.47132947, 0.02764294287, 0.02493880719, -0.01705577798},
                  0.3,
                  {2.347860582e-7, -3.208741396e-7, 0},
                  4.415624556e-5,
                  0.7006374294});
}

TEST(SingleContact, CarriesItsBendWithTheMeanSpin) {
  expect_contact(single_contact(table_law(), ball_on_plane(kBall, 0.1), ball_motion({1e-3, 0, -0.01}, {0, 0, 40}, 39.9),
                                ContactStateRow{0.05, 0, 2e-7, -1e-7, 3e-8, 1e-5, 0.4, 0.1}, 2e-3),
                 {{-1.120586866, 0.5595921897, 25.050841, 0.055027545, 0.1101930036, -2.31314546e-5},
                  0.05,
                  {3.014543506e-7, -1.382925942e-7, 0},
                  6.147431409e-6,
                  0.2125142437});
}

}  // namespace
}  // namespace isopatch::test
