// SPDX-License-Identifier: Apache-2.0
//
// Relations where features lie exactly on each other, and once more where rounding has moved them.
#include <gtest/gtest.h>

#include <functional>

#include "host/reference/polytope/relations.h"
#include "tests/polytope/polytope_fixture.h"
#include "tests/polytope/reference_shapes.h"

namespace isopatch::test {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMoved = 1e-16;     // m and rad
constexpr double kAngle = 1e-6;      // which bodies at rest have
constexpr double kRounding = 1e-15;  // m, of gaps between shapes of about 1 m

struct Case {
  std::string name, kinds;
  ConvexShape a, b;
  Transform<double> X_a, X_b = at({0, 0, 0});
  double reach = 0.02;
  std::vector<Vec3d> free, held;  // translations of A, which none or one of the relations forbids
  double separation = 0;
};

ConvexShape rectangle(double low_x, double high_x, double low_y, double high_y) {
  return ConvexShape::polygon({{low_x, low_y}, {high_x, low_y}, {high_x, high_y}, {low_x, high_y}});
}

ConvexShape cube(double side) { return ConvexShape::box({side / 2, side / 2, side / 2}); }

ConvexShape tip() { return ConvexShape::hull({{0, 0, 0}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}}); }

/// A square or cube that lies, stands or leans on another.
std::vector<Case> cases() {
  const std::vector<Vec3d> up = {{0, 0, 1e-3}, {1e-3, -2e-3, 1e-15}, {-1e-3, 0, 1e-15}}, down = {{0, 0, -1e-9}};
  const std::vector<Vec3d> up_2d = {{0, 1e-3, 0}, {1e-3, 1e-15, 0}, {-1e-3, 1e-15, 0}}, down_2d = {{0, -1e-9, 0}};
  const double root = std::sqrt(2.0);
  const ConvexShape square = rectangle(-0.5, 0.5, -0.5, 0.5), small = rectangle(-0.1, 0.1, -0.1, 0.1);
  const ConvexShape floor = rectangle(-5, 5, -1, 0), left = rectangle(-2, 0, -1, 0), right = rectangle(0, 2, -1, 0);
  const ConvexShape far_half = ConvexShape::box({1, 0.485, 0.5});
  return {
      {"a square flat on a floor", "2 U", square, floor, at({0.3, 0.5, 0}), at({0, 0, 0}), 0.02, up_2d, down_2d},
      {"squares flush on each other", "4 I, 2 X", square, square, at({0, 1, 0}), at({0, 0, 0}), 0.02, up_2d, down_2d},
      {"a square with its corner on the middle of a face", "1 U", small, floor,
       turned({0, 0, 1}, kPi / 4, {0.2, 0.1 * root, 0}), at({0, 0, 0}), 0.02, up_2d, down_2d},
      {"a corner exactly over a corner",
       "2 I, 1 X",
       small,
       left,
       turned({0, 0, 1}, kPi / 4, {0, 0.1 * root, 0}),
       at({0, 0, 0}),
       0.02,
       up_2d,
       {{-1e-3, -1e-3, 0}}},
      {"a corner exactly at a seam, beside it", "1 U, 2 I, 1 X", small, left, at({-0.1, 0.1, 0}), at({0, 0, 0}), 0.02,
       up_2d, down_2d},
      {"a corner exactly at a seam, over it",
       "2 I, 2 X",
       small,
       right,
       at({-0.1, 0.1, 0}),
       at({0, 0, 0}),
       0.02,
       up_2d,
       {}},
      {"a box level only to rounding", "1 U, 2 I, 1 X", small, left, at({-0.1, 0.1, 0}), at({0, 1e-16, 0}), 0.02, up_2d,
       down_2d},
      {"cubes flush on each other", "8 I, 4 X", cube(1), cube(1), at({0, 0, 1}), at({0, 0, 0}), 0.02, up, down},
      {"a small cube flat on a face", "4 U", cube(0.5), cube(1), at({0.1, 0.1, 0.75}), at({0, 0, 0}), 0.02, up, down},
      {"a small cube at an edge", "2 U, 2 I, 2 X", cube(0.5), cube(1), at({0.25, 0, 0.75}), at({0, 0, 0}), 0.02, up,
       down},
      {"a cube that touches with an edge in a face", "2 U", cube(0.5), cube(1),
       turned({1, 0, 0}, kPi / 4, {0.1, 0, 0.5 + 0.25 * root}), at({0, 0, 0}), 0.02, up, down},
      {"cubes whose edges are parallel and on each other",
       "4 I, 2 X",
       cube(0.5),
       cube(0.5),
       turned({1, 0, 0}, kPi / 4, {0, 0, 0.5 * root}),
       turned({1, 0, 0}, kPi / 4),
       0.02,
       up,
       {{0, 0, -1e-3}}},
      {"cubes beside each other with level faces",
       "8 I, 4 X",
       cube(1),
       cube(1),
       at({1, 0, 0}),
       at({0, 0, 0}),
       0.02,
       {{1e-3, 0, 0}, {1e-15, 1e-3, 1e-3}},
       {{-1e-9, 0, 0}}},
      {"cubes on each other at 45 degrees", "8 U", cube(1), cube(1), turned({0, 0, 1}, kPi / 4, {0, 0, 1}),
       at({0, 0, 0}), 0.02, up, down},
      {"a vertex exactly over a face", "1 U", tip(), cube(1), at({0, 0, 0.5}), at({0, 0, 0}), 0.02, up, down},
      {"a vertex exactly over an edge",
       "1 I, 2 X",
       tip(),
       cube(1),
       at({0.5, 0, 0.5}),
       at({0, 0, 0}),
       0.02,
       up,
       {{-1e-3, 0, -1e-3}}},
      {"a vertex exactly over a vertex",
       "2 I, 1 X",
       tip(),
       cube(1),
       at({0.5, 0.5, 0.5}),
       at({0, 0, 0}),
       0.02,
       up,
       {{-1e-3, -1e-3, -1e-2}}},
      {"a corner exactly at a T-junction", "1 U, 4 I, 3 X", cube(0.2), far_half, at({0.1, 0.13, 0.1}),
       at({1, 0.515, -0.5}), 0.02, up, down},
      {"a reach that is longer than the features",
       "3 I, 2 X",
       rectangle(-0.01, 0.01, 0, 1),
       rectangle(-1, 0, -1, 0),
       at({-0.01, 0, 0}),
       at({0, 0, 0}),
       0.2,
       {{0, 1e-3, 0}, {0.05, 1e-15, 0}},
       {{0, -1e-3, 0}}},
      {"an overlap at the start",
       "4 U",
       cube(0.5),
       cube(1),
       at({0.1, 0.1, 0.74}),
       at({0, 0, 0}),
       0.02,
       {{0, 0, 0.011}},
       {{0, 0, 0}},
       -0.01},
      {"a vertex deep inside a thin body",
       "1 U",
       tip(),
       ConvexShape::box({1, 1, 0.01}),
       at({0, 0, 0.004}),
       at({0, 0, 0}),
       0.02,
       {{0, 0, 0.0061}},
       {{0, 0, 0}},
       -0.006},
  };
}

