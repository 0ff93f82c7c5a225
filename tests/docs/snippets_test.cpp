// SPDX-License-Identifier: Apache-2.0
//
// The C++ snippets of the documents, compiled and run. documents_test.cpp checks that each block of a document stands
// in this file, indented by two spaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

const std::string kScene = source_path("bench/scenes/sphere_on_box.json");

TEST(Snippets, OneStateOfASceneFile) {
  const std::string path = kScene;

  const Scene scene(read_scene(path));
  const Evaluator evaluator(scene, {.backend = Backend::kCpu, .precision = Precision::kDouble});

  std::vector<double> poses;  // of one environment: those of the scene
  for (const Body& body : scene.description().bodies) poses.insert(poses.end(), body.pose.begin(), body.pose.end());

  State state;
  state.num_environments = 1;
  state.poses = poses.data();

  double wrench[6] = {};
  std::vector<Polygon> polygons(100);
  std::int32_t polygons_needed = 0;
  std::uint32_t status = 0;
  Results results;
  results.pair_wrench = wrench;
  results.polygons = {polygons.data(), 100};
  results.polygons_needed = &polygons_needed;
  results.status = &status;
  evaluator.evaluate(state, results);

  if (status != kOk) std::fprintf(stderr, "%s\n", status_text(status).c_str());

  EXPECT_EQ(status, kOk);
  EXPECT_EQ(polygons_needed, 24);
  EXPECT_GT(wrench[2], 1);
}

TEST(Snippets, ContactsOfAllEnvironments) {
  const std::string path = kScene;

  const Scene scene(read_scene(path));
  const std::int64_t n = 100;
  const StateArrays states(scene.description(), n);
  ResultArrays results(scene, n, {.capacity = {{"packed_contacts", 30 * n}}});  // 30 on average
  Evaluator(scene).evaluate(states.view(), results.view());

  std::vector<double> force(n);  // N, of each environment
  for (std::size_t e = 0; e < n; ++e) {
    const std::int64_t end = std::min(results.contact_offsets[e + 1], std::ssize(results.packed_contacts));
    for (std::int64_t i = results.contact_offsets[e]; i < end; ++i) {
      const DiscreteContact& contact = results.packed_contacts[i];
      force[e] += contact.area * contact.pressure;
    }
  }

  EXPECT_GT(results.contact_offsets[n], n);
  EXPECT_GT(force[n - 1], 1);
}

TEST(Snippets, AColumnOfContacts) {
  const Scene scene(read_scene(kScene));
  const StateArrays states(scene.description(), 1);
  ResultArrays results(scene, 1, {.capacity = {{"packed_contacts", 100}}});
  Evaluator(scene).evaluate(states.view(), results.view());
  const auto count = static_cast<std::size_t>(results.contact_offsets[1]);

  const float* const words = reinterpret_cast<const float*>(results.packed_contacts.data());
  const std::size_t stride = sizeof(DiscreteContact) / sizeof(float);
  const std::size_t point = offsetof(DiscreteContact, point) / sizeof(float);  // as in kRecordFields<DiscreteContact>
  double highest = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const float* const xyz = words + i * stride + point;
    highest = std::max<double>(highest, xyz[2]);
  }

  float expected = -1;
  for (std::size_t i = 0; i < count; ++i) expected = std::max(expected, results.packed_contacts[i].point[2]);
  EXPECT_EQ(highest, expected);
  EXPECT_NE(highest, -1);
}

