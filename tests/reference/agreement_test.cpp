// SPDX-License-Identifier: Apache-2.0
//
// Backends against the reference in moving scenes: every result, not only the wrench.
#include <cmath>
#include <string>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct Agreement : Oracle {};

constexpr unsigned kSeeds = 20;
constexpr double kTolerance = 1e-11;  // rounding of double over a depth of 1e-2 to 1e-3 of the size
constexpr double kEnergyTolerance = 1e-9;

SceneDescription moving_scene(PairKind kind, unsigned seed) {
  SceneDescription scene = random_scene(kind, seed);
  const double s = seed + 1;
  scene.bodies[0].velocity = {0.1 * std::sin(s), 0.02 * std::cos(3 * s), 0.05, std::sin(2 * s), 1, std::cos(s)};
  scene.bodies[1].velocity = {0.01, 0.03 * std::sin(5 * s), -0.02, 0.3, std::cos(7 * s), -0.4};
  for (Body& body : scene.bodies) {
    body.dissipation = 0.5 + 0.1 * body.geometry;
    body.friction = 0.6 - 0.2 * body.geometry;
  }
  // one point per polygon does not depend on where rounding puts corners into straight edges
  scene.contact.quadrature = Quadrature::kCentroid;
  scene.contact.gradient_filter = seed % 3 == 0;
  scene.contact.dissipation_model = seed % 4 < 2 ? DissipationModel::kHuntCrossley : DissipationModel::kPfc;
  return scene;
}

TEST_P(Agreement, EveryResultIsTheReferences) {
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const SceneDescription scene = moving_scene(kind, seed);
      const Outcome expected = evaluate(scene, {"Reference", Backend::kReference}, true);
      const Outcome found = evaluate(scene, GetParam(), true);
      SCOPED_TRACE(std::string(name_of(kind)) + ", seed " + std::to_string(seed));
      EXPECT_LT(relative_error(found.force, found.torque, expected.force, expected.torque), kTolerance);
      EXPECT_LT(relative_error(found.force_b, found.torque_b, expected.force_b, expected.torque_b), kTolerance);
      EXPECT_LT((found.friction_force - expected.friction_force).norm(), kTolerance * expected.force.norm());
      EXPECT_NEAR(found.area, expected.area, kTolerance * expected.area);
      EXPECT_LT((found.center_of_pressure - expected.center_of_pressure).norm(), kTolerance * kLever);
      EXPECT_LT((found.mean_normal - expected.mean_normal).norm(), kTolerance);
      EXPECT_NEAR(found.max_pressure, expected.max_pressure, kTolerance * expected.max_pressure);
      EXPECT_NEAR(found.energy, expected.energy, kEnergyTolerance * expected.energy);
      EXPECT_EQ(found.polygons, expected.polygons);
      EXPECT_EQ(found.status, expected.status);
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(Agreement);

}  // namespace
}  // namespace isopatch::oracle
