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
#include "host/reference/rollout/friction_term.h"
#include "host/reference/rollout/moving_body.h"

namespace isopatch::reference {

using MatrixX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

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
