// SPDX-License-Identifier: Apache-2.0
//
// Files with results as states, and what the tables say of states with a fault.
#include <cmath>

#include "tests/cli/rollout_fixture.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::RolloutArrays;
using testing::row_of;
using testing::run_program;
using testing::values;

class ResultStates : public testing::RolloutTest {
 protected:
  Outcome evaluate(const std::string& arguments) const {
    return run_program("evaluate --backend cpu " + scene() + " " + arguments);
  }
  void evaluate_into(const std::string& arguments, const std::string& name) const {
    const Outcome result = evaluate(arguments + " --output " + path(name));
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.out;
  }
};

TEST_F(ResultStates, OfAnEvaluationAreItsStates) {
  evaluate_into("--envs 5 --seed 3 --part-pairs", "first.npz");
  evaluate_into("--part-pairs --states " + path("first.npz"), "second.npz");
  EXPECT_TRUE(read("second.npz") == read("first.npz")) << "the states are the same, so the results are";
  const RolloutArrays rows = arrays("--steps 0 --states " + path("first.npz"));
  EXPECT_TRUE(row_of(rows.at("velocities"), 0).bytes.size() ==
              parse_npz(read("first.npz"), "").at("velocities").bytes.size());
}

TEST_F(ResultStates, OfARolloutAreItsLastRow) {
  const RolloutArrays rows = arrays("--energies --envs 3 --steps 20", "r.npz");
  evaluate_into("--energy --states " + path("r.npz"), "e.npz");
  const RolloutArrays evaluated = parse_npz(read("e.npz"), "e.npz");
  for (const char* name : {"poses", "velocities"}) {
    EXPECT_TRUE(evaluated.at(name).bytes == row_of(rows.at(name), 20).bytes) << name;
  }
  EXPECT_EQ(values<double>(evaluated.at("energy")), values<double>(row_of(rows.at("elastic_energy"), 20)));
}

TEST_F(ResultStates, WithOtherArraysAreErrors) {
  evaluate_into("", "e.npz");
  RolloutArrays arrays = parse_npz(read("e.npz"), "e.npz");
  arrays["frction"] = npy_array(DType::kFloat64, {1, 4}, std::vector<double>(4));
  write("bad.npz", npz_bytes(arrays));
  const Outcome result = evaluate("--states " + path("bad.npz"));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("bad.npz: frction: unknown array; did you mean \"friction\"?"), std::string::npos)
      << result.out;
}

TEST_F(ResultStates, WithAFaultAreNamed) {
  evaluate_into("--envs 6", "e.npz");
  RolloutArrays arrays = parse_npz(read("e.npz"), "e.npz");
  std::vector<double> poses = values<double>(arrays.at("poses")), velocities = values<double>(arrays.at("velocities"));
  poses[3 * 28] = poses[4 * 28] = std::nan("");
  velocities[5 * 24] = 1e30;
  write("bad.npz", npz_bytes({{"poses", npy_array(DType::kFloat64, {6, 4, 7}, poses)},
                              {"velocities", npy_array(DType::kFloat64, {6, 4, 6}, velocities)}}));
  const std::string row =
      "non-zero status                  3   bad_pose in 2, first in environment 3; bad_velocity in 1, first in "
      "environment 5\n";
  const Outcome whole = evaluate("--states " + path("bad.npz") + " --output " + path("o.npz"));
  EXPECT_NE(whole.out.find(row), std::string::npos) << whole.out;
  const Outcome rest = evaluate("--first 4 --states " + path("bad.npz") + " --output " + path("o.npz"));
  EXPECT_NE(rest.out.find("bad_pose in 1, first in environment 4;"), std::string::npos) << rest.out;
  const Outcome steps = rollout("--steps 1 --states " + path("bad.npz"));
  EXPECT_NE(steps.out.find("bad_pose in 2, first in environment 3;"), std::string::npos) << steps.out;
}

}  // namespace
}  // namespace isopatch::cli
