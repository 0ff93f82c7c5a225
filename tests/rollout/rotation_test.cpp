// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/rollout/motion/rotation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/scenes.h"

namespace isopatch::detail {
namespace {

using test::Random;

constexpr long double kPi = std::numbers::pi_v<long double>;

// Of each component of exp() where |r| is at most 2.
constexpr double kExpTolerance = 2e-16;

Vec3d random_direction(Random& random) {
  for (;;) {
    const Vec3d v = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    if (norm(v) > 0.1 && norm(v) < 1) return (1 / norm(v)) * v;
  }
}

/// (cos |r|/2, sin(|r|/2) r/|r|) in extended precision; the largest difference of a component.
double exp_error(Vec3d r) {
  const long double x = r.x, y = r.y, z = r.z, length = std::sqrt(x * x + y * y + z * z);
  const long double sinc = length > 0 ? std::sin(length / 2) / length : 0.5L;
  const Quaternion q = exp(r);
  long double worst = std::fabs(q.w - std::cos(length / 2));
  worst = std::max(worst, std::fabs(q.v.x - sinc * x));
  worst = std::max(worst, std::fabs(q.v.y - sinc * y));
  return static_cast<double>(std::max(worst, std::fabs(q.v.z - sinc * z)));
}

TEST(Rotation, ExpIsExactToTheLastDigitsUpToTwoRadians) {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < 100'000; ++i) worst = std::max(worst, exp_error(random.uniform(0, 2) * random_direction(random)));
  for (const double angle : {0.0, 1e-300, 1e-9, 1.0, 2.0}) worst = std::max(worst, exp_error({0, angle, 0}));
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, kExpTolerance);
}

TEST(Rotation, ExpOfLargeAnglesLosesADigitForEachDoubling) {
  Random random(2);
  for (const double angle : {2.0000001, 3.14159, 6.3, 100.0, 1e4, 1e6}) {
    for (int i = 0; i < 1000; ++i) {
      EXPECT_LT(exp_error(angle * random_direction(random)), 2 * kExpTolerance * angle) << angle;
    }
  }
}

TEST(Rotation, ExpOfZeroIsNoRotation) {
  const Quaternion q = exp({0, 0, 0});
  EXPECT_EQ(q.w, 1);
  EXPECT_EQ(norm(q.v), 0);
}

TEST(Rotation, ExpOfNoNumberEnds) {
  EXPECT_TRUE(std::isnan(exp({INFINITY, 0, 0}).w));
  EXPECT_TRUE(std::isnan(exp({NAN, 0, 0}).w));
}

TEST(Rotation, LogIsTheInverseOfExp) {
  constexpr double kTolerance = 2e-15;
  Random random(3);
  double worst = 0;
  const auto compare = [&](Vec3d r) {
    const Vec3d again = log(exp(r));
    worst = std::max(worst, norm(again - r) / norm(r));
  };
  for (int i = 0; i < 100'000; ++i) compare(random.uniform(0, 3.1415926) * random_direction(random));
  for (const double angle : {1e-150, 1e-12, 1e-6, 0.1, 1.0, 3.0}) {
    for (int i = 0; i < 100; ++i) compare(angle * random_direction(random));
  }
  RecordProperty("worst", std::to_string(worst));
  EXPECT_LT(worst, kTolerance);
}

TEST(Rotation, LogTakesTheShorterWay) {
  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const double angle = random.uniform(3.2, 6.2);
    const Vec3d axis = random_direction(random), r = log(exp(angle * axis));
    EXPECT_NEAR(norm(r - (angle - 2 * static_cast<double>(kPi)) * axis), 0, 1e-14) << angle;
  }
}

TEST(Rotation, LogOfHalfATurnIsPi) {
  const Vec3d r = log({0, {0, 0.6, 0.8}});
  EXPECT_NEAR(r.y, 0.6 * static_cast<double>(kPi), 1e-15);
  EXPECT_NEAR(r.z, 0.8 * static_cast<double>(kPi), 1e-15);
}

TEST(Rotation, LogOfNoRotationIsZero) {
  EXPECT_EQ(norm(log({1, {0, 0, 0}})), 0);
  EXPECT_EQ(norm(log({-1, {0, 0, 0}})), 0);
}

TEST(Rotation, ProductTurnsByTheRightFactorFirst) {
  const Quaternion about_z = exp({0, 0, static_cast<double>(kPi / 2)}),
                   about_x = exp({static_cast<double>(kPi / 2), 0, 0});
  // y goes to z about x, and stays there about z
  const Quaternion both = product(about_z, about_x);
  const Vec3d y = rotate(rotation_of(both.w, both.v.x, both.v.y, both.v.z), Vec3d{0, 1, 0});
  EXPECT_NEAR(norm(y - Vec3d{0, 0, 1}), 0, 1e-15);
}

}  // namespace
}  // namespace isopatch::detail
