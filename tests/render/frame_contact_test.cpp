// SPDX-License-Identifier: Apache-2.0
#include "host/render/frame_contact.h"

#include <gtest/gtest.h>

#include "host/mesh/math/point_math.h"
#include "isopatch/isopatch.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"

namespace isopatch::detail {
namespace {

constexpr double kRounding = 1e-6;  // of the floats in polygons, relative

/// A square of 2 x 2 m in the plane of x and y from x = `x` on, with the pressure p = x; its normal is z.
Polygon square(float x) {
  Polygon polygon = {};
  polygon.num_vertices = 4;
  polygon.area = 4;
  polygon.normal[2] = 1;
  const float corners[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
  for (int i = 0; i < 4; ++i) {
    polygon.vertices[i][0] = x + corners[i][0];
    polygon.vertices[i][1] = corners[i][1];
    polygon.pressures[i] = polygon.vertices[i][0];
  }
  return polygon;
}

TEST(FrameContact, SharesTheCornersOfNeighboursAndIntegratesThePressure) {
  const std::vector<DrawnPatch> patches = drawn_patches({square(0), square(2)}, nullptr, 0);
  ASSERT_EQ(patches.size(), 1u);
  const DrawnPatch& patch = patches[0];
  EXPECT_EQ(patch.points.size(), 6u);
  EXPECT_EQ(patch.corners.size(), 12u);
  EXPECT_EQ(patch.polygons, 2);
  EXPECT_EQ(patch.area, 8);
  EXPECT_EQ(patch.max_pressure, 4);
  // over 0 <= x <= 4, 0 <= y <= 2: the integral of x is 16, that of x^2 is 128/3, of x y 16
  EXPECT_NEAR(patch.force[2], 16, 16 * kRounding);
  EXPECT_NEAR(patch.center[0], 8.0 / 3, kRounding);
  EXPECT_NEAR(patch.center[1], 1, kRounding);
}

TEST(FrameContact, HasTheForcesThatAreGiven) {
  Polygon other = square(0);
  other.pair = 1;
  const double wrenches[12] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6};
  const std::vector<DrawnPatch> patches = drawn_patches({other}, wrenches, 6);
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].pair, 1);
  EXPECT_EQ(patches[0].force, (Point3{1, 2, 3}));
}

TEST(FrameContact, HasNoPressureBelowZero) {
  Polygon polygon = square(0);
  polygon.pressures[0] = -1e-6F;
  EXPECT_EQ(drawn_patches({polygon}, nullptr, 0)[0].pressures[0], 0);
}

TEST(FrameContact, OfASceneIsThatOfItsEvaluation) {
  const HostEvaluator evaluator(Scene(read_scene(source_path("bench/scenes/box_stack.json"))));
  Frames frames;
  frames.states = StateArrays(evaluator.scene().description(), 1);
  ResultArrays results(evaluator.scene(), 1);
  evaluator.evaluate(frames.states.view(), results.view());

  const FrameContact contact = evaluated_contact(evaluator, frames, 0);
  EXPECT_EQ(contact.status, 0u);
  int touching = 0;
  for (const std::int32_t polygons : results.polygon_count) touching += polygons > 0;
  ASSERT_EQ(std::ssize(contact.patches), touching);
  for (const DrawnPatch& patch : contact.patches) {
    const auto pair = static_cast<std::size_t>(patch.pair);
    EXPECT_NEAR(patch.area, results.area[pair], kRounding * patch.area);
    EXPECT_NEAR(patch.max_pressure, results.max_pressure[pair], kRounding * patch.max_pressure);
    double area = 0;
    for (std::size_t i = 0; i < patch.corners.size(); i += 3) {
      Point3 p[3];
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& of = patch.points[patch.corners[i + k]];
        p[k] = {of[0], of[1], of[2]};
      }
      area += norm(cross(p[1] - p[0], p[2] - p[0])) / 2;
    }
    EXPECT_NEAR(area, results.area[pair], 1e-5 * area);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(patch.force[k], results.pair_wrench[pair * 6 + k]);
      EXPECT_NEAR(patch.center[k], results.center_of_pressure[pair * 3 + k], 1e-5) << "of a scene of 0.4 m";
    }
  }
}

/// A square on a floor of two tiles: of features that face each other, two corners on the first tile.
TEST(FrameContact, HasContactsOfRigidPolytopes) {
  const HostEvaluator evaluator(Scene(read_scene(source_path("bench/scenes/seam.json"))));
  Frames frames;
  frames.states = StateArrays(evaluator.scene().description(), 1);
  const FrameContact contact = evaluated_contact(evaluator, frames, 0);
  EXPECT_TRUE(contact.patches.empty());
  ASSERT_EQ(contact.contacts.size(), 1u);
  EXPECT_EQ(contact.contacts[0].pair, 0);
  ASSERT_EQ(contact.contacts[0].contacts.size(), 2u);
  for (const auto& [point, normal] : contact.contacts[0].contacts) {
    EXPECT_NEAR(std::abs(point[0] + 0.3), 0.1, 1e-6);
    EXPECT_NEAR(point[1], 0, 1e-6);
    EXPECT_EQ(normal, (Point3{0, 1, 0}));
  }
}

TEST(FrameContact, LeavesOutContactsThatDoNotFaceEachOther) {
  PotentialContact facing = {}, turned = {}, of_another = {};
  facing.applicability = -1e-8F;
  turned.applicability = -0.1F;
  of_another.pair = 3;
  const std::vector<DrawnContacts> drawn = drawn_contacts({facing, turned, of_another});
  ASSERT_EQ(drawn.size(), 2u);
  EXPECT_EQ(drawn[0].contacts.size(), 1u);
  EXPECT_EQ(drawn[1].pair, 3);
}

TEST(FrameContact, OfTooManyPolygonsAsksForFewerFrames) {
  FrameContacts contacts(1000);
  FrameContact large;
  large.patches.resize(1);
  large.patches[0].points.resize(1'000'000);  // 16 MB each
  const std::string error = testing::error_of([&] {
    for (int i = 0; i < 1000; ++i) contacts.add(large);
  });
  EXPECT_EQ(error,
            "render: the patches of 32 of 1000 frames take the 500 MB that a picture may have; take fewer frames by "
            "--every 33 or more (every= in Python)");
}

}  // namespace
}  // namespace isopatch::detail