TEST(Snippets, PegsThatFitTheirHole) {
  const std::string path = source_path("bench/scenes/peg_in_square_hole.json");

  const Scene scene(read_scene(path));
  const std::int64_t n = 4096;
  StateArrays states(scene.description(), n);
  for (std::size_t e = 0; e < n; ++e) states.poses[14 * e] = 1e-6 * static_cast<double>(e);  // x of the peg, m
  ResultArrays results(scene, n, {.distances = true});
  const Evaluator evaluator(scene);
  evaluator.evaluate(states.view(), results.view());
  const auto free = std::count_if(results.separation.begin(), results.separation.end(), [](double s) { return s > 0; });

  std::int64_t first = 0;  // that touches
  while (first < n && results.separation[first] > 0) ++first;
  ResultArrays found(scene, 1,
                     {.capacity = {{"potential_contacts", 100}, {"relations", 100}, {"relation_members", 400}}});
  evaluator.evaluate(states.view(first, 1), found.view());
  for (std::int32_t i = 0; i < found.relations_needed[1]; ++i) {
    const Relation& relation = found.relations[i];
    const PotentialContact& member = found.potential_contacts[found.relation_members[relation.first]];
    std::printf("%d members, the first with a gap of %g m\n", relation.count, member.gap);
  }

  EXPECT_EQ(first, free);
  EXPECT_EQ(found.relations_needed[1], 24);  // 8 of vertices on walls, 16 of vertices and edges at the upper corners

  EXPECT_NEAR(static_cast<double>(free), 200.5, 0.5);  // half the play is 0.2 mm
  EXPECT_EQ(results.overlap[0], 0);
  EXPECT_GT(results.overlap[n - 1], 0);
}

TEST(Snippets, HowAWrenchFalls) {
  const std::string path = source_path("bench/scenes/sphere_on_box.json");

  const Scene scene(read_scene(path));
  const StateArrays states(scene.description(), 1);
  ResultArrays results(scene, 1, {.derivatives = true});
  Evaluator(scene, {.backend = Backend::kCpu}).evaluate(states.view(), results.view());

  const double up = results.pair_stiffness[6 * 2 + 2];      // N/m, of a lift
  const double turned = results.pair_stiffness[6 * 3 + 3];  // N m, of a turn about x

  EXPECT_GT(up, 0);
  EXPECT_TRUE(std::isfinite(turned));
}

TEST(Snippets, ASingleContact) {
  ContactForceLaw law;
  law.stiffness = 1e6;  // N/m^1.5
  law.restitution = 0.5;
  law.friction = 0.4;
  law.friction_model = FrictionModel::kBristle;
  ContactMotion motion;
  motion.velocity_a = {0.1, 0, -0.5};
  ContactStateRow state = {};  // no contact before
  const SingleContact contact = single_contact(law, Depth{1e-4, {0, 0, 0}, {0, 0, 1}}, motion, state, 1e-4);
  state = contact.state;  // for the next step

  EXPECT_EQ(state[0], 0.5);  // the speed of the touch
  EXPECT_GT(contact.wrench[2], 0);
  EXPECT_LT(contact.wrench[0], 0);
}

TEST(Snippets, AMaskOfBool) {
  const bool mask[1] = {false};
  const Scene scene(read_scene(kScene));
  const StateArrays states(scene.description(), 1);
  ResultArrays results(scene, 1);
  State state = states.view();
  state.pair_mask = reinterpret_cast<const std::uint8_t*>(mask);
  Evaluator(scene).evaluate(state, results.view());
  EXPECT_EQ(results.polygon_count[0], 0);
}

TEST(Snippets, ASceneFromTextAndMemory) {
  const std::string folder = source_path("tests/scenes");

  SceneMeshes meshes;
  meshes.surfaces["anvil"] = read_triangle_mesh(folder + "/cube.obj");  // or filled in by the program
  meshes.geometries = {make_sphere("ball", 0.03, 2)};
  const Scene scene(parse_scene(R"({"isopatch": 1,
    "geometries": {"ball": {"type": "given"}, "anvil": {"type": "surface_mesh", "file": "anvil", "units": "m"}},
    "bodies": [{"name": "ball", "geometry": "ball", "position": [0, 0, 0.0799]},
               {"name": "anvil", "geometry": "anvil", "rigid": true, "fixed": true}]})",
                                "", "the scene", meshes));
  const int body = scene.body_index("ball"), pair = scene.pair_index("ball", "anvil");

  // written down and read again: a scene with the same bits
  const std::string text = to_json(scene);
  const Scene again(parse_scene(text, "", "the copy", {.geometries = scene.description().geometries}));

  EXPECT_EQ(body, 0);
  EXPECT_EQ(pair, 0);
  EXPECT_EQ(to_json(again), text);
  const StateArrays states(again.description(), 1);
  ResultArrays results(again, 1);
  Evaluator(again).evaluate(states.view(), results.view());
  EXPECT_GT(results.pair_wrench[2], 0);
}

