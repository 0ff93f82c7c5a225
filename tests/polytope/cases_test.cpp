// SPDX-License-Identifier: Apache-2.0
//
// Relations where bodies meet in corners, edges, seams and flat on each other.
#include <gtest/gtest.h>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

constexpr double kPi = std::numbers::pi;

ConvexShape rectangle(double low_x, double high_x, double low_y, double high_y) {
  return ConvexShape::polygon({{low_x, low_y}, {high_x, low_y}, {high_x, high_y}, {low_x, high_y}});
}

/// The reach of a step of 0.01 s in which only A moves.
double reach_of(double margin, Vec3d velocity, double spin, double radius) {
  return detail::relation_reach(margin, 0.01, norm(velocity) + spin * radius, 0);
}

std::vector<double> sorted_gaps(const Found& found) {
  std::vector<double> list;
  for (const ContactGeometry& c : found.geometry) list.push_back(c.gap);
  std::sort(list.begin(), list.end());
  return list;
}

/// Both ways round.
void expect_kinds(const Placed& a, const Placed& b, const detail::RelationOptions& o, const std::string& kinds) {
  const Found found = find(a, b, o), swapped = find(b, a, o);
  EXPECT_EQ(found.kinds(), kinds);
  EXPECT_EQ(swapped.kinds(), kinds);
  ASSERT_EQ(found.contacts.size(), swapped.contacts.size());
  EXPECT_EQ(found.members.size(), swapped.members.size());
  const auto one = sorted_gaps(found), two = sorted_gaps(swapped);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], two[i], 1e-13);
}

TEST(PolytopeCases, ASquareOnItsTipMayPassACorner) {
  const ConvexShape fixed = rectangle(-1, 0, -1, 0), square = rectangle(-0.1, 0.1, -0.1, 0.1);
  const Placed a{&square, turned({0, 0, 1}, kPi / 4, {0.02, -0.01 + 0.1 * std::sqrt(2.0), 0})},
      b{&fixed, at({0, 0, 0})};
  const Vec3d velocity{0.5, -1, 0};
  const auto o = options(reach_of(0.05, velocity, 0, 0.1 * std::sqrt(2.0)), RelationMode::kExact, 1e-6);
  expect_kinds(a, b, o, "2 I, 1 X");
  const Found found = find(a, b, o);
  const Vec3d shift = rotate_back(a.X, 0.01 * velocity);
  EXPECT_TRUE(is_allowed(found, shift));
  EXPECT_FALSE(is_allowed(find(a, b, options(o.reach, RelationMode::kUnilateral, 1e-6)), shift));
}

TEST(PolytopeCases, ATipOverTheCornerHasTheSameRelations) {
  const ConvexShape fixed = rectangle(-1, 0, -1, 0), square = rectangle(-0.1, 0.1, -0.1, 0.1);
  const Placed a{&square, turned({0, 0, 1}, kPi / 4, {-0.004, 0.002 + 0.1 * std::sqrt(2.0), 0})},
      b{&fixed, at({0, 0, 0})};
  const Vec3d velocity{1, -1, 0};
  const Found found =
      find(a, b, options(reach_of(0.01, velocity, 0, 0.1 * std::sqrt(2.0)), RelationMode::kExact, 1e-6));
  EXPECT_EQ(found.kinds(), "2 I, 1 X");
  EXPECT_FALSE(is_allowed(found, rotate_back(a.X, 0.01 * velocity)));
  EXPECT_TRUE(is_allowed(found, rotate_back(a.X, Vec3d{0.01, -0.002, 0})));
}

TEST(PolytopeCases, APlateMayFallPastTheBlockAboveIt) {
  const ConvexShape fixed = rectangle(0, 0.1, 0, 1), plate = rectangle(-0.02, 0.12, -0.06, -0.01);
  const Placed a{&plate, at({0, 0, 0})}, b{&fixed, at({0, 0, 0})};
  const double reach = reach_of(0.15, {0.3, -0.5, 0}, 0, 0.1);
  EXPECT_TRUE(is_allowed(find(a, b, options(reach, RelationMode::kExact, 1e-6)), {0.003, -0.005, 0}));
  const Found standard = find(a, b, options(reach, RelationMode::kUnilateral, 1e-6));
  EXPECT_FALSE(is_allowed(standard, {0.003, -0.005, 0}));
  EXPECT_FALSE(is_allowed(standard, {0, 0, 0}));
}

