// SPDX-License-Identifier: Apache-2.0
//
// The velocities v at the end of an implicit step, as the minimum of
//
//   1/2 (v - v*)^T M (v - v*) + potentials of the contact points + potentials of the joints
//
// with one dense Jacobian of all points with respect to all velocities.
#pragma once

#include <vector>

#include "host/reference/contact/contact_point.h"
#include "host/reference/force_law/contact_state.h"
#include "host/reference/rollout/moving_body.h"
#include "host/reference/rollout/rigid_body.h"

namespace isopatch::reference {

/// The friction of a contact with state in a stage: a term of the convex problem, in place of the friction of the
/// contact's points.
struct FrictionTerm {
  StatefulContact contact;
  std::vector<std::size_t> points;  // of the contact
  Memory begun;                     // where the stage begins, of a contact that has begun
  HeldFriction friction;
  Real impulse = 0;  // n0: of the points along their normals, that friction is in proportion to, N s

  Eigen::Matrix<Real, 6, Eigen::Dynamic> jacobian;  // of the twist of a relative to b at the contact
  Vector6 known = Vector6::Zero();

  Real spin_radius() const { return contact.law.spin_radius * contact.radius; }

  /// From a relative twist at the contact to the slip of four numbers.
  Eigen::Matrix<Real, 4, 6> slip_matrix() const;

  Vector4 slip(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& velocity) const {
    return slip_matrix() * (jacobian * velocity + known);
  }

  /// On body a: an impulse, and its moment about the contact.
  Vector6 on_a(const Eigen::Matrix<Real, Eigen::Dynamic, 1>& velocity) const {
    return -impulse * (slip_matrix().transpose() * friction.friction(slip(velocity)));
  }

  /// Begins with the memory before the stage, at a known relative twist and the mean angular velocity of both bodies;
  /// `step` is the length of the implicit step.
  void begin(const Memory& before, const Vector6& twist, const Vector3& mean_spin, Real step);

  /// Holds what this slip gives; what sticks goes this part of the way.
  void hold(const Vector4& slip, Real share = 1) { friction.hold(slip, begun.dwell, share); }

  Real sticking_at(const Vector4& slip) const { return friction.sticking_at(slip, begun.dwell); }

  /// After a stage of `duration` seconds at this slip.
  Memory after(const Vector4& slip, Real duration) const;
};

/// What the second stage of sdirk2 begins with: `first` is after() the first one, at this slip.
Memory between_stages(const FrictionTerm& term, const Memory& first, const Vector4& slip, Real duration);

/// What acts on a joint, and the velocity that it acts on.
struct ForceOnJoint {
  Eigen::Index dof;
  JointForce force;
};

class ConvexProblem {
 public:
  Real step = 0;            // h, s
  Real slip_tolerance = 0;  // v_s, m/s
  MatrixX mass;             // M
  VectorX free_velocity;    // v*
  std::vector<ForceOnJoint> joints;

  // three rows for each point: its velocity of A relative to B is jacobian v + known
  std::vector<ContactPoint> points;
  MatrixX jacobian;
  VectorX known;
  std::vector<Real> limits;  // of the impulses along the normals that friction is limited by, N s

  std::vector<FrictionTerm> terms;  // of contacts with state, whose points have no friction of their own

  /// Sets the limits to the impulses of the present elastic forces at `velocity`. If the points are
  /// predicted, they are the forces that this velocity leads to.
  void begin_limits(const VectorX& velocity, bool predicted);

  /// The minimum, and again with limits from the impulses found until all are within the fraction `renewed` of the
  /// friction, in at most `passes` solves. Throws Error if that does not end.
  VectorX solve(const VectorX& start, int passes, Real renewed);

  /// The impulse along the normals of a term's points, N s.
  Real normal_impulse_of(const FrictionTerm& term, const VectorX& velocity) const;

  /// The impulse of point i on body A, N s.
  Vector3 impulse(std::size_t i, const VectorX& velocity) const;

 private:
  struct Derivatives {
    VectorX gradient;
    MatrixX matrix;
  };

  Vector3 point_velocity(std::size_t i, const VectorX& velocity) const;
  Real normal_speed(std::size_t i, const VectorX& velocity) const;
  Real normal_impulse(std::size_t i, Real normal_speed) const;
  Matrix3 impulse_matrix(std::size_t i, const VectorX& velocity) const;  // -d impulse / d velocity
  Derivatives derivatives(const VectorX& velocity) const;
  VectorX gradient(const VectorX& velocity) const;
  VectorX minimum(VectorX velocity) const;
  Real distance_along(const VectorX& velocity, const VectorX& direction) const;
};

}  // namespace isopatch::reference
