// SPDX-License-Identifier: Apache-2.0
#include "host/cli/info/mesh_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "host/cli/info/pressed.h"
#include "host/cli/info_table.h"
#include "host/files/input_file.h"
#include "host/mesh/files/mesh_files.h"
#include "host/meshing/coarsening.h"
#include "host/meshing/interrupt.h"
#include "host/meshing/tetrahedralize.h"
#include "host/scene_file/json_value.h"
#include "host/text/quote.h"
#include "isopatch/limits.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Json = nlohmann::ordered_json;

constexpr double kAreaShare = 3;  // areas may differ by so many times more than forces
constexpr double kSpare = 0.9;    // of the share, since other poses may have more

/// Meshes of round shapes, coarsest first, and what of their key is 16 times as many tets.
struct Key {
  const char* name;
  std::vector<int> values;
  int (*finer)(int value);
};

const Key* key_of(const std::string& type) {
  static const Key subdivisions = {"subdivisions", {0, 1, 2, 3, 4, 5}, [](int n) { return n + 2; }};
  static const Key around = {
      "segments", {8, 12, 16, 24, 32, 48, 64, 96, 128}, [](int n) { return std::min(16 * n, limits::kMaxSegments); }};
  static const Key over_ends = {"segments", {8, 12, 16, 24, 32, 48, 64, 96, 128}, [](int n) { return 4 * n; }};
  if (type == "sphere" || type == "ellipsoid") return &subdivisions;
  if (type == "cylinder") return &around;
  return type == "capsule" ? &over_ends : nullptr;
}

/// The geometry with another mesh.
Json with_mesh(Json geometry, const Key& key, int value) {
  geometry.erase("edge_length");
  geometry.erase("refinement");  // the pressure is the same function without it
  geometry[key.name] = value;
  geometry["facets"] = "equal_volume";
  return geometry;
}

/// Its keys that say how fine it is.
std::string mesh_text(const Json& geometry) {
  std::string text;
  for (const char* key : {"subdivisions", "segments", "edge_length", "facets", "refinement"}) {
    if (geometry.contains(key))
      text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, geometry[key].dump());
  }
  return text.empty() ? "as it is" : text;
}

/// A scene file's geometries, each pressed alone.
class Press {
 public:
  Press(std::string source, std::string directory) : source_(std::move(source)), directory_(std::move(directory)) {}

  /// The geometry compliant above a rigid plane; a surface without tets rigid above a compliant one.
  SceneDescription scene_of(const Json& geometry, const SceneMeshes& meshes = {}) const {
    const bool is_rigid = geometry["type"] == "surface_mesh";
    const Json compliant = {{"modulus", 1e5}, {"friction", 0.5}}, rigid = {{"rigid", true}, {"friction", 0.5}};
    Json body = is_rigid ? rigid : compliant, plane = is_rigid ? compliant : rigid;
    body.update({{"name", "body"}, {"geometry", "body"}});
    plane.update({{"name", "plane"}, {"geometry", "plane"}, {"fixed", true}});
    const Json scene = {{"isopatch", 1},
                        {"geometries", {{"body", geometry}, {"plane", {{"type", "half_space"}}}}},
                        {"bodies", {body, plane}}};
    return parse_scene(scene.dump(), directory_, source_, meshes);
  }

 private:
  std::string source_, directory_;
};

/// A mesh, and how it differs from a finer one.
struct Row {
  std::string mesh;
  std::size_t tets = 0, triangles = 0;
  Differences differences;
  double microseconds = 0;
};

Row row_of(std::string mesh, const SceneDescription& scene, const Pressed& found, const Pressed& expected,
           double half_width) {
  const Geometry& geometry = scene.geometries.front();
  return {std::move(mesh), geometry.mesh.tets.size(), geometry.surface.size(), differences(found, expected, half_width),
          found.microseconds};
}

bool is_within(const Differences& found, double share) {
  const double most = kSpare * share;
  return found.force <= most && found.torque <= most && found.area <= kAreaShare * most;
}

void add(Rows& rows, const std::string& name, const Row& row, bool is_finest = false) {
  const auto percent = [&](double x) { return is_finest ? "-" : fmt::format("{:.2g}", 100 * x); };
  rows.push_back({name, row.mesh, fmt::to_string(row.tets), fmt::to_string(row.triangles),
                  percent(row.differences.force), percent(row.differences.torque), percent(row.differences.area),
                  fmt::format("{:.0f}", row.microseconds)});
}

void add_words(Rows& rows, const std::string& name, const std::string& words) {
  rows.push_back({name, words, "", "", "", "", "", ""});
}

