// SPDX-License-Identifier: Apache-2.0
#include "host/render/picture_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "isopatch/scene/scene.h"

namespace isopatch::detail {
namespace {

constexpr double kGroundSize = 1.3;  // times the distance to what is farthest: half an edge of a half space's square

const double* pose_of(const Frames& frames, std::int64_t frame, std::size_t body) {
  const auto bodies = static_cast<std::size_t>(frames.states.num_bodies);
  return &frames.states.poses[(static_cast<std::size_t>(frame) * bodies + body) * 7];
}

/// A point of a node in its parent.
Point3 moved(const Placement& placement, const Point3& p) {
  const auto& [x, y, z, w] = placement.rotation;
  const Point3 v = {x, y, z}, t = 2 * cross(v, p);
  return placement.translation + p + w * t + cross(v, t);
}

/// The geometry that each part of the scene has in a frame; one that there is not is -1.
class PartGeometries {
 public:
  PartGeometries(const SceneDescription& scene, const Frames& frames) : scene_(scene), frames_(frames) {}

  int of(const Part& part, std::size_t number, std::int64_t frame) const {
    const auto& indices = frames_.states.geometry_index;
    const auto parts = static_cast<std::size_t>(frames_.states.num_parts);
    const std::int32_t index =
        indices.empty() ? part.geometry : indices[static_cast<std::size_t>(frame) * parts + number];
    return index >= 0 && static_cast<std::size_t>(index) < scene_.geometries.size() ? index : -1;
  }

  std::set<int> all_of(const Part& part, std::size_t number) const {
    std::set<int> all;
    for (std::int64_t frame = 0; frame < frames_.count(); ++frame) {
      all.insert(of(part, number, frame));
      if (frames_.states.geometry_index.empty()) break;
    }
    all.erase(-1);
    return all;
  }

 private:
  const SceneDescription& scene_;
  const Frames& frames_;
};

/// What of a mesh lies in its surface, as few points.
struct Surface {
  std::vector<std::array<float, 3>> points;
  std::vector<std::uint32_t> corners;
};

Surface surface_of(const Geometry& geometry) {
  Surface surface;
  std::map<std::int32_t, std::uint32_t> kept;
  for (const Triangle& triangle : geometry.surface) {
    for (const std::int32_t corner : triangle) {
      const auto [at, is_new] = kept.emplace(corner, static_cast<std::uint32_t>(surface.points.size()));
      if (is_new) {
        const Point3& p = point_at(geometry.mesh, corner);
        surface.points.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
      }
      surface.corners.push_back(at->second);
    }
  }
  return surface;
}

Surface square(double half) {
  const auto h = static_cast<float>(half);
  return {{{-h, -h, 0}, {h, -h, 0}, {h, h, 0}, {-h, h, 0}}, {0, 1, 2, 0, 2, 3}};
}

/// glTF's colours are linear.
int body_material(GltfDocument& document, const std::string& name, const std::array<double, 3>& color) {
  tinygltf::Material material;
  material.name = name;
  material.alphaMode = "BLEND";
  material.pbrMetallicRoughness.baseColorFactor = {std::pow(color[0], 2.2), std::pow(color[1], 2.2),
                                                   std::pow(color[2], 2.2), kBodyAlpha};
  return document.add_material(std::move(material));
}

/// Adds the parts of bodies, of which those of one geometry and colour share a mesh.
class PartMeshes {
 public:
  PartMeshes(GltfDocument& document, const SceneDescription& scene, const Extent& extent)
      : document_(document), scene_(scene), extent_(extent) {}

  /// `node` is of the part; `origin` is where the body is in the first frame.
  void give(int node, int geometry, int color, const Point3& origin) {
    const Geometry& shape = scene_.geometries[static_cast<std::size_t>(geometry)];
    const bool is_ground = shape.kind == GeometryKind::kHalfSpace;
    const auto key = std::pair(geometry, is_ground ? -1 - color : color);
    const auto [at, is_new] = meshes_.emplace(key, -1);
    if (is_new) {
      const double half = kGroundSize * (norm(extent_.center - origin) + extent_.radius);
      const Surface surface = is_ground ? square(half) : surface_of(shape);
      if (arrays_.count(geometry) == 0 || is_ground) {
        arrays_[geometry] = {document_.add_points(surface.points),
                             document_.add_corners(surface.corners, surface.points.size())};
      }
      const auto [points, corners] = arrays_[geometry];
      const auto& rgb = is_ground ? kGroundColor : kBodyColors[static_cast<std::size_t>(color) % kBodyColors.size()];
      at->second = document_.add_mesh(shape.name, points, corners, body_material(document_, shape.name, rgb));
    }
    document_.model().nodes[static_cast<std::size_t>(node)].mesh = at->second;
  }

