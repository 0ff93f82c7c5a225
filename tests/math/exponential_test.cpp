// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/math/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace isopatch::detail {
namespace {

/// In units of the last place of the exact value.
double units_off(double found, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double unit = std::nextafter(rounded, HUGE_VAL) - rounded;
  return static_cast<double>(std::fabs(static_cast<long double>(found) - exact)) / unit;
}

TEST(Decay, IsWithinTwoUnitsInTheLastPlace) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> value(0, 708), exponent(-60, 9.4);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 == 0 ? value(random) : std::exp2(exponent(random));
    worst = std::fmax(worst, units_off(decay(x), std::exp(-static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
  RecordProperty("units", std::to_string(worst));
}

TEST(Decay, EndsAtItsEnds) {
  EXPECT_EQ(decay(0), 1);
  EXPECT_EQ(decay(std::numeric_limits<double>::denorm_min()), 1);
  EXPECT_GT(decay(708), 0);
  EXPECT_EQ(decay(std::nextafter(708, 1000)), 0);
  EXPECT_EQ(decay(std::numeric_limits<double>::infinity()), 0);
}

TEST(Power, IsExactForWholeAndHalfExponents) {
  for (const double x : {1e-9, 0.3, 1.0, 7.5, 1e6}) {
    EXPECT_EQ(power(x, 0), 1);
    EXPECT_EQ(power(x, 1), x);
    EXPECT_EQ(power(x, 1.5), x * std::sqrt(x));
    EXPECT_EQ(power(x, 2), x * x);
    EXPECT_EQ(power(x, 3), x * (x * x));
  }
}

TEST(Power, IsWithinSomeRoundings) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(-40, 20), power_of(0, 6);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp2(exponent(random)), p = power_of(random);
    EXPECT_LT(units_off(power(x, p), std::pow(static_cast<long double>(x), static_cast<long double>(p))), 100)
        << x << " ^ " << p;
  }
}

}  // namespace
}  // namespace isopatch::detail
