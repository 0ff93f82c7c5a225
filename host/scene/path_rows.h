// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "isopatch/detail/rollout/motion/path.h"
#include "isopatch/scene/motion.h"

namespace isopatch::detail {

/// x y z, quaternion w x y z of any length but 0.
Pose pose_from(const std::array<double, 7>& numbers);

/// The rows of a checked path, with the rotation from each to the next.
std::vector<PathRow> path_rows(const Path& path);

}  // namespace isopatch::detail
