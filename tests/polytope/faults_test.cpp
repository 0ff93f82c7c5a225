// SPDX-License-Identifier: Apache-2.0
//
// States that bodies of polygons cannot have, and geometries that cannot meet, by the CPU and the reference alike.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "isopatch/limits.h"
#include "tests/polytope/polytope_scenes.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

/// Two squares, the second of which is a body of two polygons.
SceneDescription squares() {
  SceneDescription scene;
  scene.geometries = {make_polygon("square", {{0, 0}, {0.1, 0}, {0.1, 0.1}, {0, 0.1}}),
                      make_polygon("triangle", {{0, 0}, {0.1, 0}, {0, 0.1}}), make_box("box", {0.1, 0.1, 0.1})};
  Body pair = rigid_polytope("two", 0);
  pair.parts.resize(2);
  pair.parts[0].geometry = 0;
  pair.parts[1].geometry = 1;
  pair.parts[1].pose = {0.1, 0, 0, 1, 0, 0, 0};
  pair.pose = {0, 0.101, 0, 1, 0, 0, 0};
  scene.bodies = {rigid_polytope("square", 0), pair};
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

std::uint32_t status_of(const Scene& scene, const Batch& batch, Backend backend) {
  EvaluatorOptions options;
  options.backend = backend;
  ResultArrays results(scene, 1, {.distances = true, .capacity = {{"relations", 100}}});
  HostEvaluator(scene, options).evaluate(batch.state(), results.view());
  if ((results.status[0] & kFaults) != 0) {
    for (const double separation : results.separation) EXPECT_EQ(separation, 0);
    for (const std::int32_t needed : results.relations_needed) EXPECT_EQ(needed, 0);
  }
  return results.status[0] & ~std::uint32_t{kRelationCapacity};
}

Batch batch_of(const Scene& scene) {
  Batch batch(scene, 1);
  batch.poses = StateArrays(scene.description(), 1).poses;
  return batch;
}

void expect_status(const Scene& scene, const Batch& batch, std::uint32_t status) {
  EXPECT_EQ(status_of(scene, batch, Backend::kCpu), status);
  EXPECT_EQ(status_of(scene, batch, Backend::kReference), status);
}

TEST(PolygonFaults, OfPosesOutOfThePlaneAreBadPoses) {
  const Scene scene(squares());
  constexpr double kMost = limits::kMaxOutOfPlane;
  struct Case {
    std::array<double, 7> pose;
    std::uint32_t status;
  };
  const Case cases[] = {{{0, 0, 0, 1, 0, 0, 0}, kOk},
                        {{0, 0, 0.9 * kMost, 1, 0, 0, 0}, kOk},
                        {{0, 0, 1.1 * kMost, 1, 0, 0, 0}, kBadPose},
                        {{0, 0, -0.01, 1, 0, 0, 0}, kBadPose},
                        {{-0.2, 0, 0, 1, 0, 0, 1}, kOk},
                        {{-0.2, 0, 0, 2, 0.9 * kMost, -0.9 * kMost, 0}, kOk},
                        {{-0.2, 0, 0, 1, 0.6 * kMost, -0.6 * kMost, 0}, kBadPose},
                        {{-0.2, 0, 0, 0.5, 0, 0.6 * kMost, 0}, kBadPose},
                        {{-0.2, 0, 0, 0, 1, 0, 0}, kBadPose},
                        {{-0.2, 0, std::nan(""), 1, 0, 0, 0}, kBadPose}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.pose[2]);
    for (const std::size_t body : {0U, 1U}) {
      Batch batch = batch_of(scene);
      std::copy(c.pose.begin(), c.pose.end(), batch.poses.begin() + static_cast<std::ptrdiff_t>(7 * body));
      if (body == 0) batch.poses[7] += 5;  // not on each other
      if (body == 1) batch.poses[0] += 5;
      expect_status(scene, batch, c.status);
    }
  }
}

TEST(PolygonFaults, OfGeometriesThatCannotMeetAreBadGeometries) {
  const Scene scene(squares());
  Batch batch = batch_of(scene);
  for (const auto& [index, status] : {std::pair(0, kOk), std::pair(1, kOk), std::pair(2, kBadGeometry),
                                      std::pair(3, kBadGeometry), std::pair(-1, kBadGeometry)}) {
    batch.geometry_index = {index, 0, 1};
    expect_status(scene, batch, status);
    batch.geometry_index = {0, index, 1};
    expect_status(scene, batch, status);
  }
}

/// Bodies of boxes, one of which is soft, and a polygon that no body has.
TEST(PolygonFaults, OfPolygonsInPairsOfAnotherModelAreBadGeometriesToo) {
  SceneDescription description;
  description.geometries = {make_box("box", {0.1, 0.1, 0.1}), make_polygon("square", {{0, 0}, {0.1, 0}, {0.1, 0.1}}),
                            make_sphere("ball", 0.05, 1), make_half_space("floor", 1)};
  description.bodies = {rigid_polytope("a", 0), rigid_polytope("b", 0), rigid_polytope("soft", 0)};
  description.bodies[2].rigid = false;
  description.bodies[1].pose[0] = 0.5;
  description.bodies[2].pose[0] = 1;
  description.contact.model = ContactModel::kPolytope;
  const Scene scene(description);
  ASSERT_EQ(scene.num_pairs(), 3);
  Batch batch = batch_of(scene);
  const std::pair<std::vector<std::int32_t>, std::uint32_t> cases[] = {
      {{0, 0, 0}, kOk},          {{1, 0, 0}, kBadGeometry}, {{1, 1, 0}, kBadGeometry},
      {{2, 0, 0}, kBadGeometry}, {{3, 0, 0}, kOk},          {{3, 3, 0}, kBadGeometry}};
  for (const auto& [geometries, status] : cases) {
    batch.geometry_index = geometries;
    for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
      EXPECT_EQ(status_of(scene, batch, backend) & kFaults, status)
          << geometries[0] << " " << geometries[1] << (backend == Backend::kCpu ? ", CPU" : ", reference");
    }
  }
}

}  // namespace
}  // namespace isopatch::test
