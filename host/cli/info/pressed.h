// SPDX-License-Identifier: Apache-2.0
//
// A geometry that is pressed against a plane in many poses, to compare meshes of it.
#pragma once

#include <array>
#include <vector>

#include "isopatch/scene/scene.h"

namespace isopatch::cli {

/// What presses the first body of a scene against the second.
struct Pressed {
  std::vector<Point3> forces;   // N
  std::vector<Point3> torques;  // about the first body's origin, N m
  std::vector<double> areas;    // m^2
  double microseconds = 0;      // of processor time, of one evaluation
};

/// Differences of two in the same poses, the largest ones.
struct Differences {
  double force = 0;   // over the force
  double torque = 0;  // over the torque, or over the force at half the width where that is more
  double area = 0;    // over the area
};

/// The scene's first body above its second, the half space z <= 0, in `poses`.
Pressed press(const SceneDescription& scene, const std::vector<std::array<double, 7>>& poses);

/// Of `found` from `expected`.
Differences differences(const Pressed& found, const Pressed& expected, double half_width);

/// Half the smallest width of the points, over a thousand directions.
double half_width_of(const std::vector<Point3>& points);

/// Poses in which points overlap the half space z <= 0 by 2, 5, 10 and 20 % of `half_width`, each with the same random
/// rotations. The same on every machine.
std::vector<std::array<double, 7>> pressed_poses(const std::vector<Point3>& points, double half_width);

}  // namespace isopatch::cli
