// SPDX-License-Identifier: Apache-2.0
//
// How many sub-steps a step has in which bodies approach each other fast.
#pragma once

#include <vector>

#include "host/reference/rollout/rigid_body.h"
#include "isopatch/scene/scene.h"

namespace isopatch::reference {

/// At poses and twists of the origins.
int count_substeps(const SceneDescription& scene, const std::vector<Pose>& poses, const std::vector<Vector6>& twists);

}  // namespace isopatch::reference