/// The rows of a round shape: as it is, and the coarsest mesh within the share. It ends without one where a finer mesh
/// would have more tets than a scene may have.
void add_round(Rows& rows, const std::string& name, const Json& geometry, const Key& key, const Press& press_of,
               double share) {
  const SceneDescription as_it_is = press_of.scene_of(geometry);
  std::optional<Row> now;
  int last = key.values.front();
  for (const int value : key.values) {
    SceneDescription scene, fine;
    const Json coarse = with_mesh(geometry, key, value);
    try {
      scene = press_of.scene_of(coarse);
      fine = press_of.scene_of(with_mesh(geometry, key, key.finer(value)));
    } catch (const Error&) {
      break;
    }
    const std::vector<Point3>& points = fine.geometries.front().mesh.points;
    const double half_width = half_width_of(points);
    const auto poses = pressed_poses(points, half_width);
    const Pressed expected = press(fine, poses);
    now = row_of(mesh_text(geometry), as_it_is, press(as_it_is, poses), expected, half_width);
    const Row row = row_of(mesh_text(coarse), scene, press(scene, poses), expected, half_width);
    last = value;
    if (!is_within(row.differences, share)) continue;
    add(rows, name, *now);
    add(rows, "", row);
    return;
  }
  if (now) add(rows, name, *now);
  add_words(rows, now ? "" : name, fmt::format("none up to \"{}\": {}", key.name, last));
}

/// The rows of a mesh file: as it is, which the others are compared with, and the fewest triangles within the share.
void add_file(Rows& rows, const std::string& name, const Json& geometry, const Press& press_of, double share) {
  const SceneDescription whole = press_of.scene_of(geometry);
  const Geometry& mesh = whole.geometries.front();
  const double half_width = half_width_of(mesh.mesh.points);
  const auto poses = pressed_poses(mesh.mesh.points, half_width);
  const Pressed expected = press(whole, poses);
  add(rows, name, row_of("as it is", whole, expected, expected, half_width), true);
  if (!kCanCoarsen) {
    add_words(rows, "", "coarser ones: this build has no meshoptimizer");
    return;
  }
  if (geometry.contains("strain") || geometry.value("field", Json("distance")) != "distance") {
    add_words(rows, "", "coarser ones: of the field \"distance\" only");
    return;
  }
  const bool is_surface = mesh.is_surface_mesh();
  if (mesh.report.cut_triangles > 0) {
    add_words(rows, "", "coarser ones: not of a surface that cuts through itself");
    return;
  }
  const MesherInput input = mesher_input({mesh.mesh.points, mesh.surface, {}}, name);
  const Interruptible interruptible;
  const auto check = [&] { interruptible.check(); };
  constexpr std::int64_t kFewest = 128;
  for (std::int64_t triangles = kFewest; triangles < std::ssize(mesh.surface); triangles *= 2) {
    check();
    SceneDescription scene = whole;
    try {
      if (is_surface) {
        TriangleMesh coarse = input.surface;
        coarsen(coarse, static_cast<std::size_t>(triangles), name);
        scene.geometries.front() = make_surface_mesh("body", std::move(coarse));
      } else {
        scene.geometries.front() =
            tetrahedralize(input, find_mesher("auto"), {{}, triangles}, "body", name, check).geometry;
      }
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kFile) throw;  // there is no mesher
      continue;                                     // coarser ones may cut themselves
    }
    const Row row = row_of(fmt::format("--triangles {}", scene.geometries.front().surface.size()), scene,
                           press(scene, poses), expected, half_width);
    if (!is_within(row.differences, share)) continue;
    add(rows, "", row);
    return;
  }
  add_words(rows, "", "none that is coarser");
}

/// The geometries of a file by name: a scene's, or a mesh file's one.
Json geometries_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  if (is_tet_mesh_file(file)) return {{name, {{"type", "tet_mesh"}, {"file", name}}}};
  if (is_surface_file(file)) return {{name, {{"type", "surface_mesh"}, {"file", name}}}};
  return JsonValue::parse(read_input_file(file, limits::kMaxSceneBytes), file)["geometries"];
}

}  // namespace

void print_mesh_advice(const std::string& file, const std::optional<std::string>& data, double share) {
  const Press press_of(file, data.value_or(std::filesystem::path(file).parent_path().string()));
  Rows rows = {{"geometry", "mesh", "tets", "triangles", "force %", "torque %", "area %", "us"}};
  const Json geometries = geometries_of(file);
  for (const auto& [name, geometry] : geometries.items()) {
    const std::string type = geometry["type"];
    if (const Key* key = key_of(type)) {
      add_round(rows, escaped(name), geometry, *key, press_of, share);
    } else if (type == "tet_mesh" || type == "surface_mesh") {
      add_file(rows, escaped(name), geometry, press_of, share);
    } else if (type == "bolt" || type == "nut") {
      add_words(rows, escaped(name), "a screw thread: see NUMBERS.md");
    } else {
      add_words(rows, escaped(name), "exact: its faces are flat");
    }
  }
  fmt::print("\n  cheapest mesh within {:g} % of one 16 times as fine, of a file's mesh: of itself\n", 100 * share);
  print_table(rows);
}

}  // namespace isopatch::cli
