// SPDX-License-Identifier: Apache-2.0
//
// What a Simulator reads of a scene besides SceneData: masses, motions and how to step, flattened.
#pragma once

#include <vector>

#include "host/rollout/rollout_trees.h"
#include "isopatch/detail/rollout/motion/rollout_view.h"
#include "isopatch/scene/rollout_options.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// The masses with which bodies move, for all geometries that their parts can have: the arrays of RolloutView of these
/// names.
struct BodyMasses {
  std::vector<BodyMass> masses;
  std::vector<std::int32_t> mass_steps;
};

/// A body of several parts for which State::geometry_index has more combinations of geometries than this moves with its
/// own only.
inline constexpr std::size_t kMaxMassesOfBody = 4096;

/// Writes the mass of each body with degrees of freedom to `bodies`, the bodies of the scene in its order. Throws
/// Error as body_mass().
BodyMasses add_masses(const Scene& scene, std::vector<MovingBody>& bodies);

/// Of a compliant part: where the extent is steepest, it falls from 1 to 0 in this. Infinite for a half space, m.
double thickness_of(const GeometryView& geometry);

/// Of a rigid part: 3 V / A, which is the radius of a ball and half the edge of a cube. Infinite for a half space, m.
double surface_thickness_of(const GeometryView& geometry);

/// Of friction in the steps of a scene, m/s.
double step_slip_tolerance(const SceneDescription& scene);

struct RolloutData {
  std::vector<MovingBody> bodies;
  RolloutTrees trees;
  std::vector<LoopView> loops;
  BodyMasses masses;
  std::vector<double> thickness, surface_thickness;            // of each geometry: see RolloutView
  std::vector<std::vector<PathRow>> paths;                     // of each body
  std::vector<std::vector<TimedValue>> drive_forces, targets;  // of each body
  RolloutView view;                                            // of the arrays above

  /// Throws Error if a body cannot move as its motion says, or the scene has too many cells or part pairs for keys
  /// of polygons.
  RolloutData(const Scene& scene, const RolloutOptions& options);
};

/// How many contact polygons of an environment there is room for if memory is allocated ahead: as many as the options
/// say, or four times as many as the scene has as it begins, and at least 256.
int polygon_capacity(const Scene& scene, const RolloutOptions& options);

/// The same of contacts and relations of its rigid parts that keep gaps, and at least 64; 0 if it has none.
int relation_capacity(const Scene& scene, const RolloutOptions& options);

}  // namespace isopatch::detail
