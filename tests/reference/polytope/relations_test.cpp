// SPDX-License-Identifier: Apache-2.0
//
// Which relations shapes have in poses that can be worked out by hand, and what all relations fulfil.
#include "host/reference/polytope/relations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "host/reference/polytope/separation.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kEighth = std::numbers::pi_v<Real> / 4;
constexpr RelationRange kNear = {0.06L, 1e-6L, 1e-7L};
const Real kRoot = std::sqrt(2.0L);

RelationSet exact_relations(const ConvexShape& a, const ConvexShape& b, const RelationRange& range = kNear) {
  return find_relations(a, b, range, RelationMode::kExact);
}

/// The gaps of each relation, to compare with.
struct ExpectedRelation {
  RelationKind kind;
  std::vector<Real> gaps;
};

void expect_relations(const RelationSet& set, const std::vector<ExpectedRelation>& expected) {
  constexpr double kTolerance = 1e-15;
  ASSERT_EQ(set.relations.size(), expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    EXPECT_EQ(set.relations[r].kind, expected[r].kind) << "relation " << r;
    ASSERT_EQ(set.relations[r].members.size(), expected[r].gaps.size()) << "relation " << r;
    for (std::size_t m = 0; m < expected[r].gaps.size(); ++m) {
      const Contact& contact = set.contacts[static_cast<std::size_t>(set.relations[r].members[m])];
      EXPECT_NEAR(static_cast<double>(contact.gap - expected[r].gaps[m]), 0, kTolerance) << r << ", member " << m;
    }
  }
}

constexpr RelationKind kU = RelationKind::kUnilateral, kI = RelationKind::kIntercontact, kX = RelationKind::kCross;

int count(const RelationSet& set, RelationKind kind) {
  return static_cast<int>(std::count_if(set.relations.begin(), set.relations.end(),
                                        [&](const Relation& relation) { return relation.kind == kind; }));
}

ConvexShape square_on_tip(Real x, Real y) {
  return shifted(turned(rectangle(0, 0, 0.2L, 0.2L), kEighth, Vector3::UnitZ()), {x, y, 0});
}

TEST(PolytopeRelations, OfATipBesideACorner) {
  const RelationSet set = exact_relations(square_on_tip(0.02L, -0.01L), rectangle(-1, -1, 0, 0));
  expect_relations(set, {{kI, {0.02L, -0.01L}}, {kI, {-0.03L / kRoot, 0.01L / kRoot}}, {kX, {-0.01L, 0.01L / kRoot}}});
}

TEST(PolytopeRelations, OfATipOverACorner) {
  const RelationSet set = exact_relations(square_on_tip(-0.004L, 0.002L), rectangle(-1, -1, 0, 0));
  expect_relations(set,
                   {{kI, {-0.004L, 0.002L}}, {kI, {0.006L / kRoot, -0.002L / kRoot}}, {kX, {0.002L, -0.002L / kRoot}}});
}

TEST(PolytopeRelations, OfTwoCorners) {
  const auto e = [](Real degrees) {
    const Real angle = degrees * std::numbers::pi_v<Real> / 180;
    return Vector3(std::cos(angle), std::sin(angle), 0);
  };
  const Vector3 corner = 0.03L * e(110);
  const ConvexShape fixed = polygon({Vector3::Zero(), e(-30), e(30)});
  const ConvexShape free = polygon({corner, corner + e(230), corner + e(280)});
  const auto sine = [](Real degrees) { return std::sin(degrees * std::numbers::pi_v<Real> / 180); };
  expect_relations(exact_relations(free, fixed), {{kI, {0.03L * e(110).dot(e(-120)), 0.03L * e(110).dot(e(120))}},
                                                  {kI, {-0.03L * sine(60), 0.03L * sine(10)}},
                                                  {kX, {0.03L * e(110).dot(e(-120)), 0.03L * sine(10)}}});
}

