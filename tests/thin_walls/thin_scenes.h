// SPDX-License-Identifier: Apache-2.0
//
// Thin walls in something soft.
#pragma once

#include "tests/mesh/grid_meshes.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

inline constexpr double kRing = 0.04, kWall = 0.004, kHeight = 0.04;  // m

/// A ring of 48 x 6 x 1 cells.
inline Geometry thin_ring(const std::array<std::int32_t, 3>& cells = {48, 6, 1}) {
  return make_tet_mesh("ring", isopatch::testing::ring_mesh(kRing, kWall, kHeight, cells));
}

inline Geometry soft_pad() {
  return make_tet_mesh("pad", isopatch::testing::block_mesh({0.02, 0.04, 0.04}, {6, 6, 4}));
}

/// A body at the origin whose side is `depth` deep in a pad, which lies outside.
inline SceneDescription in_pad(const Geometry& geometry, bool rigid, bool one_sided, double depth) {
  SceneDescription scene = two_bodies(geometry, soft_pad());
  scene.bodies[0].modulus = 1e9;
  scene.bodies[0].rigid = rigid;
  scene.bodies[0].one_sided = one_sided;
  scene.bodies[1].modulus = 1e5;
  scene.bodies[1].pose = {kRing + 0.01 - depth, 0, 0, 1, 0, 0, 0};
  return scene;
}

/// For steps of 1 ms, 30 of which take a ring from 3 to 6 mm into a pad.
inline SceneDescription ring_on_path(const Geometry& ring, bool one_sided) {
  SceneDescription scene = in_pad(ring, false, one_sided, 0.003);
  scene.bodies[1].fixed = true;
  Motion& motion = scene.bodies[0].motion;
  motion.type = MotionType::kPrescribed;
  motion.path.times = {0, 0.03};
  motion.path.poses = {scene.bodies[0].pose, {0.003, 0, 0, 1, 0, 0, 0}};
  scene.rollout.time_step = 1e-3;
  return scene;
}

/// A plate of 0.2 x 0.2 x 0.004 m, 4 x 4 x 2 cells, whose lower side is `depth` deep in a ground of 1e6 Pa over 0.1 m.
inline SceneDescription plate_in_ground(double depth, double modulus) {
  const TetMesh plate = isopatch::testing::block_mesh({0.2, 0.2, 0.004}, {4, 4, 2});
  SceneDescription scene = two_bodies(make_tet_mesh("plate", plate), make_half_space("ground", 0.1));
  scene.bodies[0].pose = {0, 0, 0.002 - depth, 1, 0, 0, 0};
  scene.bodies[0].modulus = modulus;
  scene.bodies[0].one_sided = true;
  scene.bodies[1].modulus = 1e6;
  return scene;
}

}  // namespace isopatch::test
