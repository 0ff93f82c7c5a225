// SPDX-License-Identifier: Apache-2.0
//
// Values from an independent double-precision program, whose static wrenches were confirmed by the energy.
#include <cmath>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct Recorded : Oracle {};

TEST_P(Recorded, TiltedCubes) {
  constexpr double kDigits = 2e-9;  // the values are given to nine or ten digits
  SceneDescription scene = two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.1, 0.1, 0.1}));
  for (Body& body : scene.bodies) body.modulus = 1e6;
  set_pose(scene.bodies[1], {0.013, 0.007, 0.098}, roll_pitch_yaw(0.02, 0.01, 0.3));

  const Outcome outcome = evaluate(scene, GetParam());
  EXPECT_NEAR(outcome.area, 0.00829013202, 0.00829013202 * kDigits);
  EXPECT_LT(relative_error(outcome.force, outcome.torque, {-2.7273941, -0.1530452636, -152.9000735},
                           {0.16954388, 1.4240005, -0.018337671}),
            kDigits);
  EXPECT_LT((outcome.force + outcome.force_b).norm(), 1e-12 * outcome.force.norm());
  const Vector3d lever = position_of(scene.bodies[0]) - position_of(scene.bodies[1]);
  EXPECT_LT((outcome.torque_b + outcome.torque + lever.cross(outcome.force)).norm(), 1e-12 * outcome.force.norm());
}

SceneDescription sliding_ball() {
  SceneDescription scene = two_bodies(make_sphere("ball", 0.05, 2), make_box("block", {0.2, 0.2, 0.2}));
  scene.bodies[0].modulus = 1e5;
  scene.bodies[1].modulus = 2e7;
  set_pose(scene.bodies[0], {0.01, -0.02, 0.145});
  scene.bodies[0].velocity = {0.1, 0, -0.05, 0, 0, 3};
  (*scene.pairs)[0].dissipation = 2;
  (*scene.pairs)[0].friction = 0.5;
  scene.contact.slip_tolerance = 1e-4;
  return scene;
}

TEST_P(Recorded, SlidingBall) {
  const Vector3d force(-3.0391709, -2.4751e-4, 6.2771649);
  const Vector3d torque(-1.1135e-5, 0.136881925, -6.535251e-3);
  SceneDescription scene = sliding_ball();

  scene.contact.quadrature = Quadrature::kFan6;
  const Outcome fan6 = evaluate(scene, GetParam());
  EXPECT_EQ(fan6.polygons, 24);
  EXPECT_NEAR(fan6.area, 1.28495158e-3, 1.28495158e-3 * 5e-9);
  EXPECT_LT(relative_error(fan6.force, fan6.torque, force, torque), 2e-7);

  scene.contact.quadrature = Quadrature::kFan3;
  const Outcome fan3 = evaluate(scene, GetParam());
  EXPECT_LT(relative_error(fan3.force, fan3.torque, force, torque), 3e-5);
}

TEST_P(Recorded, BallAtRest) {
  SceneDescription scene = sliding_ball();
  scene.bodies[0].velocity = {};
  EXPECT_NEAR(evaluate(scene, GetParam()).force.z(), 5.70651209, 5.70651209 * 2e-9);
}

ISOPATCH_INSTANTIATE_ORACLE(Recorded);

}  // namespace
}  // namespace isopatch::oracle
