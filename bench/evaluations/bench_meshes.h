// SPDX-License-Identifier: Apache-2.0
//
// Meshes of benchmark scenes that no primitive gives. The first two are made as in bench/tet_meshes.py, so that times
// can be compared with those that bench/drake found on the same meshes.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "isopatch/error.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::bench {

using Edge = std::pair<std::int32_t, std::int32_t>;

inline Point3 middle(const Point3& a, const Point3& b) {
  return {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
}

/// A sphere by 8*4^n tets: an octahedron's faces split in four n times, and joined to the centre.
inline TetMesh make_octahedron_sphere(double radius, int subdivisions) {
  TetMesh mesh;
  mesh.points = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {0, 0, 0}};
  const std::int32_t centre = 6;
  std::vector<Triangle> faces;
  for (const int a : {0, 3}) {
    for (const int b : {1, 4}) {
      for (const int c : {2, 5}) faces.push_back({a, b, c});
    }
  }
  std::map<Edge, std::int32_t> middles;
  const auto between = [&](std::int32_t a, std::int32_t b) {
    const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(mesh.points.size()));
    if (is_new) mesh.points.push_back(middle(mesh.points[a], mesh.points[b]));
    return at->second;
  };
  for (int i = 0; i < subdivisions; ++i) {
    std::vector<Triangle> split;
    for (const auto& [a, b, c] : faces) {
      const std::int32_t ab = between(a, b), bc = between(b, c), ca = between(c, a);
      for (const Triangle& face : {Triangle{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}}) split.push_back(face);
    }
    faces = std::move(split);
  }
  for (const auto& [a, b, c] : faces) mesh.tets.push_back({a, b, c, centre});
  for (auto& [x, y, z] : mesh.points) {  // each octahedron |x|+|y|+|z| = r becomes the sphere of radius r
    const double length = std::hypot(x, y, z),
                 factor = length > 0 ? (std::fabs(x) + std::fabs(y) + std::fabs(z)) / length : 0;
    x *= radius * factor, y *= radius * factor, z *= radius * factor;
  }
  return mesh;
}

/// Splits edges, longest first, until there are exactly `count` tets; a linear field stays the same. Throws Error where
/// no edge fits.
inline TetMesh bisected(TetMesh mesh, std::size_t count) {
  while (mesh.tets.size() < count) {
    std::map<Edge, std::size_t> uses;
    for (const Tet& tet : mesh.tets) {
      for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < i; ++k) ++uses[std::minmax(tet[i], tet[k])];
      }
    }
    std::optional<std::pair<std::int64_t, Edge>> longest;  // in nanometres: rounded, so that equal ones are equal
    for (const auto& [edge, tets] : uses) {
      if (tets > count - mesh.tets.size()) continue;
      const Point3 &a = mesh.points[edge.first], &b = mesh.points[edge.second];
      const auto length = std::llround(1e9 * std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
      longest = std::max(longest, std::optional(std::pair(std::int64_t{length}, edge)));
    }
    if (!longest) throw Error("no edge can be split into as many tets as are wanted");
    const auto [a, b] = longest->second;
    const auto added = static_cast<std::int32_t>(mesh.points.size());
    mesh.points.push_back(middle(mesh.points[a], mesh.points[b]));
    std::vector<Tet> split;
    for (const Tet& tet : mesh.tets) {
      Tet first = tet, second = tet;
      std::replace(first.begin(), first.end(), a, added);
      std::replace(second.begin(), second.end(), b, added);
      split.push_back(first);
      if (first != tet && second != tet) {
        split.push_back(second);
      } else {
        split.back() = tet;
      }
    }
    mesh.tets = std::move(split);
  }
  return mesh;
}

/// A regular tetrahedron by four tets about its centre, with its upper face, of the given side, at z = 0.
inline TetMesh make_four_tets(double side) {
  const double r = side / std::sqrt(3.), depth = side * std::sqrt(2. / 3);
  TetMesh mesh;
  mesh.points = {{r, 0, 0}, {-r / 2, side / 2, 0}, {-r / 2, -side / 2, 0}, {0, 0, -depth}, {0, 0, -depth / 4}};
  mesh.tets = {{0, 2, 1, 4}, {0, 1, 3, 4}, {1, 2, 3, 4}, {2, 0, 3, 4}};
  return mesh;
}

}  // namespace isopatch::bench
