// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls of points as files hold them: rounded to float, turned, symmetric, flat, small, large and far away.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "host/mesh/primitives/convex_hull.h"
#include "isopatch/evaluator.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/scene/scene.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/mesh/primitives/hull_shapes.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;
using testing::Points;
using testing::operator+=;  // NOLINT(misc-unused-using-decls): of points, which templates find

/// The volume, area and size of a hull, from Qhull's facets.
struct HullMeasure {
  double volume = 0, area = 0, size = 0;

  /// How much the volume of a hull may differ: by float's rounding of the size over the area, or by 1e-5.
  double tolerance() const { return std::max(1e-5, 1e-6 * size * area / volume); }
};

HullMeasure measure_hull(const Points& points) {
  std::vector<double> coordinates;
  Point3 inside{};
  Box box;
  for (const Point3& p : points) {
    coordinates.insert(coordinates.end(), p.begin(), p.end());
    inside = inside + (1 / static_cast<double>(points.size())) * p;
    box.add(p);
  }
  HullMeasure measure;
  measure.size = norm(box.high - box.low);
  for (const HullFacet& facet : convex_hull(coordinates, 3)) {
    const Point3 normal{facet.normal[0], facet.normal[1], facet.normal[2]};
    const auto at = [&](std::size_t i) { return points[facet.vertices[i]]; };
    Point3 middle{};
    for (std::size_t i = 0; i < facet.vertices.size(); ++i) {
      middle = middle + (1 / static_cast<double>(facet.vertices.size())) * at(i);
    }
    const Point3 u = at(0) - middle, w = cross(normal, u);
    std::vector<std::pair<double, std::size_t>> around;
    for (std::size_t i = 0; i < facet.vertices.size(); ++i) {
      around.emplace_back(std::atan2(dot(at(i) - middle, w) / norm(u), dot(at(i) - middle, u) / norm(u)), i);
    }
    std::sort(around.begin(), around.end());
    double area = 0;
    for (std::size_t i = 0; i < around.size(); ++i) {
      area +=
          dot(normal, cross(at(around[i].second) - middle, at(around[(i + 1) % around.size()].second) - middle)) / 2;
    }
    measure.area += area;
    measure.volume += area * (facet.offset - dot(normal, inside)) / 3;
  }
  return measure;
}

/// The integral of the extent over the plane normal . x = offset: the force on a rigid half space, over the modulus.
double force_on_plane(const Geometry& geometry, const Point3& normal, double offset) {
  double force = 0;
  for (const Tet& tet : geometry.mesh.tets) {
    std::vector<std::size_t> below, above;
    std::array<double, 4> height{};
    for (std::size_t i = 0; i < 4; ++i) {
      height[i] = dot(normal, point_at(geometry.mesh, tet[i])) - offset;
      (height[i] < 0 ? below : above).push_back(i);
    }
    if (below.empty() || above.empty()) continue;
    std::vector<std::pair<Point3, double>> corners;
    const auto add = [&](std::size_t i, std::size_t j) {
      const double part = height[i] / (height[i] - height[j]);
      const Point3 &p = point_at(geometry.mesh, tet[i]), &q = point_at(geometry.mesh, tet[j]);
      const double e = geometry.extent[tet[i]], f = geometry.extent[tet[j]];
      corners.emplace_back(p + part * (q - p), e + part * (f - e));
    };
    if (below.size() == 2) {
      add(below[0], above[0]), add(below[0], above[1]), add(below[1], above[1]), add(below[1], above[0]);
    } else {
      for (const std::size_t i : below) {
        for (const std::size_t j : above) add(i, j);
      }
    }
    for (std::size_t i = 2; i < corners.size(); ++i) {
      const auto& [p, e] = corners[0];
      const auto& [q, f] = corners[i - 1];
      const auto& [r, g] = corners[i];
      force += norm(cross(q - p, r - p)) / 2 * (e + f + g) / 3;
    }
  }
  return force;
}

/// Forces on planes at four angles and three depths of the shape as made, which has been turned.
std::vector<double> forces(const Geometry& geometry, const Points& as_made, const testing::Rotation& rotation) {
  std::vector<double> found;
  for (const Point3& normal : {Point3{0, 0, 1}, Point3{1, 0, 0}, Point3{0.6, 0, 0.8}, Point3{0.48, 0.64, 0.6}}) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Point3& p : as_made) low = std::min(low, dot(normal, p)), high = std::max(high, dot(normal, p));
    for (const double depth : {0.04, 0.2, 0.5}) {
      found.push_back(force_on_plane(geometry, testing::rotated(rotation, normal), low + depth * (high - low)));
    }
  }
  return found;
}

/// Float's rounding of the points changes the distance, and with it the force, by a thousandth where faces are small.
constexpr double kForceTolerance = 2e-3;

