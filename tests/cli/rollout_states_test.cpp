// SPDX-License-Identifier: Apache-2.0
//
// The states that `isopatch rollout --states` starts from.
#include <span>

#include "host/rollout/former_names.h"
#include "tests/cli/rollout_fixture.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::RolloutArrays;
using testing::row_of;
using testing::values;

class RolloutStates : public testing::RolloutTest {
 protected:
  /// The last row of a rollout, as arrays of a states file.
  static RolloutArrays last_row(const RolloutArrays& file) {
    RolloutArrays last;
    for (const char* name : {"poses", "velocities", "joints", "joint_rates", "step_count"}) {
      last[name] = row_of(file.at(name), file.at(name).shape[0] - 1);
    }
    return last;
  }

  std::string error_of(const RolloutArrays& arrays) const {
    write("bad.npz", npz_bytes(arrays));
    const Outcome result = rollout("--states " + path("bad.npz") + " --output " + path("o.npz"));
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_FALSE(std::filesystem::exists(path("o.npz")));
    return result.out;
  }
};

// 31 and 19 steps are 50, and the hand changes its direction after 30
TEST_F(RolloutStates, OfALastRowGoOnWithTheSameBits) {
  for (const char* integrator : {"midpoint", "euler", "sdirk2"}) {
    const std::string same = std::string("--envs 3 --integrator ") + integrator;
    const RolloutArrays whole = arrays(same + " --every 50", "whole.npz"),
                        first = arrays(same + " --steps 31 --every 5", "first.npz");
    write("last.npz", npz_bytes(last_row(first)));
    for (const char* from : {"first.npz", "last.npz"}) {
      const RolloutArrays second = arrays(same + " --steps 19 --every 19 --states " + path(from), "second.npz");
      EXPECT_EQ(values<double>(second.at("time")), (std::vector<double>{31 * 0.002, 50 * 0.002}));
      for (const char* name : {"poses", "velocities", "joints", "joint_rates", "step_count"}) {
        EXPECT_TRUE(row_of(second.at(name), 0).bytes == row_of(first.at(name), 7).bytes) << from << " " << name;
      }
      for (const auto& [name, array] : whole) {
        if (name == "time" || name == "status") continue;
        EXPECT_TRUE(row_of(second.at(name), 1).bytes == row_of(array, 1).bytes)
            << integrator << " " << from << " " << name;
      }
    }
  }
}

/// As earlier versions have written them.
TEST_F(RolloutStates, AndRowsWithFormerNamesGoOnWithTheSameBits) {
  RolloutArrays rows = arrays("--envs 2 --steps 31 --every 31", "rows.npz"), last = last_row(rows);
  const RolloutArrays expected = arrays("--steps 9 --states " + path("rows.npz"), "new.npz");
  for (const auto& [former, present] : kFormerNames) {
    for (RolloutArrays* file : {&rows, &last}) {
      if (auto array = file->extract(present); !array.empty()) (*file)[former] = array.mapped();
    }
    EXPECT_TRUE(rows.contains(former));
    EXPECT_TRUE(expected.contains(present));
  }
  for (const RolloutArrays& file : {rows, last}) {
    write("old.npz", npz_bytes(file));
    expect_same(arrays("--steps 9 --states " + path("old.npz"), "new.npz"), expected);
  }
  ASSERT_EQ(testing::run_program("evaluate --backend cpu " + scene() + " --states " + path("old.npz")).code, 2)
      << "states of a rollout alone are none of an evaluation";
  write("old.npz", npz_bytes(rows));
  const bool can_render = testing::run_program("--version").out.find("render    yes") != std::string::npos;
  const std::string commands[] = {"evaluate --backend cpu ", "render -o " + path("old.glb") + " "};
  for (const std::string& command : std::span(commands).first(can_render ? 2 : 1)) {
    const Outcome result = testing::run_program(command + scene() + " --states " + path("old.npz"));
    EXPECT_EQ(result.code, 0) << result.out;
  }
}

