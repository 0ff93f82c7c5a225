// SPDX-License-Identifier: Apache-2.0
#include "host/cli/states_file.h"

#include <gtest/gtest.h>

#include "isopatch/error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Arrays = std::map<std::string, NpyArray>;

// Two bodies and one pair; the states need no geometry.
SceneDescription scene() {
  SceneDescription scene;
  scene.bodies.resize(2);
  scene.bodies[1].velocity = {1, 2, 3, 4, 5, 6};
  scene.pairs.emplace(1);
  return scene;
}

NpyArray zeros(DType type, std::vector<std::int64_t> shape) {
  NpyArray array{type, std::move(shape), ""};
  std::size_t bytes = type == DType::kFloat64 || type == DType::kInt64 ? 8 : type == DType::kUint8 ? 1 : 4;
  for (const std::int64_t length : array.shape) bytes *= static_cast<std::size_t>(length);
  array.bytes.assign(bytes, '\0');
  return array;
}

Arrays poses_and(const std::string& name = "", const NpyArray& array = {}) {
  Arrays arrays = {{"poses", zeros(DType::kFloat64, {3, 2, 7})}};
  if (!name.empty()) arrays[name] = array;
  return arrays;
}

std::string error_of(const Arrays& arrays) {
  try {
    states_from_arrays(arrays, scene(), "s.npz");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(StatesFile, TakesTheVelocitiesOfTheSceneWhereItHasNone) {
  const StateArrays states = states_from_arrays(poses_and(), scene(), "s.npz");
  EXPECT_EQ(states.num_environments, 3);
  ASSERT_EQ(states.velocities.size(), 36u);
  EXPECT_EQ(states.velocities[12 + 6 + 5], 6);
  EXPECT_TRUE(states.modulus.empty());
  EXPECT_EQ(states.view(1, 2).modulus.data, nullptr);
  EXPECT_EQ(states.view(1, 2).poses.data, states.poses.data() + 14);
}

TEST(StatesFile, ReadsFloatsAndWideIntegers) {
  Arrays arrays = poses_and("geometry_index", zeros(DType::kInt64, {3, 2}));
  arrays["geometry_index"].bytes[8] = 5;
  arrays["poses"] = zeros(DType::kFloat32, {3, 2, 7});
  arrays["poses"].bytes.replace(0, 4, std::string{'\0', '\0', '\x80', '\x3f'});  // 1.0f
  const StateArrays states = states_from_arrays(arrays, scene(), "s.npz");
  EXPECT_EQ(states.geometry_index, (std::vector<std::int32_t>{0, 5, 0, 0, 0, 0}));
  EXPECT_EQ(states.poses[0], 1.0);
}

// Every array that is there is cut, and each by the length of its own row.
TEST(StatesFile, GivesRowsOfEveryArray) {
  StateArrays states = states_from_arrays(poses_and(), scene(), "s.npz");
  states.geometry_index = {0, 1, 2, 3, 4, 5};
  states.pair_mask = {6, 7, 8};
  for (std::size_t i = 0; i < states.poses.size(); ++i) states.poses[i] = static_cast<double>(i);

  const StateArrays middle = rows_of(states, 1, 1, "s.npz");
  EXPECT_EQ(middle.num_environments, 1);
  ASSERT_EQ(middle.poses.size(), 14u);
  EXPECT_EQ(middle.poses.front(), 14);
  EXPECT_EQ(middle.poses.back(), 27);
  EXPECT_EQ(middle.velocities, std::vector<double>(states.velocities.begin(), states.velocities.begin() + 12));
  EXPECT_EQ(middle.geometry_index, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(middle.pair_mask, std::vector<std::uint8_t>{7});
  EXPECT_TRUE(middle.modulus.empty());

  const StateArrays rest = rows_of(states, 1, {}, "s.npz");
  EXPECT_EQ(rest.num_environments, 2);
  EXPECT_EQ(rest.poses.size(), 28u);
  EXPECT_EQ(rest.pair_mask, (std::vector<std::uint8_t>{7, 8}));
}

TEST(StatesFile, SaysWhichRowsItHas) {
  const StateArrays states = states_from_arrays(poses_and(), scene(), "s.npz");
  const auto error_of_rows = [&](std::int64_t first, std::optional<std::int64_t> count) -> std::string {
    try {
      rows_of(states, first, count, "s.npz");
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of_rows(3, {}), "s.npz: --first 3: the file has 3 environments, so it must be in [0, 2]");
  EXPECT_EQ(error_of_rows(-1, 1), "s.npz: --first -1: the file has 3 environments, so it must be in [0, 2]");
  EXPECT_EQ(error_of_rows(1, 3), "s.npz: --envs 3: the file has 3 environments, so from 1 on it must be in [1, 2]");
  EXPECT_EQ(error_of_rows(1, 0), "s.npz: --envs 0: the file has 3 environments, so from 1 on it must be in [1, 2]");
  EXPECT_EQ(error_of_rows(0, 3), "no error");
}

TEST(StatesFile, SaysWhatIsWrong) {
  EXPECT_EQ(error_of({}), "s.npz: poses: missing; needs shape (N, 2, 7)");
  EXPECT_EQ(error_of({{"poses", zeros(DType::kFloat64, {3, 7})}}),
            "s.npz: poses: must have shape (N, 2, 7), found (3, 7)");
  EXPECT_EQ(error_of({{"poses", zeros(DType::kInt32, {3, 2, 7})}}),
            "s.npz: poses: must be float64 or float32, found int32");
  EXPECT_EQ(error_of({{"poses", zeros(DType::kFloat64, {0, 2, 7})}}), "s.npz: poses: no environments");
  EXPECT_EQ(error_of(poses_and("velocity", zeros(DType::kFloat64, {3, 2, 6}))),
            R"(s.npz: velocity: unknown array; did you mean "velocities"?)");
  EXPECT_EQ(error_of(poses_and("modulus", zeros(DType::kFloat64, {2, 2}))),
            "s.npz: modulus: must have shape (3, 2), found (2, 2)");
  EXPECT_EQ(error_of(poses_and("pair_mask", zeros(DType::kInt32, {3, 1}))),
            "s.npz: pair_mask: must be uint8 or bool, found int32");
  Arrays wide = poses_and("geometry_index", zeros(DType::kInt64, {3, 2}));
  wide["geometry_index"].bytes[5] = 1;
  EXPECT_EQ(error_of(wide), "s.npz: geometry_index: 1099511627776 does not fit an int32");
}

// Materials and geometries are of parts, and their arrays are as wide as the scene has parts.
TEST(StatesFile, SaysHowManyPartsThereAre) {
  SceneDescription compound = scene();
  compound.bodies[0].parts.resize(4);
  for (const char* name : {"modulus", "dissipation", "friction", "geometry_index"}) {
    const DType type = std::string(name) == "geometry_index" ? DType::kInt32 : DType::kFloat64;
    EXPECT_NO_THROW(states_from_arrays(poses_and(name, zeros(type, {3, 5})), compound, "s.npz"));
    try {
      states_from_arrays(poses_and(name, zeros(type, {3, 2})), compound, "s.npz");
      ADD_FAILURE() << name << " with a column for each body was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), std::string("s.npz: ") + name + ": must have shape (3, 5), found (3, 2)");
    }
  }
  const StateArrays states = states_from_arrays(poses_and(), compound, "s.npz");
  EXPECT_EQ(states.num_parts, 5);
  EXPECT_EQ(states.num_bodies, 2);
}

TEST(StatesFile, AShareHasTheMaterialsAndGeometriesOfItsEnvironments) {
  SceneDescription compound = scene();
  compound.bodies[0].parts.resize(4);
  StateArrays states = states_from_arrays(poses_and(), compound, "s.npz");
  for (int i = 0; i < 15; ++i) states.modulus.push_back(i), states.geometry_index.push_back(i);
  const StateArrays share = rows_of(states, 1, 2, "s.npz");
  EXPECT_EQ(share.num_parts, 5);
  EXPECT_EQ(share.modulus, std::vector<double>(states.modulus.begin() + 5, states.modulus.end()));
  EXPECT_EQ(share.geometry_index, (std::vector<std::int32_t>{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  EXPECT_TRUE(share.friction.empty());
}

}  // namespace
}  // namespace isopatch::cli
