// SPDX-License-Identifier: Apache-2.0
//
// Poses, twists and momenta of rigid bodies. Twists and wrenches are six numbers, the linear ones first, world axes.
#pragma once

#include <array>

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

using Vector6 = Eigen::Matrix<Real, 6, 1>;
using Matrix6 = Eigen::Matrix<Real, 6, 6>;
using Quaternion = Eigen::Quaternion<Real>;

struct Pose {
  Vector3 position = Vector3::Zero();
  Quaternion orientation = Quaternion::Identity();

  Transform transform() const { return {orientation.toRotationMatrix(), position}; }
};

/// x y z, quaternion w x y z of any length but 0.
Pose pose_of(const std::array<double, 7>& numbers);

/// The rotation by a vector: its direction is the axis, its length the angle.
Quaternion rotation_by(const Vector3& vector);

/// The vector of at most pi of a rotation.
Vector3 rotation_vector(const Quaternion& rotation);

/// A twist in the axes of a frame, in those of the world.
Vector6 in_axes(const Pose& frame, const Vector6& twist);

/// The pose of a child that is given in its parent's frame.
Pose composed(const Pose& parent, const Pose& child);

/// The velocity of points at `arm` from a center: rows of a Jacobian with respect to its twist.
Eigen::Matrix<Real, 3, 6> velocity_at(const Vector3& arm);

/// The twist at a point that is at `arm` from the point of `twist`.
Vector6 twist_at(const Vector6& twist, const Vector3& arm);

/// The pose after `duration` seconds of a constant twist of the origin.
Pose moved(const Pose& pose, const Vector6& twist, Real duration);

/// The constant twist of the origin that leads from one pose to another in `duration` seconds, the shorter way round.
Vector6 twist_between(const Pose& from, const Pose& to, Real duration);

/// How a body turns without forces. Its inverse inertia has three parts: the same about all axes, and what is more
/// about each of two perpendicular axes of the body, k and e.
struct FreeTurning {
  Vector3 symmetry, second;             // k and e, unit, body's frame
  Real of_all, of_symmetry, of_second;  // 1/(kg m^2)

  /// The orientation after `duration` seconds with this angular momentum: each part turns the body exactly, e in two
  /// halves around the others.
  Quaternion turned(const Quaternion& orientation, const Vector3& momentum, Real duration) const;
};

/// A body with a mass.
struct MassiveBody {
  Real mass = 0;
  Vector3 center = Vector3::Zero();   // of mass, body's frame
  Matrix3 inertia = Matrix3::Zero();  // about the center, body's axes

  Vector3 arm(const Pose& pose) const { return pose.orientation * center; }  // from the origin to the center, world
  Matrix3 inertia_in_world(const Pose& pose) const;

  /// From the twist of the center to linear momentum and angular momentum about the center.
  Matrix6 spatial_inertia(const Pose& pose) const;

  /// About principal axes: the body is most like a symmetric top about k, and e has the middle moment.
  FreeTurning turning() const;

  /// The pose after `duration` seconds without forces: the center goes straight on, the angular momentum stays, and the
  /// body turns with the angular velocity that it has half way.
  Pose moved_freely(const Pose& pose, const Vector6& momentum, Real duration) const;
};

}  // namespace isopatch::reference
