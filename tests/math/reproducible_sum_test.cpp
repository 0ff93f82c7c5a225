// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/math/reproducible_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace isopatch::detail {
namespace {

TEST(NextPowerOfTwo, IsTheSmallestThatIsNotLess) {
  for (int exponent = -1000; exponent <= 999; ++exponent) {
    const double power = std::ldexp(1.0, exponent);
    EXPECT_EQ(next_power_of_two(power), power);
    EXPECT_EQ(next_power_of_two(std::nextafter(power, 0)), power);
    EXPECT_EQ(next_power_of_two(std::nextafter(power, INFINITY)), 2 * power);
    EXPECT_EQ(next_power_of_two(1.5 * power), 2 * power);
  }
}

/// Terms of both signs over many orders of magnitude, whose sum stays well below 1.
template <class T>
std::vector<T> terms(int count, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> exponent(-40, 0), sign(-1, 1);
  std::vector<T> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<T>(sign(engine) * std::exp2(exponent(engine)) / count));
  return out;
}

template <class T>
ReproducibleSum<T> sum_of(const std::vector<T>& values, const FixedPointScale<T>& scale) {
  ReproducibleSum<T> sum;
  for (const T value : values) sum.add(value * scale.to_quanta);
  return sum;
}

template <class T>
bool same_limbs(const ReproducibleSum<T>& a, const ReproducibleSum<T>& b) {
  return std::equal(std::begin(a.limb), std::end(a.limb), std::begin(b.limb));
}

template <class T>
struct OrderFree : ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OrderFree, Scalars);

TYPED_TEST(OrderFree, AnyOrderGivesTheSameBits) {
  const auto scale = FixedPointScale<TypeParam>::from_bound(1);
  std::vector<TypeParam> values = terms<TypeParam>(10007, 1);
  const ReproducibleSum<TypeParam> expected = sum_of(values, scale);
  std::mt19937_64 engine(2);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(values.begin(), values.end(), engine);
    EXPECT_TRUE(same_limbs(sum_of(values, scale), expected)) << "round " << round;
  }
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(same_limbs(sum_of(values, scale), expected));
}

TYPED_TEST(OrderFree, AnyGroupingGivesTheSameBits) {
  const auto scale = FixedPointScale<TypeParam>::from_bound(1);
  const std::vector<TypeParam> values = terms<TypeParam>(1000, 3);
  const ReproducibleSum<TypeParam> expected = sum_of(values, scale);
  for (std::size_t lanes : {2u, 7u, 32u, 999u}) {
    std::vector<ReproducibleSum<TypeParam>> partial(lanes);
    for (std::size_t i = 0; i < values.size(); ++i) partial[i % lanes].add(values[i] * scale.to_quanta);
    ReproducibleSum<TypeParam> total;
    for (const auto& p : partial) {
      for (int limb = 0; limb < ReproducibleSum<TypeParam>::kLimbs; ++limb) total.limb[limb] += p.limb[limb];
    }
    EXPECT_TRUE(same_limbs(total, expected)) << lanes << " lanes";
  }
}

TYPED_TEST(OrderFree, RefusesWhatDoesNotFit) {
  for (const double width : {0x1p-60, 1.0, 1024.0, 0x1p40}) {
    const auto scale = FixedPointScale<TypeParam>::from_bound(width);
    const TypeParam limit = static_cast<TypeParam>(width);
    constexpr TypeParam kInfinity = std::numeric_limits<TypeParam>::infinity();
    for (const TypeParam term : {limit, 2 * limit, kInfinity, std::numeric_limits<TypeParam>::max(),
                                 std::numeric_limits<TypeParam>::quiet_NaN()}) {
      SumBound bound;
      EXPECT_FALSE(bound.add(term * scale.to_quanta)) << term << " with bound " << width;
      EXPECT_FALSE(bound.holds<TypeParam>()) << term << " with bound " << width;
    }
    SumBound bound;
    EXPECT_TRUE(bound.add(limit / 2 * scale.to_quanta)) << "with bound " << width;
    EXPECT_TRUE(bound.holds<TypeParam>()) << "with bound " << width;
    EXPECT_TRUE(bound.add(std::nextafter(limit, TypeParam(0)) * scale.to_quanta)) << "with bound " << width;
  }
}