TEST(Snippets, ABodyOfTwoParts) {
  const Part tip = {.geometry = 0, .name = "tip", .modulus = 1e5};
  const Part bar = {.geometry = 1, .name = "bar", .pose = {0, 0.011, 0.045, 1, 0, 0, 0}, .modulus = 1e6};

  SceneDescription description;
  description.geometries = {make_box("tip", {0.024, 0.008, 0.03}), make_box("bar", {0.02, 0.014, 0.13}),
                            make_sphere("ball", 0.03, 2)};
  description.bodies = {{.name = "finger", .friction = 1, .parts = {tip, bar}},  // the friction of both
                        {.name = "ball", .geometry = 2, .friction = 1, .pose = {0, -0.032, 0, 1, 0, 0, 0}}};

  const Scene scene(description);  // B = 2, C = 3, P = 1, Q = 2
  for (const std::string& warning : warnings_of(scene)) std::fprintf(stderr, "%s\n", warning.c_str());

  const StateArrays states(description, 1);
  ResultArrays results(scene, 1, {.part_pairs = true});
  Evaluator(scene).evaluate(states.view(), results.view());

  const std::vector<PartPair> part_pairs = scene.part_pairs();
  for (std::size_t i = 0; i < part_pairs.size(); ++i) {
    const double* wrench = &results.part_pair_wrench[6 * i];
    std::printf("parts %d and %d: %.3f N\n", part_pairs[i].part_a, part_pairs[i].part_b, wrench[1]);
  }

  EXPECT_EQ(scene.num_parts(), 3);
  ASSERT_EQ(part_pairs.size(), 2u);
  EXPECT_GT(results.part_pair_wrench[1], 0.5) << "the tip";
  EXPECT_EQ(results.part_pair_wrench[7], 0) << "the bar";
  EXPECT_EQ(results.pair_wrench[1], results.part_pair_wrench[1]);
  EXPECT_TRUE(warnings_of(scene).empty());
}

TEST(Snippets, ColumnsOfRecords) {
  struct Record {  // of one environment
    double poses[2][7];
    double wrench[6];
  };
  std::vector<Record> records(1000);
  constexpr std::int64_t kStride = sizeof(Record) / sizeof(double);

  State state;
  state.num_environments = 1000;
  state.poses = {records[0].poses[0], kStride};

  Results results;
  results.pair_wrench = {records[0].wrench, kStride};

  const Scene scene(read_scene(kScene));
  for (Record& record : records) {
    for (std::size_t body = 0; body < 2; ++body) {
      const std::array<double, 7>& pose = scene.description().bodies[body].pose;
      std::copy(pose.begin(), pose.end(), record.poses[body]);
    }
  }
  Evaluator(scene).evaluate(state, results);
  EXPECT_GT(records.front().wrench[2], 1);
  EXPECT_EQ(records.back().wrench[2], records.front().wrench[2]);
}

TEST(Snippets, MassPropertiesOfTwoParts) {
  const MassProperties head = with_density(mass_properties(make_sphere("head", 0.02, 3)), 7850);
  const MassProperties handle = with_density(mass_properties(make_cylinder("handle", 0.01, 0.2, 24)), 700);
  const std::vector<MassProperties> parts = {placed(head, {0, 0, 0.12, 1, 0, 0, 0}), handle};
  const MassProperties hammer = combined(parts);

  EXPECT_EQ(hammer.mass, head.mass + handle.mass);
  EXPECT_GT(hammer.center[2], 0.09);
  EXPECT_LT(hammer.center[2], 0.12);
}

