// SPDX-License-Identifier: Apache-2.0
//
// `isopatch evaluate` of scenes with rigid polytopes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isopatch/isopatch.h"
#include "tests/support/npz_arrays.h"
#include "tests/support/program.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::Outcome;
using Arrays = std::map<std::string, NpyArray>;
using Shape = std::vector<std::int64_t>;

// two cubes 1 mm apart, the upper one falling, and the ground 10 mm below both
constexpr const char* kCubes = R"({"isopatch": 1,
  "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]}, "ground": {"type": "half_space"}},
  "bodies": [
    {"name": "lower", "geometry": "cube", "rigid": true, "fixed": true},
    {"name": "upper", "geometry": "cube", "rigid": true, "position": [0.02, 0, 0.101], "linear_velocity": [0, 0, -1]},
    {"name": "ground", "geometry": "ground", "rigid": true, "fixed": true, "position": [0, 0, -0.06]} ],
  "contact": {"model": "polytope"} })";

// a ball of pressure among them, whose pair has no separation
constexpr const char* kMixed = R"({"isopatch": 1,
  "geometries": {"cube": {"type": "box", "size": [0.1, 0.1, 0.1]},
                 "ball": {"type": "sphere", "radius": 0.05, "subdivisions": 1}},
  "bodies": [
    {"name": "lower", "geometry": "cube", "rigid": true, "fixed": true},
    {"name": "upper", "geometry": "cube", "rigid": true, "position": [0, 0, 0.25]},
    {"name": "ball", "geometry": "ball", "modulus": 1e5, "position": [0, 0, -0.099]} ],
  "pairs": [["lower", "ball"], {"bodies": ["lower", "upper"], "model": "polytope"}] })";

class EvaluatePolytopes : public testing::FolderTest {
 protected:
  Outcome evaluate(const char* scene, const std::string& arguments) const {
    return testing::run_program("evaluate --backend cpu " + write("scene.json", scene) + " " + arguments);
  }
  Arrays arrays(const char* scene, const std::string& arguments) const {
    const Outcome result = evaluate(scene, arguments + " --output " + path("r.npz"));
    EXPECT_EQ(result.code, 0) << result.out;
    return parse_npz(read("r.npz"), "r.npz");
  }
};

template <class T>
std::vector<T> elements(const NpyArray& array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST_F(EvaluatePolytopes, WriteTheContactsAndRelationsOfTheLibrary) {
  constexpr std::int64_t kCount = 40;
  const Arrays found = arrays(kCubes, "--envs 40 --seed 3 --dt 0.01");
  const Scene scene(parse_scene(kCubes, "", "cubes"));
  StateArrays states(scene.description(), kCount);
  states.poses = elements<double>(found.at("poses"));
  states.velocities = elements<double>(found.at("velocities"));

  const std::int64_t contacts = found.at("potential_contacts").shape[1], relations = found.at("relations").shape[1],
                     members = found.at("relation_members").shape[1];
  ResultArrays expected(scene, kCount,
                        {.distances = true,
                         .capacity = {{"potential_contacts", static_cast<std::int32_t>(contacts)},
                                      {"relations", static_cast<std::int32_t>(relations)},
                                      {"relation_members", static_cast<std::int32_t>(members)}}});
  State state = states.view();
  state.time_step = 0.01;
  HostEvaluator(scene).evaluate(state, expected.view());

  EXPECT_EQ(found.at("potential_contacts").shape, (Shape{kCount, contacts}));
  EXPECT_EQ(found.at("relations_needed").shape, (Shape{kCount, 3}));
  EXPECT_EQ(elements<std::int32_t>(found.at("relations_needed")), expected.relations_needed);
  EXPECT_EQ(elements<std::int32_t>(found.at("relation_members")), expected.relation_members);
  EXPECT_EQ(elements<double>(found.at("separation")), expected.separation);
  EXPECT_EQ(elements<double>(found.at("overlap")), expected.overlap);
  const auto same = [](const std::string& bytes, const auto& records) {
    return bytes.size() == records.size() * sizeof records[0] &&
           std::memcmp(bytes.data(), records.data(), bytes.size()) == 0;
  };
  EXPECT_TRUE(same(found.at("potential_contacts").bytes, expected.potential_contacts));
  EXPECT_TRUE(same(found.at("relations").bytes, expected.relations));

  std::array<std::int32_t, 3> largest = {0, 0, 0};
  for (std::size_t i = 0; i < expected.relations_needed.size(); ++i) {
    largest[i % 3] = std::max(largest[i % 3], expected.relations_needed[i]);
  }
  EXPECT_EQ((Shape{largest[0], largest[1], largest[2]}), (Shape{contacts, relations, members})) << "as large as needed";
  EXPECT_GT(contacts, 8);
  for (const std::uint32_t status : elements<std::uint32_t>(found.at("status"))) {
    EXPECT_EQ(status & kRelationCapacity, 0u);
  }
}

TEST_F(EvaluatePolytopes, HaveEmptyArraysWhereNothingIsNear) {
  std::string far = kCubes;
  far.replace(far.find("[0.02, 0, 0.101]"), 16, "[0.02, 0, 1]");
  const Arrays found = arrays(far.c_str(), "");
  for (const char* name : {"potential_contacts", "relations", "relation_members"}) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(name).shape, (Shape{1, 0})) << name;
  }
  EXPECT_EQ(elements<std::int32_t>(found.at("relations_needed")), (std::vector<std::int32_t>{0, 0, 0}));
}

