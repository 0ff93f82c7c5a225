// SPDX-License-Identifier: Apache-2.0
//
// What the command says and writes of contacts with state.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
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

// A volumetric and a point contact of balls on the ground, 2 mm deep, and a box that has no memory.
constexpr const char* kBalls = R"({"isopatch": 1,
  "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1},
                 "box": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ground": {"type": "half_space", "thickness": 0.1}},
  "bodies": [
    {"name": "plate", "geometry": "ball", "modulus": 1e5, "mass": 0.2, "friction": 0.5, "position": [0, 0, 0.048],
     "linear_velocity": [0.01, 0, 0]},
    {"name": "tip", "geometry": "ball", "modulus": 1e5, "mass": 0.2, "friction": 0.5, "position": [1, 0, 0.048]},
    {"name": "box", "geometry": "box", "modulus": 1e5, "mass": 0.2, "friction": 0.5, "position": [2, 0, 0.049]},
    {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "friction": 0.5}],
  "contact": {"bristle": {"static_ratio": 1.6}},
  "pairs": [
    {"bodies": ["plate", "ground"], "model": "volumetric", "exact_spheres": true, "friction_model": "bristle"},
    {"bodies": ["tip", "ground"], "model": "point", "restitution": 0.5},
    ["box", "ground"]]})";

constexpr const char* kNoMemory = R"({"isopatch": 1,
  "geometries": {"ball": {"type": "sphere", "radius": 0.05, "subdivisions": 0}, "ground": {"type": "half_space"}},
  "bodies": [{"name": "ball", "geometry": "ball", "friction": 0.5, "position": [0, 0, 0.048]},
             {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "friction": 0.5}]})";

class MemoryCommand : public testing::FolderTest {
 protected:
  const std::string scene_ = write("balls.json", kBalls);

  std::vector<double> numbers(const std::string& file, const char* name) const {
    const NpyArray array = parse_npz(read(file), file).at(name);
    std::vector<double> found(array.bytes.size() / sizeof(double));
    std::memcpy(found.data(), array.bytes.data(), array.bytes.size());
    return found;
  }
  static std::string expect_ok(const Outcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    return outcome.out;
  }
};

TEST_F(MemoryCommand, IsInJson) {
  const std::string text = expect_ok(run_program("evaluate --backend cpu --part-pairs --dt 1e-3 " + scene_));
  const auto pairs = nlohmann::json::parse(text).at("environments").at(0).at("pairs");
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].at("model"), "volumetric");
  EXPECT_EQ(pairs[1].at("model"), "point");
  EXPECT_EQ(pairs[2].at("model"), "pressure_field");
  const auto part_pair = [&](std::size_t i) { return pairs[i].at("part_pairs").at(0); };
  constexpr double kDepth = 0.002, kVolume = M_PI * kDepth * kDepth * (0.05 - kDepth / 3);
  EXPECT_NEAR(part_pair(0).at("volume").get<double>(), kVolume, 1e-9 * kVolume);
  EXPECT_EQ(part_pair(1).at("volume"), 0);
  ASSERT_EQ(part_pair(0).at("contact_state").size(), 8u);
  EXPECT_EQ(part_pair(0).at("contact_state")[0], 1e-3) << "the small speed";
  EXPECT_EQ(part_pair(0).at("contact_state")[7], 1e-3) << "the age";
  EXPECT_GT(part_pair(0).at("contact_state")[2], 0.0) << "bristles bend along";
  for (const auto& number : part_pair(2).at("contact_state")) EXPECT_EQ(number, 0) << "a box has no memory";
}

TEST_F(MemoryCommand, OfASceneWithoutItAddsNothing) {
  const std::string plain = write("plain.json", kNoMemory);
  const std::string text = expect_ok(run_program("evaluate --backend cpu --part-pairs " + plain));
  EXPECT_FALSE(contains(text, "model"));
  EXPECT_FALSE(contains(text, "contact_state"));
  const Outcome with_step = run_program("evaluate --backend cpu --dt 0.001 " + plain);
  EXPECT_EQ(with_step.code, 0) << with_step.out;
  EXPECT_TRUE(contains(with_step.out, "--dt changes nothing: no contact of the scene has a memory")) << with_step.out;
}

TEST_F(MemoryCommand, NeedsATimeStepThatIsOne) {
  for (const char* step : {"-1", "nan", "inf", "1e7", "word"}) {
    const Outcome outcome = run_program("evaluate --backend cpu --dt=" + std::string(step) + " " + scene_);
    EXPECT_EQ(outcome.code, 2) << step;
    EXPECT_TRUE(contains(outcome.out, "is not a number from 0 to 1000000")) << outcome.out;
  }
}

TEST_F(MemoryCommand, IsInAFileOfResultsAndReadFromIt) {
  const std::string evaluate = "evaluate --backend cpu --precision double --dt 1e-3 " + scene_;
  expect_ok(run_program(evaluate + " --output " + path("one.npz")));
  const auto arrays = parse_npz(read("one.npz"), "one.npz");
  EXPECT_EQ(arrays.at("contact_state").shape, (std::vector<std::int64_t>{1, 3, 8}));
  EXPECT_EQ(arrays.at("volume").shape, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(arrays.at("second_moments").shape, (std::vector<std::int64_t>{1, 3, 6}));
  EXPECT_EQ(arrays.at("damping_matrix").shape, (std::vector<std::int64_t>{1, 3, 36}));
  EXPECT_FALSE(arrays.contains("part_pair_wrench"));

  expect_ok(run_program(evaluate + " --states " + path("one.npz") + " --output " + path("two.npz")));
  const std::vector<double> one = numbers("one.npz", "contact_state"), two = numbers("two.npz", "contact_state");
  EXPECT_EQ(one[7], 1e-3);
  EXPECT_EQ(two[7], 2e-3);
  EXPECT_GT(two[2], one[2]);
}

TEST_F(MemoryCommand, OfAWrongShapeIsRefused) {
  const std::string scene = write("plain.json", kNoMemory);
  expect_ok(run_program("evaluate --backend cpu --output " + path("balls.npz") + " " + scene_));
  auto arrays = parse_npz(read("balls.npz"), "balls.npz");
  const std::map<std::string, NpyArray> states = {
      {"poses", arrays.at("poses")}, {"contact_state", {DType::kFloat64, {1, 2, 8}, std::string(128, '\0')}}};
  write("short.npz", npz_bytes(states));
  const Outcome outcome = run_program("evaluate --backend cpu --states " + path("short.npz") + " " + scene_);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.out, "contact_state")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "(1, 3, 8)")) << outcome.out;
}