TEST(PolytopeCases, CrossedBarsHaveOneContact) {
  const ConvexShape fixed = ConvexShape::box({0.05, 0.5, 0.05}), bar = ConvexShape::box({0.5, 0.05, 0.05});
  const Placed b{&fixed, turned({0, 1, 0}, kPi / 4)};
  const Placed a{&bar, turned({1, 0, 0}, kPi / 4, {0.05, 0.02, 0.1 * std::sqrt(2.0) + 0.001})};
  const auto o = options(reach_of(0.01, {0, 0, -1}, 0, 0.505), RelationMode::kExact, 1e-6);
  expect_kinds(a, b, o, "1 U");
  EXPECT_NEAR(find(a, b, o).geometry[0].gap, 0.001, 1e-15);
}

TEST(PolytopeCases, CubesAt45DegreesHaveEightCrossingsOfEdges) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5});
  const Placed a{&cube, turned({0, 0, 1}, kPi / 4, {0, 0, 1})}, b{&cube, at({0, 0, 0})};
  const auto o = options(0.011, RelationMode::kExact, 1e-6);
  expect_kinds(a, b, o, "8 U");
  for (const ContactGeometry& c : find(a, b, o).geometry) {
    EXPECT_NEAR(c.gap, 0, 1e-15);
    EXPECT_NEAR(std::fabs(c.normal.z), 1, 1e-15);
  }
}

TEST(PolytopeCases, ABarPastARidgeMayGoOverItOrBesideIt) {
  const ConvexShape fixed = ConvexShape::box({0.05, 0.5, 0.05}), bar = ConvexShape::box({0.15, 0.05, 0.05});
  const Placed b{&fixed, turned({0, 1, 0}, kPi / 4)};
  const Placed a{&bar, turned({0, 1, 0}, 0.1, {-0.13, 0, 0.05 * std::sqrt(2.0) + 0.066})};
  const Vec3d velocity{3, 0, -1.2};
  const double reach = reach_of(0.05, velocity, 0, std::sqrt(0.15 * 0.15 + 0.05 * 0.05 * 2));
  const auto o = options(reach, RelationMode::kExact, 1e-6);
  expect_kinds(a, b, o, "2 I, 2 X");
  const Found found = find(a, b, o);
  EXPECT_FALSE(is_allowed(found, rotate_back(a.X, 0.01 * velocity)));
  EXPECT_TRUE(is_allowed(find(a, b, options(reach, RelationMode::kLnc, 1e-6)), rotate_back(a.X, 0.01 * velocity)));
}

TEST(PolytopeCases, FlushCubesTouchAndMaySlide) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5}), small = ConvexShape::box({0.25, 0.25, 0.25});
  const Placed b{&cube, at({0, 0, 0})};
  const Placed flush[] = {{&cube, at({0, 0, 1})},
                          {&cube, at({0.3, 0, 1})},
                          {&small, at({0.1, 0.1, 0.75})},
                          {&small, at({0.25, 0, 0.75})},
                          {&small, at({0.5, 0.5, 0.75})}};
  for (const Placed& a : flush) {
    const Found found = find(a, b, options(0.01, RelationMode::kExact, 1e-6));
    EXPECT_GE(found.relations.size(), 1u);
    EXPECT_TRUE(is_allowed(found, {0, 0, 1e-3}));
    EXPECT_TRUE(is_allowed(found, {1e-3, -2e-3, 1e-15}));
    EXPECT_FALSE(is_allowed(found, {0, 0, -1e-9}));
  }
}

// of gaps between coordinates of about 1
constexpr double kRounding = 1e-15;

TEST(PolytopeCases, ASeamOfLevelBoxesHoldsNothingThatSlides) {
  const ConvexShape left = rectangle(-2, 0, -1, 0), right = rectangle(0, 2, -1, 0),
                    square = rectangle(-0.1, 0.1, -0.1, 0.1);
  for (const double x : {-0.105, -0.1, -0.095, 0.0, 0.1}) {
    const Placed a{&square, at({x, 0.1, 0})};
    for (const ConvexShape* box : {&left, &right}) {
      const Found found = find(a, {box, at({0, 0, 0})}, options(0.03, RelationMode::kExact, 1e-6));
      EXPECT_TRUE(is_allowed(found, {0.01, 0, 0}, kRounding)) << x;
      EXPECT_TRUE(is_allowed(found, {-0.01, 0, 0}, kRounding)) << x;
    }
  }
  const Found found =
      find({&square, at({-0.105, 0.1, 0})}, {&right, at({0, 0, 0})}, options(0.03, RelationMode::kUnilateral));
  EXPECT_FALSE(is_allowed(found, {0.01, 0, 0}, kRounding));
}

