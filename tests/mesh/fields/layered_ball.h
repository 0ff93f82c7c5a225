// SPDX-License-Identifier: Apache-2.0
//
// A ball of concentric layers of tets around a core, for fields that change along the radius.
#pragma once

#include <algorithm>

#include "host/mesh/math/point_math.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::testing {

/// The unit ball: a sphere's mesh of radius `core`, and `layers` of prisms around it, each cut into three tets.
inline TetMesh layered_ball(int subdivisions, int layers, double core) {
  using namespace detail;
  const TetMesh sphere = make_sphere_mesh(1, subdivisions);
  const auto count = static_cast<std::int32_t>(sphere.points.size()) - 1;  // without the centre, which is last
  TetMesh ball;
  for (int layer = 0; layer <= layers; ++layer) {
    const double radius = core + (1 - core) * layer / layers;
    for (std::int32_t i = 0; i < count; ++i) ball.points.push_back(radius * point_at(sphere, i));
  }
  const auto centre = static_cast<std::int32_t>(ball.points.size());
  ball.points.push_back({0, 0, 0});

  const auto add = [&ball](Tet tet) {
    if (six_volumes(ball, tet) < 0) std::swap(tet[2], tet[3]);
    ball.tets.push_back(tet);
  };
  for (Triangle t : boundary_triangles(sphere)) {
    std::sort(t.begin(), t.end());
    add({centre, t[0], t[1], t[2]});
    for (int layer = 0; layer < layers; ++layer) {
      const auto in = [&](std::size_t i) { return t[i] + layer * count; };
      const auto out = [&](std::size_t i) { return t[i] + (layer + 1) * count; };
      add({in(0), in(1), in(2), out(2)});
      add({in(0), in(1), out(1), out(2)});
      add({in(0), out(0), out(1), out(2)});
    }
  }
  return ball;
}

}  // namespace isopatch::testing
