// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/point_merging.h"

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;
using testing::surface_of_tet;

constexpr double kSize = 1.4142135623730951;  // of the tet's box is sqrt(3), of this order

/// Every triangle with corners of its own, each moved by up to `distance` along x.
TriangleMesh parted(const TriangleMesh& mesh, double distance) {
  TriangleMesh soup;
  for (const Triangle& t : mesh.triangles) {
    for (const std::int32_t v : t) {
      Point3 p = mesh.points[static_cast<std::size_t>(v)];
      p[0] += distance * static_cast<double>(soup.points.size() % 3) / 2;
      soup.points.push_back(p);
    }
    const auto n = static_cast<std::int32_t>(soup.points.size());
    soup.triangles.push_back({n - 3, n - 2, n - 1});
  }
  return soup;
}

TEST(PointMerging, KnowsAClosedSurface) {
  TriangleMesh mesh = surface_of_tet();
  EXPECT_TRUE(detail::is_closed(mesh.triangles));
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);
  EXPECT_FALSE(detail::is_closed(mesh.triangles));
  mesh.triangles.pop_back();
  EXPECT_FALSE(detail::is_closed(mesh.triangles));
}

TEST(PointMerging, MergesPointsInTheSamePlace) {
  const Geometry geometry = make_surface_mesh("m", parted(surface_of_tet(), 0));
  EXPECT_EQ(geometry.report.points, 4);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
  EXPECT_EQ(geometry.warnings, std::vector<std::string>{
                                   "m: 8 points were merged with others in the same place, which closed the surface"});
}

TEST(PointMerging, MergesPointsWithinATenMillionthOfTheSize) {
  const Geometry geometry = make_surface_mesh("m", parted(surface_of_tet(), 1e-7 * kSize));
  EXPECT_EQ(geometry.report.points, 4);
  EXPECT_NEAR(geometry.report.volume, 1.0 / 6, 1e-7);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_EQ(geometry.warnings[0],
            "m: 8 points were merged with others at most 1.41e-07 m from them, which closed the surface");
}

// The distance that the message names is enough.
TEST(PointMerging, NamesTheDistanceThatWouldCloseASurface) {
  for (const double distance : {3e-7, 1e-5, 1.2345e-3}) {
    TriangleMesh mesh = parted(surface_of_tet(), distance);
    const std::string message = error_of([&] { check_and_repair(mesh, "m"); });
    EXPECT_TRUE(contains(message, "one of 12 open edges around 4 holes; the surface must be closed: points within"))
        << message;
    const std::size_t begin = message.find("points within ") + 14;
    const double said = std::stod(message.substr(begin));
    EXPECT_GE(said, distance);
    EXPECT_LE(said, 1.01 * distance);
    EXPECT_TRUE(contains(message, "m of each other merged would close it")) << message;
    EXPECT_TRUE(detail::close_by_merging(mesh, said).has_value());
  }
}

// A hole of the width of rounding, with a needle beside it: merging would take the needle's area.
TEST(PointMerging, KeepsTrianglesThatHaveAnArea) {
  TriangleMesh mesh = surface_of_tet();
  mesh.points.push_back({1, 1e-8, 0});                                       // beside corner 1, on the edge to 2
  mesh.triangles = {{0, 2, 4}, {0, 4, 1}, {0, 1, 3}, {0, 3, 2}, {4, 2, 3}};  // without the needle 1 4 3
  const TriangleMesh before = mesh;
  const std::string message = error_of([&] { check_and_repair(mesh, "m"); });
  EXPECT_TRUE(contains(message, "one of 3 open edges around 1 hole")) << message;
  EXPECT_TRUE(contains(message, "fill the hole")) << message;
  EXPECT_EQ(mesh.points, before.points);

  mesh.triangles.push_back({1, 4, 3});
  EXPECT_EQ(make_surface_mesh("m", mesh).surface.size(), 6U);
}

// A fan of many triangles has as many points in its middle.
TEST(PointMerging, MergesManyPointsInOnePlace) {
  const TetMesh ball = make_cylinder_mesh(1, 1, 1024);
  const TriangleMesh cylinder{ball.points, boundary_triangles(ball)};
  const Geometry geometry = make_surface_mesh("m", parted(cylinder, 0));
  EXPECT_EQ(geometry.surface.size(), cylinder.triangles.size());
}

TEST(PointMerging, LeavesAClosedSurfaceAsItIs) {
  TriangleMesh mesh = surface_of_tet();
  const TriangleMesh other = mesh;
  for (const Point3& p : other.points) mesh.points.push_back({p[0] - 1, p[1], p[2]});  // they touch in a point
  for (const Triangle& t : other.triangles) mesh.triangles.push_back({t[0] + 4, t[1] + 4, t[2] + 4});
  const Geometry geometry = make_surface_mesh("m", mesh);
  EXPECT_EQ(geometry.report.points, 8);
  EXPECT_TRUE(geometry.warnings.empty());
}

}  // namespace
}  // namespace isopatch