TEST_F(EvaluatePolytopes, AreNotInTheFilesOfOtherScenes) {
  const Outcome result = testing::run_program("evaluate --backend cpu " + source_path("bench/scenes/box_on_box.json") +
                                              " --output " + path("r.npz"));
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_EQ(result.out.find("separation"), std::string::npos) << result.out;
  const Arrays found = parse_npz(read("r.npz"), "r.npz");
  for (const char* name : {"separation", "potential_contacts", "relations", "relation_members", "relations_needed"}) {
    EXPECT_FALSE(found.contains(name)) << name;
  }
}

TEST_F(EvaluatePolytopes, PrintTheirCountsAsJson) {
  const auto counts = [this](const std::string& arguments) {
    const Outcome result = evaluate(kCubes, arguments);
    EXPECT_EQ(result.code, 0) << result.out;
    EXPECT_EQ(result.out.find("warning"), std::string::npos) << result.out;
    const nlohmann::json environment = nlohmann::json::parse(result.out).at("environments").at(0);
    EXPECT_NEAR(environment.at("pairs").at(0).at("separation").get<double>(), 0.001, 1e-15);
    EXPECT_EQ(environment.at("pairs").at(0).at("overlap"), 0);
    EXPECT_NEAR(environment.at("pairs").at(1).at("separation").get<double>(), 0.111, 1e-15);
    return std::array<int, 3>{environment.at("potential_contacts"), environment.at("relations"),
                              environment.at("relation_members")};
  };
  const auto at_rest = counts("");
  EXPECT_EQ(counts("--dt 0"), at_rest);
  EXPECT_GT(at_rest[1], 0);
  EXPECT_GE(at_rest[2], at_rest[1]) << "every relation has a member";
  const auto in_motion = counts("--dt 0.2");
  EXPECT_GT(in_motion[0], at_rest[0]) << "in 0.2 s the cube falls to the ground, which is 0.111 m below";
}

TEST_F(EvaluatePolytopes, RefuseATimeStepThatIsNone) {
  for (const char* step : {"-1", "nan", "soon", "1e300"}) {
    const Outcome result = evaluate(kCubes, std::string("--dt ") + step);
    EXPECT_EQ(result.code, 2) << step;
    EXPECT_NE(result.out.find("--dt: '" + std::string(step) + "' is not a number from 0 to"), std::string::npos)
        << result.out;
  }
}

TEST_F(EvaluatePolytopes, HaveRowsInTheTable) {
  const Arrays found = arrays(kCubes, "--envs 30 --seed 2 --first 5");
  const Outcome table = evaluate(kCubes, "--envs 30 --seed 2 --first 5");
  EXPECT_EQ(table.code, 0);
  const std::vector<double> separation = elements<double>(found.at("separation"));
  const auto smallest = std::min_element(separation.begin(), separation.end());
  const auto overlaps = std::count_if(separation.begin(), separation.end(), [](double s) { return s < 0; });
  ASSERT_GT(overlaps, 0);
  ASSERT_EQ((smallest - separation.begin()) % 2, 0);
  const auto line = [&](const std::string& text) {
    EXPECT_NE(table.out.find(text + "\n"), std::string::npos) << text << "\n" << table.out;
  };
  line(fmt::format("{:<18}{:>16}   pairs, {} of them overlap", "rigid polytopes", 60, overlaps));
  line(fmt::format("{:<18}{:>16}   the smallest, environment {}, lower and upper", "separation",
                   fmt::format("{:.6g} m", *smallest), 5 + (smallest - separation.begin()) / 2));
  const std::vector<std::int32_t> needed = elements<std::int32_t>(found.at("relations_needed"));
  for (std::size_t which = 0; which < 2; ++which) {
    std::int64_t total = 0, largest_at = 0;
    std::int32_t largest = 0;
    for (std::size_t e = 0; e < 30; ++e) {
      const std::int32_t count = needed[3 * e + which];
      total += count;
      if (count > largest) largest = count, largest_at = 5 + static_cast<std::int64_t>(e);
    }
    line(fmt::format("{:<18}{:>16}   at most {}, in environment {}", which == 0 ? "contacts" : "relations", total,
                     largest, largest_at));
  }
}

