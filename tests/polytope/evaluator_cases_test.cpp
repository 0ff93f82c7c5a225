// SPDX-License-Identifier: Apache-2.0
//
// Contacts and relations at the start of steps that are known, by the evaluator on the CPU and the reference: how many
// of each kind, and whether they let the free velocity pass.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/polytope/relation_names.h"
#include "tests/polytope/relation_scenes.h"

namespace isopatch::test {
namespace {

using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kStep = 0.01;    // s
constexpr double kFloats = 1e-7;  // m, of gaps and motions in float
const double kRoot = std::sqrt(2.0);

struct Row {
  std::string name, kinds;  // of the relations, as "2 I, 1 X"
  SceneDescription scene;   // body 0 moves on the others
  Vector3d velocity;
  double margin;
  bool passes;  // no relation forbids the free motion of a step, to first order
};

Body rigid_body(int geometry, const RigidPose& pose, bool fixed) {
  Body body;
  body.name = fixed ? "fixed " + std::to_string(geometry) : "free";
  body.geometry = geometry;
  body.rigid = true;
  body.fixed = fixed;
  body.pose = pose.numbers();
  return body;
}

SceneDescription scene_of(const Geometry& moving, const RigidPose& pose, const std::vector<Geometry>& others,
                          const std::vector<RigidPose>& places = {{}}) {
  SceneDescription scene;
  scene.geometries = {moving};
  scene.bodies = {rigid_body(0, pose, false)};
  for (std::size_t i = 0; i < others.size(); ++i) {
    scene.geometries.push_back(others[i]);
    scene.bodies.push_back(rigid_body(static_cast<int>(i) + 1, places[i % places.size()], true));
  }
  scene.contact.model = ContactModel::kPolytope;
  return scene;
}

Geometry rectangle(const std::string& name, double low_x, double high_x, double low_y, double high_y) {
  return make_polygon(name, {{low_x, low_y}, {high_x, low_y}, {high_x, high_y}, {low_x, high_y}});
}

RigidPose turned_about_z(double angle, double x, double y) { return pose_turned(Vector3d::UnitZ(), angle, {x, y, 0}); }

std::vector<Row> planar_rows() {
  const Geometry corner = rectangle("corner", -1, 0, -1, 0), square = rectangle("square", -0.1, 0.1, -0.1, 0.1),
                 floor = rectangle("floor", -5, 5, -1, 0);
  const auto e = [](double degrees) {
    return Vector3d(std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180), 0);
  };
  const Vector3d tip = 0.03 * e(110), left = tip + e(230), right = tip + e(280);
  const Geometry fixed_triangle = make_polygon("fixed", {{0, 0}, {e(-30).x(), e(-30).y()}, {e(30).x(), e(30).y()}}),
                 triangle = make_polygon("free", {{tip.x(), tip.y()}, {left.x(), left.y()}, {right.x(), right.y()}});
  return {
      {"corner",
       "2 I, 1 X",
       scene_of(square, turned_about_z(kPi / 4, 0.02, -0.01 + 0.1 * kRoot), {corner}),
       {0.5, -1, 0},
       0.05,
       true},
      {"over the corner",
       "2 I, 1 X",
       scene_of(square, turned_about_z(kPi / 4, -0.004, 0.002 + 0.1 * kRoot), {corner}),
       {1, -1, 0},
       0.01,
       false},
      {"no way out",
       "6 I, 1 X",
       scene_of(rectangle("plate", -0.02, 0.12, -0.06, -0.01), {}, {rectangle("block", 0, 0.1, 0, 1)}),
       {0.3, -0.5, 0},
       0.15,
       true},
      {"two vertices", "2 I, 1 X", scene_of(triangle, {}, {fixed_triangle}), (0.03 * e(40) - tip) / kStep, 0.05, false},
      {"lands",
       "2 U",
       scene_of(rectangle("unit", -0.5, 0.5, -0.5, 0.5), turned_about_z(kPi / 180, 0, 0.51), {floor}),
       {0, -3.0981, 0},
       0.01,
       false},
      {"seam",
       "1 U, 4 I, 3 X",
       scene_of(square, pose_at(-0.105, 0.1, 0), {rectangle("left", -2, 0, -1, 0), rectangle("right", 0, 2, -1, 0)}),
       {1, 0, 0},
       0.01,
       true},
  };
}

std::vector<Row> spatial_rows() {
  const Geometry cube = make_box("cube", {1, 1, 1}), bar = make_box("bar", {0.1, 1, 0.1});
  const RigidPose ridge = pose_turned(Vector3d::UnitY(), kPi / 4, {0, 0, 0});
  const RigidPose small = pose_turned(Vector3d::UnitZ(), 0.3, {-0.15, 0, 0.1});
  return {
      {"crossed bars",
       "1 U",
       scene_of(make_box("over", {1, 0.1, 0.1}),
                pose_turned(Vector3d::UnitX(), kPi / 4, {0.05, 0.02, 0.1 * kRoot + 0.001}), {bar}, {ridge}),
       {0, 0, -1},
       0.01,
       false},
      {"cubes at 45 degrees",
       "8 U",
       scene_of(cube, pose_turned(Vector3d::UnitZ(), kPi / 4, {0, 0, 1}), {cube}),
       {0, 0, -0.0981},
       0.01,
       false},
      {"bar past a ridge",
       "2 I, 2 X",
       scene_of(make_box("past", {0.3, 0.1, 0.1}),
                pose_turned(Vector3d::UnitY(), 0.1, {-0.13, 0, 0.05 * kRoot + 0.066}), {bar}, {ridge}),
       {3, 0, -1.2},
       0.05,
       false},
      {"seam with T-junctions",
       "4 U",
       scene_of(make_box("cube", {0.2, 0.2, 0.2}), small,
                {make_box("left", {2, 2, 1}), make_box("near", {2, 1.03, 1}), make_box("far", {2, 0.97, 1})},
                {pose_at(-1, 0, -0.5), pose_at(1, -0.485, -0.5), pose_at(1, 0.515, -0.5)}),
       {1, 0.2, 0},
       0.01,
       true},
      {"tetrahedron on its first face, at a seam",
       "2 U, 2 I, 4 X",
       scene_of(make_convex_hull("tip", {{0, 0, 0}, {0.3, 0, 0}, {0.1, 0.3, 0}, {0.12, 0.1, 0.25}}),
                pose_at(-0.305, 0, 0), {make_box("left", {2, 2, 1}), make_box("right", {2, 2, 1})},
                {pose_at(-1, 0, -0.5), pose_at(1, 0, -0.5)}),
       {1, 0.2, 0},
       0.01,
       true},
  };
}

/// A square of 0.2 on sixteen tiles of 0.05, of which the first is at x = -0.4.
Row tiles_row() {
  std::vector<Geometry> tiles;
  std::vector<RigidPose> places;
  for (int i = 0; i < 16; ++i) {
    tiles.push_back(rectangle("tile " + std::to_string(i), -0.4 + 0.05 * i, -0.35 + 0.05 * i, -0.1, 0));
    places.emplace_back();
  }
  return {"sixteen tiles",
          "6 U, 8 I, 6 X",
          scene_of(rectangle("square", -0.1, 0.1, -0.1, 0.1), pose_at(-0.213, 0.1, 0), tiles, places),
          {1, 0, 0},
          0.01,
          true};
}

/// How many of each kind, and the least of the relations' largest gaps after a step.
struct Start {
  std::string kinds;
  double least = HUGE_VAL;
};

Start start_of(const ResultArrays& results, const Vector3d& velocity) {
  Start start;
  int count[3] = {0, 0, 0};
  for (std::int32_t i = 0; i < results.relations_needed[1]; ++i) {
    const Relation& relation = results.relations[static_cast<std::size_t>(i)];
    ++count[relation.kind];
    double largest = -HUGE_VAL;
    for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
      const auto member = static_cast<std::size_t>(results.relation_members[static_cast<std::size_t>(k)]);
      const PotentialContact& c = results.potential_contacts[member];
      const Vector3d normal(c.normal[0], c.normal[1], c.normal[2]);
      largest = std::max(largest, c.gap + kStep * normal.dot(velocity));
    }
    start.least = std::min(start.least, largest);
  }
  for (int kind = 0; kind < 3; ++kind) {
    if (count[kind] == 0) continue;
    start.kinds += (start.kinds.empty() ? "" : ", ") + std::to_string(count[kind]) + " " + "UIX"[kind];
  }
  return start;
}

