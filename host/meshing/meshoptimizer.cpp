// SPDX-License-Identifier: Apache-2.0
#include <meshoptimizer.h>

#include <algorithm>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "host/meshing/coarsening.h"

namespace isopatch::detail {

const bool kCanCoarsen = true;

double coarsen(TriangleMesh& mesh, std::size_t triangles, const std::string&) {
  const Box box = box_of(mesh.points, mesh.triangles);
  std::vector<float> points;  // about the middle, so that they keep their digits
  for (const Point3& p : mesh.points) {
    for (std::size_t k = 0; k < 3; ++k) points.push_back(static_cast<float>(p[k] - 0.5 * (box.low[k] + box.high[k])));
  }
  std::vector<unsigned> corners, fewer(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());

  constexpr std::size_t kStride = 3 * sizeof(float);
  constexpr float kAnyError = 1;  // of the size
  float error = 0;
  fewer.resize(meshopt_simplify(fewer.data(), corners.data(), corners.size(), points.data(), mesh.points.size(),
                                kStride, 3 * triangles, kAnyError, 0, &error));
  mesh.triangles.clear();
  for (std::size_t i = 0; i < fewer.size(); i += 3) {
    mesh.triangles.push_back({static_cast<std::int32_t>(fewer[i]), static_cast<std::int32_t>(fewer[i + 1]),
                              static_cast<std::int32_t>(fewer[i + 2])});
  }
  return static_cast<double>(error) *
         static_cast<double>(meshopt_simplifyScale(points.data(), mesh.points.size(), kStride));
}

}  // namespace isopatch::detail
