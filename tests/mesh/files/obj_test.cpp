// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"

namespace isopatch {
namespace {

using namespace detail;

using testing::error_of;

const std::string kTetVertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

void expect_tet(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.points, testing::surface_of_tet().points);
  EXPECT_EQ(mesh.triangles, testing::surface_of_tet().triangles);
}

TEST(ObjReader, ReadsEveryFormOfACorner) {
  const std::string rest = "vt 0 0\nvn 0 0 1\n";
  for (const std::string form : {"", "/1", "//1", "/1/1"}) {
    std::string faces;
    for (const Triangle& t : testing::surface_of_tet().triangles) {
      faces += "f";
      for (const std::int32_t v : t) faces += " " + std::to_string(v + 1) + form;
      faces += "\n";
    }
    SCOPED_TRACE(form);
    expect_tet(parse_obj(kTetVertices + rest + faces, "m"));
  }
}

TEST(ObjReader, CountsNegativeIndicesBackFromTheLastVertexSoFar) {
  expect_tet(parse_obj(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -1 -2\nv 0 0 1\nf -4 -3 -1\nf -4 -1 -2\nf -3//-1 -2//-1 -1//-1\n", "m"));
}

TEST(ObjReader, AllowsFacesBeforeTheirVertices) {
  expect_tet(parse_obj("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n" + kTetVertices, "m"));
}

TEST(ObjReader, ReadsOverWhatIsNotShape) {
  const TriangleMesh mesh = parse_obj(
      "# a comment\r\nmtllib a.mtl\no body\ng a b\ns off\nusemtl red\r\n\n" + kTetVertices +
          "v 5 5 5 1 0.5 0.5 0.5 # unused, with a colour\nl 1 2\nf 1 3 \\\n 2\nf 1 2 4 # end\nf 1 4 3\nf 2 3 4",
      "m");
  EXPECT_EQ(mesh.triangles, testing::surface_of_tet().triangles);
  EXPECT_EQ(mesh.points.size(), 5U);
}

TEST(ObjReader, ReadsEveryLineEndAndAByteOrderMark) {
  const std::string text = "o tet\n" + kTetVertices + "f 1 3 \\ \n 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string ended = "\xEF\xBB\xBF";
    for (const char c : text) ended += c == '\n' ? end : std::string(1, c);
    expect_tet(parse_obj(ended, "m"));
    EXPECT_EQ(error_of([&] { parse_obj(ended + "f 1 2 9" + end, "a.obj"); }),
              "a.obj:11: face 5 has the vertex 9; the file has 4");
  }
}

TEST(ObjReader, ReadsOverHowToDisplay) {
  std::string text = "lod 3\nbevel on\nc_interp off\nd_interp on\nusemap brick\nmaplib a.map\nshadow_obj a.obj\n";
  text += "trace_obj b.obj\nctech cparm 1 1\nstech curv 0.1 0.2\nmg 1 0.5\nvp 0.5\np 1\nl 1 2\n";
  expect_tet(parse_obj(text + kTetVertices + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "m"));
}

TEST(ObjReader, DropsRepeatedCorners) {
  const TriangleMesh mesh =
      parse_obj(kTetVertices + "f 1 3 3 2\nf 1 2 2 4 4\nf 1 4 3 1\nf 2 3 4\nf 2 3 2\nf 4 4 4 4\n", "m");
  const Geometry geometry = make_surface_mesh("m", mesh);
  EXPECT_EQ(geometry.surface.size(), 4U);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
  EXPECT_EQ(geometry.warnings, std::vector<std::string>{"m: 2 triangles have no area and were left out"});
}

// The two halves of a cube, as a program writes them whose texture is cut along an edge.
TEST(ObjReader, ClosesSeams) {
  const std::string cube = testing::kCubeObj;
  const std::string vertices = cube.substr(0, cube.find('f'));
  const Geometry geometry = make_surface_mesh("m", parse_obj(vertices + "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\n" + vertices +
                                                                 "f 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n",
                                                             "m"));
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1);
  EXPECT_EQ(geometry.warnings, std::vector<std::string>{
                                   "m: 8 points were merged with others in the same place, which closed the surface"});
}

TEST(ObjReader, CutsAQuadAlongItsShorterDiagonal) {
  for (const char* face : {"f 1 2 3 4\n", "f 2 3 4 1\n"}) {  // from 1 to 3 it is 2 m, from 2 to 4 it is 4 m
    const TriangleMesh mesh = parse_obj(std::string("v -1 0 0\nv 0 -2 0\nv 1 0 0\nv 0 2 0\n") + face, "m");
    ASSERT_EQ(mesh.triangles.size(), 2U);
    for (const Triangle& t : mesh.triangles) {
      EXPECT_EQ(std::set<std::int32_t>(t.begin(), t.end()).count(0), 1U) << face;
      EXPECT_EQ(std::set<std::int32_t>(t.begin(), t.end()).count(2), 1U) << face;
    }
  }
}

TEST(ObjReader, CutsAConcaveQuadInside) {
  // the corner 4 is pushed in past the shorter diagonal, from 1 to 3
  const TriangleMesh mesh = parse_obj("v -1 0 0\nv 0 -4 0\nv 1 0 0\nv 0 -1 0\nf 1 2 3 4\n", "m");
  double area = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto at = [&](std::size_t i) { return mesh.points[static_cast<std::size_t>(t[i])]; };
    const double twice = cross(at(1) - at(0), at(2) - at(0))[2];
    EXPECT_GT(twice, 0);
    area += twice / 2;
  }
  EXPECT_DOUBLE_EQ(area, 3);
}

