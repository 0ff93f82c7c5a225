// SPDX-License-Identifier: Apache-2.0
//
// The masses with which bodies move, for all geometries that their parts can have.
#pragma once

#include <vector>

#include "isopatch/detail/rollout/motion/rollout_view.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// The arrays of RolloutView of these names.
struct BodyMasses {
  std::vector<BodyMass> masses;
  std::vector<std::int32_t> mass_steps;
};

/// A body of several parts for which State::geometry_index has more combinations of geometries than this moves with its
/// own only.
inline constexpr std::size_t kMaxMassesOfBody = 4096;

/// Writes the mass of each body with degrees of freedom to `bodies`, which are those of the scene in its order. Throws
/// Error as body_mass().
BodyMasses add_masses(const Scene& scene, std::vector<MovingBody>& bodies);

}  // namespace isopatch::detail