TEST_F(RolloutStates, CanBeSomeOfTheRows) {
  const RolloutArrays whole = arrays("--envs 5 --seed 4 --every 50");
  RolloutArrays start = last_row(arrays("--envs 5 --seed 4 --steps 0", "s.npz"));
  write("s.npz", npz_bytes(start));
  const RolloutArrays two = arrays("--first 2 --envs 2 --every 50 --states " + path("s.npz"), "two.npz");
  const auto poses = values<double>(row_of(whole.at("poses"), 1)), part = values<double>(row_of(two.at("poses"), 1));
  EXPECT_EQ(part, std::vector<double>(poses.begin() + 2 * 28, poses.begin() + 4 * 28));
}

TEST_F(RolloutStates, WithoutJointsAndStepsAreThoseOfTheScene) {
  const RolloutArrays start = last_row(arrays("--steps 0"));
  write("s.npz", npz_bytes({{"poses", start.at("poses")}}));
  expect_same(arrays("--states " + path("s.npz")), arrays(""));
}

TEST_F(RolloutStates, LeaveBodiesOnPathsAndJointsToTheirMotions) {
  RolloutArrays start = last_row(arrays("--steps 0"));
  auto poses = values<double>(start.at("poses")), velocities = values<double>(start.at("velocities"));
  for (std::size_t i = 7; i < 10; ++i) poses[i] = 0, poses[i + 7] = 0;
  for (std::size_t i = 6; i < 18; ++i) velocities[i] = 5;
  write("s.npz", npz_bytes({{"poses", npy_array(DType::kFloat64, {1, 4, 7}, poses)},
                            {"velocities", npy_array(DType::kFloat64, {1, 4, 6}, velocities)}}));
  expect_same(arrays("--states " + path("s.npz")), arrays(""));
}

TEST_F(RolloutStates, TakeMaterialsOfEvaluate) {
  RolloutArrays start = last_row(arrays("--steps 0"));
  start["friction"] = npy_array(DType::kFloat64, {1, 4}, std::vector<double>(4, 0.0));
  write("s.npz", npz_bytes(start));
  const auto slides = values<double>(row_of(arrays("--every 50 --states " + path("s.npz")).at("velocities"), 1));
  EXPECT_NEAR(slides[0], 0.5, 1e-9) << "the ball keeps its speed";
}

TEST_F(RolloutStates, OfOtherShapesAndNamesAreErrors) {
  const RolloutArrays good = last_row(arrays("--envs 2 --steps 0"));
  const auto with = [&good](const char* name, const NpyArray& array) {
    RolloutArrays arrays = good;
    arrays[name] = array;
    return arrays;
  };
  const std::vector<double> two = {0, 0}, eight(8);
  EXPECT_NE(error_of(with("joints", npy_array(DType::kFloat64, {1, 1, 2}, two)))
                .find("bad.npz: joints: must have shape (2, 1, 2), found (1, 1, 2)"),
            std::string::npos);
  EXPECT_NE(error_of(with("step_count", npy_array(DType::kFloat64, {2}, two)))
                .find("bad.npz: step_count: must be int32 or int64, found float64"),
            std::string::npos);
  EXPECT_NE(error_of(with("step_count", npy_array(DType::kInt64, {2}, std::vector<std::int64_t>{0, -1})))
                .find("bad.npz: step_count: -1 is not in [0, "),
            std::string::npos);
  EXPECT_NE(
      error_of(with("jonts", npy_array(DType::kFloat64, {2}, two))).find("bad.npz: jonts: unknown array; did you mean"),
      std::string::npos);
  EXPECT_NE(error_of(with("time", npy_array(DType::kFloat64, {8}, eight)))
                .find("bad.npz: joint_rates: must have 8 rows, one for each time, found shape (2, 1)"),
            std::string::npos);
}

}  // namespace
}  // namespace isopatch::cli
