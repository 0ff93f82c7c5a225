// SPDX-License-Identifier: Apache-2.0
//
// Relations of bodies of several convex parts against overlap after random shifts near touch, by brute force over
// directions. ISOPATCH_POLYTOPE_POSES says how many poses in the plane, of which each has ten shifts; a fifth as many
// are in space.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <tuple>

#include "tests/polytope/polytope_fixture.h"

namespace isopatch::test {
namespace {

constexpr double kReach = 0.15;

using Rectangle = std::array<double, 4>;  // left, bottom, right, top

const std::vector<std::vector<Rectangle>>& outlines() {
  static const std::vector<std::vector<Rectangle>> all = {
      {{0, 0, 1, 0.3}, {0, 0.3, 0.3, 1}},                                                               // L
      {{-0.5, 0.7, 0.5, 1}, {-0.15, 0, 0.15, 0.7}},                                                     // T
      {{-0.6, 0, 0.6, 0.3}, {-0.6, 0.3, -0.3, 1}, {0.3, 0.3, 0.6, 1}},                                  // U
      {{-1, -1, 1, -0.5}, {-1, 0.5, 1, 1}, {-1, -0.5, -0.5, 0.5}, {0.5, -0.5, 1, 0.5}},                 // a square hole
      {{0, 0, 0.5, 0.2}, {0.5, 0, 1, 0.2}, {0, 0.2, 0.2, 0.6}, {0, 0.6, 0.2, 1}, {0.2, 0.8, 0.7, 1}}};  // five parts
  return all;
}

std::vector<ConvexShape> parts_of(const std::vector<Rectangle>& outline, bool planar) {
  std::vector<ConvexShape> parts;
  for (const auto& [left, bottom, right, top] : outline) {
    if (planar) {
      parts.push_back(ConvexShape::polygon({{left, bottom}, {right, bottom}, {right, top}, {left, top}}));
      continue;
    }
    std::vector<Point3> corners;
    for (const double z : {-0.5, 0.5}) {
      for (const double y : {bottom, top}) {
        for (const double x : {left, right}) corners.push_back({x, y, z});
      }
    }
    parts.push_back(ConvexShape::hull(corners));
  }
  return parts;
}

/// Two bodies, of which B is at the origin.
struct Bodies {
  std::vector<ConvexShape> a, b;
  Transform<double> X_a = at({0, 0, 0});

  template <class Visit>
  void for_each_pair(const Visit& visit) const {
    for (const ConvexShape& one : a) {
      for (const ConvexShape& other : b) visit(Placed{&one, X_a}, Placed{&other, at({0, 0, 0})});
    }
  }
};

/// The normal is in the frame of A.
std::pair<double, Vec3d> nearest_parts(const Bodies& bodies) {
  std::pair<double, Vec3d> nearest{HUGE_VAL, {0, 0, 0}};
  bodies.for_each_pair([&](const Placed& a, const Placed& b) {
    const Found found = find(a, b, options(0));
    if (found.separation.value >= nearest.first) return;
    nearest = {found.separation.value, detail::contact_geometry(found.pair, found.separation.code).normal};
  });
  return nearest;
}

/// Apart by at most a third of the reach.
Bodies near_bodies(PolytopeRandom& random, bool planar) {
  for (;;) {
    const auto some_parts = [&] {
      const std::size_t which = static_cast<std::size_t>(random.integer(0, static_cast<int>(outlines().size()) - 1));
      return parts_of(outlines()[which], planar);
    };
    Bodies bodies{some_parts(), some_parts()};
    bodies.X_a = random.rotation(planar);
    bodies.X_a.translation = random.uniform(0, 2) * random.direction(planar);
    auto [gap, normal] = nearest_parts(bodies);
    for (int k = 0; k < 20 && gap > kReach / 3; ++k) {  // nearer, by less than their distance
      const double way = gap - random.uniform(0, kReach / 3);
      bodies.X_a.translation = bodies.X_a.translation - way * rotate(bodies.X_a, normal);
      std::tie(gap, normal) = nearest_parts(bodies);
    }
    if (gap > 0 && gap <= kReach / 3) return bodies;
  }
}

int num_poses() {
  const char* const wanted = std::getenv("ISOPATCH_POLYTOPE_POSES");
  return wanted == nullptr ? 300 : std::atoi(wanted);
}

TEST(PolytopeBodies, OfSeveralPartsHaveRelationsThatHoldJustWhereTheyDoNotOverlap) {
  constexpr double kUndecided = 1e-10;  // m; rounding of gaps
  for (const bool planar : {true, false}) {
    PolytopeRandom random(planar ? 71 : 72);
    const int poses = planar ? num_poses() : num_poses() / 5;
    int shifts = 0, overlapping = 0, forbidden = 0, allowed = 0;
    for (int k = 0; k < poses; ++k) {
      const Bodies bodies = near_bodies(random, planar);
      std::deque<Found> found;
      std::deque<DenseDirections> directions;
      bodies.for_each_pair([&](const Placed& a, const Placed& b) {
        found.push_back(find(a, b, options(kReach)));
        directions.emplace_back(a, b);
      });
      for (int l = 0; l < 10; ++l) {
        const Vec3d shift = random.uniform(0, kReach / 2) * random.direction(planar);
        double separation = HUGE_VAL;
        for (const DenseDirections& of_pair : directions) separation = std::min(separation, of_pair.separation(shift));
        if (std::fabs(separation) < kUndecided) continue;
        const bool holds =
            std::all_of(found.begin(), found.end(), [&](const Found& f) { return is_allowed(f, shift); });
        ++shifts;
        overlapping += separation < 0 ? 1 : 0;
        forbidden += !holds && separation > 0 ? 1 : 0;
        allowed += holds && separation < 0 ? 1 : 0;
      }
    }
    std::printf("%s: %d shifts, %d overlapping, %d forbidden though free, %d allowed though overlapping\n",
                planar ? "polygons" : "solids", shifts, overlapping, forbidden, allowed);
    EXPECT_GT(overlapping, poses);
    EXPECT_EQ(forbidden, 0);
    EXPECT_EQ(allowed, 0);
  }
}

}  // namespace
}  // namespace isopatch::test