TEST(Snippets, ADoorOnAHinge) {
  SceneDescription description;
  description.geometries = {make_box("door", {0.8, 0.04, 2}), make_sphere("ball", 0.1, 2)};
  description.bodies = {{.name = "door", .geometry = 0, .density = 600}, {.name = "ball", .geometry = 1, .mass = 0.4}};

  Motion& hinge = description.bodies[0].motion;
  hinge.type = MotionType::kRevolute;
  hinge.axis = {0, 0, 1};
  hinge.anchor = {-0.4, 0, 0};
  hinge.drive.force = {{0, 2}, {1.5, 0}};  // 2 N m until 1.5 s
  hinge.drive.damping = 0.5;

  const Scene scene(description);
  const MassProperties door = body_mass(description, description.bodies[0]);

  EXPECT_EQ(scene.num_pairs(), 1);
  EXPECT_NEAR(door.mass, 38.4, 1e-9);
}

TEST(Snippets, ARollout) {
  const std::string path = source_path("tests/scenes/cube_on_ground.json");

  SceneDescription description = read_scene(path);
  description.rollout.time_step = 2e-3;
  const Scene scene(description);
  const Simulator simulator(scene);

  RolloutStateArrays state(scene, 64);  // 64 environments, as the scene begins
  for (std::size_t e = 0; e < 64; ++e) state.velocities[e * 6 * 2] = 0.01 * static_cast<double>(e);
  RolloutOutputArrays output(scene, 64);
  simulator.step(state.view(), {}, output.view(), 5);
  std::printf("%.3f m high, %d polygons\n", state.poses[2], output.num_polygons[0]);

  EXPECT_GT(output.num_polygons[0], 0);
}

TEST(Snippets, ABallThatKeepsItsContactState) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.05, 1), make_half_space("table", 0.1)};
  description.bodies = {{.name = "ball", .geometry = 0, .rigid = true},
                        {.name = "table", .geometry = 1, .rigid = true}};
  Pair pair = {0, 1, {}, {}, ContactModel::kPoint};
  pair.stiffness = 1e6;  // N/m^1.5
  pair.restitution = 0.5;
  description.pairs = {pair};
  const Evaluator evaluator{Scene(description)};

  double poses[14] = {0, 0, 0.06, 1, 0, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0}, velocities[12] = {0, 0, -1};
  double memory[8] = {}, wrench[6] = {};
  State state;
  state.num_environments = 1;
  state.poses = poses;
  state.velocities = velocities;
  state.contact_state = memory;
  state.time_step = 1e-5;
  Results results;
  results.pair_wrench = wrench;
  results.contact_state = memory;  // the next state takes the place of the last
  for (int step = 0; step < 4000; ++step) {
    evaluator.evaluate(state, results);
    velocities[2] += state.time_step * wrench[2] / 0.2;  // 0.2 kg, without gravity
    poses[2] += state.time_step * velocities[2];
  }
  std::printf("it leaves at %.3f m/s\n", velocities[2]);  // half of the speed with which it came

  EXPECT_NEAR(velocities[2], 0.5, 1e-3);
  EXPECT_EQ(memory[0], 0) << "no contact any more";
}

TEST(Snippets, AnError) {
  EXPECT_THROW(read_scene("no_such_scene.json"), Error);

  try {
    const Scene scene(read_scene("no_such_scene.json"));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kFile) std::fprintf(stderr, "%s: ", std::strerror(error.parts().code));
    std::fprintf(stderr, "%s\n", error.what());
  }
}

}  // namespace
}  // namespace isopatch
