// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/math/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace isopatch::detail {
namespace {

constexpr double kRounding = 0x1p-52;

TEST(Elementary, LogarithmIsWithinAFewRoundings) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300), near_one(-1e-3, 1e-3);
  for (int i = 0; i < 100000; ++i) {
    const double x = i % 2 == 0 ? std::exp2(exponent(random)) : 1 + near_one(random);
    EXPECT_NEAR(log(x), std::log(x), 3 * kRounding * std::fabs(std::log(x))) << x;
  }
  EXPECT_EQ(log(1.0), 0);
}

TEST(Elementary, ArctangentIsWithinAFewRoundings) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-60, 60);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp2(exponent(random)), y = (i % 2 == 0 ? 1 : -1) * x * std::exp2(exponent(random));
    EXPECT_NEAR(arctangent(y, x), std::atan2(y, x), 3 * kRounding * std::fabs(std::atan2(y, x))) << y << ' ' << x;
  }
}

TEST(Elementary, ArctangentTakesZeros) {
  EXPECT_EQ(arctangent(0.0, 0.0), 0);
  EXPECT_EQ(arctangent(0.0, 2.0), 0);
  EXPECT_EQ(arctangent(2.0, 0.0), std::atan2(2.0, 0.0));
  EXPECT_EQ(arctangent(-2.0, 0.0), std::atan2(-2.0, 0.0));
}

}  // namespace
}  // namespace isopatch::detail