 private:
  GltfDocument& document_;
  const SceneDescription& scene_;
  const Extent& extent_;
  std::map<std::pair<int, int>, int> meshes_;  // by geometry and colour
  std::map<int, std::pair<int, int>> arrays_;  // points and corners of a geometry
};

/// Moves a body's node through the frames.
void move_body(GltfDocument& document, int node, const Frames& frames, std::size_t body, int times) {
  std::vector<float> translations, rotations;
  std::array<double, 4> last = placement_of(pose_of(frames, 0, body)).rotation;
  bool moves = false;
  const Placement start = placement_of(pose_of(frames, 0, body));
  for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
    Placement at = placement_of(pose_of(frames, frame, body));
    moves = moves || at.translation != start.translation || at.rotation != start.rotation;
    double same = 0;
    for (std::size_t k = 0; k < 4; ++k) same += last[k] * at.rotation[k];
    if (same < 0) {  // the same rotation, on the shorter way
      for (double& q : at.rotation) q = -q;
    }
    last = at.rotation;
    for (const double x : at.translation) translations.push_back(static_cast<float>(x));
    for (const double q : at.rotation) rotations.push_back(static_cast<float>(q));
  }
  if (!moves) return;
  const char* interpolation = frames.times.empty() ? "STEP" : "LINEAR";
  document.animate(node, "translation", times, document.add_values(translations, 3), interpolation);
  document.animate(node, "rotation", times, document.add_values(rotations, 4), interpolation);
}

/// Adds the boxes of the bodies in all frames to `all`; returns that of the first frame.
Box add_boxes(const SceneDescription& scene, const Frames& frames, Box& all) {
  const PartGeometries geometries(scene, frames);
  Box first;
  std::size_t number = 0;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    for (const Part& part : parts_of(scene.bodies[body])) {
      for (const int index : geometries.all_of(part, number)) {
        const Geometry& geometry = scene.geometries[static_cast<std::size_t>(index)];
        if (geometry.kind == GeometryKind::kHalfSpace) continue;
        const Box box = box_of(geometry.mesh.points, geometry.surface);
        const Placement in_body = placement_of(part.pose.data());
        for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
          const Placement in_world = placement_of(pose_of(frames, frame, body));
          for (int corner = 0; corner < 8; ++corner) {
            const Point3 p = {corner & 1 ? box.high[0] : box.low[0], corner & 2 ? box.high[1] : box.low[1],
                              corner & 4 ? box.high[2] : box.low[2]};
            const Point3 at = moved(in_world, moved(in_body, p));
            all.add(at);
            if (frame == 0) first.add(at);
          }
        }
      }
      ++number;
    }
  }
  return first;
}

}  // namespace

std::vector<Extent> extents_of(const SceneDescription& scene, const std::vector<Frames>& environments) {
  constexpr double kAlike = 2;
  const auto radius = [](const Box& box) { return 0.5 * norm(box.high - box.low); };
  std::vector<Box> boxes(environments.size());
  double size = 0, least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const Box first = add_boxes(scene, environments[k], boxes[k]);
    const Point3 sides = first.high - first.low;
    size = std::max({size, sides[0], sides[1], sides[2]});
    least = std::min(least, radius(boxes[k]));
  }
  Box shared;
  const auto is_shared = [&](const Box& box) { return radius(box) <= kAlike * least; };
  for (const Box& box : boxes) {
    if (!is_shared(box)) continue;
    shared.add(box.low);
    shared.add(box.high);
  }
  std::vector<Extent> extents;
  for (const Box& own : boxes) {
    const Box& box = is_shared(own) ? shared : own;
    const bool has_size = box.low[0] <= box.high[0];
    extents.push_back(has_size ? Extent{0.5 * (box.low + box.high), radius(box), size, box.low[2] == box.high[2]}
                               : Extent{});
  }
  return extents;
}

void add_bodies(GltfDocument& document, int world, const SceneDescription& scene, const Frames& frames,
                const Extent& extent, int times) {
  const PartGeometries geometries(scene, frames);
  PartMeshes meshes(document, scene, extent);
  std::size_t number = 0;
  for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
    const Placement start = placement_of(pose_of(frames, 0, body));
    const int node = document.add_node(world, scene.bodies[body].name, start);
    document.model().nodes[static_cast<std::size_t>(node)].extras =
        tinygltf::Value(tinygltf::Value::Object{{"body", tinygltf::Value(static_cast<int>(body))}});
    if (times >= 0) move_body(document, node, frames, body, times);
    for (const Part& part : parts_of(scene.bodies[body])) {
      const std::set<int> all = geometries.all_of(part, number);
      for (const int index : all) {
        const std::string& geometry = scene.geometries[static_cast<std::size_t>(index)].name;
        const bool has_name = !scene.bodies[body].parts.empty() && !part.name.empty();
        const int part_node = document.add_node(node, has_name ? part.name : geometry, placement_of(part.pose.data()));
        meshes.give(part_node, index, static_cast<int>(body), start.translation);
        if (all.size() == 1) continue;
        std::vector<bool> shown;
        for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
          shown.push_back(geometries.of(part, number, frame) == index);
        }
        show_in(document, part_node, shown, times);
      }
      ++number;
    }
  }
}

}  // namespace isopatch::detail
