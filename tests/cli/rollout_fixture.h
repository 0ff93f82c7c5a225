// SPDX-License-Identifier: Apache-2.0
//
// A small scene with every kind of motion, and the results of its rollouts.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/npz_arrays.h"
#include "tests/support/program.h"

namespace isopatch::testing {

using RolloutArrays = std::map<std::string, detail::NpyArray>;
using Shape = std::vector<std::int64_t>;

/// The values of an array, of the type that it has.
template <class T>
std::vector<T> values(const detail::NpyArray& array) {
  EXPECT_EQ(array.type, detail::kDType<T>);
  std::vector<T> numbers(array.bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), array.bytes.data(), array.bytes.size());
  return numbers;
}

/// Row `row` of an array with a row for each time.
inline detail::NpyArray row_of(const detail::NpyArray& array, std::int64_t row) {
  const std::size_t bytes = array.bytes.size() / static_cast<std::size_t>(array.shape[0]);
  return {array.type,
          {array.shape.begin() + 1, array.shape.end()},
          array.bytes.substr(static_cast<std::size_t>(row) * bytes, bytes)};
}

class RolloutTest : public FolderTest {
 protected:
  // a ball that slides on the ground, a hand on a path to 0.12 s, and a slider on it that a force drives
  static constexpr const char* kScene = R"({"isopatch": 1,
    "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1},
                   "box": {"type": "box", "size": [0.02, 0.02, 0.02]}, "ground": {"type": "half_space"}},
    "bodies": [
      {"name": "ball", "geometry": "ball", "modulus": 1e5, "dissipation": 1, "friction": 0.5, "mass": 0.5,
       "position": [0, 0, 0.045], "linear_velocity": [0.5, 0, 0]},
      {"name": "hand", "geometry": "box", "position": [0, 1, 1], "motion": {"type": "prescribed",
       "times": [0, 0.06, 0.12], "poses": [[0, 1, 1, 1, 0, 0, 0], [0, 1, 1.03, 1, 0, 0, 0],
                                           [0, 1.02, 1.03, 0.99, 0, 0, 0.14106735979665885]]}},
      {"name": "slider", "geometry": "box", "position": [0.1, 1, 1], "mass": 0.1,
       "motion": {"type": "prismatic", "parent": "hand", "axis": [1, 0, 0], "velocity": 0.2, "force": 0.3}},
      {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "friction": 0.5} ],
    "pairs": [["ball", "ground"]],
    "rollout": {"time_step": 0.002, "duration": 0.1 VARIATION} })";

  std::string scene(const std::string& variation = "") const {
    std::string text = kScene;
    text.replace(text.find(" VARIATION"), 10, variation);
    return write("scene.json", text);
  }

  Outcome rollout(const std::string& arguments) const {
    return run_program("rollout --backend cpu " + scene() + " " + arguments);
  }

  /// Runs a rollout into a file and reads it.
  RolloutArrays arrays(const std::string& arguments, const std::string& name = "r.npz") const {
    const Outcome result = rollout(arguments + " --output " + path(name));
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.out;
    return detail::parse_npz(read(name), name);
  }

  /// Every array of `found` has the bits of `expected`.
  static void expect_same(const RolloutArrays& found, const RolloutArrays& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, array] : expected) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_EQ(found.at(name).shape, array.shape) << name;
      EXPECT_TRUE(found.at(name).bytes == array.bytes) << name;
    }
  }
};

}  // namespace isopatch::testing