void expect_row(const Row& row) {
  for (int mode = 0; mode < 4; ++mode) {
    SceneDescription description = row.scene;
    description.contact.polytope.margin = row.margin;
    description.contact.polytope.tolerance = 1e-6;
    description.contact.polytope.relations = static_cast<ContactRelations>(mode);
    const Scene scene(description);
    Batch batch(scene, 1);
    batch.poses = StateArrays(description, 1).poses;
    batch.velocities.assign(6 * description.bodies.size(), 0.0);
    for (int i = 0; i < 3; ++i) batch.velocities[static_cast<std::size_t>(i)] = row.velocity[i];
    const ResultArrays cpu = evaluate(scene, batch, kStep, Backend::kCpu),
                       truth = evaluate(scene, batch, kStep, Backend::kReference);
    const Names names = names_of(cpu, 0), expected = names_of(truth, 0);
    if (mode == 0) {
      const Start start = start_of(cpu, row.velocity);
      EXPECT_EQ(start.kinds, row.kinds);
      EXPECT_EQ(start.least >= -kFloats, row.passes) << start.least;
      EXPECT_EQ(cpu.status[0], kOk);
    }
    EXPECT_EQ(names, expected) << "mode " << mode << differences(names, expected);
    for (std::size_t p = 0; p < cpu.separation.size(); ++p) {
      EXPECT_NEAR(cpu.separation[p], truth.separation[p], 1e-15);
      EXPECT_EQ(cpu.overlap[p], 0);
    }
  }
}

TEST(PolytopeStarts, OfStepsInThePlaneHaveTheirContactsRelationsAndMembers) {
  for (const Row& row : planar_rows()) {
    SCOPED_TRACE(row.name);
    expect_row(row);
  }
  SCOPED_TRACE("tiles");
  expect_row(tiles_row());
}

TEST(PolytopeStarts, OfStepsInSpaceHaveTheirContactsRelationsAndMembers) {
  for (const Row& row : spatial_rows()) {
    SCOPED_TRACE(row.name);
    expect_row(row);
  }
}

}  // namespace
}  // namespace isopatch::test
