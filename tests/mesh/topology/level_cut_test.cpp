// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {
namespace {

using testing::contains;
using testing::error_of;

const std::vector<double> kLevels = {0, 0.03, 0.05, 0.3, 0.31, 0.7, 1};

std::vector<Geometry> shapes() {
  return {make_box("cube", {0.1, 0.1, 0.1}), make_box("box", {0.1, 0.06, 0.04}), make_sphere("sphere", 0.05, 1),
          refine(make_cylinder("cylinder", 0.05, 0.1, 16), 1),
          make_convex_hull("hull", {{0, 0, 0}, {.1, 0, 0}, {0, .1, 0}, {0, 0, .1}, {.08, .08, .08}})};
}

/// A shape whose extents have been disturbed inside, so that many tets cross several levels with two or three corners.
Geometry disturbed(Geometry shape) {
  shape = refine(std::move(shape), 1);
  std::mt19937_64 engine(5);
  for (double& e : shape.extent) {
    if (e > 0) e = 0.999 * static_cast<double>(engine()) / static_cast<double>(std::mt19937_64::max());
  }
  return shape;
}

void expect_cut(const Geometry& whole) {
  SCOPED_TRACE(whole.name);
  TetMesh mesh = whole.mesh;
  std::vector<double> extent = whole.extent;
  for (const std::size_t level : detail::cut_at_levels(mesh, extent, kLevels, "mesh")) extent.push_back(kLevels[level]);
  ASSERT_EQ(extent.size(), mesh.points.size());
  EXPECT_GT(mesh.tets.size(), 3 * whole.mesh.tets.size());

  // the checks find faces of more than two tets, overlaps and inverted tets
  const MeshReport report = check_and_repair(mesh, "cut", AllBoundaryTets::kKeep);
  EXPECT_EQ(report.inverted_tets, 0);
  EXPECT_EQ(report.boundary_triangles, static_cast<std::int64_t>(whole.surface.size()));
  EXPECT_NEAR(report.volume, whole.report.volume, 1e-12 * whole.report.volume);

  // no tet crosses a level; one whose corner counts as on it only does so by a little
  for (const Tet& tet : mesh.tets) {
    double low = 1, high = 0;
    for (const std::int32_t v : tet) {
      low = std::min(low, extent[static_cast<std::size_t>(v)]);
      high = std::max(high, extent[static_cast<std::size_t>(v)]);
    }
    for (std::size_t i = 1; i + 1 < kLevels.size(); ++i) {
      const double below = kLevels[i] - kLevels[i - 1], above = kLevels[i + 1] - kLevels[i];
      EXPECT_FALSE(low < kLevels[i] - below / 32 && high > kLevels[i] + above / 32) << low << " " << high;
    }
  }
}

TEST(LevelCut, LeavesTetsBetweenLevels) {
  for (const Geometry& shape : shapes()) {
    expect_cut(shape);
    expect_cut(disturbed(shape));
  }
}

TEST(LevelCut, KeepsAMeshWithinTwoLevels) {
  const Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
  TetMesh mesh = cube.mesh;
  EXPECT_TRUE(detail::cut_at_levels(mesh, cube.extent, {0, 1}, "mesh").empty());
  EXPECT_EQ(mesh.points, cube.mesh.points);
  EXPECT_EQ(mesh.tets, cube.mesh.tets);
}

TEST(LevelCut, DoesNotDependOnTheOrderOfTets) {
  const Geometry ball = disturbed(make_sphere("ball", 0.05, 1));
  TetMesh mesh = ball.mesh, shuffled = ball.mesh;
  std::shuffle(shuffled.tets.begin(), shuffled.tets.end(), std::mt19937_64(7));
  detail::cut_at_levels(mesh, ball.extent, kLevels, "mesh");
  detail::cut_at_levels(shuffled, ball.extent, kLevels, "mesh");
  EXPECT_EQ(mesh.points, shuffled.points);
  for (TetMesh* each : {&mesh, &shuffled}) {
    for (Tet& tet : each->tets) std::sort(tet.begin(), tet.end());
    std::sort(each->tets.begin(), each->tets.end());
  }
  EXPECT_EQ(mesh.tets, shuffled.tets);
}

TEST(LevelCut, InterpolatesPointData) {
  Geometry cube = make_box("cube", {0.1, 0.1, 0.1});
  for (const Point3& p : cube.mesh.points) cube.mesh.point_data["height"].push_back(3 * p[2]);
  detail::cut_at_levels(cube.mesh, cube.extent, kLevels, "mesh");
  for (std::size_t i = 0; i < cube.mesh.points.size(); ++i) {
    EXPECT_NEAR(cube.mesh.point_data["height"][i], 3 * cube.mesh.points[i][2], 1e-15);
  }
}

TEST(LevelCut, NamesATetThatIsTooFlat) {
  TetMesh mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 4e-15}};
  mesh.tets = {{0, 1, 2, 3}};
  const std::string message = error_of([&] { detail::cut_at_levels(mesh, {0, 0.2, 0.6, 1}, kLevels, "sheet"); });
  EXPECT_TRUE(contains(message, "sheet: tet 0")) << message;
  EXPECT_TRUE(contains(message, "is too flat to be cut")) << message;
}

}  // namespace
}  // namespace isopatch
