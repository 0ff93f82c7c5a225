// SPDX-License-Identifier: Apache-2.0
//
// Convex hulls: their facets, their medial meshes, and the distance that these carry.
#include "host/mesh/primitives/convex_hull.h"

#include <algorithm>
#include <limits>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;
using testing::error_of;

std::vector<Point3> box_corners(const Point3& size) {
  std::vector<Point3> corners;
  for (const double x : {-0.5, 0.5}) {
    for (const double y : {-0.5, 0.5}) {
      for (const double z : {-0.5, 0.5}) corners.push_back({x * size[0], y * size[1], z * size[2]});
    }
  }
  return corners;
}

std::vector<Point3> random_points(int count, unsigned seed, const Point3& scale = {1, 1, 1}) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Point3> points;
  for (int i = 0; i < count; ++i) {
    points.push_back({scale[0] * unit(random), scale[1] * unit(random), scale[2] * unit(random)});
  }
  return points;
}

TEST(ConvexHull, MergesCoplanarFacets) {
  std::vector<double> coordinates;
  for (const Point3& p : box_corners({1, 2, 3})) coordinates.insert(coordinates.end(), p.begin(), p.end());
  const std::vector<HullFacet> facets = convex_hull(coordinates, 3);
  ASSERT_EQ(facets.size(), 6U);
  for (const HullFacet& facet : facets) {
    EXPECT_EQ(facet.vertices.size(), 4U);
    EXPECT_GT(facet.offset, 0) << "outward, about a point inside";
  }
}

TEST(ConvexHull, HasNoFacetsInAPlane) {
  EXPECT_TRUE(convex_hull({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 3, 0}, 3).empty());
  EXPECT_TRUE(convex_hull({0, 0, 0, 1, 0, 0, 0, 1, 0}, 3).empty());
}

/// Largest difference between the extent in the middle of a tet, or of one of its faces, and the distance to the hull's
/// planes.
double worst_field_error(const Geometry& geometry, const std::vector<Point3>& points) {
  std::vector<double> coordinates;
  for (const Point3& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
  const std::vector<HullFacet> facets = convex_hull(coordinates, 3);
  const auto distance = [&](const Point3& p) {
    double least = std::numeric_limits<double>::infinity();
    for (const HullFacet& facet : facets)
      least = std::min(least, facet.offset - dot({facet.normal[0], facet.normal[1], facet.normal[2]}, p));
    return least;
  };
  double deepest = 0;
  for (const Point3& p : geometry.mesh.points) deepest = std::max(deepest, distance(p));

  double worst = 0;
  for (const Tet& tet : geometry.mesh.tets) {
    for (std::size_t left_out = 0; left_out <= 4; ++left_out) {
      Point3 middle{};
      double extent = 0;
      const double weight = left_out < 4 ? 1. / 3 : 1. / 4;
      for (std::size_t i = 0; i < 4; ++i) {
        if (i == left_out) continue;
        middle = middle + weight * point_at(geometry.mesh, tet[i]);
        extent += weight * geometry.extent[static_cast<std::size_t>(tet[i])];
      }
      worst = std::max(worst, std::fabs(extent - distance(middle) / deepest));
    }
  }
  return worst;
}

void expect_medial_mesh(const std::vector<Point3>& points, const std::string& name) {
  const Geometry hull = make_convex_hull(name, points);
  EXPECT_EQ(hull.report.inverted_tets, 0) << name;
  EXPECT_EQ(hull.report.all_boundary_tets, 0) << name;
  EXPECT_EQ(hull.report.unused_points, 0) << name;
  EXPECT_NEAR(testing::enclosed_volume(hull.mesh, hull.surface), hull.report.volume, 1e-9 * hull.report.volume) << name;
  // medial vertices are found to about 1e-12 of the size, which the distance of a thin body magnifies
  EXPECT_LT(worst_field_error(hull, points), 1e-9) << name;
}

TEST(ConvexHull, OfABoxIsItsMedialMesh) {
  for (const Point3& size : {Point3{1, 1, 1}, Point3{0.12, 0.08, 0.1}, Point3{3, 1, 1}, Point3{1, 1, 0.01}}) {
    const Geometry hull = make_convex_hull("hull", box_corners(size));
    const Geometry box = make_box("box", size);
    EXPECT_EQ(hull.mesh.points.size(), box.mesh.points.size());
    EXPECT_EQ(hull.mesh.tets.size(), box.mesh.tets.size());
    EXPECT_NEAR(hull.report.volume, box.report.volume, 1e-14 * box.report.volume);
    expect_medial_mesh(box_corners(size), "box");
  }
}

TEST(ConvexHull, OfATetMeetsAtTheInscribedBallsCentre) {
  const Geometry tet = make_convex_hull("tet", testing::one_tet().points);
  ASSERT_EQ(tet.mesh.points.size(), 5U);
  const double centre = 1 / (3 + std::sqrt(3.0));
  for (std::size_t i = 0; i < 5; ++i) {
    if (tet.extent[i] == 0) continue;
    EXPECT_EQ(tet.extent[i], 1);
    for (const double x : tet.mesh.points[i]) EXPECT_NEAR(x, centre, 1e-15);
  }
}

TEST(ConvexHull, CarriesTheDistanceExactly) {
  for (const int count : {4, 5, 6, 8, 12, 20, 50, 200}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      expect_medial_mesh(random_points(count, seed), std::to_string(count) + " points, seed " + std::to_string(seed));
      expect_medial_mesh(random_points(count, seed, {5, 1, 0.2}), "stretched " + std::to_string(count));
    }
  }
}

