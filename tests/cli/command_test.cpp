// SPDX-License-Identifier: Apache-2.0
//
// The built program, run as a user runs it.
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/npz_arrays.h"
#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::cli {

using namespace detail;

namespace {

const std::string kScenes = source_path("bench/scenes/");
const std::string kTestScenes = source_path("tests/scenes/");

struct Outcome {
  int code;
  std::string out;  // stdout and stderr
};

Outcome run(const std::string& arguments) {
  Outcome result{-1, ""};
  FILE* pipe = popen((program_path() + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.out.append(buffer.data(), count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// A directory of the test's own, gone afterwards.
class Command : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return temporary_.path(name); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(temporary_.folder()), {}));
  }

  isopatch::testing::TemporaryFolder temporary_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Command, EvaluatePrintsTheOracleAsJson) {
  const Outcome result =
      run("evaluate --energy --backend reference --precision double " + kTestScenes + "oracle6.json");
  ASSERT_EQ(result.code, 0) << result.out;
  const auto json = nlohmann::json::parse(result.out.substr(result.out.find('{')));
  const auto& environment = json.at("environments").at(0);
  EXPECT_EQ(environment.at("status"), 0);
  EXPECT_FALSE(environment.contains("status_text"));
  const auto& pair = environment.at("pairs").at(0);
  EXPECT_EQ(pair.at("bodies"), nlohmann::json({"a", "b"}));
  EXPECT_NEAR(pair.at("area").get<double>(), 3.5, 1e-12);
  EXPECT_NEAR(pair.at("force")[2].get<double>(), 1.4e5, 1e-6);
  EXPECT_NEAR(pair.at("torque")[0].get<double>(), 9791.6666666667, 1e-6);
  EXPECT_EQ(pair.at("polygons"), 1);
  for (const char* key : {"center_of_pressure", "max_pressure", "energy"}) EXPECT_TRUE(pair.contains(key)) << key;
}

TEST_F(Command, EvaluateGivesOracle9OnTheCpu) {
  const Outcome result = run("evaluate --backend cpu --precision double " + kTestScenes + "oracle9.json");
  ASSERT_EQ(result.code, 0) << result.out;
  const auto json = nlohmann::json::parse(result.out.substr(result.out.find('{')));
  const auto& pair = json.at("environments").at(0).at("pairs").at(0);
  constexpr double kTolerance = 1e-5;  // N; fan6 is within 2e-7 of the oracle, relative
  EXPECT_NEAR(pair.at("force")[0].get<double>(), -3.0391709, kTolerance);
  EXPECT_NEAR(pair.at("force")[2].get<double>(), 6.2771649, kTolerance);
  EXPECT_EQ(pair.at("polygons"), 24);
}

TEST_F(Command, EvaluateWritesNpzOfTheSameNumbersAsJson) {
  const std::string scene = "evaluate --energy --backend cpu --envs 5 --seed 3 " + kScenes + "box_stack.json --output ";
  const Outcome json_run = run(scene + path("out.json")), npz_run = run(scene + path("out.npz"));
  ASSERT_EQ(json_run.code, 0) << json_run.out;
  ASSERT_EQ(npz_run.code, 0) << npz_run.out;
  EXPECT_NE(npz_run.out.find("environments/s"), std::string::npos) << npz_run.out;
  EXPECT_NE(npz_run.out.find("tet pairs"), std::string::npos) << npz_run.out;

  const auto arrays = parse_npz(read(path("out.npz")), "out.npz");
  const auto json = nlohmann::json::parse(read(path("out.json")));
  const auto pairs = static_cast<std::int64_t>(json.at("environments").at(0).at("pairs").size());
  EXPECT_EQ(arrays.at("pair_wrench").shape, (std::vector<std::int64_t>{5, pairs, 6}));
  EXPECT_EQ(arrays.at("body_wrench").shape, (std::vector<std::int64_t>{5, 5, 6}));
  EXPECT_EQ(arrays.at("energy").shape, (std::vector<std::int64_t>{5, pairs}));
  EXPECT_EQ(arrays.at("status").shape, (std::vector<std::int64_t>{5}));
  EXPECT_EQ(arrays.at("poses").shape, (std::vector<std::int64_t>{5, 5, 7}));
  EXPECT_EQ(arrays.at("velocities").shape, (std::vector<std::int64_t>{5, 5, 6}));
  EXPECT_EQ(arrays.size(), 12u);

  const auto reals = [&arrays](const char* name) {
    std::vector<double> values(arrays.at(name).bytes.size() / sizeof(double));
    std::memcpy(values.data(), arrays.at(name).bytes.data(), values.size() * sizeof(double));
    return values;
  };
  const std::vector<double> wrench = reals("pair_wrench"), poses = reals("poses"), velocities = reals("velocities");
  for (std::size_t row = 0; row < 25; ++row) {
    const auto& environment = json["environments"][row / 5];
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(environment["poses"][row % 5][i], poses[row * 7 + i]);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(environment["velocities"][row % 5][i], velocities[row * 6 + i]);
  }
  for (std::size_t environment = 0; environment < 5; ++environment)
    for (std::size_t pair = 0; pair < static_cast<std::size_t>(pairs); ++pair)
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(json["environments"][environment]["pairs"][pair]["force"][i].get<double>(),
                  wrench[(environment * static_cast<std::size_t>(pairs) + pair) * 6 + i]);
}

TEST_F(Command, EvaluateHasNoEnergyUnlessAskedForIt) {
  const std::string evaluate = "evaluate --backend cpu " + kScenes + "sphere_on_box.json ";
  EXPECT_EQ(run(evaluate).out.find("energy"), std::string::npos);
  EXPECT_NE(run(evaluate + "--energy").out.find("energy"), std::string::npos);
  for (const bool with_energy : {false, true}) {
    ASSERT_EQ(run(evaluate + (with_energy ? "--energy" : "") + " --output " + path("e.npz")).code, 0);
    EXPECT_EQ(parse_npz(read(path("e.npz")), "e.npz").contains("energy"), with_energy);
  }
}

TEST_F(Command, EvaluateGivesTheSameFileTwice) {
  const std::string scene = "evaluate --backend cpu --envs 300 --seed 9 " + kScenes + "sphere_on_box.json --output ";
  ASSERT_EQ(run(scene + path("a.npz") + " --threads 1").code, 0);
  ASSERT_EQ(run(scene + path("b.npz")).code, 0);
  EXPECT_EQ(read(path("a.npz")), read(path("b.npz")));
}

TEST_F(Command, EvaluateReadsStates) {
  const auto pose_array = [](const std::vector<double>& poses) {
    NpyArray array{
        DType::kFloat64, {static_cast<std::int64_t>(poses.size() / 14), 2, 7}, std::string(poses.size() * 8, '\0')};
    std::memcpy(array.bytes.data(), poses.data(), array.bytes.size());
    return array;
  };
  const double nan = std::nan("");
  std::ofstream(path("s.npz"), std::ios::binary)
      << npz_bytes({{"poses", pose_array({0.01, -0.02, 0.145, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                          nan,  0,     0,     1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})}});
  const Outcome result = run("evaluate --backend cpu " + kScenes + "sphere_on_box.json --states " + path("s.npz") +
                             " --output " + path("o.json"));
  ASSERT_EQ(result.code, 0) << result.out;
  const auto json = nlohmann::json::parse(read(path("o.json"))).at("environments");
  ASSERT_EQ(json.size(), 2u);
  EXPECT_GT(json[0]["pairs"][0]["force"][2].get<double>(), 1);
  EXPECT_EQ(json[1]["status_text"], "bad_pose");
  EXPECT_EQ(json[1]["pairs"][0]["force"][2].get<double>(), 0);
  EXPECT_EQ(json[0]["poses"][0], nlohmann::json({0.01, -0.02, 0.145, 1, 0, 0, 0}));
  EXPECT_TRUE(json[1]["poses"][0][0].is_null());
}

TEST_F(Command, EvaluateWarnsOfAnOverlapWithoutAContactSurface) {
  std::ofstream(path("plate.json")) << R"({"isopatch": 1,
    "geometries": {"plate": {"type": "box", "size": [0.1, 0.1, 0.002]}, "ground": {"type": "half_space"}},
    "bodies": [{"name": "plate", "geometry": "plate", "position": [0, 0, -0.01]},
               {"name": "ground", "geometry": "ground", "modulus": 1e8}]})";
  const Outcome result = run("evaluate --energy --backend cpu " + path("plate.json"));
  ASSERT_EQ(result.code, 0) << result.out;
  const auto environment = nlohmann::json::parse(result.out.substr(result.out.find('{'))).at("environments").at(0);
  EXPECT_EQ(environment.at("status"), 128);
  EXPECT_EQ(environment.at("status_text"), "no_contact_surface");
  EXPECT_EQ(environment.at("pairs").at(0).at("force"), nlohmann::json({0, 0, 0}));
  EXPECT_GT(environment.at("pairs").at(0).at("energy"), 0);

  const Outcome table = run("evaluate --backend cpu " + path("plate.json") + " --output " + path("o.npz"));
  EXPECT_EQ(table.code, 0) << table.out;
  EXPECT_NE(table.out.find("1   no_contact_surface"), std::string::npos) << table.out;
}

