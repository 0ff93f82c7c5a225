// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/fixed_point.h"

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
OrderFreeSum<T> sum_of(const std::vector<T>& values, const Grid<T>& grid) {
  OrderFreeSum<T> sum;
  for (const T value : values) EXPECT_TRUE(sum.add(value, grid));
  return sum;
}

template <class T>
bool same_limbs(const OrderFreeSum<T>& a, const OrderFreeSum<T>& b) {
  return std::equal(std::begin(a.limb), std::end(a.limb), std::begin(b.limb));
}

template <class T>
struct OrderFree : ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(OrderFree, Scalars);

TYPED_TEST(OrderFree, AnyOrderGivesTheSameBits) {
  const auto grid = Grid<TypeParam>::from_bound(1);
  std::vector<TypeParam> values = terms<TypeParam>(10007, 1);
  const OrderFreeSum<TypeParam> expected = sum_of(values, grid);
  std::mt19937_64 engine(2);
  for (int round = 0; round < 20; ++round) {
    std::shuffle(values.begin(), values.end(), engine);
    EXPECT_TRUE(same_limbs(sum_of(values, grid), expected)) << "round " << round;
  }
  std::sort(values.begin(), values.end());
  EXPECT_TRUE(same_limbs(sum_of(values, grid), expected));
}

TYPED_TEST(OrderFree, AnyGroupingGivesTheSameBits) {
  const auto grid = Grid<TypeParam>::from_bound(1);
  const std::vector<TypeParam> values = terms<TypeParam>(1000, 3);
  const OrderFreeSum<TypeParam> expected = sum_of(values, grid);
  for (std::size_t lanes : {2u, 7u, 32u, 999u}) {
    std::vector<OrderFreeSum<TypeParam>> partial(lanes);
    for (std::size_t i = 0; i < values.size(); ++i) partial[i % lanes].add(values[i], grid);
    OrderFreeSum<TypeParam> total;
    for (const auto& p : partial) {
      for (int limb = 0; limb < OrderFreeSum<TypeParam>::kLimbs; ++limb) total.limb[limb] += p.limb[limb];
    }
    EXPECT_TRUE(same_limbs(total, expected)) << lanes << " lanes";
  }
}

TYPED_TEST(OrderFree, RefusesWhatDoesNotFitAndKeepsItsValue) {
  for (const double bound : {0x1p-60, 1.0, 1024.0, 0x1p40}) {
    const auto grid = Grid<TypeParam>::from_bound(bound);
    const TypeParam limit = static_cast<TypeParam>(bound);
    OrderFreeSum<TypeParam> sum;
    ASSERT_TRUE(sum.add(limit / 2, grid));
    const OrderFreeSum<TypeParam> before = sum;
    constexpr TypeParam kInfinity = std::numeric_limits<TypeParam>::infinity();
    for (const TypeParam term : {limit, -limit, 2 * limit, kInfinity, -kInfinity, std::numeric_limits<TypeParam>::max(),
                                 std::numeric_limits<TypeParam>::quiet_NaN()}) {
      EXPECT_FALSE(sum.add(term, grid)) << term << " with bound " << bound;
      EXPECT_TRUE(same_limbs(sum, before)) << term << " with bound " << bound;
    }
    EXPECT_TRUE(sum.add(-std::nextafter(limit, TypeParam(0)), grid)) << "with bound " << bound;
  }
}

TYPED_TEST(OrderFree, ATinyBoundIsHeldWhereFloatCanInvertIt) {
  const auto grid = Grid<TypeParam>::from_bound(0x1p-400);
  EXPECT_TRUE(std::isfinite(grid.to_steps));
  OrderFreeSum<TypeParam> sum;
  EXPECT_TRUE(sum.add(static_cast<TypeParam>(0x1p-70), grid));
  EXPECT_EQ(sum.value(grid), 0x1p-70);
}

// A step of the float grid is bound 2^-62, and each term is off by at most half of one.
TEST(OrderFreeSum, FloatTermsLoseAtMostHalfAStepEach) {
  constexpr int kCount = 10007;
  const std::vector<float> values = terms<float>(kCount, 4);
  const auto grid = Grid<float>::from_bound(1);
  long double exact = 0;
  for (const float v : values) exact += static_cast<long double>(v);
  EXPECT_NEAR(sum_of(values, grid).value(grid), static_cast<double>(exact), kCount * 0x1p-63);
}

// A shallow contact lies far below its bound, where one limb would leave few digits: 2^-102 of the bound is the second
// limb's step, so terms of 1e-12 of the bound still have 18 digits, more than the terms themselves.
TEST(OrderFreeSum, DoubleKeepsFullAccuracyOfTermsFarBelowTheBound) {
  for (const double scale : {1.0, 1e-6, 1e-9, 1e-12, 1e-14}) {
    std::vector<double> values = terms<double>(10007, 5);
    long double exact = 0;
    for (double& v : values) {
      v = std::fabs(v) * scale;
      exact += static_cast<long double>(v);
    }
    const auto grid = Grid<double>::from_bound(1);
    EXPECT_NEAR(sum_of(values, grid).value(grid) / static_cast<double>(exact), 1, 4e-16 + 1e-26 / scale)
        << "scale " << scale;
  }
}

// Remainders of half a step, all of one sign: the most the second limb has to hold. One more would be 2^63.
TEST(OrderFreeSum, TheSecondLimbHoldsTheWorstRemainders) {
  const auto grid = Grid<double>::from_bound(0x1p62);  // steps of 1
  OrderFreeSum<double> sum;
  constexpr int kCount = (1 << 24) - 1;
  for (int i = 0; i < kCount; ++i) sum.add(0.5, grid);  // rounds to 0 and leaves +1/2
  EXPECT_EQ(sum.value(grid), 0.5 * kCount);
  EXPECT_GT(sum.limb[1], 0);
}

}  // namespace
}  // namespace isopatch::detail
