// SPDX-License-Identifier: Apache-2.0
//
// `isopatch info` and `isopatch tetrahedralize` ask whether a mesh is in millimetres, as the scene reader does.
#include <string>

#include <gtest/gtest.h>

#include "isopatch/isopatch.h"
#include "tests/support/program.h"

namespace isopatch::testing {
namespace {

const std::string kQuestion = " is 97 m long. In millimetres? In a scene, say \"units\": \"mm\"\n";

class Units : public FolderTest {
 protected:
  /// What a command says on standard error alone.
  static std::string warnings_of(const std::string& arguments) {
    const Outcome result = run_shell(program_path() + " " + arguments + " 2>&1 >/dev/null");
    EXPECT_EQ(result.code, 0) << arguments << "\n" << result.out;
    return result.out;
  }

  /// A tetrahedron of this size as a surface.
  std::string surface(const std::string& size) const {
    return write("t.obj", "v 0 0 0\nv " + size + " 0 0\nv 0 " + size + " 0\nv 0 0 " + size +
                              "\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  }
};

TEST_F(Units, OfAHugeMeshAreDoubtedOnStandardError) {
  write_vtk(make_box_mesh({3, 97.2, 10}), path("box.vtk"));
  EXPECT_EQ(warnings_of("info " + path("box.vtk")), "isopatch: warning: " + path("box.vtk") + kQuestion);
  const std::string obj = surface("97.2");
  EXPECT_EQ(warnings_of("info " + obj), "isopatch: warning: " + obj + kQuestion);
  EXPECT_EQ(run_program("info " + obj + " 2>/dev/null").out.find("millimetres"), std::string::npos);
}

TEST_F(Units, OfATinyMeshAreDoubtedToo) {
  const std::string obj = surface("1.25e-4");
  EXPECT_EQ(warnings_of("info " + obj), "isopatch: warning: " + obj +
                                            " is 0.12 mm long. Turned into metres twice? In a scene, say \"scale\": "
                                            "1000\n");
}

TEST_F(Units, OfALikelySizeAreNotDoubted) {
  EXPECT_EQ(warnings_of("info " + surface("0.1")), "");
  EXPECT_EQ(warnings_of("info " + surface("5")), "");
}

TEST_F(Units, OfASceneAreStatedInIt) {
  surface("97.2");
  const auto scene = [this](const std::string& units) {
    return write("s.json", R"({"isopatch": 1, "geometries": {"t": {"type": "surface_mesh", "file": "t.obj")" + units +
                               R"(}}, "bodies": [{"name": "t", "geometry": "t", "rigid": true}]})");
  };
  EXPECT_NE(warnings_of("evaluate " + scene("")).find(" is 97 m long. In millimetres? Say \"units\": \"mm\""),
            std::string::npos);
  for (const char* units : {"m", "mm"}) {
    EXPECT_EQ(warnings_of("evaluate " + scene(std::string(R"(, "units": ")") + units + '"')), "") << units;
  }
}

TEST_F(Units, OfASurfaceAreDoubtedBeforeItIsFilled) {
  if (run_shell("command -v tetgen || command -v gmsh").code != 0) GTEST_SKIP() << "neither tetgen nor gmsh is on PATH";
  const std::string obj = surface("97.2");
  EXPECT_EQ(warnings_of("tetrahedralize " + obj + " " + path("t.vtk")), "isopatch: warning: " + obj + kQuestion);
  EXPECT_EQ(warnings_of("tetrahedralize " + surface("0.1") + " " + path("t.vtk")), "");
}

}  // namespace
}  // namespace isopatch::testing
