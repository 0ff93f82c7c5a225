// SPDX-License-Identifier: Apache-2.0
//
// What the command says about bodies of several parts.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/npz_arrays.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::contains;
using testing::Outcome;
using testing::run_program;

const std::string kGripper = source_path("bench/scenes/gripper.json");

// A tool of two rigid parts and one compliant part on a bed of a rigid and a compliant part; two parts of the tool
// overlap.
constexpr const char* kTool = R"({"isopatch": 1,
  "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]}, "floor": {"type": "half_space"}},
  "bodies": [
    {"name": "tool", "position": [0, 0, 0.2], "geometries": [
      {"geometry": "cube", "name": "blade", "rigid": true}, {"geometry": "cube", "position": [0, 0, 0.09]},
      {"geometry": "cube", "position": [0.1, 0, 0], "orientation": [1, 0, 0, 1], "rigid": true}]},
    {"name": "bed", "geometries": [{"geometry": "floor", "rigid": true}, {"geometry": "cube"}]}]})";

class PartPairs : public testing::FolderTest {};

TEST_F(PartPairs, AddUpToTheWrenchOfThePair) {
  const Outcome result = run_program("evaluate --backend cpu --precision double --part-pairs " + kGripper);
  ASSERT_EQ(result.code, 0) << result.out;
  const auto environment = nlohmann::json::parse(result.out).at("environments").at(0);
  EXPECT_EQ(environment.at("status"), 0);
  ASSERT_EQ(environment.at("pairs").size(), 3u);
  for (const auto& pair : environment.at("pairs")) {
    double sum[6] = {};
    for (const auto& part_pair : pair.at("part_pairs")) {
      for (std::size_t i = 0; i < 3; ++i) sum[i] += part_pair.at("force")[i].get<double>();
      for (std::size_t i = 0; i < 3; ++i) sum[i + 3] += part_pair.at("torque")[i].get<double>();
    }
    constexpr double kTolerance = 1e-12;  // N and N m, of some ten: rounding of the sums
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sum[i], pair.at("force")[i].get<double>(), kTolerance);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sum[i + 3], pair.at("torque")[i].get<double>(), kTolerance);
  }
}

TEST_F(PartPairs, OfTheGripperAreItsTipsOnTheBottle) {
  const Outcome result = run_program("evaluate --backend cpu --precision double --part-pairs " + kGripper);
  ASSERT_EQ(result.code, 0) << result.out;
  const auto pairs = nlohmann::json::parse(result.out).at("environments").at(0).at("pairs");
  for (std::size_t finger = 0; finger < 2; ++finger) {
    const auto part_pairs = pairs.at(finger).at("part_pairs");
    ASSERT_EQ(part_pairs.size(), 8u);
    for (const auto& part_pair : part_pairs) {
      const bool grips = part_pair.at("parts") == nlohmann::json({"body", "tip"});
      const double normal = std::fabs(part_pair.at("force")[1].get<double>());
      EXPECT_NEAR(normal, grips ? 12.5 : 0, grips ? 0.1 : 0) << part_pair;
    }
  }
  EXPECT_EQ(pairs.at(2).at("polygons"), 0) << "the table";
}

TEST_F(PartPairs, AreAnArrayWhereAskedFor) {
  const std::string evaluate = "evaluate --backend cpu --envs 3 " + kGripper + " --output ";
  ASSERT_EQ(run_program(evaluate + path("without.npz")).code, 0);
  ASSERT_EQ(run_program(evaluate + path("with.npz") + " --part-pairs").code, 0);
  const auto without = parse_npz(read("without.npz"), ""), with = parse_npz(read("with.npz"), "");
  EXPECT_FALSE(without.contains("part_pair_wrench"));
  EXPECT_EQ(with.at("part_pair_wrench").shape, (std::vector<std::int64_t>{3, 20, 6}));
  EXPECT_EQ(with.at("pair_wrench").bytes, without.at("pair_wrench").bytes);

  ASSERT_EQ(run_program(evaluate + path("with.json") + " --part-pairs").code, 0);
  const auto environments = nlohmann::json::parse(read("with.json")).at("environments");
  std::vector<double> wrenches(3 * 20 * 6);
  std::memcpy(wrenches.data(), with.at("part_pair_wrench").bytes.data(), wrenches.size() * sizeof(double));
  std::size_t at = 0;
  for (const auto& environment : environments) {
    for (const auto& pair : environment.at("pairs")) {
      for (const auto& part_pair : pair.at("part_pairs")) {
        EXPECT_EQ(part_pair.at("force")[1].get<double>(), wrenches[at + 1]);
        EXPECT_EQ(part_pair.at("torque")[2].get<double>(), wrenches[at + 5]);
        at += 6;
      }
    }
  }
  EXPECT_EQ(at, wrenches.size());
}

TEST_F(PartPairs, InfoListsPartsAndWhatIsLeftOut) {
  const Outcome result = run_program("info " + write("tool.json", kTool));
  ASSERT_EQ(result.code, 0) << result.out;
  for (const char* line : {
           "  body  part    geometry  position m  turned deg  modulus Pa  dissipation  friction  fixed\n",
           "  tool  blade   cube           0 0 0           0       rigid            0         0     no\n",
           "  tool  cube 2  cube         0.1 0 0          90       rigid            0         0     no\n",
           "  tool  bed  of the bodies  of the bodies           4\n",
           "  tool: blade         bed: floor  both rigid\n  tool: cube 2        bed: floor  both rigid\n",
       }) {
    EXPECT_TRUE(contains(result.out, line)) << line << result.out;
  }
  EXPECT_FALSE(contains(result.out, "bed: cube")) << result.out;
}

TEST_F(PartPairs, OfSimpleScenesAreNotMentioned) {
  const Outcome result = run_program("info " + source_path("bench/scenes/box_stack.json"));
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_FALSE(contains(result.out, "part")) << result.out;
}

TEST_F(PartPairs, ThatCountTwiceAreAWarning) {
  const std::string tool = write("tool.json", kTool);
  for (const std::string& command : {"evaluate --backend cpu " + tool, "info " + tool}) {
    const Outcome result = run_program(command);
    EXPECT_EQ(result.code, 0) << result.out;
    EXPECT_TRUE(contains(result.out, "warning: body 'tool': ")) << result.out;
    EXPECT_TRUE(contains(result.out, "% of part 'blade' is inside part 'cube'")) << result.out;
  }
}

}  // namespace
}  // namespace isopatch::cli
