// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/rollout/rollout_scenes.h"

#include <optional>
#include <string>
#include <utility>

namespace isopatch::oracle {
namespace {

int add_body(SceneDescription& scene, Geometry geometry, Body body) {
  body.geometry = static_cast<int>(scene.geometries.size());
  scene.geometries.push_back(std::move(geometry));
  scene.bodies.push_back(std::move(body));
  return static_cast<int>(scene.bodies.size()) - 1;
}

int add_ground(SceneDescription& scene, bool rigid, double friction) {
  return add_body(
      scene, make_half_space("ground", 0.1),
      {.name = "ground", .rigid = rigid, .fixed = true, .modulus = 4e5, .dissipation = 0.002, .friction = friction});
}

Motion prismatic(std::optional<int> parent, const std::array<double, 3>& axis, const Drive& drive) {
  return {.type = MotionType::kPrismatic, .parent = parent, .axis = axis, .drive = drive};
}

}  // namespace

SceneDescription thrown_ball() {
  SceneDescription scene;
  add_body(scene, make_sphere("ball", 0.05, 1),
           {.name = "ball",
            .modulus = 3e5,
            .dissipation = 0.5,
            .friction = 0.5,
            .pose = {0.1, -0.2, 0.055, 1, 0.2, -0.4, 0.3},
            .velocity = {0.6, 0.2, -1, 4, -15, 6},
            .mass = 0.5});
  add_ground(scene, true, 0.5);
  scene.pairs = all_pairs(scene);
  scene.rollout.time_step = 2e-3;
  return scene;
}

SceneDescription tilted_cube() {
  SceneDescription scene;
  add_ground(scene, false, 0.4);
  scene.geometries[0] =  // with layers that the cube reaches
      with_strain(scene.geometries[0], {StrainMap::Kind::kTable, 0, {{0, 0}, {0.02, 0.01}, {0.06, 0.08}, {1, 1}}});
  add_body(scene, make_box("cube", {0.1, 0.1, 0.1}),
           {.name = "cube",
            .modulus = 1e6,
            .dissipation = 0.01,
            .friction = 0.6,
            .pose = {0, 0, 0.085, 1, 0.3, 0.15, 0.1},
            .velocity = {0.3, 0.1, -0.8, 0.5, 1, -2},
            .center_of_mass = Point3{0.005, -0.003, 0.008}});
  scene.pairs = {{0, 1, {}, {}}};
  scene.contact.dissipation_model = DissipationModel::kPfc;
  scene.rollout.time_step = 2e-3;
  return scene;
}

SceneDescription ball_on_box() {
  SceneDescription scene;
  add_body(scene, make_sphere("ball", 0.04, 1),
           {.name = "ball",
            .modulus = 2e5,
            .dissipation = 1,
            .friction = 0.3,
            .pose = {0.02, 0.01, 0.1005, 1, 0.1, 0.2, 0.3},
            .velocity = {0.5, -0.3, -0.2, 0, 0, 5}});
  add_body(scene, make_box("box", {0.14, 0.12, 0.06}),
           {.name = "box",
            .modulus = 4e5,
            .dissipation = 2,
            .friction = 0.5,
            .pose = {0, 0, 0.0305, 1, 0.01, 0.02, 0.2},
            .velocity = {-0.3, 0.1, 0, 0, 0, -1}});
  const int bumper = add_body(
      scene, make_box("bumper", {0.02, 0.2, 0.08}),
      {.name = "bumper", .modulus = 3e5, .dissipation = 1, .friction = 0.6, .pose = {-0.1, 0, 0.06, 1, 0, 0.01, 0.02}});
  scene.bodies[static_cast<std::size_t>(bumper)].motion =
      prismatic({}, {1, 0, 0.05}, {.stiffness = 400, .damping = 3, .target = {{0, 0.002}}, .force_limit = 0.7});
  add_ground(scene, true, 0.4);
  scene.pairs = {{0, 1, {}, {}}, {1, 3, {}, {}}, {1, 2, {}, 0.2}};
  scene.contact.gradient_filter = true;
  scene.rollout.time_step = 1e-3;
  return scene;
}

SceneDescription pinched_bar() {
  SceneDescription scene;
  const int hand = add_body(scene, make_box("hand", {0.02, 0.2, 0.02}),
                            {.name = "hand", .rigid = true, .pose = {0, 0, 0.5, 1, 0, 0, 0}});
  scene.bodies[0].motion = {.type = MotionType::kPrescribed,
                            .path = {{-1, 0.05, 0.15, 1},
                                     {{0, 0, 0.5, 1, 0, 0, 0},
                                      {0, 0, 0.5, 1, 0, 0, 0},
                                      {0.01, 0.02, 0.52, 1, 0.02, 0.01, 0.05},
                                      {0.01, 0.02, 0.6, 1, 0.1, -0.1, 0.05}}}};
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "left" : "right";
    const int finger = add_body(scene, make_sphere(name, 0.02, 1),
                                {.name = name,
                                 .modulus = 1e5,
                                 .dissipation = 5,
                                 .friction = 0.8,
                                 .pose = {0.003 * side, 0.04 * side, 0.4, 1, 0, 0, 0},
                                 .mass = 0.05});
    scene.bodies[static_cast<std::size_t>(finger)].motion =
        prismatic(hand, {0, -side, 0}, {.force = {{0, 8}, {0.1, 6}}, .damping = 2});
  }
  add_body(
      scene, make_box("bar", {0.16, 0.04, 0.02}),
      {.name = "bar", .rigid = true, .friction = 0.8, .pose = {0.04, 0.0005, 0.4, 1, 0.01, 0.005, 0.007}, .mass = 0.1});
  scene.pairs = {{1, 3, {}, {}}, {3, 2, {}, {}}};
  scene.rollout.time_step = 2e-3;
  return scene;
}

