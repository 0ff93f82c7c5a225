// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/scenes.h"

namespace isopatch {
namespace {

using testing::error_of;

std::vector<Geometry> shapes() {
  return {make_box("cube", {0.1, 0.1, 0.1}), make_box("box", {0.1, 0.06, 0.04}), make_sphere("sphere", 0.05, 1),
          make_cylinder("cylinder", 0.05, 0.1, 16),
          make_convex_hull("hull", {{0, 0, 0}, {.1, 0, 0}, {0, .1, 0}, {0, 0, .1}, {.08, .08, .08}})};
}

TEST(TetRefinement, KeepsVolumeSurfaceAndConformity) {
  for (const Geometry& coarse : shapes()) {
    SCOPED_TRACE(coarse.name);
    const Geometry fine = refine(coarse, 2);
    EXPECT_EQ(fine.mesh.tets.size(), 64 * coarse.mesh.tets.size());
    EXPECT_EQ(fine.surface.size(), 16 * coarse.surface.size());
    EXPECT_NEAR(fine.report.volume, coarse.report.volume, 1e-12 * coarse.report.volume);

    // the checks find faces of more than two tets, overlaps and inverted tets
    TetMesh mesh = fine.mesh;
    const MeshReport report = check_and_repair(mesh, "fine", AllBoundaryTets::kRefuse);
    EXPECT_EQ(report.inverted_tets, 0);
    EXPECT_EQ(report.points, fine.report.points);
    EXPECT_EQ(report.interior_points, fine.report.interior_points);
    EXPECT_EQ(report.boundary_triangles, fine.report.boundary_triangles);
    EXPECT_EQ(report.min_quality, fine.report.min_quality);
  }
}

TEST(TetRefinement, KeepsTheWrenchAtRest) {
  using namespace test;
  for (const Geometry& coarse : shapes()) {
    const auto wrench = [&](const Geometry& geometry) {
      SceneDescription description = two_bodies(geometry, make_box("ground", {0.4, 0.4, 0.2}));
      description.bodies[0].pose = {0.01, 0.02, 0.09, std::cos(0.1), std::sin(0.1), 0, 0};
      const Scene scene(description);
      const StateArrays states(description, 1);
      ResultArrays r(scene, 1);
      Evaluator(scene, {.backend = Backend::kCpu, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
      return r.pair_wrench;
    };
    const std::vector<double> expected = wrench(coarse), found = wrench(refine(coarse, 2));
    ASSERT_GT(expected[2], 1) << coarse.name;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-11 * expected[2]) << coarse.name;
  }
}

TEST(TetRefinement, RefusesWhatItCannotRefine) {
  EXPECT_EQ(error_of([] { refine(make_half_space("ground", 1), 1); }),
            "ground: only a geometry with tets can be refined");
  EXPECT_EQ(error_of([] { refine(make_sphere("ball", 1, 0), 7); }),
            "ball: refined 7 times; it must be from 0 to 6 times");
}

}  // namespace
}  // namespace isopatch
