// SPDX-License-Identifier: Apache-2.0
//
// `isopatch render` and `view`. Python's tests look at the pictures.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "host/cli/render/picture_frames.h"
#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

const std::string kStack = source_path("bench/scenes/box_stack.json");
const std::string kBall = source_path("bench/scenes/bouncing_ball.json");

struct Render : FolderTest {
  void SetUp() override {
    if (run_program("--version").out.find("render    yes") == std::string::npos) {
      GTEST_SKIP() << run_program("render " + kStack + " -o " + path("x.glb")).out;
    }
  }

  Outcome render(const std::string& arguments) const { return run_program("render " + arguments); }

  void expect_refused(const std::string& arguments, const std::string& message) const {
    const auto [code, out] = render(arguments);
    EXPECT_EQ(code, 2) << arguments;
    EXPECT_NE(out.find(message), std::string::npos) << arguments << "\n" << out;
  }

  void make_rollout() const {
    const auto [code, out] =
        run_program("rollout --backend cpu --steps 20 --every 2 --envs 3 " + kBall + " --output " + path("run.npz"));
    ASSERT_EQ(code, 0) << out;
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

TEST_F(Render, WritesAPageThatAsksForNothing) {
  const auto [code, out] = render(kStack + " -o " + path("stack.html"));
  EXPECT_EQ(code, 0) << out;
  const std::string page = read("stack.html");
  EXPECT_NE(page.find("<title>box_stack.json</title>"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(count(page, "src=\""), 0u);
  EXPECT_LT(page.size(), 1'200'000u);
  for (const char* mark : {"@TITLE@", "@STYLE@", "@THREE@", "@GLTF_LOADER@", "@ORBIT_CONTROLS@", "@RECORD@", "@PLOT@",
                           "@PANEL@", "@PICTURE@", "@VIEWER@", "@GLB@"}) {
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
  }
  EXPECT_NE(out.find("stack.html\n  frames"), std::string::npos) << out;
}

TEST_F(Render, WritesAPageBesideTheSourceWithoutAnOutput) {
  std::filesystem::copy_file(kStack, path("stack.json"));
  std::ofstream(path("stack.html")) << "an older page";
  const auto [code, out] = render(path("stack.json"));
  EXPECT_EQ(code, 0) << out;
  EXPECT_EQ(out.find(path("stack.html") + "\n"), 0u) << out;
  EXPECT_NE(read("stack.html").find("<title>stack.json</title>"), std::string::npos);
  make_rollout();
  EXPECT_EQ(render(path("run.npz")).out.find(path("run.html") + "\n"), 0u);
}

TEST_F(Render, DrawsVariationsAndEveryMth) {
  EXPECT_NE(render(kStack + " --envs 5 -o " + path("a.glb")).out.find("5 environments"), std::string::npos);
  EXPECT_NE(render(kStack + " --envs 5 --every 3 -o " + path("a.glb")).out.find("3 environments"), std::string::npos);
  const auto [code, out] = render(kStack + " --env 3 -o " + path("b.glb"));
  EXPECT_EQ(code, 0) << out;
  EXPECT_NE(read("b.glb").find("\"environment\":3"), std::string::npos);
  const auto [listed, rows] = render(kStack + " --env 3,7,0-1 -o " + path("c.glb"));
  EXPECT_EQ(listed, 0) << rows;
  EXPECT_NE(rows.find("4 environments"), std::string::npos) << rows;
  const std::string glb = read("c.glb");
  for (const char* number : {"3", "7", "0", "1"}) {
    EXPECT_EQ(count(glb, std::string("\"environment\":") + number + ".0,"), 1u) << number;
  }
}

TEST_F(Render, DrawsSeveralEnvironmentsOfARolloutInOnePage) {
  make_rollout();
  const auto [code, out] = render(path("run.npz") + " --env 2,0-1 --every 3 -o " + path("run.html"));
  EXPECT_EQ(code, 0) << out;
  EXPECT_NE(out.find("5 of each of 3 environments, 0 to 0.0"), std::string::npos) << out;
  EXPECT_NE(read("run.html").find("data-environments=\"2 0 1\""), std::string::npos);
  ASSERT_EQ(render(path("run.npz") + " --env 2 --every 3 -o " + path("one.html")).code, 0);
  EXPECT_NE(read("one.html").find("data-environments=\"2\""), std::string::npos);
  for (const char* name : {"x.glb", "x.png", "x.gif", "x.mp4"}) {
    expect_refused(path("run.npz") + " --env 0-2 -o " + path(name), "--env 0-2: " + path(name) +
                                                                        " shows one environment of a rollout; name "
                                                                        "one, or write a page (.html)");
  }
  EXPECT_EQ(names(), "one.html run.html run.npz ");
}

TEST_F(Render, FindsTheSceneOfARollout) {
  make_rollout();
  const auto [code, out] = render(path("run.npz") + " --env 2 --every 3 -o " + path("run.glb"));
  EXPECT_EQ(code, 0) << out;
  EXPECT_NE(out.find("5 of environment 2, 0 to 0.0"), std::string::npos) << out;
  EXPECT_EQ(render(kBall + " --states " + path("run.npz") + " --env 2 --every 3 -o " + path("same.glb")).code, 0);
  EXPECT_EQ(read("run.glb"), read("same.glb"));
  EXPECT_NE(read("run.glb").find("\"title\":\"bouncing_ball.json, run.npz\""), std::string::npos);
  // the results are still states to start from
  EXPECT_EQ(run_program("rollout --backend cpu --steps 1 " + kBall + " --states " + path("run.npz")).code, 0);
}

TEST_F(Render, LeadsFromResultsToTheSceneBesideThem) {
  EXPECT_EQ(cli::scene_reference("a/scenes/x.json", "a/out/run.npz"), "../scenes/x.json");
  EXPECT_EQ(cli::scene_reference("x.json", "run.npz"), "x.json");
  std::filesystem::copy_file(kBall, path("ball.json"));
  const std::string here = "cd " + folder_.string() + "; " + program_path();
  ASSERT_EQ(run_shell(here + " rollout --backend cpu --steps 2 ball.json --output run.npz").code, 0);
  EXPECT_EQ(run_shell(here + " render run.npz -o run.glb").code, 0);
  EXPECT_EQ(run_program("render " + path("run.npz") + " -o " + path("again.glb")).code, 0) << "from another folder";
  std::filesystem::remove(path("ball.json"));
  expect_refused(path("run.npz") + " -o " + path("x.glb"), "ball.json, which is not there; isopatch render SCENE.json");
}

TEST_F(Render, RefusesBadInput) {
  make_rollout();
  ASSERT_EQ(run_program("evaluate " + kStack + " --backend cpu --envs 3 --output " + path("e.npz")).code, 0);
  const std::string out = " -o " + path("x.glb");
  expect_refused(kStack + " -o " + path("x.jpg"), "--output");
  expect_refused(kStack + " -o " + path("x.jpg"), "the name must end in .html or .glb or .png or .mp4 or .gif");
  expect_refused(kStack + " --envs 10001" + out, "10001 frames are more than the 10000 of a picture");
  expect_refused(kStack + " --envs 10001" + out, "--every 2");
  expect_refused(kStack + " --envs 3 --env 3" + out, "--env 3: there are 3 environments, so it must be in [0, 2]");
  expect_refused(kStack + " --states " + path("e.npz") + " --env 3" + out, "so it must be in [0, 2]");
  expect_refused(path("run.npz") + " --env 3" + out,
                 "run.npz: --env 3: there are 3 environments, so it must be in [0, 2]");
  expect_refused(path("run.npz") + " --env 1-3" + out,
                 "run.npz: --env 1-3: there are 3 environments, so each of them must be in [0, 2]");
  expect_refused(path("run.npz") + " --env 1,0-2" + out, "--env 1,0-2: environment 1 is named twice");
  expect_refused(kStack + " --env 0-10000" + out, "--env 0-10000: 10001 environments are more than the 10000 of a");
  expect_refused(kStack + " --states " + path("e.npz") + " --envs 4" + out, "--envs 4: the file has 3 environments");
  expect_refused(kStack + " --env 2,,3" + out, "--env: '2,,3' is no list of environments, as 3, 0,3,5 or 0-7");
  expect_refused(path("run.npz") + " --envs 2" + out, "of a rollout --env says which environments are drawn");
  expect_refused(kStack + " --states " + path("run.npz") + out,
                 "poses: must have shape (11, 3, 5, 7), found (11, 3, 2");
  expect_refused(kBall + " --states " + path("e.npz") + out, "poses: must have shape (N, 2, 7), found (3, 5, 7)");
  expect_refused(path("e.npz") + out, "does not say which scene it is of; isopatch render SCENE.json --states");
  expect_refused(path("run.npz") + " --states " + path("e.npz") + out, "--states");
  EXPECT_EQ(names(), "e.npz run.npz ");
}

TEST_F(Render, ThatIsEndedBySignalsLeavesNoHalfFile) {
  const std::string command =
      program_path() + " render --envs 3000 " + kStack + " -o " + path("o.html") + " >/dev/null & pid=$!; sleep ";
  for (const char* name : {"INT", "TERM"}) {
    for (const char* moment : {"0.05", "0.2", "0.4"}) {
      run_shell(command + moment + "; kill -" + name + " $pid; wait $pid");
      const std::string left = names();
      EXPECT_TRUE(left.empty() || left == "o.html ") << name << " after " << moment << " s: " << left;
      std::filesystem::remove(path("o.html"));
    }
  }
}

TEST_F(Render, ViewOpensThePageOrSaysWhereItIs) {
  write("browser", "#!/bin/sh\ncp \"$1\" " + path("seen.html") + "\n");
  ASSERT_EQ(run_shell("chmod +x " + path("browser")).code, 0);
  const std::string temporary = "TMPDIR=" + folder_.string() + " ";
  const auto [code, out] =
      run_shell(temporary + "BROWSER=" + path("browser") + " " + program_path() + " view " + kStack);
  EXPECT_EQ(code, 0) << out;
  EXPECT_NE(out.find("isopatch_view_"), std::string::npos) << out;
  run_shell("for i in $(seq 50); do test -s " + path("seen.html") + " && break; sleep 0.1; done");
  EXPECT_NE(read("seen.html").find("<title>box_stack.json</title>"), std::string::npos);

  const Outcome none = run_shell(temporary + "BROWSER=/none/browser " + program_path() + " view " + kStack);
  EXPECT_EQ(none.code, 0) << none.out;
  EXPECT_NE(none.out.find("was not opened in a browser: No such file"), std::string::npos) << none.out;
}

TEST_F(Render, HandsPicturesToPythonAndSaysWhatIsMissing) {
  write("python3", "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'isopatch'\" >&2; exit 1\n");
  ASSERT_EQ(run_shell("chmod +x " + path("python3")).code, 0);
  const auto with_path = [&](const std::string& folder) {
    return run_shell("unset ISOPATCH_PYTHON; PATH=" + folder + " " + program_path() + " render " + kStack + " -o " +
                     path("x.png"));
  };
  const Outcome missing = with_path(folder_.string());
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.out.find("has no package that draws it: pip install \"isopatch[pictures]\""), std::string::npos)
      << missing.out;
  const Outcome none = with_path("/none");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.out.find("needs Python, which is not on PATH"), std::string::npos) << none.out;

  // Python gets the picture and where to draw it, and what it draws is what is written
  write("python3", "#!/bin/sh\nhead -c 4 \"$3\" > \"$4\"\n");
  const Outcome drawn = with_path(folder_.string() + ":/usr/bin:/bin");
  EXPECT_EQ(drawn.code, 0) << drawn.out;
  EXPECT_EQ(read("x.png"), "glTF");
}

}  // namespace
}  // namespace isopatch::testing
