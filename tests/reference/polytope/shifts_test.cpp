// SPDX-License-Identifier: Apache-2.0
//
// Relations against overlap after random shifts near touch, in which gaps are exactly linear: a shift is forbidden
// though free where a relation does not hold although the shapes are apart, and allowed though overlapping where all
// hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/reference/polytope/pair.h"
#include "host/reference/polytope/separation.h"
#include "tests/reference/polytope/random_shapes.h"

namespace isopatch::reference::polytope {
namespace {

constexpr Real kReach = 0.15L;

struct Outcome {
  int forbidden = 0, allowed = 0, overlapping = 0;

  void add(bool holds, bool overlaps) {
    overlapping += overlaps ? 1 : 0;
    forbidden += !holds && !overlaps ? 1 : 0;
    allowed += holds && overlaps ? 1 : 0;
  }
};

bool holds_after(const RelationSet& set, const Vector3& shift) {
  return std::all_of(set.relations.begin(), set.relations.end(),
                     [&](const Relation& relation) { return gap_after_shift(set, relation, shift) >= 0; });
}

/// The relations of a set of U that are applicable now, each contact for itself.
bool applicable_hold_after(const RelationSet& set, const Vector3& shift) {
  return std::all_of(set.contacts.begin(), set.contacts.end(), [&](const Contact& contact) {
    return contact.applicability < 0 || contact.gap + contact.normal.dot(shift) >= 0;
  });
}

struct Table {
  Outcome unilateral, applicable, separating, lnc, exact;
};

/// One random shift of each pose. Corners of the hulls are 4 to 8 normal points.
Table table_of(bool is_planar, int shifts, unsigned seed) {
  RandomShapes random(seed);
  Table table;
  for (int k = 0; k < shifts; ++k) {
    const ConvexShape b = random.hull(random.integer(4, 8), is_planar);
    const ConvexShape start = random.hull(random.integer(4, 8), is_planar);
    const ConvexShape a = random.approached(start, b, random.uniform(0, kReach / 3));
    const Vector3 shift = random.uniform(0, kReach / 2) * random.direction(is_planar);
    const bool overlaps = separation(shifted(a, shift), b).gap < 0;
    const RelationRange range = {kReach, 0, 1e-6L};
    const auto holds = [&](RelationMode mode) { return holds_after(find_relations(a, b, range, mode), shift); };
    const RelationSet near_contacts = find_relations(a, b, range, RelationMode::kUnilateral);
    table.unilateral.add(holds_after(near_contacts, shift), overlaps);
    table.applicable.add(applicable_hold_after(near_contacts, shift), overlaps);
    table.separating.add(holds(RelationMode::kSeparating), overlaps);
    table.lnc.add(holds(RelationMode::kLnc), overlaps);
    table.exact.add(holds(RelationMode::kExact), overlaps);
  }
  return table;
}

/// The counts of other random shapes, found by another program: to a fifth, and rare cases to what chance makes of
/// them.
void expect_like(int found, int expected) {
  const double few = 5 * std::sqrt(static_cast<double>(expected));
  EXPECT_NEAR(found, expected, std::max(0.2 * expected, few));
}

TEST(PolytopeShifts, OfPolygonsAreForbiddenAndAllowedAsTheyShouldBe) {
  const Table table = table_of(true, 24000, 1);
  EXPECT_GT(table.exact.overlapping, 2000);
  EXPECT_EQ(table.exact.forbidden, 0);
  EXPECT_EQ(table.exact.allowed, 0);
  expect_like(table.unilateral.forbidden, 2972);
  expect_like(table.applicable.forbidden, 1397);
  expect_like(table.separating.forbidden, 30);
  expect_like(table.lnc.allowed, 25);
  EXPECT_EQ(table.unilateral.allowed + table.applicable.allowed + table.separating.allowed, 0);
  EXPECT_EQ(table.lnc.forbidden, 0);
}

TEST(PolytopeShifts, OfPolyhedraAreForbiddenAndAllowedAsTheyShouldBe) {
  const Table table = table_of(false, 4500, 2);
  EXPECT_GT(table.exact.overlapping, 400);
  EXPECT_EQ(table.exact.forbidden, 0);
  EXPECT_EQ(table.exact.allowed, 0);
  expect_like(table.unilateral.forbidden, 1629);
  expect_like(table.applicable.forbidden, 703);
  expect_like(table.separating.forbidden, 18);
  expect_like(table.lnc.allowed, 146);
  EXPECT_EQ(table.unilateral.allowed + table.applicable.allowed + table.separating.allowed, 0);
}

// What a random line meets first is seldom a vertex of both; here it mostly is.
TEST(PolytopeShifts, OfCornersAtCornersAreExact) {
  for (bool is_planar : {true, false}) {
    RandomShapes random(3);
    Outcome outcome;
    for (int k = 0; k < (is_planar ? 3000 : 1500); ++k) {
      const ConvexShape b = random.hull(random.integer(4, 8), is_planar);
      const ConvexShape start = random.hull(random.integer(4, 8), is_planar);
      const ConvexShape a = random.at_distance(start, b, random.uniform(0, kReach / 3));
      const RelationSet set = find_relations(a, b, {kReach, 0, 1e-6L}, RelationMode::kExact);
      for (int l = 0; l < 5; ++l) {
        const Vector3 shift = random.uniform(0, kReach / 2) * random.direction(is_planar);
        outcome.add(holds_after(set, shift), separation(shifted(a, shift), b).gap < 0);
      }
    }
    EXPECT_GT(outcome.overlapping, 300);
    EXPECT_EQ(outcome.forbidden, 0);
    EXPECT_EQ(outcome.allowed, 0);
  }
}

// Parallel faces and edges, also shorter than the reach.
TEST(PolytopeShifts, OfBoxesThatAreParallelAreExact) {
  for (bool is_planar : {true, false}) {
    RandomShapes random(4);
    Outcome outcome;
    const auto side = [&] { return static_cast<Real>(random.integer(1, 10)) / 10; };
    const auto some_box = [&]() -> ConvexShape {
      if (is_planar) return rectangle(0, 0, side(), side());
      return random.integer(0, 1) == 0 ? box({side(), side(), side()})
                                       : turned(box({side(), side(), side()}), std::atan(1.0L), Vector3::UnitX());
    };
    for (int k = 0; k < 1500; ++k) {
      const ConvexShape b = some_box(), start = some_box();
      const Real gap = k % 3 == 0 ? 1e-9L : random.uniform(0, kReach / 3);
      const ConvexShape a = k % 2 == 0 ? random.at_distance(start, b, gap) : random.approached(start, b, gap);
      const RelationSet set = find_relations(a, b, {kReach, 1e-6L, 1e-6L}, RelationMode::kExact);
      for (int l = 0; l < 5; ++l) {
        const Vector3 shift = random.uniform(0, kReach / 2) * random.direction(is_planar);
        outcome.add(holds_after(set, shift), separation(shifted(a, shift), b).gap < 0);
      }
    }
    EXPECT_GT(outcome.overlapping, 300);
    EXPECT_EQ(outcome.forbidden, 0);
    EXPECT_EQ(outcome.allowed, 0);
  }
}

/// Rectangles or the boxes above them.
std::vector<ConvexShape> parts_of(const std::vector<std::array<Real, 4>>& rectangles, bool is_planar) {
  std::vector<ConvexShape> parts;
  for (const auto& [left, bottom, right, top] : rectangles) {
    const ConvexShape part = rectangle(left, bottom, right, top);
    parts.push_back(is_planar ? part : prism(part, 1));
  }
  return parts;
}

PolytopeBody body_of(const std::vector<ConvexShape>& parts, const Transform& pose) {
  PolytopeBody body;
  body.parts = parts;
  body.pose = pose;
  return body;
}

/// The distance of the nearest parts; 0 if some overlap.
HullDistance nearest_parts(const PolytopeBody& a, const PolytopeBody& b) {
  HullDistance nearest;
  bool is_first = true;
  for (const ConvexShape& one : a.parts) {
    for (const ConvexShape& other : b.parts) {
      const HullDistance distance = hull_distance(moved(one, a.pose), moved(other, b.pose));
      if (is_first || distance.at_most < nearest.at_most) nearest = distance;
      is_first = false;
    }
  }
  return nearest;
}

bool overlap_of_parts(const PolytopeBody& a, const PolytopeBody& b) {
  for (const ConvexShape& one : a.parts) {
    for (const ConvexShape& other : b.parts) {
      if (separation(moved(one, a.pose), moved(other, b.pose)).gap < 0) return true;
    }
  }
  return false;
}

TEST(PolytopeShifts, OfBodiesOfSeveralPartsAreExact) {
  const std::vector<std::vector<std::array<Real, 4>>> bodies = {
      {{0, 0, 1, 0.3L}, {0, 0.3L, 0.3L, 1}},                                                     // L
      {{-0.5L, 0.7L, 0.5L, 1}, {-0.15L, 0, 0.15L, 0.7L}},                                        // T
      {{-0.6L, 0, 0.6L, 0.3L}, {-0.6L, 0.3L, -0.3L, 1}, {0.3L, 0.3L, 0.6L, 1}},                  // U
      {{-1, -1, 1, -0.5L}, {-1, 0.5L, 1, 1}, {-1, -0.5L, -0.5L, 0.5L}, {0.5L, -0.5L, 1, 0.5L}},  // a square hole
      {{0, 0, 0.5L, 0.2L}, {0.5L, 0, 1, 0.2L}, {0, 0.2L, 0.2L, 0.6L}, {0, 0.6L, 0.2L, 1}, {0.2L, 0.8L, 0.7L, 1}}};
  for (bool is_planar : {true, false}) {
    RandomShapes random(5);
    Outcome outcome;
    int poses = 0;
    const int wanted = is_planar ? 600 : 150;
    while (poses < wanted) {
      const auto some_parts = [&] {
        return parts_of(bodies[static_cast<std::size_t>(random.integer(0, static_cast<int>(bodies.size()) - 1))],
                        is_planar);
      };
      const PolytopeBody b = body_of(some_parts(), {});
      PolytopeBody a = body_of(some_parts(), {random.rotation(is_planar), 1.5L * random.normal_point(is_planar)});
      HullDistance distance = nearest_parts(a, b);
      for (int k = 0; k < 20 && distance.at_most > kReach / 3; ++k) {  // nearer, by less than their distance
        a.pose.translation -= (distance.at_most - random.uniform(0, kReach / 3)) * distance.normal;
        distance = nearest_parts(a, b);
      }
      if (distance.at_least <= 0 || distance.at_most > kReach / 3) continue;
      ++poses;
      PairSettings settings;
      settings.margin = kReach;
      const PairResult result = evaluate_pair(a, b, settings);
      EXPECT_LE(result.separation, distance.at_most + 1e-15L);
      for (int l = 0; l < 10; ++l) {
        const Vector3 shift = random.uniform(0, kReach / 2) * random.direction(is_planar);
        const bool holds = std::all_of(result.part_pairs.begin(), result.part_pairs.end(),
                                       [&](const PartPair& pair) { return holds_after(pair.set, shift); });
        PolytopeBody after = a;
        after.pose.translation += shift;
        outcome.add(holds, overlap_of_parts(after, b));
      }
    }
    EXPECT_GT(outcome.overlapping, wanted / 2);
    EXPECT_EQ(outcome.forbidden, 0);
    EXPECT_EQ(outcome.allowed, 0);
  }
}

}  // namespace
}  // namespace isopatch::reference::polytope
