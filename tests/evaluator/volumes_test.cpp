// SPDX-License-Identifier: Apache-2.0
//
// Volumetric contact of meshes in a batch: what its status says, and that a fault changes no other environment.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/support/same_bits.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

SceneDescription volumes(const Geometry& a, const Geometry& b) {
  SceneDescription scene = two_bodies(a, b);
  scene.contact.model = ContactModel::kVolumetric;
  scene.bodies[0].rigid = scene.bodies[1].rigid = true;
  (*scene.pairs)[0].stiffness = 1e7;
  (*scene.pairs)[0].friction = 0.5;
  return scene;
}

struct Found {
  std::uint32_t status = 0;
  std::array<double, 6> wrench = {};
};

Found evaluated(SceneDescription scene, const std::array<double, 7>& pose) {
  scene.bodies[0].pose = pose;
  Found found;
  Results results;
  results.status = &found.status;
  results.pair_wrench = found.wrench.data();
  HostEvaluator(Scene(scene), {.precision = Precision::kDouble}).evaluate(StateArrays(scene, 1).view(), results);
  return found;
}

TEST(Volumes, AnEnclosedBodyHasNoForceAndABit) {
  const SceneDescription inside = volumes(make_sphere("ball", 0.02, 2), make_box("box", {0.2, 0.2, 0.2}));
  const Found found = evaluated(inside, {0.01, 0, 0.02, 1, 0, 0, 0});
  EXPECT_NE(found.status & kNoContactSurface, 0u);
  for (const double number : found.wrench) EXPECT_EQ(number, 0);
  EXPECT_EQ(evaluated(inside, {0.5, 0, 0, 1, 0, 0, 0}).status, kOk);
}

TEST(Volumes, AThickContactHasABit) {
  const SceneDescription peg = volumes(make_box("peg", {0.01, 0.01, 0.1}), make_box("box", {0.2, 0.2, 0.2}));
  const Found deep = evaluated(peg, {0, 0, 0.1, 1, 0, 0, 0}), flat = evaluated(peg, {0, 0, 0.149, 1, 0, 0, 0});
  EXPECT_NE(deep.status & kThickContact, 0u);
  EXPECT_GT(deep.wrench[2], 0);
  EXPECT_EQ(flat.status & kThickContact, 0u);
  EXPECT_NEAR(flat.wrench[2], 1e7 * 1e-4 * 1e-3, 1e-9);
}

/// One environment in a hundred has a pose or a velocity that is not a number, or a contact state that cannot be.
TEST(Volumes, AFaultChangesNoOtherEnvironment) {
  const Scene scene(volumes(make_sphere("ball", 0.05, 1), make_box("box", {0.1, 0.1, 0.1})));
  constexpr std::int64_t kCount = 4096;
  const Batch batch = random_batch(scene, kCount, 61, 0.05);
  const auto evaluate = [&](const Batch& of, std::vector<double>& wrenches, std::vector<std::uint32_t>& status) {
    wrenches.assign(static_cast<std::size_t>(kCount) * 6, -7);
    status.assign(static_cast<std::size_t>(kCount), 7);
    Results results;
    results.status = status.data();
    results.pair_wrench = wrenches.data();
    HostEvaluator(scene, {.precision = Precision::kFloat}).evaluate(of.state(), results);
  };
  std::vector<double> before, after;
  std::vector<std::uint32_t> status_before, status_after;
  evaluate(batch, before, status_before);
  Batch poisoned = batch;
  for (std::int64_t e = 37; e < kCount; e += 100) {
    const auto at = static_cast<std::size_t>(e);
    (e % 200 == 37 ? poisoned.poses[14 * at + 2] : poisoned.velocities[12 * at + 5]) =
        std::numeric_limits<double>::quiet_NaN();
  }
  evaluate(poisoned, after, status_after);
  int touching = 0;
  for (std::int64_t e = 0; e < kCount; ++e) {
    const auto at = static_cast<std::size_t>(e);
    if (e % 100 == 37) {
      EXPECT_NE(status_after[at] & (kBadPose | kBadVelocity), 0u) << e;
      for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(after[6 * at + k], 0) << e;
      continue;
    }
    EXPECT_EQ(status_after[at], status_before[at]) << e;
    for (std::size_t k = 0; k < 6; ++k) ASSERT_EQ(after[6 * at + k], before[6 * at + k]) << e;
    touching += before[6 * at] != 0 ? 1 : 0;
  }
  EXPECT_GT(touching, 1000);
}

}  // namespace
}  // namespace isopatch::test
