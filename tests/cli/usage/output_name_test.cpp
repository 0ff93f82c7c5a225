// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "tests/support/paths/paths.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

const std::string kMesh = source_path("tests/scenes/oracle6_a.vtk");
const std::string kSurface = source_path("tests/scenes/cube.obj");

class OutputName : public FolderTest {};

TEST_F(OutputName, EndsAsTheFormatThatIsWritten) {
  for (const char* name : {"q.vtu", "q.msh", "q", "q.vtk.gz"}) {
    for (const std::string& command : {"field " + kMesh, "tetrahedralize " + kSurface}) {
      const Outcome result = run_program(command + " " + path(name));
      EXPECT_EQ(result.code, 2) << command << " " << name;
      EXPECT_EQ(result.out, "isopatch: error: output '" + path(name) + "': the name must end in .vtk\n");
    }
  }
  EXPECT_EQ(names(), "");
  EXPECT_EQ(run_program("field " + kMesh + " " + path("q.vtk")).code, 0);
}

}  // namespace
}  // namespace isopatch::testing
