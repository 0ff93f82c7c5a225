// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "isopatch/isopatch.h"
#include "tests/mesh/fields/layered_ball.h"
#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::cli {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class FieldCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    arguments_.input = path("in.vtk");
    arguments_.output = path("out.vtk");
    write_vtk(isopatch::testing::layered_ball(1, 4, 0.2), arguments_.input);
  }

  std::string path(const std::string& name) const { return temporary_.path(name); }

  std::string run() const {
    ::testing::internal::CaptureStdout();
    field_command(arguments_);
    std::fflush(stdout);
    return ::testing::internal::GetCapturedStdout();
  }

  std::string error() const {
    try {
      field_command(arguments_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  isopatch::testing::TemporaryFolder temporary_;
  FieldArguments arguments_;
};

TEST_F(FieldCommand, WritesWhatASceneTakesAsPointData) {
  arguments_.kind = "laplace";
  arguments_.core_depth = 0.5;
  const std::string out = run();
  EXPECT_TRUE(contains(out, "aligned faces")) << out;
  EXPECT_TRUE(contains(out, "100.0 %")) << out;
  EXPECT_TRUE(contains(out, "kinks")) << out;

  FieldOptions options;
  options.kind = FieldOptions::Kind::kLaplace;
  options.core.kind = FieldCore::Kind::kDepth;
  options.core.depth = 0.5;
  const Geometry expected = make_tet_mesh("ball", read_vtk(arguments_.input), options);
  options.kind = FieldOptions::Kind::kPointData;
  EXPECT_EQ(make_tet_mesh("ball", read_vtk(arguments_.output), options).extent, expected.extent);
}

TEST_F(FieldCommand, NamesTheFieldAndMapsIt) {
  arguments_.name = "depth";
  arguments_.power = 2;
  run();
  const TetMesh mesh = read_vtk(arguments_.output);
  const std::vector<double> linear = make_tet_mesh("ball", read_vtk(arguments_.input)).extent;
  const std::vector<double>& squared = mesh.point_data.at("depth");
  EXPECT_GT(squared.size(), linear.size());  // tets were cut
  const double tolerance = StrainMap().tolerance;
  for (std::size_t i = 0; i < linear.size(); ++i) {
    EXPECT_NEAR(squared[i], linear[i] * linear[i], 1.001 * tolerance * linear[i] * linear[i]);
  }
}

TEST_F(FieldCommand, RefusesWhatDoesNotFitAndWritesNothing) {
  arguments_.core_depth = 0.5;
  EXPECT_TRUE(contains(error(), "add --kind laplace"));
  arguments_.kind = "laplace";
  arguments_.core_vertices = {3};
  EXPECT_TRUE(contains(error(), "exclude each other"));
  arguments_.core_vertices = {};
  arguments_.core_depth = 5;
  EXPECT_TRUE(contains(error(), "in.vtk: the core has no vertex"));
  arguments_.core_depth = -1;
  EXPECT_TRUE(contains(error(), "--core-depth: must be finite and greater than 0, found -1"));
  arguments_.core_depth.reset();
  arguments_.true_strain = 1.5;
  EXPECT_TRUE(contains(error(), "it must be above 0 and at most 0.999999"));
  arguments_.power = 2;
  EXPECT_TRUE(contains(error(), "--true-strain and --power exclude each other"));
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(FieldCommand, RefusesABallThatIsNone) {
  arguments_.kind = "laplace";
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const std::vector<double>& ball : {std::vector<double>{0, 0, 0, infinity},
                                          {0, 0, 0, nan},
                                          {nan, 0, 0, 1},
                                          {0, infinity, 0, 1},
                                          {0, 0, 0, 0},
                                          {0, 0, 0, -1}}) {
    arguments_.core_ball = ball;
    EXPECT_TRUE(contains(error(), "--core-ball: must be a finite center and a radius greater than 0, found "))
        << error();
  }
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(FieldCommand, RefusesANameThatCannotBeShown) {
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("\x1b[31m"), std::string("\xff"), std::string(61, 'a')}) {
    arguments_.name = name;
    EXPECT_TRUE(contains(error(), "--name: must be 1 to 60 bytes of printable characters, found '")) << error();
  }
  EXPECT_FALSE(std::filesystem::exists(arguments_.output));
}

TEST_F(FieldCommand, WritesNamesThatComeBack) {
  for (const char* name : {"a b", "100%", "%41", "\"x\"", "M\u00fcller", "LOOKUP_TABLE", "'"}) {
    arguments_.name = name;
    run();
    EXPECT_EQ(read_vtk(arguments_.output).point_data.count(name), 1U) << name;
  }
}

TEST_F(FieldCommand, ReadsItsOptions) {
  const std::string program = program_path() + " field " + arguments_.input + " " + arguments_.output;
  const auto exit_code = [](const std::string& command) { return WEXITSTATUS(std::system(command.c_str())); };
  EXPECT_EQ(exit_code(program + " --kind laplace --core-ball 0 0 0.05 0.3 --true-strain 0.9 > " + path("log")), 0);
  EXPECT_TRUE(std::filesystem::exists(arguments_.output));
  EXPECT_EQ(exit_code(program + " --kind laplace --core-vertices 3 5 > " + path("log")), 0);
  EXPECT_EQ(exit_code(program + " --kind harmonic 2> " + path("log")), 2);
  EXPECT_EQ(exit_code(program + " --kind laplace --core-ball 0 0 1 2> " + path("log")), 2);
}

}  // namespace
}  // namespace isopatch::cli