/// What contacts and relations there are, without numbers.
std::vector<std::vector<std::int32_t>> names_of(const Found& found) {
  std::vector<std::vector<std::int32_t>> names;
  for (const PotentialContact& c : found.contacts) names.push_back({c.kind, c.feature_a, c.feature_b});
  for (const Relation& relation : found.relations) {
    names.push_back({relation.kind});
    for (std::int32_t k = 0; k < relation.count; ++k) {
      names.back().push_back(found.members[static_cast<std::size_t>(relation.first) + static_cast<std::size_t>(k)]);
    }
  }
  return names;
}

/// The relations by the reference, as Found::kinds() writes them.
std::string kinds_by_reference(const Case& c) {
  namespace ref = reference::polytope;
  const auto in_world = [](const ConvexShape& shape, const Transform<double>& X) {
    return moved(copy_of(shape), transform_of(X));
  };
  const ref::RelationRange range{c.reach, kAngle, options(c.reach).tolerance};
  Found counted;
  for (const ref::Relation& relation :
       find_relations(in_world(c.a, c.X_a), in_world(c.b, c.X_b), range, ref::RelationMode::kExact).relations) {
    counted.relations.push_back({0, static_cast<std::int32_t>(relation.kind), 0, 0});
  }
  return counted.kinds();
}

void expect_case(const Case& c, const Found& found) {
  EXPECT_EQ(found.kinds(), c.kinds);
  EXPECT_EQ(kinds_by_reference(c), c.kinds);
  EXPECT_NEAR(found.separation.value, c.separation, kRounding);
  const Transform<double>& X = c.X_a;
  for (const Vec3d& shift : c.free) EXPECT_TRUE(is_allowed(found, rotate_back(X, shift), kRounding)) << shift.x;
  for (const Vec3d& shift : c.held) EXPECT_FALSE(is_allowed(found, rotate_back(X, shift), kRounding)) << shift.x;
}

TEST(PolytopeDegenerateCases, HaveTheSameRelationsAlsoIfRoundingHasMovedThem) {
  PolytopeRandom random(91);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const auto found_at = [&](const Transform<double>& X_a, const Transform<double>& X_b) {
      return find({&c.a, X_a}, {&c.b, X_b}, options(c.reach, RelationMode::kExact, kAngle));
    };
    const Found exact = found_at(c.X_a, c.X_b);
    expect_case(c, exact);
    const bool planar = c.a.is_planar();
    const auto moved = [&](const Transform<double>& X) {
      Transform<double> Y = product(X, turned(planar ? Vec3d{0, 0, 1} : random.direction(false), kMoved));
      Y.translation = X.translation + kMoved * random.direction(planar);
      return Y;
    };
    int changed = 0;
    for (int k = 0; k < 50; ++k) {
      const Found again = found_at(moved(c.X_a), moved(c.X_b));
      expect_case(c, again);
      changed += names_of(again) == names_of(exact) ? 0 : 1;
      if (HasFailure()) break;
    }
    EXPECT_EQ(changed, 0);
  }
}

/// Its end is level with the rim. Turned by less than edges count as parallel, its near face has one lowest corner, and
/// no contact of edges joins the rim to that.
TEST(PolytopeDegenerateCases, APegThatIsTurnedALittleGoesDownBesideAWall) {
  const ConvexShape peg = ConvexShape::box({0.005, 0.005, 0.01}), wall = ConvexShape::box({0.00835, 0.01365, 0.006});
  for (const double angle : {0.0, 1.3e-9, 1e-8, 5e-7, 9.99e-7, 1.001e-6, 1e-5}) {
    for (const double sign : {-1.0, 1.0}) {
      const Transform<double> X = turned({0, 0, 1}, sign * angle, {0, 0, 0.01});
      const Found found =
          find({&peg, X}, {&wall, at({0.01365, 0.00835, -0.006})}, options(5e-4, RelationMode::kExact, kAngle));
      EXPECT_FALSE(found.relations.empty());
      EXPECT_TRUE(is_allowed(found, rotate_back(X, Vec3d{0, 0, -1e-4}), kRounding)) << sign * angle;
      EXPECT_FALSE(is_allowed(found, rotate_back(X, Vec3d{4e-4, 0, -1e-4}), kRounding)) << sign * angle;
    }
  }
}

}  // namespace
}  // namespace isopatch::test