TEST(ObjReader, FansAPolygonAboutACornerThatSeesAllOthers) {
  // an L: only the inner corner, 4, and its neighbours' opposite ones see everything
  const std::string corners = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n";
  for (const char* face : {"f 1 2 3 4 5 6\n", "f 3 4 5 6 1 2\n", "f 2 3 4 5 6 1\n"}) {
    const TriangleMesh mesh = parse_obj(corners + face, "m");
    ASSERT_EQ(mesh.triangles.size(), 4U);
    double area = 0;
    for (const Triangle& t : mesh.triangles) {
      const auto at = [&](std::size_t i) { return mesh.points[static_cast<std::size_t>(t[i])]; };
      const double twice = cross(at(1) - at(0), at(2) - at(0))[2];
      EXPECT_GT(twice, 0) << face;
      area += twice / 2;
    }
    EXPECT_DOUBLE_EQ(area, 3) << face;
  }
}

TEST(ObjReader, RefusesAPolygonThatNoCornerSeesWhole) {
  const std::string comb =
      "v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 3 0\nv 4 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7 8\n";
  EXPECT_EQ(error_of([&] { parse_obj(comb, "u.obj"); }),
            "u.obj:9: face 1 of 8 corners cannot be cut into triangles about one of them; cut it in the file");
}

TEST(ObjReader, NamesFileLineAndFace) {
  EXPECT_EQ(error_of([] { parse_obj(kTetVertices + "f 1 3 2\nf 1 2 9\nf 1 2 3\n", "a.obj"); }),
            "a.obj:6: face 2 has the vertex 9; the file has 4");
}

TEST(ObjReader, GivesACubeOfQuadsItsVolume) {
  const Geometry cube = make_surface_mesh("cube", parse_obj(testing::kCubeObj, "m"));
  EXPECT_EQ(cube.surface.size(), 12U);
  EXPECT_DOUBLE_EQ(cube.report.volume, 1);
  EXPECT_TRUE(cube.is_surface_mesh());
  EXPECT_TRUE(cube.warnings.empty());
}

TEST(ObjReader, SurvivesTruncationAndChangedBytes) {
  const std::string good = kTetVertices + "vn 0 0 1\nf 1//1 3//1 2//1\nf 1 2 4\nf -4 4 3\nf 2/1 3/1 4/1\n";
  testing::expect_survival(good, {"\0009- \n/\\\xff", 8}, 1,
                           [](const std::string& bytes) { make_surface_mesh("m", parse_obj(bytes, "m")); });
}

// A scan, with two points at one position: the triangles that have both are needles without area.
TEST(ObjReader, ReadsTheMustardBottle) {
  if (!have_data_file("mustard_bottle.obj")) GTEST_SKIP() << missing_data_file("mustard_bottle.obj");
  const std::string file = data_file("mustard_bottle.obj");
  const Geometry bottle = make_surface_mesh("bottle", read_triangle_mesh(file));
  EXPECT_EQ(bottle.report.points, 8194);
  EXPECT_EQ(bottle.report.boundary_triangles, 16382);
  EXPECT_EQ(bottle.report.flat_triangles, 2);
  EXPECT_EQ(bottle.report.nonmanifold_edges, 0);
  EXPECT_EQ(bottle.report.flipped_triangles, 0);
  EXPECT_EQ(bottle.warnings, std::vector<std::string>{"bottle: 2 triangles have no area and were left out"});
  // the bottle is about 0.1 x 0.06 x 0.2 m
  EXPECT_GT(bottle.report.volume, 5e-4);
  EXPECT_LT(bottle.report.volume, 1e-3);
}

TEST(ObjReader, ReadsTheBowl) {
  if (!have_data_file("evo_bowl_col.obj")) GTEST_SKIP() << missing_data_file("evo_bowl_col.obj");
  const std::string file = data_file("evo_bowl_col.obj");
  const Geometry bowl = make_surface_mesh("bowl", read_triangle_mesh(file));
  EXPECT_EQ(bowl.report.points, 3957);
  EXPECT_EQ(bowl.report.nonmanifold_edges, 0);
  EXPECT_TRUE(bowl.warnings.empty());
  // every polygon of n corners makes n - 2 triangles; a closed surface of genus 0 has 2 V - 4
  EXPECT_EQ(bowl.report.boundary_triangles, 2 * (bowl.report.points - bowl.report.unused_points) - 4);
}

}  // namespace
}  // namespace isopatch
