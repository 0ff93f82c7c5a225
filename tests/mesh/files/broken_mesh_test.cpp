// SPDX-License-Identifier: Apache-2.0
//
// Every file in tests/broken/meshes fails with the message that the manifest gives for it.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "host/mesh/files/mesh_files.h"
#include "isopatch/geometry/geometry.h"
#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

const std::string kFolder = source_path("tests/broken/meshes");

/// The manifest is one object of "file": "part of the message", without escapes.
std::map<std::string, std::string> read_manifest() {
  std::ifstream file(kFolder + "/manifest.json");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string bytes = text.str();
  const std::regex entry("\"([^\"]*)\"\\s*:\\s*\"([^\"]*)\"");
  std::map<std::string, std::string> manifest;
  for (std::sregex_iterator i(bytes.begin(), bytes.end(), entry), end; i != end; ++i) manifest[(*i)[1]] = (*i)[2];
  return manifest;
}

Geometry make_geometry(const std::string& path) {
  if (detail::is_surface_file(path)) return make_surface_mesh(path, read_triangle_mesh(path));
  return make_tet_mesh(path, read_tet_mesh(path));
}

TEST(BrokenMeshes, FailWithTheMessageOfTheManifest) {
  const std::map<std::string, std::string> manifest = read_manifest();
  EXPECT_GE(manifest.size(), 100U);
  for (const auto& [name, part] : manifest) {
    const std::string path = kFolder + "/" + name;
    SCOPED_TRACE(path);
    const std::string message = testing::error_of([&] { make_geometry(path); });
    EXPECT_TRUE(testing::contains(message, part)) << "expected: " << part << "\n     found: " << message;
    EXPECT_EQ(message.rfind(path, 0), 0U) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(BrokenMeshes, AreAllInTheManifest) {
  const std::map<std::string, std::string> manifest = read_manifest();
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    if (file.path().extension() == ".json") continue;
    EXPECT_EQ(manifest.count(file.path().filename()), 1U) << file.path();
  }
}

}  // namespace
}  // namespace isopatch