TEST_F(Command, EvaluateWritesPatchesForParaview) {
  const Outcome result =
      run("evaluate --backend cpu --envs 3 --patches 2 --vtk " + path("vtk") + " " + kScenes + "sphere_on_box.json");
  ASSERT_EQ(result.code, 0) << result.out;
  for (const char* file :
       {"vtk/patches_0000.vtk", "vtk/bodies_0000.vtk", "vtk/patches_0001.vtk", "vtk/bodies_0001.vtk"})
    EXPECT_TRUE(read(path(file)).starts_with("# vtk DataFile")) << file;
  EXPECT_FALSE(std::filesystem::exists(path("vtk/patches_0002.vtk")));
  EXPECT_NE(read(path("vtk/patches_0000.vtk")).find("POLYGONS 24 "), std::string::npos);
}

TEST_F(Command, ErrorsAreOneLineCode2AndLeaveNothingBehind) {
  const std::string scene = kScenes + "sphere_on_box.json ";
  std::ofstream(path("bad.npz")) << "no archive at all, really";
  const std::vector<std::string> cases = {
      "evaluate none.json",
      "evaluate",
      "",
      "evalute",
      "evaluate " + scene + "--backend gpu",
      "evaluate " + scene + "--envs 0",
      "evaluate " + scene + "--envs x",
      "evaluate " + scene + "--output " + path("o.txt"),
      "evaluate " + scene + "--output " + path("none/o.json"),
      "evaluate " + scene + "--states " + path("bad.npz") + " --output " + path("o.json"),
      "evaluate " + scene + "--states " + path("bad.npz") + " --envs 2",
      "info none.vtk",
      "info " + path("bad.npz"),
      "evaluate " + source_path("tests/broken/scenes/unknown_field.json") + " --output " + path("o.json")};
  for (const std::string& arguments : cases) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.code, 2) << arguments << "\n" << result.out;
    EXPECT_EQ(result.out.rfind("isopatch: error: ", 0), 0u) << arguments << "\n" << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << arguments << "\n" << result.out;
  }
  EXPECT_EQ(files(), 1u) << "only bad.npz";
}

