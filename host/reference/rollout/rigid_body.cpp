// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/rigid_body.h"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace isopatch::reference {

Pose pose_of(const std::array<double, 7>& numbers) {
  const Quaternion orientation(numbers[3], numbers[4], numbers[5], numbers[6]);
  return {{numbers[0], numbers[1], numbers[2]}, orientation.normalized()};
}

Quaternion rotation_by(const Vector3& vector) {
  const Real angle = vector.norm();
  if (angle == 0) return Quaternion::Identity();
  const Vector3 imaginary = std::sin(angle / 2) / angle * vector;
  return {std::cos(angle / 2), imaginary[0], imaginary[1], imaginary[2]};
}

Vector3 rotation_vector(const Quaternion& rotation) {
  const Real sine = rotation.vec().norm();
  if (sine == 0) return Vector3::Zero();
  const Real sign = rotation.w() < 0 ? -1 : 1;
  const Real angle = 2 * std::atan2(sine, std::abs(rotation.w()));
  return sign * angle / sine * rotation.vec();
}

Vector6 in_axes(const Pose& frame, const Vector6& twist) {
  Vector6 result;
  result << frame.orientation * twist.head<3>(), frame.orientation * twist.tail<3>();
  return result;
}

Pose composed(const Pose& parent, const Pose& child) {
  return {parent.position + parent.orientation * child.position, (parent.orientation * child.orientation).normalized()};
}

Eigen::Matrix<Real, 3, 6> velocity_at(const Vector3& arm) {
  Eigen::Matrix<Real, 3, 6> J;
  J.leftCols<3>().setIdentity();
  J.rightCols<3>() << 0, arm[2], -arm[1], -arm[2], 0, arm[0], arm[1], -arm[0], 0;
  return J;
}

Vector6 twist_at(const Vector6& twist, const Vector3& arm) {
  Vector6 result = twist;
  result.head<3>() += twist.tail<3>().cross(arm);
  return result;
}

Pose moved(const Pose& pose, const Vector6& twist, Real duration) {
  const Quaternion turn = rotation_by(duration * twist.tail<3>());
  return {pose.position + duration * twist.head<3>(), (turn * pose.orientation).normalized()};
}

Vector6 twist_between(const Pose& from, const Pose& to, Real duration) {
  Vector6 twist;
  twist << to.position - from.position, rotation_vector(to.orientation * from.orientation.conjugate());
  return twist / duration;
}

Matrix3 MassiveBody::inertia_in_world(const Pose& pose) const {
  const Matrix3 R = pose.orientation.toRotationMatrix();
  return R * inertia * R.transpose();
}

Matrix6 MassiveBody::spatial_inertia(const Pose& pose) const {
  Matrix6 result = Matrix6::Zero();
  result.topLeftCorner<3, 3>() = mass * Matrix3::Identity();
  result.bottomRightCorner<3, 3>() = inertia_in_world(pose);
  return result;
}

FreeTurning MassiveBody::turning() const {
  const Eigen::SelfAdjointEigenSolver<Matrix3> principal(inertia);
  const Vector3 rates = principal.eigenvalues().cwiseInverse();
  const int top = rates[0] - rates[1] > rates[1] - rates[2] ? 0 : 2, other = 2 - top;
  return {principal.eigenvectors().col(top), principal.eigenvectors().col(1), rates[other], rates[top] - rates[other],
          rates[1] - rates[other]};
}

Quaternion FreeTurning::turned(const Quaternion& orientation, const Vector3& momentum, Real duration) const {
  Quaternion at = orientation;
  const auto turn_about = [&](const Vector3& axis, Real rate, Real time) {
    at = at * rotation_by(time * rate * (at * axis).dot(momentum) * axis);
  };
  turn_about(second, of_second, duration / 2);
  turn_about(symmetry, of_symmetry, duration);
  at = rotation_by(duration * of_all * momentum) * at;
  turn_about(second, of_second, duration / 2);
  return at.normalized();
}

Pose MassiveBody::moved_freely(const Pose& pose, const Vector6& momentum, Real duration) const {
  Pose result{pose.position, turning().turned(pose.orientation, momentum.tail<3>(), duration)};
  result.position += arm(pose) + duration / mass * momentum.head<3>() - arm(result);
  return result;
}

}  // namespace isopatch::reference
