// SPDX-License-Identifier: Apache-2.0
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"
#include "tests/mesh/files/byte_writer.h"

namespace isopatch {
namespace {

using testing::bytes_of;
using testing::error_of;
using testing::exact;
using testing::surface_of_tet;

std::string ascii_ply(const TriangleMesh& mesh, const std::string& line_end = "\n") {
  std::string text = "ply\nformat ascii 1.0\ncomment made by a test\nobj_info none\nelement vertex " +
                     std::to_string(mesh.points.size()) +
                     "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
                     std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  for (const Point3& p : mesh.points) text += exact(p[0]) + " " + exact(p[1]) + " " + exact(p[2]) + "\n";
  for (const auto& [a, b, c] : mesh.triangles) {
    text += "3 " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + "\n";
  }
  std::string ended;
  for (const char c : text) ended += c == '\n' ? line_end : std::string(1, c);
  return ended;
}

/// With more properties and elements than are read, in an unusual order and of every kind of type.
std::string binary_ply(const TriangleMesh& mesh, std::endian order) {
  std::string file =
      "ply\nformat binary_" + std::string(order == std::endian::little ? "little" : "big") +
      "_endian 1.0\nelement camera 1\nproperty float focus\nproperty list ushort short of\nelement vertex " +
      std::to_string(mesh.points.size()) +
      "\nproperty uchar red\nproperty float32 z\nproperty short y\nproperty float64 x\nproperty list uint8 "
      "float weights\nelement edge 1\nproperty int vertex1\nproperty int vertex2\nelement face " +
      std::to_string(mesh.triangles.size()) +
      "\nproperty int8 flags\nproperty list uint uint16 vertex_index\nproperty list uchar float texcoord\n"
      "end_header\n";
  file += bytes_of(1.5F, order) + bytes_of(std::uint16_t{2}, order) + bytes_of(std::uint32_t{7}, order);
  for (const Point3& p : mesh.points) {
    file += bytes_of(std::uint8_t{200}, order) + bytes_of(static_cast<float>(p[2]), order) +
            bytes_of(static_cast<std::int16_t>(p[1]), order) + bytes_of(p[0], order) +
            bytes_of(std::uint8_t{1}, order) + bytes_of(0.5F, order);
  }
  file += bytes_of(0, order) + bytes_of(1, order);
  for (const Triangle& t : mesh.triangles) {
    file += bytes_of(std::uint8_t{0}, order) + bytes_of(3U, order);
    for (const std::int32_t v : t) file += bytes_of(static_cast<std::uint16_t>(v), order);
    file += bytes_of(std::uint8_t{0}, order);
  }
  return file;
}

void expect_tet(const TriangleMesh& mesh) {
  EXPECT_EQ(mesh.points, surface_of_tet().points);
  EXPECT_EQ(mesh.triangles, surface_of_tet().triangles);
}

TEST(PlyReader, ReadsAsciiWithEveryLineEnd) {
  for (const char* line_end : {"\n", "\r\n", "\r"}) expect_tet(parse_ply(ascii_ply(surface_of_tet(), line_end), "m"));
  expect_tet(parse_ply("\xEF\xBB\xBF" + ascii_ply(surface_of_tet()), "m"));
}

TEST(PlyReader, ReadsBinaryOfBothByteOrdersAndSkipsOtherProperties) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    expect_tet(parse_ply(binary_ply(surface_of_tet(), order), "m"));
  }
}

TEST(PlyReader, CutsPolygons) {
  const TriangleMesh cube = parse_obj(testing::kCubeObj, "cube");
  std::string text =
      "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 6\n"
      "property list uchar int vertex_indices\nend_header\n";
  for (const Point3& p : cube.points) text += exact(p[0]) + " " + exact(p[1]) + " " + exact(p[2]) + "\n";
  text += "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n5 3 0 0 4 7\n";  // the last has a corner twice
  EXPECT_EQ(parse_ply(text, "m").triangles.size(), 12U);
  EXPECT_DOUBLE_EQ(make_surface_mesh("m", parse_ply(text, "m")).report.volume, 1);
}

TEST(PlyReader, ReadsStrips) {
  const std::string header =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
      "element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
  for (const char* strips : {"6 0 1 3 2 0 1\n", "15 0 1 3 -1 0 2 1 -1 0 3 2 2 2 3 1\n"}) {
    const Geometry geometry = make_surface_mesh("m", parse_ply(header + strips, "m"));
    EXPECT_EQ(geometry.surface.size(), 4U);
    EXPECT_DOUBLE_EQ(geometry.report.volume, 1.0 / 6);
  }
}

TEST(PlyReader, GivesThePointsOfACloud) {
  const std::string cloud =
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 "
      "3\n4 5 "
      "6\n";
  const TriangleMesh mesh = parse_ply(cloud, "m");
  EXPECT_EQ(mesh.points, (std::vector<Point3>{{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(error_of([&] { make_surface_mesh("m", mesh); }),
            "m: the mesh has no triangles, only 2 points; a closed surface is needed: make one of a point cloud in "
            "MeshLab or by PyVista's reconstruct_surface(), or take its convex hull");
}

TEST(PlyReader, NamesFileAndPlace) {
  std::string text = ascii_ply(surface_of_tet());
  text.replace(text.find("3 0 2 1"), 7, "3 0 2 4");
  EXPECT_EQ(error_of([&] { parse_ply(text, "a.ply"); }), "a.ply:16: face 0 has the vertex 4; it must lie in [0, 3]");
  text = binary_ply(surface_of_tet(), std::endian::little);
  text.pop_back();
  EXPECT_EQ(error_of([&] { parse_ply(text, "a.ply"); }).find("a.ply: byte "), 0U);
}

TEST(PlyReader, SurvivesTruncationAndChangedBytes) {
  for (const std::string& good : {ascii_ply(surface_of_tet()), binary_ply(surface_of_tet(), std::endian::big)}) {
    testing::expect_survival(good, {"\0009- \n\xff", 6}, 1,
                             [](const std::string& bytes) { make_surface_mesh("m", parse_ply(bytes, "m")); });
  }
}

}  // namespace
}  // namespace isopatch
