// SPDX-License-Identifier: Apache-2.0
//
// Checks of what a rollout needs, in addition to check_scene().
#pragma once

#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// Throws Error, naming the body and the value, unless mass, density, centre of mass and inertia are possible.
void check_mass(const Body& body);

/// Throws Error, naming the body and the value, unless masses and motions of all bodies are valid. All indices of
/// geometries are in range.
void check_motions(const SceneDescription& scene);

/// Throws Error, naming the value, unless all options are valid.
void check_rollout_options(const RolloutOptions& options);

/// Throws Error unless every body can move as its motion says. A Scene may have a free half space, which only an
/// evaluation can use.
void check_movable(const SceneDescription& scene);

}  // namespace isopatch::detail
