// SPDX-License-Identifier: Apache-2.0
//
// Volume and centroid of an intersection of half spaces, face by face: every plane's face is found by clipping a large
// square by all other planes. Unlike the library it builds no tets, so the two share nothing. Coincident planes are not
// allowed.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "isopatch/scene/scene.h"

namespace isopatch::oracle {

using Extended = long double;
using ExtendedVector = Eigen::Matrix<Extended, 3, 1>;

/// The points x with normal . x <= offset; unit normal.
struct HalfSpace {
  ExtendedVector normal;
  Extended offset;
};

struct Volume {
  Extended volume = 0;
  ExtendedVector first_moment = ExtendedVector::Zero();  // integral of x dV
};

/// The intersection must be bounded and lie within `reach` of `inside`, any point near it.
Volume intersection_volume(const std::vector<HalfSpace>& half_spaces, const ExtendedVector& inside, Extended reach);

/// The static wrench on a of pair 0 from the volume: the integral of the softer side's pressure gradient over the part
/// of the overlap where its pressure is the smaller one. World frame, torque about a's origin.
struct VolumeWrench {
  ExtendedVector force = ExtendedVector::Zero();
  ExtendedVector torque = ExtendedVector::Zero();
};
VolumeWrench wrench_by_volume(const SceneDescription& scene);

/// The overlap of a pair of a mesh and a half space, world frame.
Volume submerged_volume(const SceneDescription& scene);

}  // namespace isopatch::oracle
