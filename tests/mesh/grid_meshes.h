// SPDX-License-Identifier: Apache-2.0
//
// Tet meshes of cells in rows and columns: blocks, plates and rings.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "isopatch/geometry/mesh.h"

namespace isopatch::testing {

/// Cells of six tets each, around the diagonal from a cell's first corner to its last. `position` takes a grid point's
/// index along each axis to its coordinates. A closed grid has its first layer behind its last one along the first
/// axis.
template <typename Position>
TetMesh grid_mesh(const std::array<std::int32_t, 3>& cells, bool closed, const Position& position) {
  const std::array<std::int32_t, 3> points = {cells[0] + (closed ? 0 : 1), cells[1] + 1, cells[2] + 1};
  const auto index = [&](const std::array<std::int32_t, 3>& at) {
    return (at[0] % points[0] * points[1] + at[1]) * points[2] + at[2];
  };
  TetMesh mesh;
  for (std::int32_t i = 0; i < points[0]; ++i) {
    for (std::int32_t j = 0; j < points[1]; ++j) {
      for (std::int32_t k = 0; k < points[2]; ++k) mesh.points.push_back(position(i, j, k));
    }
  }
  for (std::int32_t cell = 0; cell < cells[0] * cells[1] * cells[2]; ++cell) {
    Triangle order = {0, 1, 2};
    do {
      std::array<std::int32_t, 3> at = {cell / (cells[1] * cells[2]), cell / cells[2] % cells[1], cell % cells[2]};
      Tet tet = {index(at)};
      for (std::size_t i = 0; i < 3; ++i) {
        ++at[static_cast<std::size_t>(order[i])];
        tet[i + 1] = index(at);
      }
      mesh.tets.push_back(tet);
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return mesh;
}

/// A block about the origin.
inline TetMesh block_mesh(const Point3& size, const std::array<std::int32_t, 3>& cells) {
  return grid_mesh(cells, false, [&](std::int32_t i, std::int32_t j, std::int32_t k) -> Point3 {
    return {size[0] * (1. * i / cells[0] - .5), size[1] * (1. * j / cells[1] - .5), size[2] * (1. * k / cells[2] - .5)};
  });
}

/// A ring about the z axis; its cells are counted around the axis, along it and through the wall.
inline TetMesh ring_mesh(double outer_radius, double wall, double height, const std::array<std::int32_t, 3>& cells) {
  return grid_mesh(cells, true, [&](std::int32_t i, std::int32_t j, std::int32_t k) -> Point3 {
    const double angle = 2 * std::numbers::pi * i / cells[0], radius = outer_radius - wall * k / cells[2];
    return {radius * std::cos(angle), radius * std::sin(angle), height * (1. * j / cells[1] - .5)};
  });
}

}  // namespace isopatch::testing