TEST(PolytopeCases, ASeamWithTJunctionsHoldsNothingThatSlides) {
  const ConvexShape wide = ConvexShape::box({1, 1, 0.5}), near_half = ConvexShape::box({1, 0.515, 0.5});
  const ConvexShape far_half = ConvexShape::box({1, 0.485, 0.5}), cube = ConvexShape::box({0.1, 0.1, 0.1});
  const Placed tiles[3] = {
      {&wide, at({-1, 0, -0.5})}, {&near_half, at({1, -0.485, -0.5})}, {&far_half, at({1, 0.515, -0.5})}};
  const Vec3d velocity{1, 0.2, 0};
  for (int step = 0; step < 40; ++step) {
    Placed a{&cube, turned({0, 0, 1}, 0.3 + 0.02 * step)};
    a.X.translation = Vec3d{-0.15, 0, 0.1} + 0.01 * step * velocity;
    for (const Placed& tile : tiles) {
      const Found found = find(a, tile, options(0.03, RelationMode::kExact, 1e-6));
      EXPECT_TRUE(is_allowed(found, rotate_back(a.X, 0.01 * velocity), kRounding)) << step;
      EXPECT_TRUE(is_allowed(found, rotate_back(a.X, -0.01 * velocity), kRounding)) << step;
    }
  }
}

// At the tip of a blade each corner crosses two contacts, between which there is a third.
TEST(PolytopeCases, CornersNearerThanTheReachHaveOneCluster) {
  const ConvexShape fixed = rectangle(-1, 0, -1, 0), blade = rectangle(-0.01, 0.01, 0, 1);
  const Placed b{&fixed, at({0, 0, 0})}, a{&blade, turned({0, 0, 1}, -0.1, {0.001, 0.003, 0})};
  const auto o = options(0.2, RelationMode::kExact, 1e-6);
  expect_kinds(a, b, o, "3 I, 1 X");
  EXPECT_GE(find(a, b, o).relations.back().count, 3);
}

TEST(PolytopeCases, AreMirroredWhenTheBodiesAreSwapped) {
  PolytopeRandom random(44);
  for (int k = 0; k < 600; ++k) {
    const bool planar = k % 2 == 0;
    const ConvexShape shape_a = random.shape(planar, random.integer(4, 8)),
                      shape_b = random.shape(planar, random.integer(4, 8));
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    const Vec3d along = random.direction(planar);
    a.X.translation = random.uniform(1, 3) * along;
    const auto o = options(0.2, static_cast<RelationMode>(k / 2 % 4), 0.01);
    const Found found = find(a, b, o), swapped = find(b, a, o);
    EXPECT_NEAR(found.separation.value, swapped.separation.value, 1e-13);
    EXPECT_EQ(found.kinds(), swapped.kinds()) << k;
    EXPECT_EQ(found.contacts.size(), swapped.contacts.size()) << k;
    EXPECT_EQ(found.members.size(), swapped.members.size()) << k;
    for (int s = 0; s < 20; ++s) {
      const Vec3d shift = random.uniform(0, 0.1) * random.direction(planar);
      EXPECT_EQ(is_allowed(found, rotate_back(a.X, shift)), is_allowed(swapped, -rotate_back(b.X, shift))) << k;
    }
  }
}

TEST(PolytopeCases, LocalRelationsAreThoseOfBodiesApart) {
  PolytopeRandom random(45);
  for (int k = 0; k < 300; ++k) {
    const bool planar = k % 2 == 0;
    const ConvexShape shape_a = random.shape(planar, 6), shape_b = random.shape(planar, 6);
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = random.uniform(0.5, 3) * random.direction(planar);
    const Found exact = find(a, b, options(0.2)), local = find(a, b, options(0.2, RelationMode::kLocal));
    if (exact.separation.value >= -1e-6) {
      EXPECT_EQ(exact.kinds(), local.kinds());
      EXPECT_EQ(exact.members, local.members);
    } else if (exact.separation.value > -0.05) {
      EXPECT_FALSE(is_allowed(local, {0, 0, 0}));
    }
  }
}

TEST(PolytopeCases, RoundingOfPosesChangesNoRelation) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5}), small = ConvexShape::box({0.25, 0.25, 0.25});
  PolytopeRandom random(41);
  const Placed b{&cube, at({0, 0, 0})};
  for (int k = 0; k < 100; ++k) {
    const Placed a{&small, at({0.1, 0.1, 0.75 + (k % 3 - 1) * 1e-16})};
    const Placed turned_a{&small, product(a.X, turned(random.direction(false), 1e-16))};
    const auto o = options(0.01, RelationMode::kExact, 1e-6);
    EXPECT_EQ(find(a, b, o).kinds(), "4 U");
    EXPECT_EQ(find(turned_a, b, o).kinds(), "4 U");
    EXPECT_EQ(find(turned_a, b, options(0.01, RelationMode::kSeparating, 1e-6)).kinds(), "4 U");
  }
}

