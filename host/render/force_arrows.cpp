// SPDX-License-Identifier: Apache-2.0
#include "host/render/picture_nodes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace isopatch::detail {
namespace {

constexpr double kLongest = 0.4;  // of the scene's size
constexpr int kSides = 16;
constexpr float kShaft = 0.018F, kTip = 0.05F, kTipBegin = 0.82F;  // radii, and where the tip begins

/// An arrow of length 1 along z: rings of points, and triangles between each and the next.
int arrow_mesh(GltfDocument& document) {
  const std::vector<std::array<float, 2>> rings = {
      {0, 0}, {kShaft, 0}, {kShaft, kTipBegin}, {kTip, kTipBegin}, {0, 1}};  // radius and height
  std::vector<std::array<float, 3>> points;
  std::vector<std::uint32_t> corners;
  for (const auto& [radius, height] : rings) {
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2 * std::numbers::pi * i / kSides;
      points.push_back(
          {radius * static_cast<float>(std::cos(angle)), radius * static_cast<float>(std::sin(angle)), height});
    }
  }
  for (std::uint32_t ring = 0; ring + 1 < rings.size(); ++ring) {
    for (std::uint32_t i = 0; i < kSides; ++i) {
      const std::uint32_t a = ring * kSides + i, b = ring * kSides + (i + 1) % kSides;
      if (rings[ring][0] > 0) corners.insert(corners.end(), {a, b, a + kSides});
      if (rings[ring + 1][0] > 0) corners.insert(corners.end(), {b, b + kSides, a + kSides});
    }
  }
  tinygltf::Material material;
  material.name = "force";
  material.pbrMetallicRoughness.baseColorFactor = {0.60, 0.02, 0.02, 1};
  const int color = document.add_material(std::move(material));
  const int triangles = document.add_corners(corners, points.size());
  return document.add_mesh("force", document.add_points(points), triangles, color);
}

/// The shortest rotation from z to a direction, x y z w.
std::array<double, 4> rotation_to(const Point3& direction) {
  const double c = direction[2];
  if (c < -1 + 1e-9) return {1, 0, 0, 0};
  const double w = std::sqrt((1 + c) / 2);
  return {-direction[1] / (2 * w), direction[0] / (2 * w), 0, w};
}

/// An arrow in one frame.
struct Arrow {
  Placement placement;
  double length = kHidden;
};

/// Where a pair does not touch, the arrow waits.
std::vector<Arrow> arrows_of(int pair, std::span<const FrameContact> contacts, double newtons_per_metre) {
  std::vector<Arrow> arrows;
  for (const FrameContact& contact : contacts) {
    Arrow arrow;
    if (!arrows.empty()) arrow.placement = arrows.back().placement;
    for (const DrawnPatch& patch : contact.patches) {
      const double force = norm(patch.force);
      if (patch.pair != pair || !(force > 0)) continue;
      arrow.placement = {patch.center, rotation_to((1 / force) * patch.force)};
      arrow.length = std::max(force / newtons_per_metre, kHidden);
    }
    arrows.push_back(arrow);
  }
  return arrows;
}

/// The largest force of each pair that has any, N.
std::map<int, double> largest_forces(std::span<const FrameContact> contacts) {
  std::map<int, double> largest;
  for (const FrameContact& contact : contacts) {
    for (const DrawnPatch& patch : contact.patches) {
      const double force = norm(patch.force);
      if (std::isfinite(force) && force > 0) largest[patch.pair] = std::max(largest[patch.pair], force);
    }
  }
  return largest;
}

}  // namespace

double scale_of_arrows(const std::vector<FrameContact>& contacts, double size) {
  double largest = 0;
  for (const auto& [pair, force] : largest_forces(contacts)) largest = std::max(largest, force);
  return largest / (kLongest * size);
}

void add_force_arrows(GltfDocument& document, int world, std::span<const FrameContact> contacts,
                      double newtons_per_metre, int times, const std::function<std::string(int)>& name_of) {
  const std::map<int, double> largest = largest_forces(contacts);
  if (largest.empty()) return;
  const int mesh = arrow_mesh(document);
  for (const auto& [pair, force] : largest) {
    const std::vector<Arrow> arrows = arrows_of(pair, contacts, newtons_per_metre);
    const int node = document.add_node(world, "force of " + name_of(pair), arrows[0].placement);
    tinygltf::Node& made = document.model().nodes[static_cast<std::size_t>(node)];
    made.mesh = mesh;
    made.scale.assign(3, arrows[0].length);
    made.extras = tinygltf::Value(tinygltf::Value::Object{{"force_of_pair", tinygltf::Value(pair)}});
    if (times < 0) continue;
    std::vector<float> translations, rotations, scales;
    for (const Arrow& arrow : arrows) {
      for (const double x : arrow.placement.translation) translations.push_back(static_cast<float>(x));
      for (const double q : arrow.placement.rotation) rotations.push_back(static_cast<float>(q));
      scales.insert(scales.end(), 3, static_cast<float>(arrow.length));
    }
    document.animate(node, "translation", times, document.add_values(translations, 3), "STEP");
    document.animate(node, "rotation", times, document.add_values(rotations, 4), "STEP");
    document.animate(node, "scale", times, document.add_values(scales, 3), "STEP");
  }
}

}  // namespace isopatch::detail