// Many faces at one distance from the middle, and faces with many corners: nothing is in general position.
TEST(ConvexHull, OfSymmetricPointsIsExactToo) {
  expect_medial_mesh(make_sphere_mesh(0.05, 2).points, "sphere");
  expect_medial_mesh(make_cylinder_mesh(0.05, 0.3, 32).points, "tall cylinder");
  expect_medial_mesh(make_cylinder_mesh(0.05, 0.1, 32).points, "cylinder as tall as wide");
  expect_medial_mesh(make_cylinder_mesh(0.05, 0.02, 32).points, "flat cylinder");
  expect_medial_mesh(make_capsule_mesh(0.05, 0.1, 16).points, "capsule");
  std::vector<Point3> grid;
  for (int z = 0; z < 5; ++z) {
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 5; ++x) grid.push_back({x * 0.1, y * 0.1, z * 0.1});
    }
  }
  expect_medial_mesh(grid, "grid");
  EXPECT_EQ(make_convex_hull("grid", grid).mesh.tets.size(), 12U) << "points inside and on faces take no part";
}

TEST(ConvexHull, DoesNotDependOnTheUnitOrThePlace) {
  const std::vector<Point3> points = random_points(30, 7);
  const TetMesh mesh = make_convex_hull_mesh(points);
  for (const double unit : {1e-6, 1e6}) {
    std::vector<Point3> moved;
    for (const Point3& p : points) moved.push_back(unit * (p + Point3{3, -2, 1}));
    const TetMesh other = make_convex_hull_mesh(moved);
    ASSERT_EQ(other.points.size(), mesh.points.size());
    EXPECT_EQ(other.tets.size(), mesh.tets.size());
  }
}

TEST(ConvexHull, OfARealScan) {
  TetMesh pepper;
  ISOPATCH_READ_OR_SKIP(pepper, "yellow_bell_pepper_no_stem_low.vtk");
  expect_medial_mesh(pepper.points, "pepper");
}

TEST(ConvexHull, RefusesWhatHasNoVolume) {
  EXPECT_TRUE(contains(error_of([] {
                         make_convex_hull_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
                       }),
                       "3 points; it needs at least four"));
  EXPECT_TRUE(contains(error_of([] {
                         make_convex_hull_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}});
                       }),
                       "the 4 points lie in a plane"));
  EXPECT_TRUE(contains(error_of([] { make_convex_hull_mesh(std::vector<Point3>(9, Point3{1, 1, 1})); }), "span 0 m"));
  EXPECT_TRUE(contains(error_of([] {
                         make_convex_hull_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}});
                       }),
                       "point 3 has the coordinate nan"));
}

}  // namespace
}  // namespace isopatch
