// SPDX-License-Identifier: Apache-2.0
//
// The contact model of pressure fields: what an evaluation says of a pair, and the points of contact polygons that
// carry the forces of a time step.
#pragma once

#include <vector>

#include "host/reference/contact/contact_point.h"
#include "host/reference/contact/pair_result.h"
#include "host/reference/scene/environment.h"
#include "isopatch/scene/rollout_options.h"

namespace isopatch::reference {

PairResult evaluate_pressure_field(const PairInput& input);

/// The points of all pairs at the poses of `environment`, whose status must be clean. Points of plates have no
/// friction, and of each part pair of them a contact is appended. Throws Error for kFan6.
std::vector<ContactPoint> contact_points(const SceneDescription& scene, const State& state,
                                         const Environment& environment, ContactPoints rule,
                                         std::vector<StatefulContact>& contacts);

}  // namespace isopatch::reference