void expect_same_forces(const std::vector<double>& found, const std::vector<double>& wanted, const std::string& what) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(found[i], wanted[i], kForceTolerance * wanted[i]) << what << ", plane " << i;
  }
}

constexpr int kTurns = 4;

TEST(HullMesh, HasTheVolumeAndTheForceOfTheShapeAsMade) {
  std::mt19937_64 random(1);
  for (const auto& [name, as_made] : testing::hull_shapes()) {
    std::vector<double> wanted;
    for (int turn = 0; turn <= kTurns; ++turn) {
      const testing::Rotation rotation = turn == 0 ? testing::no_rotation() : testing::random_rotation(random);
      for (const bool rounded : {false, true}) {
        const std::string what = name + ", turn " + std::to_string(turn) + (rounded ? ", float" : "");
        Points points = turn == 0 ? as_made : testing::rotated(rotation, as_made);
        if (rounded) points = testing::in_float(points);
        const Geometry hull = make_convex_hull(name, points);
        const HullMeasure measure = measure_hull(points);
        EXPECT_NEAR(hull.report.volume, measure.volume, measure.tolerance() * measure.volume) << what;
        EXPECT_TRUE(hull.warnings.empty()) << what << ": " << hull.warnings.front();
        const std::vector<double> found = forces(hull, as_made, rotation);
        if (wanted.empty()) wanted = found;
        expect_same_forces(found, wanted, what);
      }
    }
  }
}

TEST(HullMesh, SurfaceHasTheVolumeToo) {
  std::mt19937_64 random(2);
  for (const auto& [name, as_made] : testing::hull_shapes()) {
    const Points points = testing::in_float(testing::rotated(testing::random_rotation(random), as_made));
    const Geometry hull = make_convex_hull_surface(name, points);
    const HullMeasure measure = measure_hull(points);
    EXPECT_NEAR(hull.report.volume, measure.volume, measure.tolerance() * measure.volume) << name;
    EXPECT_TRUE(hull.is_surface_mesh()) << name;
  }
}

// Archimedes: where the pressure is E z/t, a body that it covers floats with E/t times its volume.
TEST(HullMesh, FloatsInASoftHalfSpaceWithItsVolume) {
  constexpr double kModulus = 1e5;
  std::mt19937_64 random(3);
  for (const auto& [name, as_made] : testing::hull_shapes()) {
    const Points points = testing::in_float(testing::rotated(testing::random_rotation(random), as_made));
    for (const bool has_tets : {true, false}) {
      SceneDescription scene;
      scene.geometries = {has_tets ? make_convex_hull("hull", points) : make_convex_hull_surface("hull", points),
                          make_half_space("water", 1)};
      scene.bodies = {{.name = "hull", .geometry = 0, .rigid = true},
                      {.name = "water", .geometry = 1, .modulus = kModulus}};
      EvaluatorOptions options;
      options.precision = Precision::kDouble;
      const Evaluator evaluator{Scene(scene), options};
      const std::vector<double> poses = {0, 0, -0.4, 1, 0, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0};
      std::array<double, 6> wrench{};
      Results results;
      results.pair_wrench = wrench.data();
      State state;
      state.num_environments = 1;
      state.poses = poses.data();
      evaluator.evaluate(state, results);
      const HullMeasure measure = measure_hull(points);
      const double wanted = kModulus * measure.volume;
      EXPECT_NEAR(wrench[2], wanted, measure.tolerance() * wanted) << name;
      EXPECT_LT(std::hypot(wrench[0], wrench[1]), measure.tolerance() * wanted) << name;
    }
  }
}

TEST(HullMesh, DoesNotMindUnitsPlacesOrMorePoints) {
  const Points ball = testing::in_float(testing::ball_by_latitudes(0.05, 16));
  const double volume = make_convex_hull("ball", ball).report.volume;
  for (const double unit : {1e-3, 1e3}) {
    const Geometry hull = make_convex_hull("ball", testing::scaled(ball, {unit, unit, unit}));
    EXPECT_NEAR(hull.report.volume / (unit * unit * unit), volume, 1e-9 * volume) << unit;
  }
  // a float 1 m from the origin has 1e-6 of the size of the ball, 5 m from it 5e-6
  for (const double far : {1., 5.}) {
    const Points moved = testing::in_float(testing::at_each({{far, -far, far}}, ball));
    const HullMeasure measure = measure_hull(moved);
    EXPECT_NEAR(make_convex_hull("ball", moved).report.volume, measure.volume, 1e-5 * measure.volume) << far;
  }
  Points twice = ball;  // and points inside
  twice += ball;
  twice += testing::scaled(ball, {0.5, 0.5, 0.5});
  EXPECT_NEAR(make_convex_hull("ball", twice).report.volume, volume, 1e-5 * volume);
}

