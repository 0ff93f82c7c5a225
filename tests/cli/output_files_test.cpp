// SPDX-License-Identifier: Apache-2.0
//
// Output files are complete or not written at all, the old file survives a failure, and lost results are errors.
#include "host/files/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "host/files/descriptor.h"
#include "isopatch/isopatch.h"
#include "tests/mesh/fields/layered_ball.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using testing::error_of;
using testing::Outcome;
using testing::run_shell;

class OutputFiles : public testing::FolderTest {};

TEST_F(OutputFiles, ReplaceWhatWasThereAndKeepItsPermissions) {
  write("a.txt", "old");
  chmod(path("a.txt").c_str(), 0640);
  write_output_file(path("a.txt"), "new");
  EXPECT_EQ(read("a.txt"), "new");
  struct stat status = {};
  ASSERT_EQ(stat(path("a.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(names(), "a.txt ");
}

TEST_F(OutputFiles, FollowALinkAndLeaveItOne) {
  write("real.txt", "old");
  std::filesystem::create_symlink("real.txt", path("link.txt"));
  write_output_file(path("link.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt")));
  EXPECT_EQ(read("real.txt"), "new");
}

TEST_F(OutputFiles, NeverReplaceADeviceAPipeOrAFolder) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string& target : {std::string("/dev/null"), path("pipe"), folder_.string()}) {
    EXPECT_THROW(check_writable(target), Error) << target;
    EXPECT_THROW(write_output_file(target, "bytes"), Error) << target;
  }
  EXPECT_EQ(names(), "pipe ");
}

TEST_F(OutputFiles, TakeTheTemporaryFileOfAKilledRun) {
  write(".a.txt.isopatch", "half of something long");
  write_output_file(path("a.txt"), "new");
  EXPECT_EQ(read("a.txt"), "new");
  EXPECT_EQ(names(), "a.txt ");
}

