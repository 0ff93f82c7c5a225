// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "isopatch/isopatch.h"
#include "tests/mesh/checks/surface_fixtures.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::contains;

/// A closed surface and a copy of it, moved.
TriangleMesh twice(const TriangleMesh& mesh, const Point3& by) {
  TriangleMesh both = mesh;
  const auto count = static_cast<std::int32_t>(mesh.points.size());
  for (const Point3& p : mesh.points) both.points.push_back(p + by);
  for (const Triangle& t : mesh.triangles) both.triangles.push_back({t[0] + count, t[1] + count, t[2] + count});
  return both;
}

TriangleMesh surface_of(const TetMesh& mesh) { return {mesh.points, boundary_triangles(mesh)}; }

std::int64_t cuts_of(TriangleMesh mesh) { return check_and_repair(mesh, "m").cut_triangles; }

TEST(SelfCuts, AreWarnedOfWithTheFirstTwoTriangles) {
  const Geometry cut = make_surface_mesh("m", twice(testing::surface_of_tet(), {0.1, 0.15, 0.2}));
  ASSERT_EQ(cut.warnings.size(), 1U);
  EXPECT_TRUE(contains(cut.warnings[0],
                       "m: the surface cuts through itself at 4 triangles, first at triangle 3 "
                       "(vertices 1 2 3) and triangle 4"))
      << cut.warnings[0];
  EXPECT_EQ(cut.report.first_cut, (std::array<std::int64_t, 2>{3, 4}));
}

TEST(SelfCuts, OfTwoBallsAreFoundAtEverySizeAndPlace) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    for (const double away : {0.0, 30.0}) {
      TriangleMesh both = twice(surface_of(make_sphere_mesh(0.5, 3)), {0.61, 0.13, 0.07});
      for (Point3& p : both.points) p = size * (p + Point3{away, -away, 0});
      EXPECT_EQ(cuts_of(both), cuts_of(twice(surface_of(make_sphere_mesh(0.5, 3)), {0.61, 0.13, 0.07})));
      EXPECT_GT(cuts_of(both), 100);
    }
  }
}

TEST(SelfCuts, AreNoneWherePartsTouchOrAreApartOrInsideEachOther) {
  const TriangleMesh box = surface_of(make_box_mesh({1, 1, 1})), tet = testing::surface_of_tet();
  EXPECT_EQ(cuts_of(box), 0);
  EXPECT_EQ(cuts_of(twice(box, {1, 0, 0})), 0);      // face to face
  EXPECT_EQ(cuts_of(twice(box, {1, 0.3, 0.2})), 0);  // and askew
  EXPECT_EQ(cuts_of(twice(box, {1, 1, 0.3})), 0);    // edge to edge
  EXPECT_EQ(cuts_of(twice(box, {1, 1, 1})), 0);
  EXPECT_EQ(cuts_of(twice(box, {1.5, 0, 0})), 0);
  TriangleMesh inside = twice(tet, {0, 0, 0});
  for (std::size_t i = 4; i < 8; ++i) inside.points[i] = 0.1 * inside.points[i] + Point3{0.1, 0.1, 0.1};
  EXPECT_EQ(cuts_of(inside), 0);
}

// A cut of 1e-9 of the size is rounding; one of 1e-6 is a cut.
TEST(SelfCuts, BelowTheMarginAreTouches) {
  const TriangleMesh ball = surface_of(make_sphere_mesh(0.5, 1));
  double high = 0;
  for (const Point3& p : ball.points) high = std::max(high, p[2]);
  EXPECT_EQ(cuts_of(twice(ball, {0.02, 0.01, 2 * high - 1e-11})), 0);
  TriangleMesh box = surface_of(make_box_mesh({1, 1, 1}));
  EXPECT_EQ(cuts_of(twice(box, {1 - 1e-11, 0.3, 0.2})), 0);
  EXPECT_GT(cuts_of(twice(box, {1 - 1e-6, 0.3, 0.2})), 0);
}

TEST(SelfCuts, DoNotOccurInMeshesMadeByTheLibrary) {
  for (const double clearance : {0.0, 1e-4}) {
    Bolt bolt;
    Nut nut;
    bolt.thread.clearance = nut.thread.clearance = clearance;
    EXPECT_EQ(cuts_of(make_bolt_surface(bolt)), 0);
    EXPECT_EQ(cuts_of(make_nut_surface(nut)), 0);
  }
  EXPECT_EQ(cuts_of(surface_of(make_capsule_mesh(0.1, 0.3, 32))), 0);
  EXPECT_EQ(cuts_of(surface_of(make_cylinder_mesh(0.1, 0.001, 256))), 0);
}

TEST(SelfCuts, OfRealMeshes) {
  for (const auto& [name, cuts] : {std::pair{"mustard_bottle.obj", 0}, std::pair{"evo_bowl_col.obj", 0}}) {
    if (!have_data_file(name)) GTEST_SKIP() << missing_data_file(name);
    EXPECT_EQ(cuts_of(read_triangle_mesh(data_file(name))), cuts) << name;
  }
}

}  // namespace
}  // namespace isopatch