TEST(HullMesh, OfManyFacesIsSimplifiedAndSaysHowFar) {
  const Points ball = make_sphere_mesh(1, 5).points;
  for (const bool has_tets : {true, false}) {
    const Geometry hull = has_tets ? make_convex_hull("ball", ball) : make_convex_hull_surface("ball", ball);
    EXPECT_LE(hull.surface.size(), 4096U);
    const double volume = measure_hull(ball).volume;
    EXPECT_NEAR(hull.report.volume, volume, 0.005 * volume);
    ASSERT_EQ(hull.warnings.size(), 1U);
    EXPECT_TRUE(contains(hull.warnings[0], "has 20480 faces, the limit is 4096; it was simplified to"))
        << hull.warnings[0];

    // of the points left out, the farthest is as far outside as the warning says
    double farthest = 0;
    for (const Point3& p : ball) {
      double above = 0;
      for (const Triangle& t : hull.surface) {
        const Point3 &a = point_at(hull.mesh, t[0]), &b = point_at(hull.mesh, t[1]), &c = point_at(hull.mesh, t[2]);
        const Point3 normal = cross(b - a, c - a);
        above = std::max(above, dot(normal, p - a) / norm(normal));
      }
      farthest = std::max(farthest, above);
    }
    const std::string number = hull.warnings[0].substr(hull.warnings[0].find("up to ") + 6);
    EXPECT_NEAR(std::stod(number), farthest, 0.05 * farthest) << "it has two digits";
  }
}

// Two rounded cans across each other, with points that are 10 um off, as of a scan. Inner vertices may hardly be joined
// there; without a mesh for the distance, a fan would have a tet for each triangle.
TEST(HullMesh, OfALinkHasTheDistance) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> off(-1e-5, 1e-5);
  std::vector<std::array<double, 2>> profile;
  for (int i = 0; i <= 6; ++i) {
    for (const double side : {-1., 1.}) {
      const double angle = std::numbers::pi / 12 * i;
      profile.push_back({0.04 + 0.01 * std::cos(angle), side * (0.04 + 0.01 * std::sin(angle))});
    }
  }
  const Points can = testing::turned(profile, 32);
  Points link = can;
  for (const Point3& p : can) link.push_back({p[2], p[0] + 0.2, p[1] + 0.05});
  for (Point3& p : link) {
    for (double& x : p) x += off(random);
  }
  const testing::Rotation rotation = testing::random_rotation(random);
  const Geometry hull = make_convex_hull("link", testing::in_float(testing::rotated(rotation, link)));
  EXPECT_GT(hull.mesh.tets.size(), 10 * hull.surface.size());
  EXPECT_TRUE(hull.warnings.empty());
  expect_same_forces(forces(hull, link, rotation), forces(make_convex_hull("link", link), link, testing::no_rotation()),
                     "link");
}

// Rounding of the distance in so thin a plate is more than its inner vertices are apart.
TEST(HullMesh, OfAPlateTooThinForADistanceIsAFanAboutAPointInside) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const double thickness : {1e-8, 1e-9}) {
    Points points;
    for (int i = 0; i < 60; ++i) {
      const Point3 p{normal(random), normal(random), normal(random)};
      points.push_back({p[0] / norm(p), 0.01 * p[1] / norm(p), thickness * p[2] / norm(p)});
    }
    const TetMesh mesh = make_convex_hull_mesh(points);
    const auto centre = static_cast<std::int32_t>(mesh.points.size()) - 1;
    ASSERT_EQ(centre, 60) << "all points are corners";
    for (const Tet& tet : mesh.tets) EXPECT_EQ(std::count(tet.begin(), tet.end(), centre), 1);
    const double volume = measure_hull(points).volume;
    EXPECT_NEAR(volume_of(mesh), volume, 1e-6 * volume) << thickness;
    const Geometry hull = make_convex_hull("plate", points);
    for (std::int32_t v = 0; v <= centre; ++v) EXPECT_EQ(hull.extent[v], v == centre ? 1 : 0);
  }
}

TEST(HullMesh, RefusesOnlyWhatHasNoVolume) {
  Points flat = testing::rotated({{{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}}}, testing::ring(0.1, 0.3, 12));
  EXPECT_TRUE(contains(error_of([&] { make_convex_hull("flat", flat); }), "the 12 points lie in a plane"));
  EXPECT_TRUE(contains(error_of([&] { make_convex_hull_surface("flat", flat); }), "the 12 points lie in a plane"));
  for (const double thickness : {1e-5, 1e-7}) {  // of a plate
    const Geometry plate = make_convex_hull("plate", testing::box_corners({0.1, 0.1, thickness}));
    EXPECT_NEAR(plate.report.volume, 0.01 * thickness, 1e-9 * thickness);
  }
}

}  // namespace
}  // namespace isopatch
