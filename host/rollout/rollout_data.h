// SPDX-License-Identifier: Apache-2.0
//
// What a Simulator reads of a scene besides SceneData: masses, motions and how to step, flattened.
#pragma once

#include <vector>

#include "host/rollout/body_masses.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

struct RolloutData {
  std::vector<MovingBody> bodies;
  BodyMasses masses;
  std::vector<double> thickness, surface_thickness;            // of each geometry: see RolloutView
  std::vector<std::vector<PathRow>> paths;                     // of each body
  std::vector<std::vector<TimedValue>> drive_forces, targets;  // of each body
  RolloutView view;                                            // of the arrays above

  /// Throws Error if a body cannot move as its motion says, or the scene has too many cells or part pairs for keys
  /// of polygons.
  RolloutData(const Scene& scene, const RolloutOptions& options);
};

}  // namespace isopatch::detail