SceneDescription driven_flap() {
  SceneDescription scene;
  add_body(scene, make_box("flap", {0.2, 0.1, 0.02}),
           {.name = "flap",
            .modulus = 5e5,
            .dissipation = 1,
            .friction = 0.4,
            .pose = {0.1, 0, 0.3, 1, 0.02, 0.01, 0},
            .density = 400});
  Body& flap = scene.bodies[0];
  scene.geometries.push_back(make_sphere("knob", 0.02, 0));
  flap.parts = {{.geometry = 0}, {.geometry = 1, .pose = {0.07, 0.02, 0.02, 1, 0.3, 0, 0}, .modulus = 2e5}};
  flap.motion = {.type = MotionType::kRevolute,
                 .axis = {0, 2, 0.1},
                 .anchor = Point3{0, 0, 0.3},
                 .position = 0.1,
                 .velocity = -0.5,
                 .drive = {.stiffness = 20, .damping = 0.05, .target = {{0, 0}, {0.05, -0.1}}, .force_limit = 1.5}};
  add_body(scene, make_sphere("ball", 0.03, 1),
           {.name = "ball",
            .modulus = 3e5,
            .dissipation = 0.3,
            .friction = 0.7,
            .pose = {0.15, 0.01, 0.335, 1, 0, 0.5, 0.2},
            .velocity = {0.1, 0.05, -1.5, 3, 1, 2}});
  const int base = add_body(scene, make_box("base", {0.02, 0.1, 0.02}),
                            {.name = "base",
                             .rigid = true,
                             .pose = {-0.02, 0.01, 0.3, 1, 0, 0.1, 0},
                             .velocity = {0.05, 0, 0.1, 0.5, -0.3, 4}});
  scene.bodies[static_cast<std::size_t>(base)].motion.type = MotionType::kPrescribed;
  scene.bodies[0].motion.parent = base;
  scene.pairs = {{1, 0, {}, {}}};
  scene.rollout.time_step = 1e-3;
  return scene;
}

SceneDescription sweeping_slider() {
  SceneDescription scene;
  const int arm = add_body(
      scene, make_box("arm", {0.1, 0.02, 0.02}),
      {.name = "arm", .rigid = true, .pose = {0, 0, 0.1, 1, 0, 0, 0.1}, .velocity = {0.02, 0, 0.01, 0.1, -0.2, 3}});
  scene.bodies[0].motion.type = MotionType::kPrescribed;
  add_body(
      scene, make_sphere("slider", 0.03, 1),
      {.name = "slider", .modulus = 2e5, .dissipation = 2, .friction = 0.6, .pose = {0.1, 0.02, 0.04, 1, 0.1, 0.1, 0}});
  scene.bodies[1].motion = prismatic(arm, {1, 0.2, -0.05}, {.stiffness = 200, .damping = 1, .target = {{0, 0.01}}});
  scene.bodies[1].motion.velocity = 0.1;
  add_body(scene, make_box("box", {0.06, 0.08, 0.08}),
           {.name = "box",
            .modulus = 4e5,
            .dissipation = 3,
            .friction = 0.4,
            .pose = {0.09, 0.095, 0.0395, 1, 0.01, 0, 0.2}});
  add_ground(scene, false, 0.5);
  scene.pairs = {{1, 2, {}, {}}, {2, 3, {}, {}}};
  scene.rollout.time_step = 1e-3;
  return scene;
}

