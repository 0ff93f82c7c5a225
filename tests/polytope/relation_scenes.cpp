// SPDX-License-Identifier: Apache-2.0
#include "tests/polytope/relation_scenes.h"

#include <cmath>
#include <numbers>

#include "tests/polytope/polytope_scenes.h"

namespace isopatch::test {
namespace {

using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;

Body rigid_body(const std::string& name, int geometry, bool fixed = false) {
  Body body = rigid_polytope(name, geometry);
  body.fixed = fixed;
  return body;
}

Part part_of(int geometry, const RigidPose& pose) {
  Part part;
  part.geometry = geometry;
  part.pose = pose.numbers();
  return part;
}

SceneDescription polytope_scene(std::vector<Geometry> geometries) {
  SceneDescription scene;
  scene.geometries = std::move(geometries);
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

Vector3d point_in(Random& random, const Vector3d& half) {
  const double x = random.uniform(-half.x(), half.x()), y = random.uniform(-half.y(), half.y());
  return {x, y, random.uniform(-half.z(), half.z())};
}

Vector3d direction(Random& random) {
  for (;;) {
    const Vector3d x = point_in(random, {1, 1, 1});
    if (x.norm() > 0.1 && x.norm() < 1) return x.normalized();
  }
}

RigidPose turned_about_z(double angle, const Vector3d& position) {
  return pose_turned(Vector3d::UnitZ(), angle, position);
}

/// Anything from parallel to anyhow.
RigidPose tilted(Random& random, double most, const Vector3d& position) {
  const int kind = random.below(40);
  const double angle = kind == 0 ? 0 : random.uniform(0, kind < 30 ? most : kPi);
  return pose_turned(direction(random), angle, position);
}

RelationScene peg_in_a_hole() {
  SceneDescription scene = polytope_scene({make_box("peg", {0.036, 0.036, 0.1}), make_box("wall", {0.02, 0.06, 0.05}),
                                           make_box("end", {0.04, 0.02, 0.05})});
  Body hole = rigid_body("hole", 1, true);
  hole.parts = {part_of(1, pose_at(-0.03, 0, 0)), part_of(1, pose_at(0.03, 0, 0)), part_of(2, pose_at(0, -0.03, 0)),
                part_of(2, pose_at(0, 0.03, 0))};
  scene.bodies = {rigid_body("peg", 0), hole};
  return {"peg in a hole", scene, [](Random& random) {
            const Vector3d place = point_in(random, {0.0025, 0.0025, 0.08});
            return std::vector<RigidPose>{tilted(random, 0.05, place), {}};
          }};
}

RelationScene prism_in_a_groove() {
  SceneDescription scene =
      polytope_scene({make_cylinder("prism", 0.02, 0.08, 8), make_convex_hull("bank", {{0, -0.1, 0},
                                                                                       {0.06, -0.1, 0.06},
                                                                                       {0.06, -0.1, 0},
                                                                                       {0, 0.1, 0},
                                                                                       {0.06, 0.1, 0.06},
                                                                                       {0.06, 0.1, 0},
                                                                                       {0.07, 0, 0.03}})});
  Body groove = rigid_body("groove", 1, true);
  groove.parts = {part_of(1, {}), part_of(1, turned_about_z(kPi, {-0.001, 0.01, 0}))};
  scene.bodies = {rigid_body("prism", 0), groove};
  return {"prism in a groove", scene, [](Random& random) {
            const double up = random.uniform(0.026, 0.036), aside = random.uniform(-0.004, 0.004);
            const RigidPose along = pose_turned(Vector3d::UnitX(), kPi / 2, {aside, random.uniform(-0.1, 0.1), up});
            const RigidPose roll = turned_about_z(random.uniform(0, 2 * kPi), {0, 0, 0});
            return std::vector<RigidPose>{along * tilted(random, 0.1, {0, 0, 0}) * roll, {}};
          }};
}

/// Of tile `i` of nine.
RigidPose place_of_tile(int i) {
  const int column = i % 3 - 1, row = i / 3 - 1;
  return pose_at(0.05 * column, 0.05 * row, -0.01);
}

SceneDescription tiles(bool are_one_body) {
  SceneDescription scene = polytope_scene({make_convex_hull("stone", {{0.03, 0, 0},
                                                                      {-0.02, 0.03, 0},
                                                                      {-0.02, -0.03, 0.004},
                                                                      {0, 0, 0.04},
                                                                      {0.02, 0.02, -0.01},
                                                                      {-0.01, 0.01, -0.02}}),
                                           make_box("tile", {0.05, 0.05, 0.02})});
  scene.bodies = {rigid_body("stone", 0)};
  Body floor = rigid_body("floor", 1, true);
  for (int i = 0; i < 9; ++i) {
    const RigidPose place = place_of_tile(i);
    floor.parts.push_back(part_of(1, place));
    if (are_one_body) continue;
    scene.bodies.push_back(rigid_body("tile " + std::to_string(i), 1, true));
    scene.bodies.back().pose = place.numbers();
  }
  if (are_one_body) scene.bodies.push_back(floor);
  return scene;
}

RelationScene stone_on_tiles(bool are_one_body) {
  return {are_one_body ? "stone on tiles, one body" : "stone on tiles, nine bodies", tiles(are_one_body),
          [are_one_body](Random& random) {
            const RigidPose stone = tilted(random, 0.3, point_in(random, {0.08, 0.08, 0.008}) + Vector3d(0, 0, 0.024));
            std::vector<RigidPose> poses = {stone};
            for (int i = 0; i < 9 && !are_one_body; ++i) {
              poses.push_back(place_of_tile(i));
            }
            if (are_one_body) poses.emplace_back();
            return poses;
          }};
}

RelationScene polygons_at_a_corner() {
  SceneDescription scene =
      polytope_scene({make_polygon("square", {{-0.02, -0.02}, {0.02, -0.02}, {0.02, 0.02}, {-0.02, 0.02}}),
                      make_polygon("block", {{-0.1, -0.1}, {0, -0.1}, {0, 0}, {-0.1, 0}}),
                      make_polygon("wedge", {{0, 0}, {-0.05, 0.012}, {-0.06, -0.004}})});
  scene.bodies = {rigid_body("square", 0), rigid_body("block", 1, true), rigid_body("wedge", 2)};
  RelationScene result = {"polygons at a corner", scene, [](Random& random) {
                            const Vector3d place = Vector3d(0.02, 0.02, 0) + point_in(random, {0.03, 0.03, 0});
                            const bool is_upright = random.below(40) == 0;
                            const double angle = is_upright ? 0 : random.uniform(0, 2 * kPi);
                            const double around = random.uniform(0, 2 * kPi), out = random.uniform(0.02, 0.04);
                            const Vector3d tip = place + out * Vector3d(std::cos(around), std::sin(around), 0);
                            const double turn = around + kPi + random.uniform(-0.5, 0.5);
                            return std::vector<RigidPose>{turned_about_z(angle, place), {}, turned_about_z(turn, tip)};
                          }};
  result.is_planar = true;
  return result;
}

RelationScene polygons_in_a_groove() {
  std::vector<std::array<double, 2>> corners;
  for (int i = 0; i < 7; ++i) corners.push_back({0.02 * std::cos(2 * kPi * i / 7), 0.018 * std::sin(2 * kPi * i / 7)});
  SceneDescription scene =
      polytope_scene({make_polygon("heptagon", corners), make_polygon("right", {{0, 0}, {0.06, 0}, {0.06, 0.06}}),
                      make_polygon("left", {{0, 0}, {-0.06, 0.06}, {-0.06, 0}})});
  Body groove = rigid_body("groove", 1, true);
  groove.parts = {part_of(1, {}), part_of(2, turned_about_z(0.01, {-0.0005, 0, 0}))};
  scene.bodies = {rigid_body("heptagon", 0), groove, rigid_body("other", 0)};
  RelationScene result = {
      "polygons in a groove", scene, [](Random& random) {
        const double up = random.uniform(0.026, 0.036);
        const RigidPose one = turned_about_z(random.uniform(0, 2 * kPi), {random.uniform(-0.004, 0.004), up, 0});
        const double above = up + random.uniform(0.036, 0.044);
        const RigidPose other = turned_about_z(random.uniform(0, 2 * kPi), {random.uniform(-0.006, 0.006), above, 0});
        return std::vector<RigidPose>{one, {}, other};
      }};
  result.is_planar = true;
  return result;
}

RelationScene hulls_on_a_half_space() {
  SceneDescription scene = polytope_scene(
      {make_box("box", {0.1, 0.08, 0.06}),
       make_convex_hull("hull",
                        {{0.05, 0, 0}, {-0.03, 0.04, 0}, {-0.03, -0.04, 0.01}, {0, 0, 0.07}, {0.01, 0.02, -0.05}}),
       make_cylinder("cylinder", 0.03, 0.09, 8), make_half_space("floor", 1)});
  scene.bodies = {rigid_body("floor", 3, true), rigid_body("box", 0), rigid_body("hull", 1), rigid_body("cylinder", 2)};
  RelationScene result = {"hulls on a half space", scene, [](Random& random) {
                            std::vector<RigidPose> poses = {{}};
                            for (int body = 0; body < 3; ++body) {
                              const Vector3d place = Vector3d(0.1 * body, 0, 0) + point_in(random, {0.02, 0.07, 0.012});
                              poses.push_back(tilted(random, 0.2, place + Vector3d(0, 0, 0.052)));
                            }
                            return poses;
                          }};
  result.floor = 0;
  return result;
}

/// Pairs of two models, the one of polytopes second.
RelationScene finger() {
  SceneDescription scene = polytope_scene(
      {make_sphere("tip", 0.02, 1), make_box("bar", {0.01, 0.01, 0.1}), make_box("cube", {0.06, 0.06, 0.06}),
       make_cylinder("rod", 0.02, 0.08, 4),
       make_convex_hull("hull",
                        {{0.05, 0, 0}, {-0.03, 0.04, 0}, {-0.03, -0.04, 0.01}, {0, 0, 0.05}, {0.01, 0.02, -0.05}})});
  Body finger = rigid_body("finger", 1);
  finger.parts = {part_of(0, pose_at(0, 0, 0)), part_of(1, pose_turned({1, 2, 3}, 0.2, {0.04, 0, 0.04}))};
  finger.parts[0].rigid = false;
  scene.bodies = {finger, rigid_body("cube", 2), rigid_body("hull", 4)};
  scene.contact.polytope.margin = 0.005;
  RelationScene result = {"finger of two models", scene, [](Random& random) {
                            const Vector3d one = Vector3d(0, 0, 0.05) + point_in(random, {0.02, 0.02, 0.01});
                            const RigidPose finger_pose = tilted(random, 0.3, one);
                            const Vector3d other = Vector3d(0.075, 0, 0) + point_in(random, {0.01, 0.02, 0.02});
                            return std::vector<RigidPose>{finger_pose, {}, tilted(random, 3, other)};
                          }};
  result.geometries = {{0}, {1}, {2, 3, 4}, {2, 3, 4}};
  return result;
}

}  // namespace

std::vector<RelationScene> relation_scenes() {
  return {peg_in_a_hole(),        prism_in_a_groove(),    stone_on_tiles(true),    stone_on_tiles(false),
          polygons_at_a_corner(), polygons_in_a_groove(), hulls_on_a_half_space(), finger()};
}

Batch relation_states(const RelationScene& scene, const Scene& made, std::int64_t environments, Random& random) {
  Batch batch(made, environments);
  for (std::int64_t e = 0; e < environments; ++e) {
    const Vector3d axis = scene.is_planar ? Vector3d(Vector3d::UnitZ()) : direction(random);
    const Vector3d place = point_in(random, {1, 1, scene.is_planar ? 0.0 : 1.0});
    const RigidPose together = pose_turned(axis, random.uniform(0, 2 * kPi), place);
    for (const std::vector<int>& choice : scene.geometries) {
      batch.geometry_index.push_back(choice[static_cast<std::size_t>(random.below(static_cast<int>(choice.size())))]);
    }
    int number = 0;
    for (const RigidPose& pose : scene.place(random)) {
      for (const double x : (together * pose).numbers()) batch.poses.push_back(x);
      Vector3d linear = 0.3 * random.uniform(0, 1) * direction(random);
      Vector3d angular = 2 * random.uniform(0, 1) * direction(random);
      if (scene.is_planar) linear.z() = angular.x() = angular.y() = 0;
      // a half space that turns reaches everywhere
      if (number++ == scene.floor && random.below(20) > 0) angular.setZero();
      for (const Vector3d& v : {linear, angular}) {
        for (int i = 0; i < 3; ++i) batch.velocities.push_back(v[i]);
      }
    }
  }
  return batch;
}

}  // namespace isopatch::test
