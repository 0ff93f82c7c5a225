// SPDX-License-Identifier: Apache-2.0
#include "isopatch/detail/rollout/motion/path.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host/scene/motion_rules.h"
#include "tests/support/scenes.h"

namespace isopatch::detail {
namespace {

constexpr double kTolerance = 1e-14;  // m and rad

class RowsOfPath {
 public:
  explicit RowsOfPath(const Path& path) : rows_(path_rows(path)) {}
  Pose at(double time) const { return pose_at({rows_.data(), static_cast<std::int32_t>(rows_.size())}, time); }
  const std::vector<PathRow>& rows() const { return rows_; }

 private:
  std::vector<PathRow> rows_;
};

std::array<double, 7> turned(const Point3& position, Vec3d rotation) {
  const Quaternion q = exp(rotation);
  return {position[0], position[1], position[2], q.w, q.v.x, q.v.y, q.v.z};
}

void expect_near(const Pose& found, const std::array<double, 7>& expected, const char* what) {
  const Twist difference = twist_between(found, pose_from(expected), 1);
  EXPECT_LT(norm(difference.linear), kTolerance) << what;
  EXPECT_LT(norm(difference.angular), kTolerance) << what;
  EXPECT_NEAR(dot(found.orientation, found.orientation), 1, 1e-15) << what;
}

TEST(Path, IsLinearInPositionAndTurnsAtAConstantRate) {
  const RowsOfPath path(
      {{-1, 1, 3}, {turned({0, 0, 0}, {0, 0, 0.4}), turned({2, 0, 4}, {0, 0, 2.4}), turned({2, 2, 4}, {0, 0, -0.6})}});
  expect_near(path.at(-5), turned({0, 0, 0}, {0, 0, 0.4}), "before the first row");
  expect_near(path.at(-1), turned({0, 0, 0}, {0, 0, 0.4}), "the first row");
  expect_near(path.at(-0.5), turned({0.5, 0, 1}, {0, 0, 0.9}), "a quarter");
  expect_near(path.at(0), turned({1, 0, 2}, {0, 0, 1.4}), "the middle");
  expect_near(path.at(1), turned({2, 0, 4}, {0, 0, 2.4}), "the second row");
  expect_near(path.at(2.5), turned({2, 1.5, 4}, {0, 0, 0.15}), "the second part");
  expect_near(path.at(3), turned({2, 2, 4}, {0, 0, -0.6}), "the last row");
  expect_near(path.at(300), turned({2, 2, 4}, {0, 0, -0.6}), "after the last row");
}

// q and -q are the same rotation.
TEST(Path, GoesTheShorterWayWhateverTheSignsOfQuaternions) {
  for (const double sign : {1.0, -1.0}) {
    std::array<double, 7> end = turned({0, 0, 0}, {0.3, -0.4, 0.5});
    for (std::size_t i = 3; i < 7; ++i) end[i] *= sign;
    const RowsOfPath path({{0, 1}, {{0, 0, 0, 1, 0, 0, 0}, end}});
    expect_near(path.at(0.5), turned({0, 0, 0}, {0.15, -0.2, 0.25}), "the middle");
    EXPECT_LT(norm(path.rows()[0].rotation - Vec3d{0.3, -0.4, 0.5}), kTolerance);
  }
}

TEST(Path, TakesQuaternionsOfAnyLength) {
  const RowsOfPath path({{0}, {{1, 2, 3, 0, 0, 5, 0}}});
  const Pose pose = path.at(0);
  EXPECT_EQ(pose.orientation.v.y, 1);
  EXPECT_EQ(pose.position.z, 3);
}

TEST(Path, TurnsInTheAxesOfTheWorld) {
  const Vec3d first = {0.2, 0.5, -0.3}, way = {-0.4, 0.1, 0.7};
  const Quaternion q = product(exp(way), exp(first));
  const RowsOfPath path({{0, 1}, {turned({0, 0, 0}, first), {0, 0, 0, q.w, q.v.x, q.v.y, q.v.z}}});
  EXPECT_LT(norm(path.rows()[0].rotation - way), kTolerance);
}

TEST(Twist, OfTwoPosesLeadsFromOneToTheOther) {
  test::Random random(5);
  const auto vector = [&](double size) {
    return Vec3d{random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
  };
  for (int i = 0; i < 1000; ++i) {
    const Pose from = {vector(1), exp(vector(3))}, to = {vector(1), exp(vector(3))};
    const double duration = random.uniform(1e-4, 2);
    const Pose found = moved(from, twist_between(from, to, duration), duration);
    EXPECT_LT(norm(found.position - to.position), kTolerance);
    EXPECT_NEAR(std::fabs(dot(found.orientation, to.orientation)), 1, kTolerance);
  }
}

TEST(Twist, OfAStepAlongAPathIsItsRate) {
  const RowsOfPath path({{0, 2}, {{0, 0, 0, 1, 0, 0, 0}, turned({0.2, 0, -0.4}, {0, 1, 0})}});
  const Twist twist = twist_between(path.at(0.5), path.at(0.501), 1e-3);
  EXPECT_LT(norm(twist.linear - Vec3d{0.1, 0, -0.2}), 1e-12);
  EXPECT_LT(norm(twist.angular - Vec3d{0, 0.5, 0}), 1e-12);
}

}  // namespace
}  // namespace isopatch::detail
