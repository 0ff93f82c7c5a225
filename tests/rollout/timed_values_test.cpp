// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/rollout/motion/path.h"

#include <gtest/gtest.h>

#include <vector>

namespace isopatch::detail {
namespace {

TimedValues view_of(const std::vector<TimedValue>& rows) {
  return {rows.data(), static_cast<std::int32_t>(rows.size())};
}

// force of a gripper that lets go and holds again
const std::vector<TimedValue> kForce = {{0, 16}, {4.5, 1}, {6, 16.5}};

TEST(TimedValues, HoldFromTheirTimeOn) {
  const TimedValues force = view_of(kForce);
  EXPECT_EQ(held_value(force, -5), 16) << "the first holds before its time";
  EXPECT_EQ(held_value(force, 0), 16);
  EXPECT_EQ(held_value(force, 4.4), 16);
  EXPECT_EQ(held_value(force, 4.5), 1);
  EXPECT_EQ(held_value(force, 5.9), 1);
  EXPECT_EQ(held_value(force, 6), 16.5);
  EXPECT_EQ(held_value(force, 1e6), 16.5);
}

TEST(TimedValues, HoldFromANanosecondBeforeTheirTime) {
  const TimedValues force = view_of(kForce);
  EXPECT_EQ(held_value(force, 4.5 - 0.99e-9), 1);
  EXPECT_EQ(held_value(force, 4.5 - 1.01e-9), 16);
  // the ends of steps, as sums and as products
  double sum = 0;
  for (int i = 0; i < 4500; ++i) sum += 1e-3;
  EXPECT_NE(sum, 4.5);
  EXPECT_EQ(held_value(force, sum), 1);
  EXPECT_EQ(held_value(force, 4500 * 1e-3), 1);
}

TEST(TimedValues, AreLinearBetweenRowsAndConstantOutside) {
  const std::vector<TimedValue> rows = {{1, 10}, {2, 20}, {4, -20}};
  const TimedValues target = view_of(rows);
  EXPECT_EQ(linear_value(target, -1), 10);
  EXPECT_EQ(linear_value(target, 1), 10);
  EXPECT_EQ(linear_value(target, 1.25), 12.5);
  EXPECT_EQ(linear_value(target, 2), 20);
  EXPECT_EQ(linear_value(target, 3), 0);
  EXPECT_EQ(linear_value(target, 4), -20);
  EXPECT_EQ(linear_value(target, 9), -20);
}

TEST(TimedValues, OfOneRowAreConstant) {
  const std::vector<TimedValue> row = {{3, 7}};
  for (const double time : {-10.0, 0.0, 3.0, 10.0}) {
    EXPECT_EQ(held_value(view_of(row), time), 7);
    EXPECT_EQ(linear_value(view_of(row), time), 7);
  }
}

TEST(TimedValues, WithoutRowsAreZero) {
  EXPECT_EQ(held_value({nullptr, 0}, 1), 0);
  EXPECT_EQ(linear_value({nullptr, 0}, 1), 0);
}

TEST(TimedValues, AreFoundInAnyNumberOfRows) {
  for (const int count : {1, 2, 3, 31, 32, 33, 127, 128, 129, 10'007}) {
    std::vector<TimedValue> rows;
    for (int i = 0; i < count; ++i) rows.push_back({static_cast<double>(i), static_cast<double>(10 * i)});
    for (int i = 0; i < count; ++i) {
      ASSERT_EQ(held_value(view_of(rows), i + 0.5), 10 * i) << count;
      ASSERT_EQ(linear_value(view_of(rows), i), 10 * i) << count;
    }
  }
}

}  // namespace
}  // namespace isopatch::detail