TEST(PolytopeRelations, OfASquareThatLandsTilted) {
  const Real angle = std::numbers::pi_v<Real> / 180;
  const ConvexShape square =
      shifted(turned(rectangle(-0.5L, -0.5L, 0.5L, 0.5L), angle, Vector3::UnitZ()), {0, 0.51L, 0});
  const Real lowest = 0.51L - 0.5L * (std::cos(angle) + std::sin(angle));
  const RelationSet set = exact_relations(square, rectangle(-10, -1, 10, 0));
  expect_relations(set, {{kU, {lowest}}, {kU, {lowest + std::sin(angle)}}});
}

TEST(PolytopeRelations, OfASquareThatReachesASeam) {
  const RelationRange range = {0.02L, 1e-6L, 1e-7L};
  const ConvexShape square = shifted(rectangle(-0.1L, -0.1L, 0.1L, 0.1L), {-0.105L, 0.1L, 0});
  expect_relations(exact_relations(square, rectangle(-2, -1, 0, 0), range),
                   {{kU, {0}}, {kI, {-0.005L, 0}}, {kI, {0, 0.005L}}, {kX, {0, 0}}});
  expect_relations(exact_relations(square, rectangle(0, -1, 2, 0), range),
                   {{kI, {0, 0.005L}}, {kI, {0, 0.005L}}, {kX, {0, 0.005L}}, {kX, {0.005L, 0}}});
}

TEST(PolytopeRelations, OfCrossedBarsIsOne) {
  const ConvexShape lower = turned(box({0.1L, 1, 0.1L}), kEighth, Vector3::UnitY());
  const ConvexShape upper =
      shifted(turned(box({1, 0.1L, 0.1L}), kEighth, Vector3::UnitX()), {0.05L, 0.02L, 0.1L * kRoot + 0.001L});
  expect_relations(exact_relations(upper, lower, {0.02L, 1e-6L, 1e-7L}), {{kU, {0.001L}}});
}

TEST(PolytopeRelations, OfSquaresAndCubesAt45DegreesAreEightEdgePairs) {
  const ConvexShape cube = box({1, 1, 1});
  const RelationSet set =
      exact_relations(shifted(turned(cube, kEighth, Vector3::UnitZ()), {0, 0, 1}), cube, {0.01L, 1e-6L, 1e-7L});
  expect_relations(set, std::vector<ExpectedRelation>(8, {kU, {0}}));
}

TEST(PolytopeRelations, OfABarBesideARidge) {
  const ConvexShape ridge = turned(box({0.1L, 1, 0.1L}), kEighth, Vector3::UnitY());
  const ConvexShape bar =
      shifted(turned(box({0.3L, 0.1L, 0.1L}), 0.1L, Vector3::UnitY()), {-0.13L, 0, 0.05L * kRoot + 0.066L});
  const RelationSet set = exact_relations(bar, ridge, {0.05L + 0.01L * std::sqrt(10.44L), 1e-6L, 1e-7L});
  EXPECT_EQ(count(set, kU), 0);
  EXPECT_EQ(count(set, kI), 2);
  EXPECT_EQ(count(set, kX), 2);
  // over the ridge, or the ends of the bar past it on the side they come from
  const Real over = separation(bar, ridge).gap;
  for (const Relation& relation : set.relations) {
    if (relation.kind != kX) continue;
    ASSERT_EQ(relation.members.size(), 2u);
    const Contact& edges = set.contacts[static_cast<std::size_t>(relation.members[0])];
    const Contact& past = set.contacts[static_cast<std::size_t>(relation.members[1])];
    EXPECT_EQ(edges.features.kind, ContactKind::kEdgeOnEdge);
    EXPECT_NEAR(static_cast<double>(edges.gap - over), 0, 1e-15);
    EXPECT_EQ(past.features.kind, ContactKind::kVertexOnFace);
    EXPECT_LT(past.normal.x(), 0);
  }
}

