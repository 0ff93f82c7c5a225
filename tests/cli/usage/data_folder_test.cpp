// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

class DataFolder : public FolderTest {};

// Also for scenes that need no file of it.
TEST_F(DataFolder, ThatIsNoFolderIsAnError) {
  const std::string scene = source_path("bench/scenes/sphere_on_box.json");
  write("file", "");
  for (const std::string& command : {"evaluate " + scene, "rollout --steps 1 " + scene, "info " + scene,
                                     "render --output " + path("p.html") + " " + scene, "view " + scene}) {
    for (const char* name : {"nowhere", "file"}) {
      const Outcome result = run_program(command + " --data " + path(name));
      EXPECT_EQ(result.code, 2) << command;
      EXPECT_TRUE(result.out.starts_with("isopatch: error: --data: '" + path(name) + "' is not a folder"))
          << result.out;
    }
  }
  EXPECT_EQ(names(), "file ");
  EXPECT_EQ(run_program("info " + scene + " --data " + path("")).code, 0);
}

}  // namespace
}  // namespace isopatch::testing