TEST_F(OutputFiles, RefuseOneThatAnotherRunIsWriting) {
  write("a.txt", "old");
  const Descriptor other(open(path(".a.txt.isopatch").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  EXPECT_TRUE(testing::contains(error_of([&] { write_output_file(path("a.txt"), "new"); }),
                                "a.txt: cannot be written: another run is writing it"));
  EXPECT_EQ(read("a.txt"), "old");
}

// Files of other users can wait in a folder that all may write to, as can links to files of this one.
TEST_F(OutputFiles, LeaveATemporaryFileAloneThatHasAnotherNameToo) {
  write("precious.dat", "precious");
  std::filesystem::create_hard_link(path("precious.dat"), path(".a.txt.isopatch"));
  EXPECT_TRUE(testing::contains(
      error_of([&] { write_output_file(path("a.txt"), "new"); }),
      "a.txt: cannot be written: .a.txt.isopatch beside it is not a file of this user alone; remove it"));
  EXPECT_EQ(read("precious.dat"), "precious");
  EXPECT_EQ(names(), ".a.txt.isopatch precious.dat ");
}

TEST_F(OutputFiles, LeaveATemporaryFileAloneThatIsALinkAPipeOrAnotherUsers) {
  write("precious.dat", "precious");
  std::filesystem::create_symlink("precious.dat", path(".a.txt.isopatch"));
  EXPECT_THROW(write_output_file(path("a.txt"), "new"), Error);
  EXPECT_EQ(read("precious.dat"), "precious");
  std::filesystem::remove(path(".a.txt.isopatch"));

  ASSERT_EQ(mkfifo(path(".a.txt.isopatch").c_str(), 0600), 0);
  EXPECT_THROW(write_output_file(path("a.txt"), "new"), Error);
  std::filesystem::remove(path(".a.txt.isopatch"));

  write(".a.txt.isopatch", "theirs");
  constexpr uid_t kNobody = 65534;
  if (chown(path(".a.txt.isopatch").c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_THROW(write_output_file(path("a.txt"), "new"), Error);
  EXPECT_EQ(read(".a.txt.isopatch"), "theirs");
  EXPECT_FALSE(std::filesystem::exists(path("a.txt")));
}

TEST_F(OutputFiles, ThatComePieceByPieceAreThereOnlyWhenTheyAreFinished) {
  write("a.txt", "old");
  {
    const OutputFile unfinished(path("a.txt"));
    ASSERT_EQ(::write(unfinished.descriptor(), "new", 3), 3);
  }
  EXPECT_EQ(read("a.txt"), "old");
  OutputFile file(path("a.txt"));
  ASSERT_EQ(::write(file.descriptor(), "new", 3), 3);
  EXPECT_EQ(read("a.txt"), "old");
  EXPECT_THROW(OutputFile(path("a.txt")), Error);  // another one at the same time
  file.finish();
  EXPECT_EQ(read("a.txt"), "new");
  EXPECT_EQ(names(), "a.txt ");
}

TEST_F(OutputFiles, SayThatAFolderIsMissing) {
  EXPECT_TRUE(testing::contains(error_of([&] { write_output_file(path("none/a.txt"), ""); }), "cannot be written"));
}

using testing::run_program;

const std::string kScene = source_path("bench/scenes/sphere_on_box.json");
const std::string kCube = source_path("tests/scenes/cube.obj");
const std::string kTet = source_path("tests/scenes/oracle6_a.vtk");

// The file itself, a link to it, and another name of it.
TEST_F(OutputFiles, NeverReplaceAnInput) {
  const std::string scene = path("s.json"), start = path("x.npz");
  std::filesystem::copy_file(kScene, scene);
  const std::string scene_before = read("s.json");
  ASSERT_EQ(run_program("evaluate --backend cpu --envs 3 " + scene + " --output " + start).code, 0);
  const std::string before = read("x.npz");
  for (const std::string name : {"link", "hard"}) {
    for (const std::string end : {".json", ".npz", ".svg", ".html"}) {
      const std::string& of = end == ".npz" ? start : scene;
      const std::string made = path(name + end);
      name == "link" ? std::filesystem::create_symlink(of, made) : std::filesystem::create_hard_link(of, made);
    }
  }
  std::filesystem::create_directory(path("v"));
  std::filesystem::create_hard_link(scene, path("v/patches_0000.vtk"));
  const std::string evaluate = "evaluate --backend cpu " + scene, rollout = "rollout --backend cpu --steps 1 " + scene;
  std::vector<std::string> commands = {evaluate + " --output " + scene};
  for (const std::string name : {"link", "hard"}) {
    commands.push_back(evaluate + " --output " + path(name + ".json"));
    commands.push_back(evaluate + " --svg " + path(name + ".svg"));
    commands.push_back(evaluate + " --states " + start + " --output " + path(name + ".npz"));
    commands.push_back(rollout + " --states " + start + " --output " + path(name + ".npz"));
    commands.push_back("render " + scene + " --output " + path(name + ".html"));
  }
  commands.push_back(evaluate + " --states " + start + " --output " + start);
  commands.push_back(rollout + " --states " + start + " --output " + start);
  commands.push_back(evaluate + " --vtk " + path("v"));
  for (const std::string& command : commands) {
    const Outcome result = run_program(command);
    EXPECT_EQ(result.code, 2) << command << "\n" << result.out;
    EXPECT_TRUE(testing::contains(result.out, "it is an input, which would be lost; give another name") ||
                testing::contains(result.out, "built without"))
        << command << "\n"
        << result.out;
    EXPECT_EQ(read("s.json"), scene_before) << command;
    EXPECT_EQ(read("x.npz"), before) << command;
  }
}

TEST_F(OutputFiles, MayReplaceTheMeshThatAFieldIsComputedFor) {
  write_vtk(testing::layered_ball(2, 4, 0.2), path("ball.vtk"));
  EXPECT_EQ(run_program("field " + path("ball.vtk") + " " + path("ball.vtk")).code, 0);
}

// A limit on the size of files stands for a full disk: writing fails after the first kilobytes.
TEST_F(OutputFiles, OfFieldInPlaceSurviveAFullDisk) {
  write_vtk(testing::layered_ball(2, 4, 0.2), path("ball.vtk"));
  const std::string before = read("ball.vtk");
  ASSERT_GT(before.size(), 8192U);
  const Outcome result =
      run_shell("ulimit -f 8; trap '' XFSZ; " + program_path() + " field " + path("ball.vtk") + " " + path("ball.vtk"));
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_TRUE(testing::contains(result.out, "ball.vtk: cannot be written: ")) << result.out;
  EXPECT_EQ(read("ball.vtk"), before);
  EXPECT_EQ(names(), "ball.vtk ");
}

TEST_F(OutputFiles, OfEvaluateLeaveNothingBehindOnAFullDisk) {
  const Outcome result = run_shell("ulimit -f 8; trap '' XFSZ; " + program_path() +
                                   " evaluate --backend cpu --envs 500 " + kScene + " --output " + path("o.npz"));
  EXPECT_EQ(result.code, 2) << result.out;
  EXPECT_EQ(names(), "");
}

// The file system makes writing slow enough to be caught at it only by chance, so a run is killed at many moments.
TEST_F(OutputFiles, OfARunThatIsEndedBySignalsAreWholeOrNotThere) {
  const std::string command = program_path() + " evaluate --backend cpu --energy --envs 3000 " + kScene + " --output " +
                              path("o.npz") + " >/dev/null & pid=$!; sleep ";
  for (const char* name : {"INT", "TERM", "HUP"}) {
    for (const char* moment : {"0.02", "0.05", "0.1", "0.2", "0.3"}) {
      run_shell(command + moment + "; kill -" + name + " $pid; wait $pid");
      const std::string left = names();
      EXPECT_TRUE(left.empty() || left == "o.npz ") << name << " after " << moment << " s: " << left;
      std::filesystem::remove(path("o.npz"));
    }
  }
}

TEST_F(OutputFiles, ResultsThatCannotBePrintedAreErrors) {
  std::filesystem::create_directory(path("v"));
  std::vector<std::string> commands = {"--help",
                                       "evaluate --help",
                                       "evaluate " + kScene,
                                       "evaluate --envs 3 " + kScene,
                                       "evaluate --output " + path("o.npz") + " " + kScene,
                                       "info " + kScene,
                                       "info " + kCube,
                                       "info " + kTet,
                                       "field " + kTet + " " + path("f.vtk")};
  if (run_shell("command -v tetgen || command -v gmsh").code == 0)
    commands.push_back("tetrahedralize " + kCube + " " + path("c.vtk"));
  for (const std::string& command : commands) {
    for (const char* where : {">/dev/full", ">&-"}) {
      const Outcome result = run_shell(program_path() + " " + command + " 2>&1 " + where);
      EXPECT_EQ(result.code, 2) << command << where << "\n" << result.out;
      EXPECT_TRUE(result.out.starts_with("isopatch: error: standard output cannot be written: ")) << result.out;
      EXPECT_EQ(result.out.find('\n'), result.out.size() - 1) << result.out;
    }
  }
}

TEST_F(OutputFiles, NumbersOutOfRangeAreErrorsAndNotTheNearest) {
  const std::string evaluate = "evaluate " + kScene + " --output " + path("o.npz") + " ";
  const std::string field = "field " + source_path("tests/scenes/oracle6_a.vtk") + " " + path("f.vtk") + " ";
  for (const std::string& command :
       {evaluate + "--seed -1", evaluate + "--seed 18446744073709551616", evaluate + "--seed 100000000000000000000000",
        evaluate + "--seed 1.5", evaluate + "--seed 0x10", evaluate + "--envs 100000000000000000000000",
        evaluate + "--envs -1", evaluate + "--threads 4294967297", evaluate + "--patches 18446744073709551616",
        field + "--kind laplace --core-ball 0 0 0 inf", field + "--kind laplace --core-ball nan 0 0 1",
        field + "--kind laplace --core-ball 0 0 0 1e999", field + "--kind laplace --core-ball 0 0 0 -1",
        field + "--kind laplace --core-depth inf", field + "--kind laplace --core-vertices 4294967296",
        field + "--kind laplace --core-vertices -1", field + "--power nan", field + "--true-strain 1e999"}) {
    const Outcome result = run_program(command);
    EXPECT_EQ(result.code, 2) << command << "\n" << result.out;
    EXPECT_TRUE(result.out.starts_with("isopatch: error: ")) << command << "\n" << result.out;
  }
  EXPECT_EQ(names(), "");
  EXPECT_EQ(run_program(evaluate + "--seed 18446744073709551615").code, 0);
}

// Empty lists of pairs are scenes too.
TEST_F(OutputFiles, OfASceneWithoutPairsHoldNone) {
  const std::string scene = write("alone.json", R"({"isopatch": 1, "geometries": {"b": {"type": "box",
    "size": [1, 1, 1]}}, "bodies": [{"name": "b", "geometry": "b"}], "pairs": []})");
  for (const char* backend : {"cpu", "reference"}) {
    const Outcome result = run_program(std::string("evaluate --backend ") + backend + " " + scene);
    EXPECT_EQ(result.code, 0) << result.out;
    EXPECT_TRUE(testing::contains(result.out, "{\"status\": 0, \"pairs\": [],\n   \"poses\": [[")) << result.out;
  }
  EXPECT_EQ(run_program("evaluate --envs 70 --vtk " + path("v") + " --output " + path("o.npz") + " " + scene).code, 0);
}

}  // namespace
}  // namespace isopatch::cli