TEST(PolytopeRelations, OfFlushSquaresAndCubesTouch) {
  const ConvexShape square = rectangle(0, 0, 1, 1), cube = box({1, 1, 1});
  const RelationSet squares = exact_relations(shifted(square, {0, 1, 0}), square);
  EXPECT_EQ(count(squares, kI), 4);
  EXPECT_EQ(count(squares, kX), 2);
  const RelationSet cubes = exact_relations(shifted(cube, {0, 0, 1}), cube);
  EXPECT_EQ(count(cubes, kI), 8);
  EXPECT_EQ(count(cubes, kX), 4);
  for (const RelationSet& set : {squares, cubes}) {
    for (const Relation& relation : set.relations) {
      EXPECT_EQ(gap_after_shift(set, relation, Vector3::Zero()), 0);
    }
  }
}

TEST(PolytopeRelations, OfAVertexExactlyOverAFaceAnEdgeOrAVertexTouch) {
  const ConvexShape cube = box({1, 1, 1}), tip = convex_hull({{0, 0, 0}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}});
  for (const Vector3& place : {Vector3(0, 0, 0.5L), Vector3(0.5L, 0, 0.5L), Vector3(0.5L, 0.5L, 0.5L)}) {
    const RelationSet set = exact_relations(shifted(tip, place), cube);
    EXPECT_FALSE(set.relations.empty());
    for (const Relation& relation : set.relations) {
      EXPECT_EQ(gap_after_shift(set, relation, Vector3::Zero()), 0);
      EXPECT_GT(gap_after_shift(set, relation, {0, 0, 0.01L}), 0);
      EXPECT_LT(gap_after_shift(set, relation, {-0.001L, -0.001L, -0.01L}), 0);
    }
  }
}

TEST(PolytopeRelations, OfAVertexReachOverEdgesButNotThroughABody) {
  const ConvexShape plate = box({2, 2, 0.02L}), tip = convex_hull({{0, 0, 0}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}});
  const auto first = [&](Real x, Real y, Real z) {
    const RelationSet set = exact_relations(shifted(tip, {x, y, z}), plate);
    return set.relations.at(0).members.size();
  };
  EXPECT_EQ(first(0, 0, 0.02L), 1u);            // over the plate; the face below is near too
  EXPECT_EQ(first(1.005L, 0, 0.02L), 3u);       // beside it: over the two edges of its side
  EXPECT_EQ(first(1.005L, 1.005L, 0.02L), 4u);  // at a corner
}

TEST(PolytopeRelations, OfAHalfSpaceAreThoseOfNearVertices) {
  const ConvexShape cube = shifted(turned(box({1, 1, 1}), 0.05L, Vector3::UnitY()), {0, 0, 0.53L});
  const Real near = 0.53L - (std::cos(0.05L) + std::sin(0.05L)) / 2;
  for (RelationMode mode :
       {RelationMode::kExact, RelationMode::kLnc, RelationMode::kUnilateral, RelationMode::kSeparating}) {
    expect_relations(find_relations(cube, half_space(), {0.02L, 0, 1e-7L}, mode), {{kU, {near}}, {kU, {near}}});
    expect_relations(find_relations(half_space(), cube, {0.02L, 0, 1e-7L}, mode), {{kU, {near}}, {kU, {near}}});
  }
}

TEST(PolytopeRelations, OfShapesThatOverlapLeadTheShortestWayOut) {
  const ConvexShape square = rectangle(0, 0, 1, 1);
  const RelationSet set = exact_relations(shifted(turned(square, 0.01L, Vector3::UnitZ()), {0.3L, 0.97L, 0}), square);
  expect_relations(set, {{kU, {-0.03L}}, {kU, {-0.03L + std::sin(0.01L)}}});
}

