// SPDX-License-Identifier: Apache-2.0
//
// The arrays that `isopatch rollout` writes, and its table and pictures.
#include <algorithm>
#include <cmath>

#include "isopatch/rollout_state.h"
#include "isopatch/scene/scene_file.h"
#include "isopatch/simulator.h"
#include "tests/cli/rollout_fixture.h"
#include "tests/support/paths/paths.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::RolloutArrays;
using testing::row_of;
using testing::Shape;
using testing::values;

class RolloutRows : public testing::RolloutTest {};

TEST_F(RolloutRows, HaveTheShapesAndTypesOfTheirArrays) {
  const RolloutArrays a = arrays("--energies --envs 3 --every 20");  // 50 steps: rows at 0, 20, 40 and 50
  const auto expect = [&](const char* name, DType type, const Shape& shape) {
    ASSERT_TRUE(a.contains(name)) << name;
    EXPECT_EQ(a.at(name).type, type) << name;
    EXPECT_EQ(a.at(name).shape, shape) << name;
  };
  expect("time", DType::kFloat64, {4});
  expect("poses", DType::kFloat64, {4, 3, 4, 7});
  expect("velocities", DType::kFloat64, {4, 3, 4, 6});
  expect("joints", DType::kFloat64, {4, 3, 1, 2});
  expect("joint_rates", DType::kFloat64, {4, 3, 1});
  expect("step_count", DType::kInt64, {4, 3});
  expect("pair_wrench", DType::kFloat64, {4, 3, 1, 6});
  expect("joint_limit_force", DType::kFloat64, {4, 3, 1});
  expect("joints_at_limit", DType::kInt32, {4, 3, 1});
  expect("joint_drive_force", DType::kFloat64, {4, 3, 1});
  expect("joint_wrench", DType::kFloat64, {4, 3, 1, 6});
  expect("kinetic_energy", DType::kFloat64, {4, 3});
  expect("potential_energy", DType::kFloat64, {4, 3});
  expect("elastic_energy", DType::kFloat64, {4, 3, 1});
  expect("solver_iterations", DType::kInt32, {4, 3});
  expect("num_polygons", DType::kInt32, {4, 3});
  expect("status", DType::kUint32, {3});
  const auto scene = a.at("scene").bytes;
  expect("scene", DType::kUint8, {std::ssize(scene)});
  expect("slip_tolerance", DType::kFloat64, {1});
  EXPECT_EQ(a.size(), 19u);
  EXPECT_EQ(values<double>(a.at("time")), (std::vector<double>{0, 20 * 0.002, 40 * 0.002, 50 * 0.002}));
  EXPECT_EQ(values<std::int64_t>(a.at("step_count")),
            (std::vector<std::int64_t>{0, 0, 0, 20, 20, 20, 40, 40, 40, 50, 50, 50}));
}

/// Of three balls, one falls onto the ground, one begins wholly below it, and one is thrown past the speed limit.
TEST_F(RolloutRows, CountEnvironmentsWithLostBodies) {
  const std::string file = write("lost.json", R"({"isopatch": 1,
    "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1}, "ground": {"type": "half_space"}},
    "bodies": [{"name": "ball", "geometry": "ball", "modulus": 1e5, "mass": 1, "friction": 0, "position": [0, 0, 0.1]},
               {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "friction": 0}],
    "rollout": {"time_step": 0.001, "duration": 0.01, "speed_limit": 10} })");
  StateArrays states(read_scene(file), 3);
  states.poses[14 + 2] = -1;
  states.velocities[24 + 2] = 9.999;
  states.velocities[24 + 3] = 1;
  write("lost.npz", npz_bytes({{"poses", npy_array(DType::kFloat64, {3, 2, 7}, states.poses)},
                               {"velocities", npy_array(DType::kFloat64, {3, 2, 6}, states.velocities)}}));
  const Outcome result = testing::run_program("rollout --backend cpu " + file + " --states " + path("lost.npz") +
                                              " --gravity 0 0 100 --every 5");
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_NE(result.out.find("lost                             2   inside another body"), std::string::npos)
      << result.out;
}

