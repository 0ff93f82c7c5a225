// SPDX-License-Identifier: Apache-2.0
//
// Velocities after one step of some cases, found by a program that shares no code with this one: the relations hold
// there to first order in the velocities, and one of them only just.
#include <gtest/gtest.h>

#include "isopatch/detail/polytope/shape.h"
#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kStep = 0.01;  // s

// m, of velocities that are given to 1e-9 and of a step
constexpr double kRounding = 1e-10;

/// The least of the relations' largest gaps after a step in which only A moves, with the origin of its frame as its
/// centre of mass.
double least_relation(const Placed& a, const Found& found, Vec3d velocity, Vec3d spin) {
  double least = HUGE_VAL;
  for (const Relation& relation : found.relations) {
    double largest = -HUGE_VAL;
    for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
      const ContactGeometry& c = found.geometry[static_cast<std::size_t>(found.members[static_cast<std::size_t>(k)])];
      const detail::ContactRow row = contact_row(found.pair, a.X, c, {0, 0, 0}, {0, 0, 0});
      largest = std::max(largest, c.gap + kStep * (dot(row.linear, velocity) + dot(row.angular_a, spin)));
    }
    least = std::min(least, largest);
  }
  return least;
}

struct Velocities {
  Vec3d linear, angular;
};

/// With the reach that `free` gives.
Found relations_of(const Placed& a, const Placed& b, double margin, const Velocities& free, RelationMode mode) {
  const double speed = norm(free.linear) + norm(free.angular) * detail::radius_about(a.shape->view(), {0, 0, 0});
  return find(a, b,
              options(detail::relation_reach(margin, kStep, speed, 0), mode,
                      detail::relation_angle(kStep, norm(free.angular), 0)));
}

void expect_just_allowed(const Placed& a, const Placed& b, double margin, const Velocities& free, RelationMode mode,
                         const Velocities& after) {
  const Found found = relations_of(a, b, margin, free, mode);
  EXPECT_NEAR(least_relation(a, found, after.linear, after.angular), 0, kRounding);
  EXPECT_LT(least_relation(a, found, free.linear, free.angular), -1e-4);
}

ConvexShape square_of(double side) {
  const double h = side / 2;
  return ConvexShape::polygon({{-h, -h}, {h, -h}, {h, h}, {-h, h}});
}

TEST(PolytopeSteps, LeaveASquareThatPassesACornerAlone) {
  const ConvexShape fixed = ConvexShape::polygon({{-1, -1}, {0, -1}, {0, 0}, {-1, 0}}), square = square_of(0.2);
  const Placed a{&square, turned({0, 0, 1}, kPi / 4, {0.02, -0.01 + 0.1 * std::sqrt(2.0), 0})},
      b{&fixed, at({0, 0, 0})};
  const Velocities free{{0.5, -1, 0}, {0, 0, 0}};
  const Found exact = relations_of(a, b, 0.05, free, RelationMode::kExact);
  EXPECT_GT(least_relation(a, exact, free.linear, free.angular), 0);
  expect_just_allowed(a, b, 0.05, free, RelationMode::kUnilateral, {{-0.063156406, 1, 0}, {0, 0, -12.791086025}});
}

TEST(PolytopeSteps, HoldATipOverACorner) {
  const ConvexShape fixed = ConvexShape::polygon({{-1, -1}, {0, -1}, {0, 0}, {-1, 0}}), square = square_of(0.2);
  const Placed a{&square, turned({0, 0, 1}, kPi / 4, {-0.004, 0.002 + 0.1 * std::sqrt(2.0), 0})},
      b{&fixed, at({0, 0, 0})};
  const Velocities free{{1, -1, 0}, {0, 0, 0}};
  for (const double margin : {0.01, 0.05}) {
    expect_just_allowed(a, b, margin, free, RelationMode::kExact, {{0.846772539, -0.2, 0}, {0, 0, -3.204477068}});
    expect_just_allowed(a, b, margin, free, RelationMode::kExact,
                        {{1.038023113, -0.961976887, 0}, {0, 0, 0.840812862}});
    expect_just_allowed(a, b, margin, free, RelationMode::kSeparating, {{1, -0.2, 0}, {0, 0, 0}});
  }
  expect_just_allowed(a, b, 0.01, free, RelationMode::kUnilateral,
                      {{0.836030728, -0.187839169, 0}, {0, 0, -3.040207813}});
}

TEST(PolytopeSteps, HoldTwoVerticesApart) {
  const auto e = [](double degrees) { return Vec3d{std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180), 0}; };
  const Vec3d corner = 0.03 * e(110), left = corner + e(230), right = corner + e(280);
  const Vec3d center = corner + (1.0 / 3) * (e(230) + e(280));
  const auto about = [&](Vec3d p) { return std::array<double, 2>{p.x - center.x, p.y - center.y}; };
  const ConvexShape fixed = ConvexShape::polygon({{0, 0}, {e(-30).x, e(-30).y}, {e(30).x, e(30).y}});
  const ConvexShape triangle = ConvexShape::polygon({about(corner), about(left), about(right)});
  const Placed a{&triangle, at(center)}, b{&fixed, at({0, 0, 0})};
  const Velocities free{(1 / kStep) * (0.03 * e(40) - corner), {0, 0, 0}};
  expect_just_allowed(a, b, 0.05, free, RelationMode::kExact, {{2.763016145, -0.989665788, 0}, {0, 0, 3.9151339}});
  expect_just_allowed(a, b, 0.05, free, RelationMode::kSeparating, {{2.763016145, -0.989665788, 0}, {0, 0, 3.9151339}});
  expect_just_allowed(a, b, 0.05, free, RelationMode::kUnilateral,
                      {{2.314691271, -3.205695951, 0}, {0, 0, 2.320073966}});
}

TEST(PolytopeSteps, HoldABarThatGoesPastARidge) {
  const ConvexShape fixed = ConvexShape::box({0.05, 0.5, 0.05}), bar = ConvexShape::box({0.15, 0.05, 0.05});
  const Placed b{&fixed, turned({0, 1, 0}, kPi / 4)};
  const Placed a{&bar, turned({0, 1, 0}, 0.1, {-0.13, 0, 0.05 * std::sqrt(2.0) + 0.066})};
  const Velocities free{{3, 0, -1.2}, {0, 0, 0}};
  expect_just_allowed(a, b, 0.05, free, RelationMode::kExact, {{3.019402046, 0, -1.006626703}, {0, -3.170287639, 0}});
  expect_just_allowed(a, b, 0.05, free, RelationMode::kUnilateral,
                      {{-1.148317476, 0, 0.476041659}, {0, 4.098156226, 0}});
}

TEST(PolytopeSteps, HoldASquareThatLands) {
  const ConvexShape floor = ConvexShape::polygon({{-5, -1}, {5, -1}, {5, 0}, {-5, 0}}), square = square_of(1);
  const Placed a{&square, turned({0, 0, 1}, kPi / 180, {0, 0.51, 0})}, b{&floor, at({0, 0, 0})};
  for (const RelationMode mode : {RelationMode::kExact, RelationMode::kUnilateral, RelationMode::kSeparating}) {
    expect_just_allowed(a, b, 0.01, {{0, -3.0981, 0}, {0, 0, 0}}, mode, {{0, -0.992383598, 0}, {0, 0, -1.745506493}});
  }
}

}  // namespace
}  // namespace isopatch::test