TEST_F(MemoryCommand, HasColumnsInTheTableOfARollout) {
  const std::string text = expect_ok(run_program("rollout --backend cpu --steps 400 --dt 0.002 --every 400 " + scene_));
  EXPECT_TRUE(contains(text, "contacts   stuck")) << text;
  std::istringstream lines(text.substr(text.find("lost")));
  std::string line;
  for (int i = 0; i < 4; ++i) std::getline(lines, line);  // the heading, units, the start, the end
  std::istringstream words(line);
  std::vector<double> cells;
  for (double cell = 0; words >> cell;) cells.push_back(cell);
  ASSERT_EQ(cells.size(), 9u) << line;
  EXPECT_EQ(cells[6], 2) << "contacts: " << line;
  EXPECT_EQ(cells[7], 1) << "of which one has bristles and rests: " << line;

  const std::string plain = write("plain.json", kNoMemory);
  EXPECT_FALSE(contains(expect_ok(run_program("rollout --backend cpu --steps 2 " + plain)), "stuck"));
}

TEST_F(MemoryCommand, IsContinuedFromTheLastRowOfARollout) {
  const std::string rollout = "rollout --backend cpu --precision double --dt 0.002 " + scene_;
  expect_ok(run_program(rollout + " --steps 20 --output " + path("all.npz")));
  expect_ok(run_program(rollout + " --steps 12 --output " + path("first.npz")));
  expect_ok(run_program(rollout + " --steps 8 --states " + path("first.npz") + " --output " + path("rest.npz")));
  EXPECT_EQ(parse_npz(read("all.npz"), "").at("contact_state").shape, (std::vector<std::int64_t>{21, 1, 3, 8}));
  for (const char* name : {"contact_state", "poses", "velocities"}) {
    const std::vector<double> all = numbers("all.npz", name), rest = numbers("rest.npz", name);
    const auto row = static_cast<std::ptrdiff_t>(all.size() / 21);
    EXPECT_EQ(std::vector<double>(all.end() - row, all.end()), std::vector<double>(rest.end() - row, rest.end()))
        << name;
  }
}

TEST_F(MemoryCommand, IsInTheTableOfPairs) {
  const std::string text = expect_ok(run_program("info " + scene_));
  const auto has_line = [&](const std::vector<std::string>& words) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      bool all = true;
      for (const std::string& word : words) all = all && contains(line, word);
      if (all) return true;
    }
    return false;
  };
  EXPECT_TRUE(has_line({"contact", "model", "friction model", "stiffness", "from", "damping", "breaks away at"}))
      << text;
  // E/R of the ball, and 0.5 x 1.6 / 1e5
  EXPECT_TRUE(has_line({"plate", "volumetric", "bristle", "N/m^3", "modulus / depth", "0 s/m", "8e-06 m"})) << text;
  EXPECT_TRUE(has_line({"tip", "point", "coulomb", "N/m^1.5", "Hertz", "e 0.5, d/e 1.433"})) << text;
  EXPECT_FALSE(has_line({"box", "pressure_field"})) << text;
  const std::string plain = write("plain.json", kNoMemory);
  EXPECT_FALSE(contains(expect_ok(run_program("info " + plain)), "breaks away"));
}

TEST_F(MemoryCommand, OfAVolumeIsDrawnAsAnOctagonOfItsArea) {
  expect_ok(run_program("evaluate --backend cpu --vtk " + path("out") + " --output " + path("one.npz") + " " + scene_));
  const std::string patches = read("out/patches_0000.vtk");
  const double area = numbers("one.npz", "area")[0];
  EXPECT_NEAR(area, M_PI * 0.002 * (0.1 - 0.002), 1e-9);
  std::istringstream lines(patches);
  int octagons = 0;
  for (std::string line; std::getline(lines, line);) octagons += line.starts_with("8 ");
  EXPECT_EQ(octagons, 1) << patches;

  // its corners lie on the ground, about the point below the ball, and span that area
  std::istringstream words(patches.substr(patches.find("POINTS")));
  std::string word;
  std::size_t count = 0;
  words >> word >> count >> word;
  std::vector<std::array<double, 3>> points(count);
  for (auto& p : points) words >> p[0] >> p[1] >> p[2];
  ASSERT_GE(count, 8u);
  double found = 0;
  for (std::size_t i = count - 8; i < count; ++i) {  // behind the polygons
    const auto& p = points[i];
    const auto& q = points[i + 1 < count ? i + 1 : count - 8];
    found += (p[0] * q[1] - p[1] * q[0]) / 2;
  }
  EXPECT_NEAR(found, area, 1e-5 * area) << "counter-clockwise, seen from above";
}

}  // namespace
}  // namespace isopatch::cli
