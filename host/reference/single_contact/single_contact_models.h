// SPDX-License-Identifier: Apache-2.0
//
// The contact models with one single contact for each part pair: what an evaluation says of a pair, and their contacts
// in a time step.
#pragma once

#include <vector>

#include "host/reference/contact/contact_point.h"
#include "host/reference/contact/pair_result.h"
#include "host/reference/force_law/contact_state.h"

namespace isopatch::reference {

PairResult evaluate_volumetric(const PairInput& input);
PairResult evaluate_point(const PairInput& input);

/// Appends a contact, and its three points, for each part pair that touches at the poses of `environment`, before whose
/// step it has these memories; `with_motion` also how overlaps of meshes move with its bodies' velocities.
void find_single_contacts_of_scene(const SceneDescription& scene, const State& state, const Environment& environment,
                                   const std::vector<Memory>& memories, bool with_motion,
                                   std::vector<ContactPoint>& points, std::vector<StatefulContact>& contacts);

}  // namespace isopatch::reference
