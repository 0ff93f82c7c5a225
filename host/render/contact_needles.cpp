// SPDX-License-Identifier: Apache-2.0
#include "host/render/picture_nodes.h"

namespace isopatch::detail {
namespace {

constexpr double kPointRadius = 0.12, kNeedleRadius = 0.06;  // radii, over the length
constexpr std::array<std::array<std::uint32_t, 3>, 8> kOctahedron = {
    {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
constexpr std::array<std::array<std::uint32_t, 3>, 4> kNeedleSides = {{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}}};

std::array<float, 3> as_floats(const Point3& p) {
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])};
}

}  // namespace

int add_contacts(GltfDocument& document, const std::string& name, const DrawnContacts& contacts, double length,
                 int material) {
  std::vector<std::array<float, 3>> points;
  std::vector<std::uint32_t> corners;
  for (const DrawnContact& contact : contacts.contacts) {
    const Point3 &at = contact.point, &normal = contact.normal;
    const Point3 other = std::abs(normal[0]) < 0.5 ? Point3{1, 0, 0} : Point3{0, 1, 0};
    const Point3 across = cross(normal, other), u = (1 / norm(across)) * across, v = cross(normal, u);
    const auto add = [&](const auto& triangles, double radius, const Point3& tip, bool has_bottom) {
      const auto first = static_cast<std::uint32_t>(points.size());
      for (const Point3& side : {u, -1 * u, v, -1 * v}) points.push_back(as_floats(at + radius * side));
      points.push_back(as_floats(tip));
      if (has_bottom) points.push_back(as_floats(at - radius * normal));
      for (const auto& triangle : triangles) {
        for (const std::uint32_t corner : triangle) corners.push_back(first + corner);
      }
    };
    add(kOctahedron, kPointRadius * length, at + (kPointRadius * length) * normal, true);
    add(kNeedleSides, kNeedleRadius * length, at + length * normal, false);
  }
  const int triangles = document.add_corners(corners, points.size());
  const int mesh = document.add_mesh(name, document.add_points(points), triangles, material);
  document.model().meshes.back().extras = tinygltf::Value(
      tinygltf::Value::Object{{"pair", tinygltf::Value(contacts.pair)},
                              {"contacts", tinygltf::Value(static_cast<int>(contacts.contacts.size()))}});
  return mesh;
}

}  // namespace isopatch::detail