// Equal terms of one sign: as long as the bound holds, no sum has wrapped, and it holds up to half of what would fit.
TYPED_TEST(OrderFree, HoldsUntilASumMayWrap) {
  for (const double size : {0x1p62, 0x1p61, 0x1.8p55, 0x1p40, 0x1.000002p32, 0x1p31, 3.0, 0.5}) {
    const TypeParam term = std::nextafter(static_cast<TypeParam>(size), TypeParam(0));
    SumBound bound;
    ReproducibleSum<TypeParam> sum;
    long double exact = 0;
    for (int terms = 1; terms <= 2000; ++terms) {
      ASSERT_TRUE(bound.add(term));
      exact += std::llrint(term);
      const bool held = bound.holds<TypeParam>();
      ASSERT_TRUE(held || exact + terms * 0x1p33L >= 0x1p62L) << terms << " terms of " << term;
      ASSERT_TRUE(!held || exact < 0x1p63L) << terms << " terms of " << term;
      if (!held) break;
      sum.add(term);
      ASSERT_EQ(static_cast<long double>(sum.limb[0]), exact) << terms << " terms of " << term;
    }
  }
}

// Where sums do not hold, they do on the scale that widening() gives: up to the largest terms, for many terms and for
// few.
TYPED_TEST(OrderFree, HoldsOnTheWiderGrid) {
  const TypeParam largest = std::nextafter(TypeParam(kMaxQuanta), TypeParam(0));
  for (const int terms : {2, 3, 31, 1000, 100000}) {
    for (const TypeParam part : {TypeParam(1), TypeParam(0.3), TypeParam(3.0 / terms)}) {
      SumBound bound;
      for (int i = 0; i < terms; ++i) bound.add(largest * part);
      if (bound.holds<TypeParam>()) continue;
      const TypeParam narrower = static_cast<TypeParam>(std::ldexp(1.0, -bound.widening()));
      SumBound again;
      ReproducibleSum<TypeParam> sum;
      for (int i = 0; i < terms; ++i) {
        EXPECT_TRUE(again.add(largest * part * narrower));
        sum.add(largest * part * narrower);
      }
      EXPECT_TRUE(again.holds<TypeParam>()) << terms << " terms of " << largest * part;
      const FixedPointScale<TypeParam> steps_of_one = FixedPointScale<TypeParam>::from_bound(0x1p62);
      EXPECT_NEAR(sum.value(steps_of_one) / (static_cast<double>(largest * part * narrower) * terms), 1, 1e-6);
    }
  }
}

TYPED_TEST(OrderFree, ATinyBoundIsHeldWhereFloatCanInvertIt) {
  const auto scale = FixedPointScale<TypeParam>::from_bound(0x1p-400);
  EXPECT_TRUE(std::isfinite(scale.to_quanta));
  ReproducibleSum<TypeParam> sum;
  sum.add(static_cast<TypeParam>(0x1p-70) * scale.to_quanta);
  EXPECT_EQ(sum.value(scale), 0x1p-70);
}

// A quantum of the float scale is bound 2^-62, and each term is off by at most half of one.
TEST(ReproducibleSum, FloatTermsLoseAtMostHalfAStepEach) {
  constexpr int kCount = 10007;
  const std::vector<float> values = terms<float>(kCount, 4);
  const auto scale = FixedPointScale<float>::from_bound(1);
  long double exact = 0;
  for (const float v : values) exact += static_cast<long double>(v);
  EXPECT_NEAR(sum_of(values, scale).value(scale), static_cast<double>(exact), kCount * 0x1p-63);
}

// A shallow contact lies far below its bound, where one limb would leave few digits: 2^-102 of the bound is the second
// limb's quantum, so terms of 1e-12 of the bound still have 18 digits, more than the terms themselves.
TEST(ReproducibleSum, DoubleKeepsFullAccuracyOfTermsFarBelowTheBound) {
  for (const double factor : {1.0, 1e-6, 1e-9, 1e-12, 1e-14}) {
    std::vector<double> values = terms<double>(10007, 5);
    long double exact = 0;
    for (double& v : values) {
      v = std::fabs(v) * factor;
      exact += static_cast<long double>(v);
    }
    const auto scale = FixedPointScale<double>::from_bound(1);
    EXPECT_NEAR(sum_of(values, scale).value(scale) / static_cast<double>(exact), 1, 4e-16 + 1e-26 / factor)
        << "factor " << factor;
  }
}

// Remainders of half a quantum, all of one sign: the most the second limb has to hold. One more would be 2^63.
TEST(ReproducibleSum, TheSecondLimbHoldsTheWorstRemainders) {
  const auto scale = FixedPointScale<double>::from_bound(0x1p62);  // quanta of 1
  ReproducibleSum<double> sum;
  constexpr int kCount = (1 << 24) - 1;
  for (int i = 0; i < kCount; ++i) sum.add(0.5);  // rounds to 0 and leaves +1/2
  EXPECT_EQ(sum.value(scale), 0.5 * kCount);
  EXPECT_GT(sum.limb[1], 0);
}

}  // namespace
}  // namespace isopatch::detail
