// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/rollout/tree_scenes.h"

#include <string>

namespace isopatch::oracle {

using test::Vector;

Body& add_box(test::SceneBuilder& scene, const Vector& at, double mass, const Vector& center, const Vector& size) {
  Body& body = scene.add("body " + std::to_string(scene.description.bodies.size()), make_box("box", {0.1, 0.1, 0.1}),
                         test::pose_at(at));
  const auto [x, y, z] = size;
  body.rigid = true;
  body.mass = mass;
  body.center_of_mass = Point3{center[0], center[1], center[2]};
  const double k = mass / 12;
  body.inertia = {k * (y * y + z * z), k * (x * x + z * z), k * (x * x + y * y), 0, 0, 0};
  return body;
}

void on_hinge(Body& body, int parent, const Vector& axis, double rate) {
  body.motion.type = MotionType::kRevolute;
  if (parent >= 0) body.motion.parent = parent;
  body.motion.axis = axis;
  body.motion.anchor = {body.pose[0], body.pose[1], body.pose[2]};
  body.motion.velocity = rate;
}

SceneDescription finished(test::SceneBuilder& scene, bool with_gravity) {
  scene.description.pairs.emplace();
  scene.description.rollout.gravity = {0, 0, with_gravity ? -static_cast<double>(kGravity) : 0.0};
  return scene.description;
}

SceneDescription rods(int count, double length, double mass) {
  test::SceneBuilder scene;
  for (int i = 0; i < count; ++i) {
    Body& rod = add_box(scene, {i * length, 0, 0}, mass, {length / 2, 0, 0}, {length, 0.02, 0.02});
    on_hinge(rod, i - 1, {0, 1, 0});
  }
  return finished(scene, true);
}

void add_arm(test::SceneBuilder& scene, int links, Vector at, double rate) {
  const Vector axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  const double lengths[] = {0.3, 0.4, 0.35, 0.1, 0.1, 0.08}, masses[] = {4, 3.5, 2, 1, 0.8, 0.3};
  for (std::size_t i = 0; i < static_cast<std::size_t>(links); ++i) {
    const Vector along = i == 0 ? Vector{0, 0, lengths[0]} : Vector{lengths[i], 0, 0};
    Body& link = add_box(scene, at, masses[i], {along[0] / 2 + 0.01, 0.02, along[2] / 2 - 0.01},
                         {along[0] + 0.06, 0.06, along[2] + 0.06});
    on_hinge(link, static_cast<int>(scene.description.bodies.size()) - 2, axes[i], rate);
    for (std::size_t k = 0; k < 3; ++k) at[k] += along[k];
  }
}

SceneDescription six_link_arm() {
  test::SceneBuilder scene;
  add_arm(scene, 6, {0, 0, 0}, 1);
  return finished(scene, true);
}

SceneDescription arm_with_followers() {
  test::SceneBuilder scene;
  add_arm(scene, 4, {0, 0, 0}, 1);
  Body& slider = add_box(scene, {1, 0, 0}, 0.6, {0.01, 0, 0}, {0.1, 0.1, 0.1});
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.axis = {0, 1, 1};
  slider.motion.mimic = Mimic{1, 0.3, 0.05};
  Body& third = scene.description.bodies[2];
  third.motion.velocity = 0;
  third.motion.mimic = Mimic{0, -1.5, 0.2};
  return finished(scene, true);
}

SceneDescription two_arms() {
  test::SceneBuilder scene;
  Body& root = add_box(scene, {0, 0, 0}, 2, {0.01, 0, 0.02}, {0.3, 0.2, 0.1});
  root.velocity = {0.3, -0.2, 0.1, 1, 2, 0.5};
  const double rates[] = {3, 4, -5, 3};
  for (const int side : {0, 1}) {
    const double sign = side == 0 ? 1 : -1;
    const int upper = static_cast<int>(scene.description.bodies.size());
    Body& first = add_box(scene, {sign * 0.15, 0, 0}, 0.5, {sign * 0.1, 0, 0}, {0.2, 0.04, 0.04});
    on_hinge(first, 0, {0, side == 0 ? 0.0 : 1.0, side == 0 ? 1.0 : 0.0}, rates[2 * side]);
    Body& second = add_box(scene, {sign * 0.35, 0, 0}, 0.3, {sign * 0.1, 0, 0}, {0.2, 0.03, 0.03});
    on_hinge(second, upper, {0, 1, 0}, rates[2 * side + 1]);
  }
  return finished(scene, false);
}

SceneDescription connected_arms(bool on_world) {
  test::SceneBuilder scene;
  scene.description = two_arms();
  Body& elsewhere = add_box(scene, {2, 0, 0}, 0.4, {0.1, 0, 0}, {0.2, 0.1, 0.05});
  on_hinge(elsewhere, on_world ? -1 : 6, {0, 1, 0});
  elsewhere.motion.mimic = Mimic{2, 0.7, 0};
  Body& other = add_box(scene, {1.9, 0, 0}, 3, {-0.02, 0.03, 0}, {0.2, 0.15, 0.1});
  other.velocity = {0.1, 0, 0.2, 2, -1, 1};
  return finished(scene, false);
}

SceneDescription arm_on_base(const std::vector<Leg>& legs, bool on_path) {
  test::SceneBuilder scene;
  Body& base = scene.add("base", make_box("box", {0.1, 0.1, 0.1}), test::pose_at({0.2, -0.1, 0.3}));
  base.rigid = true;
  base.motion.type = MotionType::kPrescribed;
  if (on_path) {
    Vector3 at = as_vector({0.2, -0.1, 0.3});
    Matrix3 R = Matrix3::Identity();
    Real time = 0;
    const auto add_row = [&] {
      const Eigen::Quaternion<Real> q(R);
      std::array<double, 7> row = {};
      std::size_t i = 0;
      for (const Real x : {at[0], at[1], at[2], q.w(), q.x(), q.y(), q.z()}) row[i++] = static_cast<double>(x);
      base.motion.path.times.push_back(static_cast<double>(time));
      base.motion.path.poses.push_back(row);
    };
    add_row();
    for (const Leg& leg : legs) {
      at += leg.time * leg.velocity;
      R = turned_by(leg.time * leg.omega) * R;
      time += leg.time;
      add_row();
    }
  } else {
    for (Eigen::Index i = 0; i < 3; ++i) {
      base.velocity[static_cast<std::size_t>(i)] = static_cast<double>(legs[0].velocity[i]);
      base.velocity[static_cast<std::size_t>(i) + 3] = static_cast<double>(legs[0].omega[i]);
    }
  }
  add_arm(scene, 2, {0.25, 0, 0.35}, 1);
  Body& slider = add_box(scene, {0.5, 0, 0.7}, 0.7, {0.02, 0.01, 0.03}, {0.1, 0.2, 0.05});
  slider.motion.type = MotionType::kPrismatic;
  slider.motion.parent = 2;
  slider.motion.axis = {1, 0.5, 0};
  slider.motion.velocity = 0.4;
  return finished(scene, true);
}

}  // namespace isopatch::oracle