TEST_F(EvaluatePolytopes, CountPairsThatAreEvaluatedAlone) {
  StateArrays states(parse_scene(kMixed, "", "mixed"), 3);
  states.poses[21 + 9] = 0.2;    // in the second environment
  states.poses[2 * 21 + 3] = 0;  // in the third, a quaternion that is none
  for (std::size_t i = 3; i < 7; ++i) states.poses[2 * 21 + i] = 0;
  const std::vector<std::uint8_t> mask = {1, 0, 1, 1, 1, 1};
  write("states.npz", npz_bytes({{"poses", npy_array(DType::kFloat64, {3, 3, 7}, states.poses)},
                                 {"pair_mask", npy_array(DType::kUint8, {3, 2}, mask)}}));
  const Outcome table = evaluate(kMixed, "--states " + path("states.npz"));
  EXPECT_EQ(table.code, 0) << table.out;
  EXPECT_NE(table.out.find("rigid polytopes                  1   pairs, 0 of them overlap\n"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("separation                   0.1 m   the smallest, environment 1, lower and upper\n"),
            std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("contacts                         0\n"), std::string::npos) << table.out;
}

TEST_F(EvaluatePolytopes, ResultsAreStatesOfAnotherRun) {
  const Arrays first = arrays(kCubes, "--envs 20");
  const Outcome again =
      evaluate(kCubes, "--states " + path("r.npz") + " --first 7 --envs 6 --output " + path("again.npz"));
  ASSERT_EQ(again.code, 0) << again.out;
  const std::vector<double> all = elements<double>(first.at("separation"));
  EXPECT_EQ(elements<double>(parse_npz(read("again.npz"), "again.npz").at("separation")),
            std::vector<double>(all.begin() + 14, all.begin() + 26));
}

TEST_F(EvaluatePolytopes, AreNoStatesThemselves) {
  const std::vector<Relation> records(14);
  write("records.npz", npz_bytes({{"poses", npy_records(kRecordFields<Relation>, {1, 2, 7}, records)}}));
  std::string two = kCubes;
  two.erase(two.find(",\n    {\"name\": \"ground\""), two.find(" ],") - two.find(",\n    {\"name\": \"ground\""));
  const Outcome result = evaluate(two.c_str(), "--states " + path("records.npz"));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.out.find("poses: must be float64 or float32, found records"), std::string::npos) << result.out;
}

TEST_F(EvaluatePolytopes, WriteContactsForParaView) {
  const Outcome result =
      evaluate(kCubes, "--vtk " + path("vtk") + " --patches 2 --envs 3 --dt 0.01 --output " + path("r.npz"));
  ASSERT_EQ(result.code, 0) << result.out;
  const std::vector<std::int32_t> needed =
      elements<std::int32_t>(parse_npz(read("r.npz"), "r.npz").at("relations_needed"));
  for (const std::size_t e : {0U, 1U}) {
    const std::string text = read(fmt::format("vtk/contacts_{:04}.vtk", e));
    EXPECT_NE(text.find(fmt::format("POINTS {} float\n", needed[3 * e])), std::string::npos) << text;
  }
  EXPECT_FALSE(std::filesystem::exists(path("vtk/contacts_0002.vtk")));
  const Outcome other = testing::run_program("evaluate --backend cpu " + source_path("bench/scenes/box_on_box.json") +
                                             " --vtk " + path("other"));
  EXPECT_EQ(other.code, 0) << other.out;
  EXPECT_FALSE(std::filesystem::exists(path("other/contacts_0000.vtk"))) << "no rigid polytopes";
}

TEST_F(EvaluatePolytopes, HaveNoPatchesInAPicture) {
  const Outcome result = evaluate(kCubes, "--svg " + path("r.svg"));
  ASSERT_EQ(result.code, 0) << result.out;
  EXPECT_NE(read("r.svg").find("no patches; rigid polytopes have none"), std::string::npos);
}

}  // namespace
}  // namespace isopatch::cli