TEST(PolytopeCases, AHalfSpaceHoldsEveryVertexWithinReach) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5}), ground = ConvexShape::half_space();
  const Placed below{&ground, at({0, 0, 0})};
  expect_kinds({&cube, at({7, 8, 0.5})}, below, options(0.01), "4 U");
  expect_kinds({&cube, at({7, 8, 0.52})}, below, options(0.01), "");
  expect_kinds({&cube, at({7, 8, 0.4})}, below, options(0.01), "4 U");  // overlaps: back to where it came from
  expect_kinds({&cube, turned({1, 0, 0}, kPi / 4, {0, 0, 0.5 * std::sqrt(2.0)})}, below, options(0.01), "2 U");
}

TEST(PolytopeCases, BodiesThatOverlapGoBackAlongTheLeastDepth) {
  const ConvexShape cube = ConvexShape::box({0.5, 0.5, 0.5}), small = ConvexShape::box({0.25, 0.25, 0.25});
  const Found found = find({&small, at({0.1, 0.1, 0.74})}, {&cube, at({0, 0, 0})}, options(0.02));
  EXPECT_EQ(found.kinds(), "4 U");
  for (const ContactGeometry& c : found.geometry) {
    EXPECT_NEAR(c.gap, -0.01, 1e-15);
    EXPECT_EQ(c.normal.z, 1);
  }
}

TEST(PolytopeCases, NoRelationIsBrokenUnlessTheBodiesOverlap) {
  PolytopeRandom random(42);
  for (int k = 0; k < 3000; ++k) {
    const bool planar = k % 3 == 0;
    const ConvexShape shape_a = random.shape(planar, random.integer(4, 8)),
                      shape_b = random.shape(planar, random.integer(4, 8));
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = random.uniform(0.5, 3) * random.direction(planar);
    // a reach beyond the features' own size
    const Found found = find(a, b, options(random.uniform(0.05, 1.5)));
    if (found.separation.value < 1e-6) continue;
    EXPECT_TRUE(is_allowed(found, {0, 0, 0})) << k;
  }
}

// A relation of contacts that are all applicable cannot hold where the bodies overlap: so none is allowed.
TEST(PolytopeCases, OneRelationHasOnlyContactsThatAreApplicable) {
  PolytopeRandom random(46);
  for (int k = 0; k < 3000; ++k) {
    const bool planar = k % 3 == 0;
    const ConvexShape shape_a = random.thin_shape(planar, random.integer(4, 8)),
                      shape_b = random.shape(planar, random.integer(4, 8));
    Placed a{&shape_a, random.rotation(planar)}, b{&shape_b, random.rotation(planar)};
    a.X.translation = random.uniform(0.5, 3) * random.direction(planar);
    const Found found = find(a, b, options(random.uniform(0.05, 1)));
    const bool has_one = std::any_of(found.relations.begin(), found.relations.end(), [&](const Relation& relation) {
      const auto first = found.members.begin() + relation.first;
      return std::all_of(first, first + relation.count, [&](std::int32_t member) {
        return found.geometry[static_cast<std::size_t>(member)].applicability >= -detail::kFacetSine;
      });
    });
    EXPECT_TRUE(has_one || found.relations.empty() || found.separation.value < 0) << k;
  }
}

TEST(PolytopeCases, AreTheSameWhereverThePairIs) {
  PolytopeRandom random(43);
  const Transform<double> X = turned({1, 2, 3}, 1.1, {1e6, -2e6, 3e6});
  for (int k = 0; k < 500; ++k) {
    const ConvexShape shape_a = random.shape(false, 6), shape_b = random.shape(false, 6);
    Placed a{&shape_a, random.rotation(false)}, b{&shape_b, random.rotation(false)};
    const DenseDirections directions({&shape_a, at({0, 0, 0})}, {&shape_b, at({0, 0, 0})});
    a.X = b.X = at({0, 0, 0});
    a.X.translation = translation_for_gap(directions, {0, 0, 1}, 0.02) * Vec3d{0, 0, 1};
    const auto o = options(0.1);
    const Found here = find(a, b, o), there = find({&shape_a, product(X, a.X)}, {&shape_b, product(X, b.X)}, o);
    EXPECT_EQ(here.kinds(), there.kinds());
    EXPECT_EQ(here.members, there.members);
    EXPECT_NEAR(here.separation.value, there.separation.value, 1e-9);
    ASSERT_EQ(here.geometry.size(), there.geometry.size());
    for (std::size_t c = 0; c < here.geometry.size(); ++c)
      EXPECT_NEAR(here.geometry[c].gap, there.geometry[c].gap, 1e-9);
  }
}

}  // namespace
}  // namespace isopatch::test