TEST_F(Command, InfoDescribesScenesAndMeshes) {
  const Outcome scene = run("info " + kScenes + "box_stack.json");
  EXPECT_EQ(scene.code, 0);
  for (const char* word : {"half space", "left", "right", "modulus", "rigid"})
    EXPECT_NE(scene.out.find(word), std::string::npos) << scene.out;
  const Outcome mesh = run("info " + kTestScenes + "oracle6_a.vtk");
  EXPECT_EQ(mesh.code, 0) << mesh.out;
  for (const char* word : {"tets", "volume", "quality", "hierarchy"})
    EXPECT_NE(mesh.out.find(word), std::string::npos) << mesh.out;
}

TEST_F(Command, InfoListsLayersAndOneSidedBodies) {
  std::ofstream(path("scene.json")) << R"({"isopatch": 1,
    "geometries": {"cup": {"type": "box", "size": [0.1, 0.1, 0.1]},
                   "pad": {"type": "half_space", "strain": {"table": [[0, 0], [0.5, 0.2], [0.8, 0.5], [1, 1]]}}},
    "bodies": [{"name": "cup", "geometry": "cup", "modulus": 1e9, "one_sided": true},
               {"name": "pad", "geometry": "pad", "fixed": true}]})";
  const Outcome scene = run("info " + path("scene.json"));
  EXPECT_EQ(scene.code, 0) << scene.out;
  for (const char* row :
       {"  pad       half space of 3 layers", "fixed  one-sided\n", "no        yes\n", "yes         no\n"})
    EXPECT_NE(scene.out.find(row), std::string::npos) << row << scene.out;
}