TEST(PolytopeRelations, OfEveryNearContactAreUnilateral) {
  const RelationSet set =
      find_relations(square_on_tip(0.02L, -0.01L), rectangle(-1, -1, 0, 0), kNear, RelationMode::kUnilateral);
  expect_relations(set, {{kU, {0.02L}}, {kU, {-0.01L}}, {kU, {-0.03L / kRoot}}, {kU, {0.01L / kRoot}}});
}

/// Every relation as the set of its members' names.
std::multiset<std::set<FeaturePair>> names_of(const RelationSet& set, bool are_exchanged) {
  std::multiset<std::set<FeaturePair>> relations;
  for (const Relation& relation : set.relations) {
    std::set<FeaturePair> members;
    for (int member : relation.members) {
      FeaturePair features = set.contacts[static_cast<std::size_t>(member)].features;
      if (are_exchanged) {
        std::swap(features.feature_a, features.feature_b);
        if (features.kind != ContactKind::kEdgeOnEdge) {
          features.kind =
              features.kind == ContactKind::kVertexOnFace ? ContactKind::kFaceUnderVertex : ContactKind::kVertexOnFace;
        }
      }
      members.insert(features);
    }
    relations.insert(members);
  }
  return relations;
}

TEST(PolytopeRelations, AreInOrderAndHoldAtTheStartAndDoNotDependOnWhichShapeIsFirst) {
  RandomShapes random(9);
  for (int k = 0; k < 400; ++k) {
    const bool is_planar = k % 2 == 0;
    const ConvexShape b = random.hull(8, is_planar), start = random.hull(8, is_planar);
    const Real reach = random.uniform(0.05L, 1), gap = random.uniform(0, reach);
    const ConvexShape a = k % 4 < 2 ? random.at_distance(start, b, gap) : random.approached(start, b, gap);
    const RelationRange range = {reach, random.uniform(0, 0.4L), 1e-9L};
    const RelationSet set = exact_relations(a, b, range);
    EXPECT_FALSE(set.relations.empty()) << k;
    EXPECT_TRUE(std::is_sorted(set.contacts.begin(), set.contacts.end(),
                               [](const Contact& x, const Contact& y) { return x.features < y.features; }));
    std::set<int> used;
    for (const Relation& relation : set.relations) {
      used.insert(relation.members.begin(), relation.members.end());
      EXPECT_GE(gap_after_shift(set, relation, Vector3::Zero()), -range.tolerance) << k;
      EXPECT_EQ(relation.members.size() == 1, relation.kind == kU);
    }
    EXPECT_EQ(used.size(), set.contacts.size());
    EXPECT_EQ(names_of(set, false), names_of(exact_relations(b, a, range), true)) << k;
  }
}

// Two corners of a short edge at a corner: each crosses two contacts, between which there is a third.
TEST(PolytopeRelations, AreOneClusterWhereFeaturesAreShorterThanTheReach) {
  const ConvexShape corner = rectangle(-1, -1, 0, 0);
  const ConvexShape blade =
      shifted(turned(rectangle(-0.01L, 0, 0.01L, 1), -0.1L, Vector3::UnitZ()), {0.001L, 0.003L, 0});
  const RelationSet wide = exact_relations(blade, corner, {0.2L, 1e-6L, 1e-7L});
  std::size_t longest = 0;
  for (const Relation& relation : wide.relations) {
    if (relation.kind == kX) longest = std::max(longest, relation.members.size());
  }
  EXPECT_GT(longest, 2u);
  RandomShapes random(10);
  for (int k = 0; k < 2000; ++k) {
    const Vector3 shift = random.uniform(0, 0.1L) * random.direction(true);
    const bool holds = std::all_of(wide.relations.begin(), wide.relations.end(), [&](const Relation& relation) {
      return gap_after_shift(wide, relation, shift) >= 0;
    });
    EXPECT_EQ(holds, separation(shifted(blade, shift), corner).gap >= 0) << shift.transpose();
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