SceneDescription fast_plate() {
  SceneDescription scene;
  add_body(scene, make_sphere("ball", 0.04, 1),
           {.name = "ball",
            .modulus = 4e5,
            .dissipation = 1,
            .friction = 0.4,
            .pose = {0.01, 0, 0.0395, 1, 0.1, 0, 0.2},
            .density = 900});
  add_body(scene, make_box("plate", {0.12, 0.1, 0.012}),
           {.name = "plate",
            .modulus = 3e5,
            .dissipation = 1,
            .friction = 0.5,
            .pose = {0, 0.005, 0.1, 1, 0.05, 0.02, 0},
            .velocity = {0.2, 0, -2.5, 1, 0, 2},
            .density = 1200});
  add_ground(scene, true, 0.5);
  scene.pairs = {{0, 1, {}, {}}, {1, 2, {}, {}}, {0, 2, {}, {}}};
  scene.rollout.time_step = 4e-3;
  return scene;
}

SceneDescription coupled_gripper() {
  SceneDescription scene;
  const Geometry pad = make_box("pad", {0.02, 0.03, 0.04});
  for (const double side : {-1.0, 1.0}) {
    add_body(scene, pad,
             {.name = side < 0 ? "left" : "right",
              .modulus = 2e5,
              .dissipation = 4,
              .friction = 0.6,
              .pose = {side * 0.045, 0.002 * side, 0.1, 1, 0.01 * side, 0, 0},
              .mass = 0.06});
    scene.bodies.back().motion = prismatic({}, {1, 0, 0.02}, {});
  }
  Motion& leader = scene.bodies[0].motion;
  leader.drive = {.force = {{0, 9}, {0.05, 5}}, .stiffness = 50, .damping = 2, .target = {{0, 0.01}}};
  leader.friction = 0.4;
  leader.damping = 1.5;
  leader.armature = 0.05;
  scene.bodies[1].motion.mimic = Mimic{0, -1, 0};
  add_body(scene, make_box("box", {0.04, 0.05, 0.03}),
           {.name = "box",
            .modulus = 4e5,
            .dissipation = 3,
            .friction = 0.4,
            .pose = {0.0015, 0, 0.1, 1, 0.02, 0.01, 0.03},
            .density = 500});
  scene.pairs = {{0, 2, {}, {}}, {1, 2, {}, {}}};
  scene.rollout.time_step = 1e-3;
  return scene;
}

SceneDescription planar_bodies() {
  SceneDescription scene;
  const Motion planar = {.type = MotionType::kPlanar};
  add_body(scene, make_box("plate", {0.16, 0.1, 0.04}),
           {.name = "plate",
            .modulus = 3e5,
            .dissipation = 1,
            .friction = 0.5,
            .pose = {0, 0, 0.0195, 0.98, 0, 0, 0.2},
            .velocity = {1.2, -0.6, 0, 0, 0, -8},
            .mass = 0.6,
            .center_of_mass = Point3{0.02, -0.01, 0.008},
            .inertia = std::array<double, 6>{1.2e-3, 1.5e-3, 1.8e-3, 1e-4, -2e-4, 1.5e-4},
            .motion = planar});
  add_body(scene, make_sphere("puck", 0.05, 1),
           {.name = "puck",
            .modulus = 2e5,
            .dissipation = 0.5,
            .friction = 0.3,
            .pose = {0.13, -0.03, 0.06, 0.7, 0, 0, -0.7},
            .velocity = {-0.9, 0.3, 0, 0, 0, 20},
            .center_of_mass = Point3{0.01, 0.004, -0.006},
            .motion = planar});
  add_body(scene, make_sphere("ball", 0.03, 1),
           {.name = "ball",
            .modulus = 2e5,
            .dissipation = 1,
            .friction = 0.4,
            .pose = {-0.02, 0.01, 0.068, 1, 0.1, 0.2, 0.3},
            .velocity = {0.5, 0.2, -0.4, 3, -5, 8}});
  add_body(
      scene, make_box("wall", {0.02, 0.6, 0.2}),
      {.name = "wall", .rigid = true, .fixed = true, .friction = 0.6, .pose = {0.21, -0.1, 0, 1, 0.02, 0.1, 0.05}});
  add_ground(scene, false, 0.4);
  scene.pairs = {{0, 1, {}, {}}, {2, 0, {}, {}}, {0, 3, {}, {}}, {1, 3, {}, {}}, {0, 4, {}, {}}};
  scene.rollout.time_step = 2e-3;
  scene.rollout.gravity = {1.5, -3, -9.81};
  return scene;
}

}  // namespace isopatch::oracle
