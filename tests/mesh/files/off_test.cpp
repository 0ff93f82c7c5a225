// SPDX-License-Identifier: Apache-2.0
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"

namespace isopatch {
namespace {

using testing::error_of;
using testing::surface_of_tet;

const std::string kVertices = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
const std::string kFaces = "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";

void expect_tet(const std::string& text) {
  SCOPED_TRACE(text);
  const TriangleMesh mesh = parse_off(text, "m");
  EXPECT_EQ(mesh.points, surface_of_tet().points);
  EXPECT_EQ(mesh.triangles, surface_of_tet().triangles);
}

TEST(OffReader, ReadsEveryFormOfTheHeader) {
  for (const char* header :
       {"OFF\n4 4 6\n", "OFF 4 4 6\n", "OFF4 4 0\n", "4 4 6\n", "OFF\n4 4\n", "\xEF\xBB\xBFOFF\r\n4 4 6\r\n",
        "# made by a test\n\nOFF # a tet\n# counts\n4 4 6 # of edges\n", "COFF\n4 4 6\n", "STCNOFF\n4 4 6\n"}) {
    expect_tet(header + kVertices + kFaces);
  }
}

TEST(OffReader, SkipsColoursAndNormals) {
  expect_tet(
      "NCOFF\n4 4 6\n0 0 0 1 0 0 255 0 0 255\n1 0 0 1 0 0 0.5 0.5 0.5 1\n\n0 1 0 0 0 1 # top\n0 0 1\n"
      "3 0 2 1 255 0 0\n3  0 1 3  0.1 0.2 0.3 1\n3 0 3 2 7\n3 1 2 3\n");
}

TEST(OffReader, CutsPolygons) {
  const Geometry cube = make_surface_mesh(
      "m",
      parse_off("OFF\n8 6 12\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4 "
                "9 9 9\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n",
                "m"));
  EXPECT_EQ(cube.surface.size(), 12U);
  EXPECT_DOUBLE_EQ(cube.report.volume, 1);
}

TEST(OffReader, SaysWhatItDoesNotRead) {
  EXPECT_EQ(error_of([] { parse_off("4OFF\n4 4 6\n", "a.off"); }),
            "a.off:1: '4OFF' files have vertices of other dimensions; OFF, with ST, C or N before it, can be read");
  EXPECT_EQ(error_of([] { parse_off("OFF BINARY\n\1\2", "a.off"); }),
            "a.off:1: the file is binary; OFF files in ASCII can be read");
  EXPECT_EQ(parse_off("OFF\n4 4 6\n" + kVertices + kFaces + "more\n", "m").notes,
            std::vector<std::string>{"lines after the last face were not read"});
}

TEST(OffReader, NamesFileLineAndElement) {
  EXPECT_EQ(error_of([] { parse_off("OFF\n4 4 6\n" + kVertices + "3 0 2 1\n3 0 1 4\n", "a.off"); }),
            "a.off:8: face 1 has the vertex '4'; it must lie in [0, 3]");
  EXPECT_EQ(error_of([] { parse_off("OFF\n4 4 6\n0 0 0\n1 0\n", "a.off"); }),
            "a.off:2: the list of vertices needs 4 x 3 values, but only 10 bytes are left in the file");
}

TEST(OffReader, SurvivesTruncationAndChangedBytes) {
  testing::expect_survival("OFF\n4 4 6\n" + kVertices + kFaces, {"\0009- \n\xff", 6}, 1,
                           [](const std::string& bytes) { make_surface_mesh("m", parse_off(bytes, "m")); });
}

}  // namespace
}  // namespace isopatch
