// SPDX-License-Identifier: Apache-2.0
//
// Shares of a run, by --first, join to the whole.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/npz_arrays.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using testing::run_program;
using Arrays = std::map<std::string, NpyArray>;

const std::string kScene = source_path("bench/scenes/box_stack.json");

class Shares : public testing::FolderTest {
 protected:
  /// Evaluates with these arguments into a file and returns its bytes.
  std::string evaluate(const std::string& arguments, const std::string& output) const {
    const Outcome result =
        run_program("evaluate --backend cpu " + kScene + " " + arguments + " --output " + path(output));
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.out;
    return read(output);
  }
  Arrays arrays(const std::string& arguments) const { return parse_npz(evaluate(arguments, "a.npz"), "a.npz"); }
};

/// The rows of all parts in their order.
Arrays joined(const std::vector<Arrays>& parts) {
  Arrays whole = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    for (auto& [name, array] : whole) {
      array.shape[0] += parts[i].at(name).shape[0];
      array.bytes += parts[i].at(name).bytes;
    }
  }
  return whole;
}

void expect_same(const Arrays& found, const Arrays& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, array] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name).shape, array.shape) << name;
    EXPECT_TRUE(found.at(name).bytes == array.bytes) << name;
  }
}

TEST_F(Shares, OfRandomStatesJoinToTheBitsOfTheWhole) {
  const std::string same = "--seed 3 --energy ";
  const Arrays whole = arrays(same + "--envs 100");
  EXPECT_TRUE(whole.contains("poses") && whole.contains("velocities") && whole.contains("energy"));
  expect_same(
      joined({arrays(same + "--envs 37"), arrays(same + "--first 37 --envs 1"), arrays(same + "--envs 62 --first 38")}),
      whole);
}

TEST_F(Shares, OfAStatesFileJoinToTheBitsOfTheWhole) {
  const Arrays whole = arrays("--seed 8 --envs 20");
  write("s.npz", npz_bytes({{"poses", whole.at("poses")}, {"velocities", whole.at("velocities")}}));
  const std::string states = "--states " + path("s.npz");
  expect_same(arrays(states), whole);
  expect_same(
      joined({arrays(states + " --envs 6"), arrays(states + " --first 6 --envs 9"), arrays(states + " --first 15")}),
      whole);
}

TEST_F(Shares, JoinAsJson) {
  nlohmann::json first = nlohmann::json::parse(evaluate("--seed 3 --envs 4", "a.json")),
                 second = nlohmann::json::parse(evaluate("--seed 3 --envs 5 --first 4", "b.json"));
  ASSERT_EQ(second["environments"].size(), 5u);
  for (const nlohmann::json& environment : second["environments"]) first["environments"].push_back(environment);
  EXPECT_EQ(first, nlohmann::json::parse(evaluate("--seed 3 --envs 9", "c.json")));
}

TEST_F(Shares, NumberTheirEnvironmentsAsTheWhole) {
  const std::string scene = "evaluate --backend cpu --seed 3 " + kScene;
  const Outcome whole = run_program(scene + " --envs 7 --patches 7 --vtk " + path("whole")),
                part = run_program(scene + " --envs 3 --first 4 --patches 2 --vtk " + path("part"));
  ASSERT_EQ(whole.code, 0) << whole.out;
  ASSERT_EQ(part.code, 0) << part.out;
  for (const char* name : {"patches_0004.vtk", "bodies_0004.vtk", "patches_0005.vtk", "bodies_0005.vtk"}) {
    EXPECT_FALSE(read(std::string("part/") + name).empty()) << name;
    EXPECT_EQ(read(std::string("part/") + name), read(std::string("whole/") + name)) << name;
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("part")), {}), 4);

  EXPECT_NE(part.out.find("3   from 4 on\n"), std::string::npos) << part.out;
  const Outcome alone = run_program(scene + " --first 5 --output " + path("o.npz"));
  EXPECT_NE(alone.out.find(" N   environment 5, "), std::string::npos) << alone.out;
}

TEST_F(Shares, OutsideOfWhatThereIsAreErrors) {
  const Arrays whole = arrays("--envs 3");
  write("s.npz", npz_bytes({{"poses", whole.at("poses")}}));
  std::filesystem::remove(path("a.npz"));
  const std::string states = "--states " + path("s.npz");
  const auto expect_error = [&](const std::string& arguments, const std::string& message) {
    const Outcome result = run_program("evaluate " + kScene + " " + arguments + " --output " + path("o.npz"));
    EXPECT_EQ(result.code, 2) << arguments;
    EXPECT_NE(result.out.find(message), std::string::npos) << result.out;
  };
  expect_error("--first -1", "--first: '-1' is not a whole number from 0 to 1000000000000");
  expect_error("--first 1.5", "--first: '1.5' is not a whole number");
  expect_error(states + " --first 3", "s.npz: --first 3: the file has 3 environments, so it must be in [0, 2]");
  expect_error(states + " --first 2 --envs 2",
               "s.npz: --envs 2: the file has 3 environments, so from 2 on it must be in [1, 1]");
  EXPECT_EQ(names(), "s.npz ");
}

}  // namespace
}  // namespace isopatch::cli
