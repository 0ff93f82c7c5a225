// SPDX-License-Identifier: Apache-2.0
//
// Contact of single tets with hand-made fields.
#include <cmath>

#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct TetPair : Oracle {};

Geometry with_field(const char* name, const std::vector<Point3>& points, const std::vector<Tet>& tets,
                    const std::vector<double>& extent) {
  TetMesh mesh;
  mesh.points = points;
  mesh.tets = tets;
  mesh.point_data["extent"] = extent;
  FieldOptions options;
  options.kind = FieldOptions::Kind::kPointData;
  return make_tet_mesh(name, mesh, options);
}

TEST_P(TetPair, CutsAnOctagon) {
  constexpr double kTolerance = 1e-12;  // all input is dyadic
  const Geometry a = with_field("a", {{2, 0, 2}, {-2, 0, 2}, {0, 2, -2}, {0, -2, -2}}, {{0, 1, 2, 3}}, {8, 4, 4, 0});
  const Geometry b = with_field("b", {{1.5, 1.5, 2.5}, {-1.5, -1.5, 2.5}, {-1.5, 1.5, -2.5}, {1.5, -1.5, -2.5}},
                                {{0, 1, 2, 3}}, {7, 1, 4, 4});
  SceneDescription scene = two_bodies(a, b);
  for (Body& body : scene.bodies) body.modulus = 1e4;

  const Outcome outcome = evaluate(scene, GetParam());
  EXPECT_EQ(outcome.polygons, 1);
  EXPECT_NEAR(outcome.area, 3.5, 3.5 * kTolerance);
  EXPECT_LT((outcome.force - Vector3d(0, 0, 1.4e5)).norm(), 1.4e5 * kTolerance);
  const double torque = 9791.0 + 2.0 / 3.0;
  EXPECT_LT((outcome.torque - Vector3d(torque, -torque, 0)).norm(), 1.4e5 * kTolerance) << outcome.torque.transpose();
  EXPECT_LT((outcome.mean_normal - Vector3d::UnitZ()).norm(), kTolerance);
}

// The contact plane holds the face that B's two tets share, or misses it by a hair.
TEST_P(TetPair, CountsAPlaneInASharedFaceOnce) {
  // The zero of the pressure difference may be displaced by the snapping, 1e-13 of the size (8 m).
  constexpr double kTolerance = 2e-12;
  const Geometry big =
      with_field("big", {{-2, -2, -2}, {6, -2, -2}, {-2, 6, -2}, {0, 0, 4}}, {{0, 1, 2, 3}}, {1, 1, 1, 7});
  const Geometry two = with_field("two", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.2, 0.2, -1}},
                                  {{0, 1, 2, 3}, {0, 2, 1, 4}}, {3, 3, 3, 2, 4});
  SceneDescription scene = two_bodies(big, two);
  for (Body& body : scene.bodies) body.modulus = 1e5;

  for (double shift : {0.0, 1e-9, -1e-9, 1e-13, -1e-13}) {
    // p_A = p_B at half the shift, where B's section is smaller and its pressure has changed as little
    set_pose(scene.bodies[1], {0, 0, shift});
    const double side = 1 - std::abs(shift) / 2;
    const double expected = 0.5 * side * side * 1e5 * (3 + shift / 2);
    EXPECT_NEAR(evaluate(scene, GetParam()).force.z(), expected, expected * kTolerance) << "B moved by " << shift;
    EXPECT_NEAR(evaluate(exchanged(scene), GetParam()).force.z(), -expected, expected * kTolerance)
        << "exchanged, B moved by " << shift;
  }
}

// The same for a rigid triangle in the face that two compliant tets share.
TEST_P(TetPair, CountsARigidFaceInASharedFaceOnce) {
  constexpr double kTolerance = 2e-12;
  const Geometry two = with_field("two", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, 1}, {0.2, 0.2, -1}},
                                  {{0, 1, 2, 3}, {0, 2, 1, 4}}, {3, 3, 3, 2, 4});
  SceneDescription on_box = two_bodies(two, make_box("box", {4, 4, 4}));
  SceneDescription on_ground = two_bodies(two, make_half_space("ground", 1));
  for (SceneDescription* scene : {&on_box, &on_ground}) {
    const double top = scene == &on_box ? 2 : 0;
    scene->bodies[0].modulus = 1e5;
    scene->bodies[1].rigid = true;
    for (double shift : {0.0, 1e-9, -1e-9, 1e-13, -1e-13}) {
      set_pose(scene->bodies[1], {0, 0, shift - top});
      const double side = 1 - std::abs(shift);
      const double expected = 0.5 * side * side * 1e5 * (3 - shift);
      EXPECT_NEAR(evaluate(*scene, GetParam()).force.z(), expected, expected * kTolerance) << "moved by " << shift;
      EXPECT_NEAR(evaluate(exchanged(*scene), GetParam()).force.z(), -expected, expected * kTolerance)
          << "exchanged, moved by " << shift;
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(TetPair);

}  // namespace
}  // namespace isopatch::oracle
