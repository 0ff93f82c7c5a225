// SPDX-License-Identifier: Apache-2.0
//
// What a Simulator reads of a scene besides SceneData: masses, motions and how to step, flattened.
#pragma once

#include <vector>

#include "host/rollout/body_masses.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// Of a compliant part: where the extent is steepest, it falls from 1 to 0 in this. Infinite for a half space, m.
double thickness_of(const GeometryView& geometry);

/// Of a rigid part: 3 V / A, which is the radius of a ball and half the edge of a cube. Infinite for a half space, m.
double surface_thickness_of(const GeometryView& geometry);

/// Of friction in the steps of a scene, m/s.
double step_slip_tolerance(const SceneDescription& scene);

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
