// SPDX-License-Identifier: Apache-2.0
//
// A surface with an area far beyond the square of its radius.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::test {

/// Horizontal square plates, one above the other, as one rigid surface; `middle` descends from 0.
struct Plates {
  double side;
  std::vector<double> middle, thickness;

  TriangleMesh mesh() const {
    static constexpr Triangle kFaces[] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                          {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    TriangleMesh mesh;
    for (std::size_t i = 0; i < middle.size(); ++i) {
      const auto first = static_cast<std::int32_t>(mesh.points.size());
      const double h = side / 2, low = middle[i] - thickness[i] / 2, high = middle[i] + thickness[i] / 2;
      for (const double z : {low, high}) {
        for (const auto& [x, y] : {std::pair{-h, -h}, {h, -h}, {h, h}, {-h, h}}) mesh.points.push_back({x, y, z});
      }
      for (const Triangle& f : kFaces) mesh.triangles.push_back({first + f[0], first + f[1], first + f[2]});
    }
    return mesh;
  }
};

/// Plates of 0.1 x 0.1 m and 10 um, 0.2 mm apart.
inline Plates even_plates(int count) {
  Plates plates = {0.1, {}, {}};
  for (int i = 0; i < count; ++i) plates.middle.push_back(-2e-4 * i), plates.thickness.push_back(1e-5);
  return plates;
}

}  // namespace isopatch::test
