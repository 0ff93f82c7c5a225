// SPDX-License-Identifier: Apache-2.0
//
// The volume identity (oracle 2) for every kind of shape and field, deep enough that the contact surface passes through
// kinks and a core without gradient.
#include "tests/mesh/fields/layered_ball.h"
#include "tests/reference/cell_volume.h"
#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct ShapesVolumeIdentity : Oracle {};

Geometry laplace_ball() {
  TetMesh mesh = testing::layered_ball(1, 3, 0.3);
  for (Point3& p : mesh.points)
    for (double& x : p) x *= 0.06;
  FieldOptions options;
  options.kind = FieldOptions::Kind::kLaplace;
  options.strain.kind = StrainMap::Kind::kPower;
  options.strain.parameter = 2;
  return make_tet_mesh("laplace", mesh, options);
}

std::vector<Geometry> shapes() {
  return {make_ellipsoid("ellipsoid", {0.04, 0.05, 0.07}, 1),
          make_cylinder("tall cylinder", 0.04, 0.14, 12),
          make_cylinder("flat cylinder", 0.06, 0.05, 12),
          make_capsule("capsule", 0.04, 0.06, 12),
          make_convex_hull("hull", {{0.05, 0, 0},
                                    {-0.04, 0.01, 0.02},
                                    {0, 0.06, 0},
                                    {0.01, -0.05, 0.01},
                                    {0, 0, 0.07},
                                    {0.01, 0.02, -0.06},
                                    {0.03, 0.03, 0.03}}),
          laplace_ball(),
          make_nut("nut", {{0.05, 0.0125, 0}, 0.08, 0.1, 12})};
}

TEST_P(ShapesVolumeIdentity, HoldsShallowAndDeep) {
  constexpr double kTolerance = 1e-10;
  const std::vector<Geometry> all = shapes();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const double height : {0.085, 0.05}) {
      SceneDescription scene = two_bodies(all[i], all[(i + 1) % all.size()]);
      scene.bodies[0].modulus = 1e5;
      scene.bodies[1].modulus = 2.5e5;
      set_pose(scene.bodies[0], {0.011, -0.007, height}, roll_pitch_yaw(0.3, 0.5, 0.2));
      set_pose(scene.bodies[1], {0.003, 0.002, 0}, roll_pitch_yaw(-0.4, 0.15, 0.8));
      const Outcome outcome = evaluate(scene, GetParam());
      const VolumeWrench expected = wrench_by_volume(scene);
      ASSERT_EQ(test::but_far_side(outcome.status), kOk);
      ASSERT_GT(outcome.force.norm(), 0);
      EXPECT_LT(
          relative_error(outcome.force, outcome.torque, expected.force.cast<double>(), expected.torque.cast<double>()),
          kTolerance)
          << all[i].name << " on the next, height " << height << ": force " << outcome.force.transpose()
          << " instead of " << expected.force.cast<double>().transpose();
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(ShapesVolumeIdentity);

}  // namespace
}  // namespace isopatch::oracle