TEST_F(RolloutRows, HaveEnergiesOnlyIfAskedFor) {
  const RolloutArrays without = arrays("--every 20"), with = arrays("--energies --every 20");
  EXPECT_EQ(without.size(), 16u);
  EXPECT_EQ(with.size(), 19u);
  for (const auto& [name, array] : without) EXPECT_TRUE(with.at(name).bytes == array.bytes) << name;
  for (const char* name : {"kinetic_energy", "potential_energy", "elastic_energy"}) {
    EXPECT_FALSE(without.contains(name)) << name;
    EXPECT_TRUE(with.contains(name)) << name;
  }
  const std::string table = rollout("--every 50").out, table_with = rollout("--energies --every 50").out;
  for (const char* word : {"kinetic", "potential", "elastic", "total  "}) {
    EXPECT_EQ(table.substr(0, table.find("environments")).find(word), std::string::npos) << table;
    EXPECT_NE(table_with.substr(0, table_with.find("environments")).find(word), std::string::npos) << table_with;
  }
  EXPECT_NE(table.find("      time    momentum     angular   iter-  most  polygons  lost\n"), std::string::npos)
      << table;
}

/// A square that glides over the seam between two floors.
TEST_F(RolloutRows, HaveRelationsOfRigidPolytopes) {
  const std::string run = "rollout --backend cpu --every 1 " + source_path("bench/scenes/seam.json");
  const Outcome table = testing::run_program(run);
  ASSERT_EQ(table.code, 0) << table.out;
  EXPECT_NE(table.out.find("  polygons relations  traps   overlap  lost\n"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("                   m^2      \n"), std::string::npos) << table.out;
  ASSERT_EQ(testing::run_program(run + " --output " + path("r.npz")).code, 0);
  const RolloutArrays a = parse_npz(read("r.npz"), "r.npz");
  for (const char* name : {"separation", "overlap"}) EXPECT_EQ(a.at(name).shape, (Shape{61, 1, 2})) << name;
  for (const char* name : {"num_potential_contacts", "num_relations", "num_traps"}) {
    const auto counts = values<std::int32_t>(a.at(name));
    EXPECT_EQ(a.at(name).shape, (Shape{61, 1})) << name;
    EXPECT_EQ(counts[0], 0) << name << " of the start";
    EXPECT_GT(*std::max_element(counts.begin(), counts.end()), 0) << name;
  }
  EXPECT_EQ(values<std::int32_t>(a.at("num_relations"))[1], 2);
  EXPECT_FALSE(arrays("--every 20").contains("num_relations")) << "of a ball on the ground";
}

TEST_F(RolloutRows, HaveNoJointsWithoutJoints) {
  const std::string output = path("r.npz");
  const Outcome result = testing::run_program("rollout --backend cpu --steps 3 " +
                                              source_path("bench/scenes/bouncing_ball.json") + " --output " + output);
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_FALSE(parse_npz(read("r.npz"), "r.npz").contains("joints"));
}

TEST_F(RolloutRows, BeginWithTheStateAndItsEnergies) {
  const RolloutArrays a = arrays("--energies --every 50");
  const auto kinetic = values<double>(a.at("kinetic_energy")), potential = values<double>(a.at("potential_energy"));
  const auto elastic = values<double>(a.at("elastic_energy")), poses = values<double>(a.at("poses"));
  // the hand goes up with 0.5 m/s, and the slider along it with 0.2 m/s
  EXPECT_NEAR(kinetic[0], 0.5 * 0.5 * 0.25 + 0.5 * 0.1 * (0.25 + 0.04), 1e-12);
  EXPECT_NEAR(potential[0], 9.81 * (0.5 * 0.045 + 0.1), 1e-12);
  EXPECT_GT(elastic[0], 0);
  EXPECT_EQ(poses[2], 0.045);
  EXPECT_GT(values<double>(row_of(a.at("pair_wrench"), 0))[8], 0) << "as it is at the start";
  EXPECT_EQ(values<std::int32_t>(a.at("solver_iterations"))[0], 0);
  EXPECT_EQ(values<std::int32_t>(a.at("num_polygons"))[0], 0);

  EXPECT_GT(values<double>(a.at("pair_wrench"))[8], 0) << "the ball's weight, in the last row";
  EXPECT_GT(values<std::int32_t>(a.at("num_polygons"))[1], 0);
}

TEST_F(RolloutRows, AreThoseOfTheSimulator) {
  const RolloutArrays a = arrays("--energies --every 7 --precision double --integrator sdirk2");
  SceneDescription description = read_scene(path("scene.json"));
  description.rollout.integrator = Integrator::kSdirk2;
  const Simulator simulator(Scene(description), {.precision = Precision::kDouble});
  RolloutStateArrays state(simulator.scene(), 1);
  RolloutOutputArrays output(simulator.scene(), 1, true);
  for (std::int64_t row = 0; row <= 8; ++row) {
    simulator.step(state.view(), {}, output.view(), row == 0 ? 0 : row == 8 ? 1 : 7);
    EXPECT_EQ(values<double>(row_of(a.at("poses"), row)), state.poses) << row;
    EXPECT_EQ(values<double>(row_of(a.at("velocities"), row)), state.velocities) << row;
    EXPECT_EQ(values<double>(row_of(a.at("joints"), row)), state.joints) << row;
    EXPECT_EQ(values<double>(row_of(a.at("pair_wrench"), row)), output.pair_wrench) << row;
    EXPECT_EQ(values<double>(row_of(a.at("elastic_energy"), row)), output.elastic_energy) << row;
    EXPECT_EQ(values<std::int32_t>(row_of(a.at("solver_iterations"), row)), output.solver_iterations) << row;
  }
}

TEST_F(RolloutRows, DoNotDependOnHowManyThereAre) {
  const RolloutArrays all = arrays("--energies --envs 2"), some = arrays("--energies --envs 2 --every 10");
  for (const auto& [name, array] : some) {
    if (name == "status" || name == "scene") continue;
    for (std::int64_t row = 0; row < array.shape[0]; ++row) {
      EXPECT_TRUE(row_of(array, row).bytes == row_of(all.at(name), 10 * row).bytes) << name << " of row " << row;
    }
  }
}

TEST_F(RolloutRows, OfSharesAreThoseOfTheWhole) {
  const RolloutArrays whole = arrays("--energies --envs 70 --seed 3 --every 50"),
                      share = arrays("--energies --envs 20 --first 50 --seed 3 --every 50 --threads 1");
  for (const auto& [name, array] : share) {
    if (name == "time" || name == "status" || name == "scene") continue;
    for (std::int64_t row = 0; row < 2; ++row) {
      const std::string bytes = row_of(whole.at(name), row).bytes, part = row_of(array, row).bytes;
      EXPECT_TRUE(bytes.substr(bytes.size() - part.size()) == part) << name << " of row " << row;
    }
  }
}

TEST_F(RolloutRows, StartFromTheStatesOfEvaluate) {
  const RolloutArrays a = arrays("--envs 5 --seed 9 --steps 0");
  const std::string evaluated = path("e.npz");
  ASSERT_EQ(
      testing::run_program("evaluate --backend cpu --envs 5 --seed 9 " + path("scene.json") + " --output " + evaluated)
          .code,
      0);
  const RolloutArrays e = parse_npz(read("e.npz"), "e.npz");
  const auto poses = values<double>(a.at("poses")), expected = values<double>(e.at("poses"));
  const auto velocities = values<double>(a.at("velocities")), expected_v = values<double>(e.at("velocities"));
  const auto of_scene = values<double>(arrays("--steps 0").at("poses"));
  for (std::size_t environment = 0; environment < 5; ++environment) {
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(poses[environment * 28 + i], expected[environment * 28 + i]);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(velocities[environment * 24 + i], expected_v[environment * 24 + i]);
    for (std::size_t i = 7; i < 28; ++i) EXPECT_EQ(poses[environment * 28 + i], of_scene[i]) << "only the ball varies";
  }
}

TEST_F(RolloutRows, VaryAsTheSceneSays) {
  const std::string file = scene(R"(, "variation": {"position": 0.001, "angle": 3, "speed": 0})");
  ASSERT_EQ(
      testing::run_program("rollout --backend cpu --steps 0 --envs 300 " + file + " --output " + path("r.npz")).code,
      0);
  const RolloutArrays a = parse_npz(read("r.npz"), "r.npz");
  const auto poses = values<double>(a.at("poses")), velocities = values<double>(a.at("velocities"));
  double farthest = 0, angle = 0;
  for (std::size_t e = 0; e < 300; ++e) {
    farthest = std::max(farthest, std::fabs(poses[e * 28 + 2] - 0.045));
    angle = std::max(angle, 2 * std::acos(std::min(1.0, std::fabs(poses[e * 28 + 3]))));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(velocities[e * 24 + i], i == 0 ? 0.5 : 0);
  }
  EXPECT_LE(farthest, 0.001);
  EXPECT_GT(farthest, 0.0009);
  EXPECT_LE(angle, 3);
  EXPECT_GT(angle, 2);
}

TEST_F(RolloutRows, MakeAShortTableWithoutOutput) {
  EXPECT_EQ(rollout("--steps 40").out.find("elastic"), std::string::npos);
  const Outcome result = rollout("--steps 40 --energies");
  EXPECT_EQ(result.code, 0) << result.out;
  for (const char* word : {"kinetic", "potential", "elastic", "total", "momentum", "iter-", "polygons", "\n      0.08 ",
                           "40 steps of 0.002 s, midpoint", "environments", "non-zero status", "21   every 2 steps"})
    EXPECT_NE(result.out.find(word), std::string::npos) << word << "\n" << result.out;
}

TEST_F(RolloutRows, MakeASeriesForParaview) {
  const Outcome result = rollout("--every 25 --envs 6 --first 2 --vtk " + path("v"));
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("v")), {}), 4 * 2 * (3 + 1));
  EXPECT_TRUE(read("v/patches_0005_000002.vtk").starts_with("# vtk DataFile"));
  EXPECT_EQ(read("v/bodies_0002.vtk.series"),
            "{\"file-series-version\": \"1.0\", \"files\": [\n"
            "  {\"name\": \"bodies_0002_000000.vtk\", \"time\": 0},\n"
            "  {\"name\": \"bodies_0002_000001.vtk\", \"time\": 0.05},\n"
            "  {\"name\": \"bodies_0002_000002.vtk\", \"time\": 0.1}\n]}\n");
}

TEST_F(RolloutRows, OfTooManyPolygonsAreThoseBefore) {
  const RolloutArrays a = arrays("--energies --polygons 1 --every 10");
  EXPECT_EQ(values<std::uint32_t>(a.at("status"))[0], kStepCapacity | kFrozen);
  EXPECT_EQ(values<std::int64_t>(a.at("step_count")).back(), 0);
  EXPECT_TRUE(row_of(a.at("poses"), 0).bytes == row_of(a.at("poses"), 5).bytes);
  EXPECT_EQ(values<double>(a.at("kinetic_energy")).back(), 0);
  EXPECT_EQ(values<double>(a.at("time")).back(), 50 * 0.002);
  const Outcome table = rollout("--polygons 1");
  EXPECT_EQ(table.code, 0);
  EXPECT_NE(table.out.find("1   step_capacity in 1, first in environment 0; frozen in 1, first in environment 0\n"),
            std::string::npos)
      << table.out;
}

}  // namespace
}  // namespace isopatch::cli
