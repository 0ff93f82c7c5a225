// SPDX-License-Identifier: Apache-2.0
//
// Equations of motion of joints that share nothing with the steps of the reference.
#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "host/reference/rollout/moving_bodies.h"
#include "isopatch/scene/scene.h"

namespace isopatch::oracle {

using reference::Matrix3;
using reference::MatrixX;
using reference::Real;
using reference::Vector3;
using reference::VectorX;

inline Vector3 as_vector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

/// By a vector: its direction is the axis, its length the angle.
Matrix3 turned_by(const Vector3& rotation);

/// A base that goes on with a twist of its origin for a time [s].
struct Leg {
  Vector3 velocity, omega;
  Real time;
};

/// Joints on the world or one base as Lagrange has them, with momenta in place of accelerations: q' = M^-1 (p - b) and
/// p' = d(T - V)/dq. M, b and the derivatives come from the kinetic energy and the potential alone, which products of
/// exponentials about the axes of the scene's poses give.
class Lagrangian {
 public:
  /// Of boxes that are not turned at the scene's poses, with inertias along their axes. Leaders and parents come first.
  Lagrangian(const SceneDescription& scene, const std::vector<Leg>& legs);

  /// From the start of the scene, by Runge and Kutta's method of order four.
  void integrate(Real time, Real step);

  /// The largest error of a joint's position, and of a rate, after integrate(). The state is of the last joints.
  std::array<Real, 2> error_of(const reference::MotionState& state) const;

 private:
  struct Link {
    Motion motion;
    bool is_base = false;
    Real mass = 0;
    Vector3 center;  // at the scene's pose, as the inertia
    Matrix3 inertia = Matrix3::Zero();
    Eigen::Index coordinate = 0;

    Real ratio() const { return motion.mimic ? Real{motion.mimic->ratio} : 1; }
    Real position(const VectorX& q) const {
      return ratio() * q[coordinate] + (motion.mimic ? Real{motion.mimic->offset} : 0);
    }
  };
  /// A displacement from the scene's pose, and the velocity of the body's point that is at the world's origin.
  struct Moved {
    Matrix3 R = Matrix3::Identity();
    Vector3 t = Vector3::Zero(), omega = Vector3::Zero(), at_origin = Vector3::Zero();
  };
  struct Energies {
    Real kinetic = 0, potential = 0;
  };

  void set_time(Real time, Real within);
  Moved moved(const Link& link, const Moved& parent, const VectorX& q, const VectorX& rates) const;
  Energies energies(const VectorX& q, const VectorX& rates) const;
  std::pair<MatrixX, VectorX> inertia(const VectorX& q) const;
  VectorX force(const VectorX& q, const VectorX& rates) const;

  std::vector<Leg> legs_;
  std::vector<Link> links_;
  Eigen::Index num_coordinates_ = 0;
  Vector3 gravity_ = Vector3::Zero(), base_ = Vector3::Zero();
  Moved moved_base_;
  VectorX q_, rates_;
};

}  // namespace isopatch::oracle
