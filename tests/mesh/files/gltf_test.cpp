// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "isopatch/geometry/geometry.h"
#include "tests/mesh/checks/surface_fixtures.h"
#include "tests/mesh/files/byte_writer.h"
#include "tests/support/temporary_folder.h"

namespace isopatch {
namespace {

using testing::bytes_of;
using testing::contains;
using testing::error_of;
using testing::surface_of_tet;

/// The positions of the tet, 48 bytes, and its corners, 12 of `Index`, padded to 4.
template <class Index = std::uint16_t>
std::string tet_buffer() {
  std::string bytes;
  for (const Point3& p : surface_of_tet().points) {
    for (const double x : p) bytes += bytes_of(static_cast<float>(x));
  }
  for (const Triangle& t : surface_of_tet().triangles) {
    for (const std::int32_t v : t) bytes += bytes_of(static_cast<Index>(v));
  }
  return bytes;
}

/// A glTF file of a buffer as tet_buffer() makes it, with `nodes` and so on before the rest.
std::string json_of(const std::string& buffer, int component = 5123, const std::string& before = "",
                    const std::string& mode = "") {
  const std::string size = std::to_string(12 * (component == 5121 ? 1 : component == 5123 ? 2 : 4));
  return R"({"asset": {"version": "2.0"}, )" + before +
         R"("meshes": [{"primitives": [{"attributes": {"POSITION": 0}, )" + mode +
         R"("indices": 1}]}], "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},)" +
         R"({"bufferView": 1, "componentType": )" + std::to_string(component) +
         R"(, "count": 12, "type": "SCALAR"}],)" +
         R"("bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": )" + size +
         R"(}], "buffers": [{)" + buffer + "}]}";
}

std::string chunk(std::string bytes, const std::string& kind, char padding) {
  while (bytes.size() % 4 != 0) bytes += padding;
  return bytes_of(static_cast<std::uint32_t>(bytes.size())) + kind + bytes;
}

std::string glb(const std::string& json, const std::string& buffer) {
  const std::string chunks = chunk(json, "JSON", ' ') + chunk(buffer, {"BIN\0", 4}, '\0');
  return "glTF" + bytes_of(2U) + bytes_of(static_cast<std::uint32_t>(12 + chunks.size())) + chunks;
}

std::string tet_glb(const std::string& before = "") {
  return glb(json_of(R"("byteLength": 72)", 5123, before), tet_buffer());
}

TEST(GltfReader, ReadsABinaryFileWithEveryTypeOfIndex) {
  const std::string buffers[] = {tet_buffer<std::uint8_t>(), tet_buffer<std::uint16_t>(), tet_buffer<std::uint32_t>()};
  const int components[] = {5121, 5123, 5125};
  for (std::size_t i = 0; i < 3; ++i) {
    const TriangleMesh mesh = parse_gltf(
        glb(json_of("\"byteLength\": " + std::to_string(buffers[i].size()), components[i]), buffers[i]), "m");
    EXPECT_EQ(mesh.points, surface_of_tet().points);
    EXPECT_EQ(mesh.triangles, surface_of_tet().triangles);
  }
}

TEST(GltfReader, ReadsBuffersInTheTextAndInFiles) {
  // the bytes of tet_buffer()
  const std::string base64 =
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAACAAEAAAABAAMAAAADAAIAAQACAAMA";
  const std::string uri = R"("byteLength": 72, "uri": )";
  EXPECT_EQ(parse_gltf(json_of(uri + "\"data:application/octet-stream;base64," + base64 + "\""), "m").triangles,
            surface_of_tet().triangles);

  const testing::TemporaryFolder folder;
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder.path(name), std::ios::binary) << bytes;
  };
  write("the buffer.bin", tet_buffer());
  write("tet.GLTF", json_of(uri + "\"the%20buffer.bin\""));
  EXPECT_EQ(read_triangle_mesh(folder.path("tet.GLTF")).triangles, surface_of_tet().triangles);
  EXPECT_TRUE(contains(error_of([&] { parse_gltf(json_of(uri + "\"http://a/b.bin\""), "m"); }), "only files are read"));
}

// Half a turn about z, then three times as large, then moved; of its child, mirrored.
TEST(GltfReader, PlacesMeshesByNodes) {
  const std::string nodes =
      R"("scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"rotation": [0, 0, 1, 0], "scale": [3, 3, 3],
      "translation": [10, 0, 0], "mesh": 0, "children": [1]}, {"matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1],
      "mesh": 0}, {"mesh": 0}],)";
  const TriangleMesh mesh = parse_gltf(tet_glb(nodes), "m");
  ASSERT_EQ(mesh.points.size(), 8U);
  EXPECT_EQ(mesh.points[1], (Point3{7, 0, 0}));
  EXPECT_EQ(mesh.points[5], (Point3{-2, 0, 0}));  // (1, 0, 0), mirrored to 4, turned and scaled to -12
  const Geometry geometry = make_surface_mesh("m", mesh);
  EXPECT_DOUBLE_EQ(geometry.report.volume, 2 * 27.0 / 6);
  EXPECT_TRUE(geometry.warnings.empty()) << geometry.warnings[0];
}

