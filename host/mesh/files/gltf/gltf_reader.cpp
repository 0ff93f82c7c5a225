// SPDX-License-Identifier: Apache-2.0
//
// glTF 2.0, in JSON or binary: the triangles of all meshes in the scene, placed by its nodes. Materials, normals,
// textures, animations, skins and morph targets are skipped.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "host/mesh/files/gltf/gltf_file.h"
#include "host/mesh/files/mesh_elements.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/point_merging.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch {

using namespace detail;

namespace {

/// The most triangles besides one for each byte of the file, which may place a mesh many times.
constexpr std::size_t kMaxCopied = 6'000'000;

constexpr int kTriangles = 4, kStrip = 5, kFan = 6;  // modes of primitives

/// p -> A p + b
struct Placement {
  std::array<Point3, 3> columns = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Point3 origin = {0, 0, 0};

  Point3 linear(const Point3& p) const { return p[0] * columns[0] + p[1] * columns[1] + p[2] * columns[2]; }
  Point3 operator()(const Point3& p) const { return linear(p) + origin; }
  Placement operator*(const Placement& inner) const {
    return {{linear(inner.columns[0]), linear(inner.columns[1]), linear(inner.columns[2])}, (*this)(inner.origin)};
  }
  bool mirrors() const { return dot(cross(columns[0], columns[1]), columns[2]) < 0; }
};

class GltfReader {
 public:
  GltfReader(const std::string& bytes, const std::string& source) : file_(bytes, source) {}

  TriangleMesh read() {
    meshes_.resize(file_.count("meshes"));
    if (file_.count("nodes") == 0) {
      for (std::size_t i = 0; i < meshes_.size(); ++i) append(i, {});
    } else {
      place_nodes();
    }
    if (skipped_ > 0) {
      mesh_.notes.push_back(fmt::format("{} primitives of points or lines were left out", skipped_));
    }
    if (deformed_) mesh_.notes.push_back("skins and morph targets were not applied");
    // a vertex is there once for each of its normals, colours and meshes
    if (!is_closed(mesh_.triangles)) weld(mesh_);
    return std::move(mesh_);
  }

 private:
  /// The nodes of the scene, or all if there is none.
  void place_nodes() {
    const std::size_t count = file_.count("nodes");
    std::vector<std::pair<std::size_t, Placement>> left;
    if (file_.count("scenes") > 0) {
      const Json& scenes = file_.json()["scenes"];
      const std::size_t index = file_.json().contains("scene") ? file_.index(file_.json(), "scene", scenes.size()) : 0;
      for (const std::size_t node : file_.indices(scenes[index], "nodes", count)) left.emplace_back(node, Placement{});
    } else {
      std::vector<std::uint8_t> is_child(count, 0);
      for (const Json& node : file_.json()["nodes"]) {
        for (const std::size_t child : file_.indices(node, "children", count)) is_child[child] = 1;
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (is_child[i] == 0) left.emplace_back(i, Placement{});
      }
    }
    std::vector<std::uint8_t> placed(count, 0);
    while (!left.empty()) {
      const auto [index, parent] = left.back();
      left.pop_back();
      if (std::exchange(placed[index], std::uint8_t{1}) != 0) file_.fail("node {} is in the scene twice", index);
      const Json& node = file_.json()["nodes"][index];
      const Placement placement = parent * placement_of(node);
      if (node.contains("mesh")) append(file_.index(node, "mesh", meshes_.size()), placement);
      if (node.contains("skin")) deformed_ = true;
      for (const std::size_t child : file_.indices(node, "children", count)) left.emplace_back(child, placement);
    }
  }

  Placement placement_of(const Json& node) const {
    if (node.contains("matrix")) {
      const auto m = file_.numbers<16>(node, "matrix", {});
      return {{{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}}, {m[12], m[13], m[14]}};
    }
    const auto q = file_.numbers<4>(node, "rotation", {0, 0, 0, 1});
    const auto scale = file_.numbers<3>(node, "scale", {1, 1, 1});
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 0)) file_.fail("the rotation of a node is zero");
    const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    return {{scale[0] * Point3{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
             scale[1] * Point3{2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
             scale[2] * Point3{2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}},
            file_.numbers<3>(node, "translation", {0, 0, 0})};
  }

  void append(std::size_t index, const Placement& placement) {
    std::optional<TriangleMesh>& mesh = meshes_[index];
    if (!mesh) mesh = read_mesh(file_.json()["meshes"][index]);
    if (mesh_.triangles.size() + mesh->triangles.size() > kMaxCopied + file_.size() ||
        mesh_.points.size() + mesh->points.size() > kMaxCopied + file_.size()) {
      file_.fail("the nodes place more than {} triangles or points; 6 million and one a byte of the file can be read",
                 kMaxCopied + file_.size());
    }
    const auto first = static_cast<std::int32_t>(mesh_.points.size());
    for (const Point3& p : mesh->points) mesh_.points.push_back(placement(p));
    const bool mirrors = placement.mirrors();
    for (const auto& [a, b, c] : mesh->triangles) {
      mesh_.triangles.push_back({first + a, first + (mirrors ? c : b), first + (mirrors ? b : c)});
    }
  }

  TriangleMesh read_mesh(const Json& mesh) {
    TriangleMesh all;
    for (const Json& primitive : file_.list(mesh, "primitives")) {
      const std::size_t mode = primitive.contains("mode") ? file_.index(primitive, "mode", kFan + 1) : kTriangles;
      if (mode < kTriangles) {
        ++skipped_;
        continue;
      }
      if (primitive.contains("targets")) deformed_ = true;
      const auto first = static_cast<std::int32_t>(all.points.size());
      file_.read_points(primitive, all.points);
      const auto points = static_cast<std::int32_t>(all.points.size()) - first;
      std::vector<std::int32_t> corners = file_.read_corners(primitive, points);
      for (std::int32_t& corner : corners) corner += first;
      append_corners(all, corners, mode);
    }
    return all;
  }

  void append_corners(TriangleMesh& mesh, const std::vector<std::int32_t>& corners, std::size_t mode) const {
    if (mode == kStrip) {
      append_strip(mesh, corners);
    } else if (mode == kFan) {
      for (std::size_t i = 2; i < corners.size(); ++i)
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    } else {
      if (corners.size() % 3 != 0)
        file_.fail("a primitive of triangles has {} corners, no multiple of 3", corners.size());
      for (std::size_t i = 0; i < corners.size(); i += 3) {
        mesh.triangles.push_back({corners[i], corners[i + 1], corners[i + 2]});
      }
    }
  }

  GltfFile file_;
  TriangleMesh mesh_;
  std::vector<std::optional<TriangleMesh>> meshes_;  // those read so far
  std::size_t skipped_ = 0;
  bool deformed_ = false;
};

}  // namespace

TriangleMesh parse_gltf(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return GltfReader(bytes, source).read();
}

}  // namespace isopatch
