// SPDX-License-Identifier: Apache-2.0
#include "host/scene/path_rows.h"

namespace isopatch::detail {

Pose pose_from(const std::array<double, 7>& numbers) {
  const auto& [x, y, z, qw, qx, qy, qz] = numbers;
  return {{x, y, z}, normalized(Quaternion{qw, {qx, qy, qz}})};
}

std::vector<PathRow> path_rows(const Path& path) {
  std::vector<PathRow> rows;
  for (std::size_t i = 0; i < path.times.size(); ++i)
    rows.push_back({path.times[i], pose_from(path.poses[i]), {0, 0, 0}});
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    rows[i].rotation = log(product(rows[i + 1].pose.orientation, conjugate(rows[i].pose.orientation)));
  }
  return rows;
}

}  // namespace isopatch::detail
