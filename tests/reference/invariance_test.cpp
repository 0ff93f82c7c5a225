// SPDX-License-Identifier: Apache-2.0
//
// What must not change the wrench: the order of the bodies, a common motion, and cutting tets.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

constexpr double kTolerance = 1e-12;
constexpr double kAreaTolerance = 1e-11;
constexpr double kEnergyTolerance = 1e-9;  // as energies are promised
constexpr unsigned kSeeds = 10;

struct Invariance : Oracle {};

SceneDescription with_random_motion(SceneDescription scene, unsigned seed) {
  const double s = seed + 1;
  scene.bodies[0].velocity = {0.1 * std::sin(s), 0.02 * std::cos(3 * s), 0.05, std::sin(2 * s), 1, std::cos(s)};
  scene.bodies[1].velocity = {0.01, 0.03 * std::sin(5 * s), -0.02, 0.3, std::cos(7 * s), -0.4};
  for (Body& body : scene.bodies) {
    body.dissipation = 0.5 + 0.1 * body.geometry;
    body.friction = 0.6 - 0.2 * body.geometry;
  }
  return scene;
}

// Rules with their tolerances. A fan sees the polygon's corners, and rounding can put one in the middle of an edge
// where lines of both bodies coincide; the result then differs by a part of the rule's own error.
constexpr std::pair<Quadrature, double> kRules[] = {
    {Quadrature::kCentroid, kTolerance}, {Quadrature::kFan6, 1e-5}, {Quadrature::kExact, 1e-5}};

TEST_P(Invariance, ExchangingTheBodiesNegatesTheWrench) {
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      for (DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
        for (const auto& [rule, tolerance] : kRules) {
          SceneDescription scene = with_random_motion(random_scene(kind, seed), seed);
          scene.contact.dissipation_model = model;
          scene.contact.quadrature = rule;
          const Outcome one = evaluate(scene, GetParam());
          const Outcome other = evaluate(exchanged(scene), GetParam());
          EXPECT_LT(relative_error(other.force, other.torque, one.force_b, one.torque_b), tolerance)
              << name_of(kind) << ", seed " << seed;
          EXPECT_LT(relative_error(other.force_b, other.torque_b, one.force, one.torque), tolerance)
              << name_of(kind) << ", seed " << seed;
        }
      }
    }
  }
}

SceneDescription moved(SceneDescription scene, const Quaterniond& turn, const Vector3d& shift) {
  for (Body& body : scene.bodies) {
    set_pose(body, turn * position_of(body) + shift, turn * orientation_of(body));
    const Vector3d linear = turn * Vector3d(body.velocity[0], body.velocity[1], body.velocity[2]);
    const Vector3d angular = turn * Vector3d(body.velocity[3], body.velocity[4], body.velocity[5]);
    body.velocity = {linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z()};
  }
  return scene;
}

TEST_P(Invariance, MovingBothBodiesTurnsTheWrench) {
  const Quaterniond turn = roll_pitch_yaw(0.7, -0.4, 2.1);
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      for (const auto& [rule, tolerance] : kRules) {
        SceneDescription scene = with_random_motion(random_scene(kind, seed), seed);
        scene.contact.quadrature = rule;
        const Outcome one = evaluate(scene, GetParam());
        const Outcome other = evaluate(moved(scene, turn, {0.3, -0.2, 0.1}), GetParam());
        EXPECT_LT(relative_error(other.force, other.torque, turn * one.force, turn * one.torque), tolerance)
            << name_of(kind) << ", seed " << seed;
      }
    }
  }
}

SceneDescription with_meshes(SceneDescription scene, Geometry (*change)(const Geometry&)) {
  for (Geometry& geometry : scene.geometries) {
    if (geometry.kind == GeometryKind::kMesh) geometry = change(geometry);
  }
  return scene;
}

// At rest: damping and friction are integrated by a rule that sees the polygons.
TEST_P(Invariance, CuttingTetsChangesNothing) {
  const auto in_eight = [](const Geometry& geometry) { return refined(geometry, 1); };
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const SceneDescription scene = random_scene(kind, seed);
      const Outcome whole = evaluate(scene, GetParam(), true);
      for (Geometry (*change)(const Geometry&) : {+in_eight, &split_at_centroids}) {
        const Outcome cut = evaluate(with_meshes(scene, change), GetParam(), true);
        EXPECT_LT(relative_error(cut.force, cut.torque, whole.force, whole.torque), kTolerance)
            << name_of(kind) << ", seed " << seed;
        EXPECT_NEAR(cut.area, whole.area, whole.area * kAreaTolerance) << name_of(kind) << ", seed " << seed;
        EXPECT_NEAR(cut.energy, whole.energy, whole.energy * kEnergyTolerance) << name_of(kind) << ", seed " << seed;
      }
    }
  }
}

// Aligned boxes of equal stiffness meet in planes that hold faces of both meshes once these are cut. The dyadic side
// makes every coincidence exact; the other leaves them to rounding.
TEST_P(Invariance, StackedBoxesWithCoincidentFaces) {
  for (double side : {0.125, 0.1}) {
    const Geometry box = make_box("box", {side, side, side});
    for (double overlap : {side / 2, side / 4, side / 8, side / 5}) {
      for (const Vector3d& shift : {Vector3d(0, 0, 0), Vector3d(side / 4, side / 8, 0), Vector3d(side / 7, 0, 0)}) {
        for (double yaw : {0.0, std::acos(0.0), 0.3}) {
          SceneDescription scene = two_bodies(box, box);
          scene.bodies[1].modulus = scene.bodies[0].modulus = 1e6;
          set_pose(scene.bodies[1], shift + Vector3d(0, 0, side - overlap), roll_pitch_yaw(0, 0, yaw));
          const Outcome whole = evaluate(scene, GetParam());
          ASSERT_LT(whole.force.z(), 0);
          for (int levels_a : {0, 1, 2}) {
            for (int levels_b : {0, 1, 2}) {
              scene.geometries = {refined(box, levels_a), refined(box, levels_b)};
              const Outcome cut = evaluate(scene, GetParam());
              EXPECT_LT(relative_error(cut.force, cut.torque, whole.force, whole.torque), kTolerance)
                  << "side " << side << ", overlap " << overlap << ", shift " << shift.transpose() << ", yaw " << yaw
                  << ", levels " << levels_a << " and " << levels_b << ": " << cut.force.transpose() << " instead of "
                  << whole.force.transpose();
            }
          }
        }
      }
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(Invariance);

}  // namespace
}  // namespace isopatch::oracle