// The tet of the unit vectors: see tests/mesh/mass_properties_test.cpp.
TEST_F(Command, InfoPrintsCentersOfMassAndInertias) {
  std::ofstream(path("tet.obj")) << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const Outcome surface = run("info " + path("tet.obj"));
  for (const char* row :
       {"  center of mass      0.25 0.25 0.25  m\n", "  inertia xx yy zz    0.0125 0.0125 0.0125  kg m^2",
        "  inertia xy xz yz    0.00208333 0.00208333 0.00208333  kg m^2\n"})
    EXPECT_NE(surface.out.find(row), std::string::npos) << surface.out;
  const Outcome mesh = run("info " + kTestScenes + "oracle6_a.vtk");
  EXPECT_NE(mesh.out.find("  inertia xx yy zz    12.8 12.8 8.53333  kg m^2"), std::string::npos) << mesh.out;
  const Outcome scene = run("info " + kScenes + "box_stack.json");
  EXPECT_NE(scene.out.find("  slab      0 0 0                      3.125e-06   5.3125e-06   7.8125e-06   0   0   0\n"),
            std::string::npos)
      << scene.out;
}

// Three tets around an edge from surface to surface. They are split for a field that is computed.
TEST_F(Command, InfoCountsCrossingEdges) {
  std::ofstream(path("three.vtk")) << "# vtk DataFile Version 3.0\nthree tets\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                                      "POINTS 5 double\n0 0 -1  0 0 1  1 0 0  -1 2 0  -1 -2 0\n"
                                      "CELLS 3 15\n4 0 1 2 3\n4 0 1 3 4\n4 0 1 4 2\nCELL_TYPES 3\n10\n10\n10\n"
                                      "POINT_DATA 5\nSCALARS p double\nLOOKUP_TABLE default\n0 1 0 0 0\n";
  const Outcome computed = run("info " + path("three.vtk"));
  for (const char* row :
       {"  crossing edges                   1  through the inside from surface to surface, as found\n",
        "  all-boundary tets                3  as found\n", "  split tets                       3  by the",
        "  tets                             6\n"})
    EXPECT_NE(computed.out.find(row), std::string::npos) << computed.out;
  const Outcome as_it_is = run("info --field p " + path("three.vtk"));
  for (const char* row : {"  crossing edges                   1  through the inside from surface to surface\n",
                          "  all-boundary tets                3\n", "  tets                             3\n"})
    EXPECT_NE(as_it_is.out.find(row), std::string::npos) << as_it_is.out;
}

TEST_F(Command, InfoReportsTheFieldAskedFor) {
  const std::string mesh = kTestScenes + "oracle6_a.vtk";
  const Outcome file = run("info --field extent " + mesh);
  EXPECT_EQ(file.code, 0) << file.out;
  EXPECT_NE(file.out.find("extent  from"), std::string::npos) << file.out;
  EXPECT_EQ(file.out.find("split"), std::string::npos) << "taken as it is\n" << file.out;
  const Outcome distance = run("info " + mesh);
  EXPECT_NE(distance.out.find("distance  from 0 to 1"), std::string::npos) << distance.out;
  const Outcome none = run("info --field depth " + mesh);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.out.find("no scalar point data 'depth'; the mesh has 'extent'"), std::string::npos) << none.out;
}

TEST_F(Command, HelpNamesTheOptions) {
  const Outcome result = run("evaluate --help");
  EXPECT_EQ(result.code, 0);
  for (const char* option :
       {"--backend", "--precision", "--envs", "--seed", "--threads", "--states", "--output", "--vtk"})
    EXPECT_NE(result.out.find(option), std::string::npos) << option;
}

TEST_F(Command, AnInterruptLeavesNoOutput) {
  const Outcome result =
      run("evaluate --backend reference --envs 1000000 " + kScenes + "sphere_on_box.json --output " + path("o.npz") +
          " & pid=$!; sleep 1; for i in 1 2 3 4 5; do kill -INT $pid; sleep 0.4; done; wait $pid");
  EXPECT_EQ(result.code, 130) << result.out;
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace isopatch::cli
