// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"
#include "tests/mesh/files/byte_writer.h"

namespace isopatch {
namespace {

using testing::bytes_of;
using testing::contains;
using testing::error_of;
using testing::exact;

std::string ascii_stl(const TriangleMesh& mesh, const std::string& name = "part one") {
  std::string text = "solid " + name + "\n";
  for (const Triangle& t : mesh.triangles) {
    text += "facet normal 0 0 nan\n outer loop\n";
    for (const std::int32_t v : t) {
      text += "  vertex";
      for (const double x : mesh.points[static_cast<std::size_t>(v)]) text += " " + exact(x);
      text += "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid " + name + "\n";
}

std::string binary_stl(const TriangleMesh& mesh, std::string header = "binary") {
  header.resize(80, ' ');
  header += bytes_of(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Triangle& t : mesh.triangles) {
    for (int i = 0; i < 3; ++i) header += bytes_of(0.0F);
    for (const std::int32_t v : t) {
      for (const double x : mesh.points[static_cast<std::size_t>(v)]) header += bytes_of(static_cast<float>(x));
    }
    header += bytes_of(std::uint16_t{0});
  }
  return header;
}

/// The corners of the triangles, whatever the indices of the points.
std::vector<std::array<Point3, 3>> corners(const TriangleMesh& mesh) {
  std::vector<std::array<Point3, 3>> all;
  for (const auto& [a, b, c] : mesh.triangles) {
    all.push_back({mesh.points[static_cast<std::size_t>(a)], mesh.points[static_cast<std::size_t>(b)],
                   mesh.points[static_cast<std::size_t>(c)]});
  }
  return all;
}

/// Coordinates that a float holds.
TriangleMesh sphere() {
  const TetMesh tets = make_sphere_mesh(1, 2);
  TriangleMesh mesh{tets.points, boundary_triangles(tets)};
  for (Point3& p : mesh.points) {
    for (double& x : p) x = std::round(x * 0x1p20) * 0x1p-20;
  }
  return mesh;
}

TEST(StlReader, GivesBackEveryBitOfAnAsciiFile) {
  TriangleMesh mesh = sphere();
  for (Point3& p : mesh.points) p[0] *= 1.0 / 3;
  const TriangleMesh back = parse_stl(ascii_stl(mesh), "m");
  EXPECT_EQ(corners(back), corners(mesh));
  EXPECT_EQ(back.points.size(), mesh.points.size() - 1);  // all but the centre of the tets
  EXPECT_TRUE(back.notes.empty());
}

TEST(StlReader, GivesBackEveryBitOfABinaryFile) {
  const TriangleMesh mesh = sphere();
  for (const char* header : {"binary", "solid that is none"}) {
    const TriangleMesh back = parse_stl(binary_stl(mesh, header), "m");
    EXPECT_EQ(corners(back), corners(mesh)) << header;
    EXPECT_EQ(back.points.size(), mesh.points.size() - 1) << header;
  }
}

TEST(StlReader, WeldsPointsIntoAClosedSurface) {
  const Geometry geometry = make_surface_mesh("m", parse_stl(ascii_stl(testing::surface_of_tet()), "m"));
  EXPECT_EQ(geometry.report.points, 4);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
}

TEST(StlReader, TakesMinusZeroForZero) {
  std::string text = ascii_stl(testing::surface_of_tet());
  text.replace(text.find("vertex 0 0 0"), 12, "vertex -0 0 -0");
  EXPECT_EQ(parse_stl(text, "m").points.size(), 4U);
}

TEST(StlReader, ReadsSeveralSolids) {
  TriangleMesh other = testing::surface_of_tet();
  for (Point3& p : other.points) p[2] += 5;
  const TriangleMesh both = parse_stl(ascii_stl(testing::surface_of_tet()) + ascii_stl(other, ""), "m");
  EXPECT_EQ(both.triangles.size(), 8U);
  EXPECT_DOUBLE_EQ(make_surface_mesh("m", both).report.volume, 2.0 / 6);
}

TEST(StlReader, ReadsWhatProgramsWriteBeforeAndAfterTheText) {
  const std::string text = ascii_stl(testing::surface_of_tet());
  std::string upper, carriage, both;
  for (const char c : text) {
    upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    carriage += c == '\n' ? '\r' : c;
    both += c == '\n' ? "\r\n" : std::string(1, c);
  }
  for (const std::string& file :
       {"\n \t\n" + text, "\xEF\xBB\xBF" + text, "\xEF\xBB\xBF\r\n" + both, upper, carriage, text + "\n\n  \n"}) {
    EXPECT_EQ(corners(parse_stl(file, "m")), corners(testing::surface_of_tet()));
  }
}

TEST(StlReader, NeedsNoEndsolidOfAClosedSurface) {
  std::string text = ascii_stl(testing::surface_of_tet());
  text.resize(text.find("endsolid"));
  EXPECT_EQ(corners(parse_stl(text, "m")), corners(testing::surface_of_tet()));
  const std::string part_of_facet = text.substr(0, text.rfind("endloop"));
  EXPECT_TRUE(contains(error_of([&] { parse_stl(part_of_facet, "m"); }), "the end of the file in facet 3"));
  text.resize(text.rfind("facet normal"));
  EXPECT_EQ(error_of([&] { parse_stl(text, "m"); }),
            "m:23: the end of the file after facet 2, where 'facet' or 'endsolid' is expected");
}

TEST(StlReader, NotesWhatFollowsTheTrianglesOfAClosedSurface) {
  TriangleMesh mesh = testing::surface_of_tet();
  for (const char* header : {"binary", "solid"}) {
    const TriangleMesh back = parse_stl(binary_stl(mesh, header) + "made by a test", "m");
    EXPECT_EQ(corners(back), corners(mesh));
    EXPECT_EQ(back.notes, std::vector<std::string>{"14 bytes after the last triangle were not read"});
  }
  mesh.triangles.pop_back();
  EXPECT_TRUE(contains(error_of([&] { parse_stl(binary_stl(mesh) + std::string(50, '\0'), "m"); }),
                       "m: byte 80: 3 triangles take 234 bytes in a binary STL file; this one has 284"));
}

TEST(StlReader, RemovesTrianglesWithTwoEqualCorners) {
  TriangleMesh mesh = testing::surface_of_tet();
  mesh.triangles.push_back({1, 1, 2});
  mesh.triangles.push_back({3, 0, 3});
  const Geometry geometry = make_surface_mesh("m", parse_stl(binary_stl(mesh), "m"));
  EXPECT_EQ(geometry.surface.size(), 4U);
  ASSERT_EQ(geometry.warnings.size(), 1U);
  EXPECT_EQ(geometry.warnings[0], "m: 2 triangles with two corners at the same point were left out");
}

// Two points of the scan are at one position. Made one, they collapse two triangles and lay two others back to back:
// without those, three edges would have four triangles each.
TEST(StlReader, WeldsTheMustardBottle) {
  if (!have_data_file("mustard_bottle.obj")) GTEST_SKIP() << missing_data_file("mustard_bottle.obj");
  const std::string file = data_file("mustard_bottle.obj");
  const TriangleMesh scan = read_triangle_mesh(file);
  const Geometry welded = make_surface_mesh("bottle", parse_stl(ascii_stl(scan), "m"));
  EXPECT_EQ(welded.report.points, 8193);
  EXPECT_EQ(welded.report.nonmanifold_edges, 0);
  EXPECT_EQ(welded.report.duplicate_triangles, 2);
  EXPECT_NEAR(welded.report.volume, make_surface_mesh("scan", scan).report.volume, 1e-15);
  ASSERT_EQ(welded.warnings.size(), 2U);
  EXPECT_EQ(welded.warnings[0], "bottle: 2 triangles with two corners at the same point were left out");
}

TEST(StlReader, NamesFilePlaceAndFacet) {
  std::string text = ascii_stl(testing::surface_of_tet());
  text.replace(text.find("vertex 1"), 8, "vertex x");
  EXPECT_EQ(error_of([&] { parse_stl(text, "a.stl"); }), "a.stl:6: 'x' is not a number that a double can hold");
  std::string bytes = binary_stl(testing::surface_of_tet());
  bytes.resize(bytes.size() - 1);
  EXPECT_TRUE(contains(error_of([&] { parse_stl(bytes, "b.stl"); }), "b.stl: byte 80: 4 triangles take 284 bytes"));
}

TEST(StlReader, SurvivesTruncationAndChangedBytes) {
  for (const std::string& good : {ascii_stl(testing::surface_of_tet()), binary_stl(testing::surface_of_tet())}) {
    testing::expect_survival(good, {"\0009- \n\xff", 6}, 1,
                             [](const std::string& bytes) { make_surface_mesh("m", parse_stl(bytes, "m")); });
  }
}

}  // namespace
}  // namespace isopatch
