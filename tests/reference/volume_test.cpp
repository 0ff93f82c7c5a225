// SPDX-License-Identifier: Apache-2.0
//
// The contact surface's wrench is a volume integral of the pressure gradient (divergence theorem).
#include "tests/reference/cell_volume.h"
#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

TEST(CellVolume, ACornerOfACube) {
  const auto bound = [](Extended x, Extended y, Extended z, Extended offset) {
    const ExtendedVector normal(x, y, z);
    return HalfSpace{normal.normalized(), offset / normal.norm()};
  };
  const std::vector<HalfSpace> corner = {bound(-1, 0, 0, 0), bound(0, -1, 0, 0), bound(0, 0, -1, 0), bound(1, 1, 1, 3)};
  const Volume volume = intersection_volume(corner, {5, 1, 1}, 10);
  EXPECT_NEAR(static_cast<double>(volume.volume), 4.5, 1e-15);
  EXPECT_LT(static_cast<double>((volume.first_moment - ExtendedVector::Constant(4.5L * 0.75L)).norm()), 1e-15);
}

struct VolumeIdentity : Oracle {};

TEST_P(VolumeIdentity, GradientOverTheOverlap) {
  constexpr double kTolerance = 1e-10;
  constexpr unsigned kSeeds = 20;
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const SceneDescription scene = random_scene(kind, seed);
      if (!scene.geometries[1].strain.empty()) continue;  // its gradient is not the same everywhere
      const Outcome outcome = evaluate(scene, GetParam());
      const VolumeWrench expected = wrench_by_volume(scene);
      ASSERT_GT(outcome.force.norm(), 0);
      EXPECT_LT(
          relative_error(outcome.force, outcome.torque, expected.force.cast<double>(), expected.torque.cast<double>()),
          kTolerance)
          << name_of(kind) << ", seed " << seed << ": force " << outcome.force.transpose() << " instead of "
          << expected.force.cast<double>().transpose();
    }
  }
}

// A rigid body in a compliant half space floats as in a liquid of weight modulus/thickness per volume.
struct Archimedes : Oracle {};

constexpr double kModulus = 3e5, kThickness = 0.2;
constexpr double kWeight = kModulus / kThickness;
constexpr double kArchimedesTolerance = 1e-12;

SceneDescription immersed(const Geometry& geometry, const Vector3d& position, const Quaterniond& orientation) {
  SceneDescription scene = two_bodies(geometry, make_half_space("liquid", kThickness));
  scene.bodies[0].rigid = true;
  scene.bodies[1].modulus = kModulus;
  set_pose(scene.bodies[0], position, orientation);
  return scene;
}

void expect_lift(const SceneDescription& scene, double volume, const Vector3d& centroid, const BackendCase& backend) {
  const Vector3d force(0, 0, kWeight * volume);
  const Outcome outcome = evaluate(scene, backend);
  EXPECT_LT(
      relative_error(outcome.force, outcome.torque, force, (centroid - position_of(scene.bodies[0])).cross(force)),
      kArchimedesTolerance);
  const Outcome other = evaluate(exchanged(scene), backend);
  EXPECT_LT(relative_error(other.force, other.torque, -force, -centroid.cross(force)), kArchimedesTolerance);
}

TEST_P(Archimedes, UprightBox) {
  const SceneDescription scene =
      immersed(make_box("box", {0.1, 0.2, 0.15}), {0.02, 0.03, 0.05}, Quaterniond::Identity());
  expect_lift(scene, 0.1 * 0.2 * 0.025, {0.02, 0.03, -0.0125}, GetParam());
}

TEST_P(Archimedes, DeepBox) {
  const SceneDescription scene =
      immersed(make_box("box", {0.1, 0.2, 0.15}), {0.02, 0.03, -0.2}, roll_pitch_yaw(0.3, 0.5, 0.2));
  expect_lift(scene, 0.1 * 0.2 * 0.15, {0.02, 0.03, -0.2}, GetParam());
}

TEST_P(Archimedes, TiltedMeshesPartlyImmersed) {
  for (const Geometry& geometry : {make_box("box", {0.1, 0.2, 0.15}), make_sphere("ball", 0.1, 2)}) {
    for (double height : {-0.02, 0.01, 0.07}) {
      const SceneDescription scene = immersed(geometry, {0.02, 0.03, height}, roll_pitch_yaw(0.3, 0.5, 0.2));
      const Volume volume = submerged_volume(scene);
      const ExtendedVector centroid = volume.first_moment / volume.volume;
      expect_lift(scene, static_cast<double>(volume.volume), centroid.cast<double>(), GetParam());
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(VolumeIdentity);
ISOPATCH_INSTANTIATE_ORACLE(Archimedes);

}  // namespace
}  // namespace isopatch::oracle
