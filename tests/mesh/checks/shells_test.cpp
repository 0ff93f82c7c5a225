// SPDX-License-Identifier: Apache-2.0
//
// Surfaces of several parts that have no point in common.
#include <utility>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"

namespace isopatch {
namespace {

using testing::contains;

/// A cube about `center`, outward, or inward as the wall of a cavity.
TriangleMesh cube(double edge, const Point3& center = {0, 0, 0}, bool outward = true) {
  TriangleMesh mesh = parse_obj(testing::kCubeObj, "cube");
  for (Point3& p : mesh.points) {
    for (std::size_t k = 0; k < 3; ++k) p[k] = center[k] + edge * (p[k] - 0.5);
  }
  if (!outward) {
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
  }
  return mesh;
}

TriangleMesh joined(const std::vector<TriangleMesh>& parts) {
  TriangleMesh all;
  for (const TriangleMesh& part : parts) {
    const auto first = static_cast<std::int32_t>(all.points.size());
    all.points.insert(all.points.end(), part.points.begin(), part.points.end());
    for (const auto& [a, b, c] : part.triangles) all.triangles.push_back({a + first, b + first, c + first});
  }
  return all;
}

void expect_matter(const std::vector<TriangleMesh>& parts, double volume, const std::string& warning) {
  const Geometry geometry = make_surface_mesh("m", joined(parts));
  EXPECT_NEAR(geometry.report.volume, volume, 1e-12 * volume);
  EXPECT_NEAR(testing::enclosed_volume(geometry.mesh, geometry.surface), volume, 1e-12 * volume);
  if (warning.empty()) {
    EXPECT_TRUE(geometry.warnings.empty()) << geometry.warnings[0];
  } else {
    ASSERT_EQ(geometry.warnings.size(), 1U);
    EXPECT_EQ(geometry.warnings[0], "m: " + warning);
  }
}

std::string left_out(int parts, int triangles) {
  return std::to_string(parts) + " closed parts, of " + std::to_string(triangles) +
         " triangles, lie in the matter of others and were left out, so that none counts twice; turn them inward if "
         "they "
         "are cavities";
}

std::string turned(int parts, int all, int triangles) {
  return std::to_string(parts) + " of " + std::to_string(all) + " closed parts, of " + std::to_string(triangles) +
         " triangles, pointed inward with no matter around them and have been turned";
}

TEST(Shells, CountMatterOnce) {
  expect_matter({cube(2), cube(0.5)}, 8, left_out(1, 12));
  expect_matter({cube(0.5, {0.2, 0.1, 0}), cube(2), cube(0.5, {-0.5, 0.1, 0})}, 8, left_out(2, 24));
  expect_matter({cube(2), cube(1), cube(0.5)}, 8, left_out(2, 24));
}

TEST(Shells, KeepCavitiesAndWhatIsInThem) {
  expect_matter({cube(2), cube(1, {0, 0, 0}, false)}, 7, "");
  expect_matter({cube(2), cube(1, {0, 0, 0}, false), cube(0.5)}, 7.125, "");
  expect_matter({cube(0.5), cube(1, {0, 0, 0}, false), cube(2), cube(1, {4, 0, 0})}, 8.125, "");
}

// What is hollow in a part that lies in another is full of the other.
TEST(Shells, LeaveOutTheCavityOfAPartThatIsLeftOut) {
  expect_matter({cube(2), cube(1), cube(0.5, {0, 0, 0}, false)}, 8, left_out(2, 24));
}

TEST(Shells, AreTurnedWithAllThatIsInThem) {
  expect_matter({cube(2), cube(1, {5, 0, 0}, false)}, 9, turned(1, 2, 12));
  expect_matter({cube(1), cube(2, {5, 0, 0}, false)}, 9, turned(1, 2, 12));
  expect_matter({cube(1), cube(2, {5, 0, 0}, false), cube(1, {5, 0, 0})}, 8, turned(2, 3, 24));
  expect_matter({cube(1, {-5, 0, 0}, false), cube(2, {5, 0, 0}, false), cube(1, {5, 0, 0})}, 8,
                "all 36 triangles pointed inward and have been turned");
  expect_matter({cube(1, {-5, 0, 0}, false), cube(1, {5, 0, 0})}, 2, turned(1, 2, 12));
}

TEST(Shells, InTheSamePlaceCountOnce) { expect_matter({cube(1), cube(1)}, 1, left_out(1, 12)); }

TEST(Shells, ThatTouchFromInsideCountOnce) {
  expect_matter({cube(2), cube(0.5, {0.75, 0.1, 0.2})}, 8, left_out(1, 12));   // a face in a face
  expect_matter({cube(2), cube(0.5, {0.75, 0.75, 0.2})}, 8, left_out(1, 12));  // an edge in an edge
}

TEST(Shells, ThatTouchFromOutsideAreKept) {
  expect_matter({cube(2), cube(0.5, {1.25, 0.1, 0.2})}, 8.125, "");
  expect_matter({cube(2), cube(0.5, {1.25, 1.25, 1.25})}, 8.125, "");
}

// The hole of a frame: inside its box, outside its matter.
TEST(Shells, InAHoleAreKept) {
  const Geometry nut = make_nut("nut", {});
  TriangleMesh frame{nut.mesh.points, nut.surface};
  const double volume = nut.report.volume;
  expect_matter({frame, cube(0.001)}, volume + 1e-9, "");
}

// No test for cuts sees faces that lie in each other.
TEST(Shells, ThatAreOnlyPartlyInsideAreKept) {
  // an L of three unit cubes, and a bar in its box that has a cube in common with it
  const TriangleMesh l_shape = parse_obj(
      "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
      "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n",
      "l");
  TriangleMesh bar = cube(1, {0.5, 0.5, 0.5});
  for (Point3& p : bar.points) p = {2 * p[0], 1 + p[1], p[2]};  // [0, 2] x [1, 2] x [0, 1]
  const Geometry geometry = make_surface_mesh("m", joined({l_shape, bar}));
  EXPECT_DOUBLE_EQ(geometry.report.volume, 5);
}

TEST(Shells, ThatCutEachOtherAreKeptWithTheWarning) {
  const Geometry geometry = make_surface_mesh("m", joined({cube(2), cube(1, {1, 0.2, 0.1})}));
  EXPECT_NEAR(geometry.report.volume, 9, 1e-12);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_TRUE(contains(geometry.warnings[0], "the surface cuts through itself")) << geometry.warnings[0];
}

// 1000 balls in a box: each is asked for what is around it.
TEST(Shells, MayBeMany) {
  const TetMesh ball = make_sphere_mesh(0.03, 1);
  const TriangleMesh surface{ball.points, boundary_triangles(ball)};
  std::vector<TriangleMesh> parts = {cube(2, {0.45, 0.45, 0.45})};
  for (int i = 0; i < 1000; ++i) {
    parts.push_back(surface);
    for (Point3& p : parts.back().points) {
      const int column[3] = {i % 10, i / 10 % 10, i / 100};
      for (std::size_t k = 0; k < 3; ++k) p[k] += 0.1 * column[k];
    }
  }
  expect_matter(parts, 8, left_out(1000, 80000));
}

}  // namespace
}  // namespace isopatch
