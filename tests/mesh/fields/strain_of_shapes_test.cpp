// SPDX-License-Identifier: Apache-2.0
//
// Every shape takes every map that is promised, whatever its tolerance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;

std::vector<Geometry> shapes() {
  return {make_box("cube", {0.1, 0.1, 0.1}),
          make_box("box", {0.1, 0.06, 0.04}),
          make_box("plate", {0.3, 0.2, 0.002}),
          make_sphere("sphere", 0.05, 1),
          make_ellipsoid("ellipsoid", {0.05, 0.03, 0.02}, 1),
          make_cylinder("cylinder", 0.05, 0.1, 16),
          make_cylinder("disc", 0.1, 0.01, 32),
          make_capsule("capsule", 0.05, 0.1, 16),
          make_bolt("bolt"),
          make_nut("nut"),
          make_convex_hull("hull", {{0, 0, 0}, {.1, 0, 0}, {0, .1, 0}, {0, 0, .1}, {.08, .08, .08}}),
          make_half_space("ground", 0.1)};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

StrainMap power(double n, double tolerance = 0.005) { return {StrainMap::Kind::kPower, n, {}, tolerance}; }

/// No pressure is above the modulus, and none below 0.
void expect_extents_within_one(const Geometry& g, const StrainMap& map) {
  SCOPED_TRACE(map.parameter);
  SCOPED_TRACE(map.tolerance);
  const Geometry strained = with_strain(g, map);
  for (const double e : strained.extent) {
    ASSERT_GE(e, 0);
    ASSERT_LE(e, 1);
  }
  for (const auto& [e, f] : strained.strain) ASSERT_LE(f, 1);
}

TEST(StrainOfShapes, EveryPowerIsTaken) {
  for (const Geometry& g : shapes()) {
    SCOPED_TRACE(g.name);
    // the wider the tolerance, the farther apart are levels, and the closer to the surface could the lowest be
    for (const double n : {0.01, std::nextafter(0.01, 1), 0.1 * 0.1, 0.02, 0.05, 0.1, 0.3, 0.99, 0.9999, 1.0001, 1.01,
                           2.0, 10.0, std::nextafter(100, 1), 100.0}) {
      expect_extents_within_one(g, power(n, 0.1));
    }
    for (const double n : {0.01, 0.99, 1.01}) expect_extents_within_one(g, power(n));
  }
}

TEST(StrainOfShapes, TrueStrainsAreTaken) {
  // of those close to 0.18 and 0.01, one line almost fits the map, so that the next could begin anywhere below
  for (const Geometry& g : shapes()) {
    SCOPED_TRACE(g.name);
    for (const double s : {1e-9, 0.0099668, 0.00997, 0.18, 0.9}) {
      expect_extents_within_one(g, {StrainMap::Kind::kTrue, s, {}, 0.005});
      expect_extents_within_one(g, {StrainMap::Kind::kTrue, s, {}, 0.1});
    }
  }
}

TEST(StrainOfShapes, APowerBeyondTheRangeIsNamedWithIt) {
  for (const double n : {std::nextafter(0.01, 0), std::nextafter(100, 1000), 0.0, -1.0, kInfinity}) {
    const std::string message = error_of([&] { with_strain(make_box("box", {0.1, 0.1, 0.1}), power(n)); });
    EXPECT_TRUE(contains(message, "box: strain: power ")) << message;
    EXPECT_TRUE(contains(message, "it must lie in [0.01, 100]")) << message;
  }
}

// Between two levels that a table has, a tet can be too flat; the message says of what.
TEST(StrainOfShapes, ATableWithLevelsTooCloseToTheSurfaceIsNamed) {
  const StrainMap map = {StrainMap::Kind::kTable, 0, {{0, 0}, {1e-9, 0.5}, {1, 1}}};
  EXPECT_TRUE(contains(error_of([&] {
                         with_strain(make_box("plate", {0.3, 0.2, 0.002}), map);
                       }),
                       "plate: strain: a table of 3 rows: tet "));
}

// Levels below this would be slivers at edges.
TEST(StrainOfShapes, NoLevelIsCloseToTheSurface) {
  for (const double tolerance : {1e-4, 0.005, 0.1}) {
    for (const double n : {0.01, 0.5, 0.99, 1.01, 2.0, 100.0}) {
      EXPECT_GE(strain_table(power(n, tolerance))[1][0], 1e-4) << n << ", " << tolerance;
    }
    for (const double s : {0.0099668, 0.00997, 0.18, 0.999999}) {
      EXPECT_GE(strain_table({StrainMap::Kind::kTrue, s, {}, tolerance})[1][0], 1e-4) << s << ", " << tolerance;
    }
  }
}

}  // namespace
}  // namespace isopatch
