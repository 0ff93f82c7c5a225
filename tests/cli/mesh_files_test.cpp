// SPDX-License-Identifier: Apache-2.0
//
// Mesh files of every format through the built program.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/paths/paths.h"

namespace isopatch::cli {
namespace {

const std::string kTests = source_path("tests/");

// The exit code, and stdout and stderr.
std::pair<int, std::string> run_program(const std::string& arguments) {
  FILE* pipe = popen((program_path() + " " + arguments + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, ""};
  std::string out;
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), count);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

/// What info knows of a surface stands before the error.
TEST(MeshFiles, BrokenOnesEndInfoWithCode2AndOneLineOfError) {
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(kTests + "broken/meshes")) {
    if (file.path().extension() == ".json") continue;
    const auto [code, out] = run_program("info " + file.path().string());
    EXPECT_EQ(code, 2) << file.path() << ": " << out;
    const std::size_t error = out.find("isopatch: error: ");
    ASSERT_NE(error, std::string::npos) << file.path() << ": " << out;
    EXPECT_EQ(out.find('\n', error), out.size() - 1) << file.path() << ": " << out;
    EXPECT_NE(out.find(file.path().string(), error), std::string::npos) << out;
    ++files;
  }
  EXPECT_GE(files, 100);
}

TEST(MeshFiles, InfoDescribesASurfaceThatIsNotClosed) {
  const auto [code, out] = run_program("info " + kTests + "broken/meshes/open.obj");
  EXPECT_EQ(code, 2) << out;
  for (const char* part : {"\n  points                           4\n", "\n  triangles                        3\n",
                           "\n  lowest x y z", "\n  highest x y z", "the surface must be closed"})
    EXPECT_NE(out.find(part), std::string::npos) << part << "\n" << out;
}

TEST(MeshFiles, InfoDescribesASurface) {
  const auto [code, out] = run_program("info " + kTests + "scenes/cube.obj");
  EXPECT_EQ(code, 0) << out;
  for (const char* part : {"points", "8", "triangles", "12", "volume", "0.001  m^3", "hierarchy"})
    EXPECT_NE(out.find(part), std::string::npos) << out;
}

TEST(MeshFiles, InfoDescribesTetMeshesOfEveryFormat) {
  for (const char* file : {"fuzz/corpus/msh/ascii_4_1.msh", "fuzz/corpus/msh/binary_2_2.msh",
                           "fuzz/corpus/vtu/ascii.vtu", "fuzz/corpus/vtu/appended_zlib.vtu"}) {
    const auto [code, out] = run_program("info " + kTests + file);
    EXPECT_EQ(code, 0) << out;
    EXPECT_NE(out.find("point data"), std::string::npos) << out;
    EXPECT_NE(out.find("extent"), std::string::npos) << out;
  }
}

// A rigid cube of 0.1 m, 20 mm deep in a half space of 1e5 Pa at 0.1 m.
TEST(MeshFiles, EvaluateTakesASceneWithASurfaceMesh) {
  const auto [code, out] =
      run_program("evaluate --energy --backend cpu --precision double " + kTests + "scenes/cube_on_ground.json");
  ASSERT_EQ(code, 0) << out;
  const auto pair = nlohmann::json::parse(out.substr(out.find('{'))).at("environments").at(0).at("pairs").at(0);
  const double slope = 1e5 / 0.1, volume = 0.1 * 0.1 * 0.02;
  EXPECT_NEAR(pair.at("force")[2].get<double>(), slope * volume, 1e-12 * slope * volume);
  // the integral of the pressure over what is below the plane
  EXPECT_NEAR(pair.at("energy").get<double>(), slope * 0.1 * 0.1 * 0.02 * 0.02 / 2, 1e-12);
}

TEST(MeshFiles, AreLookedForInTheFolderThatDataNames) {
  const std::string file =
      (std::filesystem::temp_directory_path() / ("isopatch_data_" + std::to_string(getpid()) + ".json")).string();
  std::filesystem::copy_file(kTests + "scenes/cube_on_ground.json", file);
  for (const char* command : {"evaluate --backend cpu", "rollout --backend cpu --steps 1", "info"}) {
    const auto [missing, message] = run_program(std::string(command) + " " + file);
    EXPECT_EQ(missing, 2) << message;
    EXPECT_NE(message.find("cube.obj"), std::string::npos) << message;
    const auto [code, out] = run_program(std::string(command) + " " + file + " --data " + kTests + "scenes");
    EXPECT_EQ(code, 0) << out;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace isopatch::cli
