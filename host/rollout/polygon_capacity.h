// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/scene/rollout_options.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// How many contact polygons of an environment there is room for if memory is allocated ahead: as many as the options
/// say, or four times as many as the scene has as it begins, and at least 256.
int polygon_capacity(const Scene& scene, const RolloutOptions& options);

}  // namespace isopatch::detail