TEST(GltfReader, ReadsStripsFansAndTrianglesWithoutIndices) {
  const TriangleMesh tet = surface_of_tet();
  std::string buffer;
  for (const std::int32_t v : {0, 1, 3, 2, 0, 1}) {
    for (const double x : tet.points[static_cast<std::size_t>(v)]) buffer += bytes_of(static_cast<float>(x));
  }
  const auto file = [&](int mode, int first, int count) {
    return R"({"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": )" +
           std::to_string(mode) + R"(}]}], "accessors": [{"bufferView": 0, "componentType": 5126, "byteOffset": )" +
           std::to_string(12 * first) + R"(, "count": )" + std::to_string(count) +
           R"(, "type": "VEC3"}], "bufferViews": [{"buffer": 0, "byteLength": 72, "byteStride": 12}], "buffers": [{}]})";
  };
  EXPECT_DOUBLE_EQ(make_surface_mesh("m", parse_gltf(glb(file(5, 0, 6), buffer), "m")).report.volume, 1.0 / 6);
  const TriangleMesh fan = parse_gltf(glb(file(6, 1, 4), buffer), "m");
  EXPECT_EQ(fan.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(parse_gltf(glb(file(4, 0, 6), buffer), "m").triangles.size(), 2U);
  EXPECT_EQ(parse_gltf(glb(file(1, 0, 6), buffer), "m").notes,
            std::vector<std::string>{"1 primitives of points or lines were left out"});
}

TEST(GltfReader, ReadsQuantizedPositions) {
  std::string buffer;
  for (const Point3& p : surface_of_tet().points) {
    for (const double x : p) buffer += bytes_of(static_cast<std::int16_t>(x * 32767));
    buffer += std::string(2, '\0');
  }
  for (const Triangle& t : surface_of_tet().triangles) {
    for (const std::int32_t v : t) buffer += bytes_of(static_cast<std::uint16_t>(v));
  }
  const std::string json =
      R"({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization"], "meshes": [{"primitives": [{)"
      R"("attributes": {"POSITION": 0}, "indices": 1}]}], "accessors": [{"bufferView": 0, "componentType": 5122, )"
      R"("normalized": true, "count": 4, "type": "VEC3"}, {"bufferView": 1, "componentType": 5123, "count": 12, )"
      R"("type": "SCALAR"}], "bufferViews": [{"buffer": 0, "byteLength": 32, "byteStride": 8}, {"buffer": 0, )"
      R"("byteOffset": 32, "byteLength": 24}], "buffers": [{"byteLength": 56}]})";
  EXPECT_EQ(parse_gltf(glb(json, buffer), "m").points, surface_of_tet().points);
}

// As a file has them whose faces have normals of their own.
TEST(GltfReader, MergesVerticesThatAreThereTwice) {
  const TriangleMesh tet = surface_of_tet();
  std::string buffer;
  for (const Triangle& t : surface_of_tet().triangles) {
    for (const std::int32_t v : t) {
      for (const double x : tet.points[static_cast<std::size_t>(v)]) buffer += bytes_of(static_cast<float>(x));
    }
  }
  const std::string json =
      R"({"asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "accessors": )"
      R"([{"bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3"}], "bufferViews": [{"buffer": 0, )"
      R"("byteLength": 144}], "buffers": [{"byteLength": 144}]})";
  const Geometry geometry = make_surface_mesh("m", parse_gltf(glb(json, buffer), "m"));
  EXPECT_EQ(geometry.report.points, 4);
  EXPECT_TRUE(geometry.warnings.empty());
}

TEST(GltfReader, SaysWhatItDoesNotRead) {
  const auto error = [](const std::string& bytes) { return error_of([&] { parse_gltf(bytes, "a.glb"); }); };
  for (const char* name : {"KHR_draco_mesh_compression", "EXT_meshopt_compression"}) {
    EXPECT_EQ(error(tet_glb("\"extensionsRequired\": [\"" + std::string(name) + "\"],")),
              "a.glb: the file needs the extension '" + std::string(name) +
                  "', which is not read; export it without compression or extensions");
  }
  EXPECT_EQ(error("solid"), "a.glb: no glTF: neither its JSON nor the bytes 'glTF' at the beginning");
  EXPECT_EQ(error(R"({"asset": {"version": "1.0"}})"), "a.glb: the version of glTF is '\"1.0\"'; 2.0 can be read");
  EXPECT_EQ(error(tet_glb(R"("nodes": [{"children": [0]}], "scenes": [{"nodes": [0]}],)")),
            "a.glb: node 0 is in the scene twice");
  EXPECT_EQ(error(json_of(R"("byteLength": 72)")),
            "a.glb: buffer 0 has neither a \"uri\" nor a chunk of a binary file");
  EXPECT_EQ(error(glb(json_of(R"("byteLength": 72)"), "short")),
            "a.glb: \"POSITION\" needs 48 bytes of a view of 48, in a buffer of 8");
}

// A mesh of 4 triangles in 2000 nodes is no 10 million.
TEST(GltfReader, BoundsWhatNodesCopy) {
  std::string nodes = R"("nodes": [)";
  for (int i = 0; i < 2000; ++i) nodes += R"({"mesh": 0},)";
  nodes.back() = ']';
  EXPECT_EQ(parse_gltf(tet_glb(nodes + ","), "m").triangles.size(), 8000U);
}

TEST(GltfReader, SurvivesTruncationAndChangedBytes) {
  const std::string good = tet_glb(R"("nodes": [{"mesh": 0, "rotation": [0, 0, 1, 0]}], "scenes": [{"nodes": [0]}],)");
  testing::expect_survival(good, {"\0009- }\xff", 6}, 1,
                           [](const std::string& bytes) { make_surface_mesh("m", parse_gltf(bytes, "m")); });
}

}  // namespace
}  // namespace isopatch
