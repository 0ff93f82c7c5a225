// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact as a function: from an overlap or a depth, motion and a state to one force and torque and
// the next state. A program can iterate on it without searching contact again. The model is described in
// detail/force_law/README.md.
#pragma once

#include <array>

#include "isopatch/geometry/mesh.h"
#include "isopatch/scene/contact_force_law.h"

namespace isopatch {

/// What two bodies A and B have in common, world frame. No contact if the volume or the vector area is 0.
struct Overlap {
  double volume = 0;                          ///< V, m^3, >= 0
  Point3 centroid = {};                       ///< p, m
  std::array<double, 6> second_moments = {};  ///< xx yy zz xy xz yz of the integral of (x - p)(x - p)^T, m^5; zeros: a
                                              ///< point, which resists neither rolling nor spinning
  Point3 area = {};  ///< the integral of B's outward normal over B's surface inside A, m^2: from B into A
};

/// A contact in a point, world frame. No contact unless depth > 0.
struct Depth {
  double depth = 0;    ///< m
  Point3 point = {};   ///< where the force acts, m
  Point3 normal = {};  ///< unit, from B into A; of no use without contact
};

/// How A and B move, world frame.
struct ContactMotion {
  Point3 origin_a = {};                           ///< of A, m
  Point3 origin_b = {};                           ///< of B, m
  Point3 velocity_a = {};                         ///< of A's origin, m/s
  Point3 velocity_b = {};                         ///< of B's origin, m/s
  std::array<double, 3> angular_velocity_a = {};  ///< rad/s
  std::array<double, 3> angular_velocity_b = {};  ///< rad/s
};

/// What a contact keeps from step to step; zeros before it begins. 0: impact speed, m/s, 0 without contact; 1: offset
/// of volume or depth, m^3 or m; 2 to 4: bend of the bristles, world, m; 5: their twist, rad; 6: dwell, 0 to 1; 7: age,
/// s.
using ContactStateRow = std::array<double, 8>;

/// A single contact, world frame; zeros without contact.
struct SingleContact {
  std::array<double, 6> wrench = {};  ///< force on A, N, and torque on A about origin_a, N m; B has the opposite force
  Point3 friction_force = {};         ///< what friction adds to the force, N
  ContactStateRow state = {};         ///< for the next step
  Point3 point = {};                  ///< where the force acts, m
  Point3 normal = {};                 ///< unit, from B into A
  double radius = 0;                  ///< of gyration of the patch about the normal, m

  /// D, row by row: minus the derivative of (force, torque about `point`) by A's velocity relative to B at `point` and
  /// its relative angular velocity, with the Stribeck weight and the dwell held; N s/m, N s, N m s.
  std::array<double, 36> damping_matrix = {};
};

/// The contact of an overlap after a step of `time_step` s; with 0 the bristles do not move. The same bits on every
/// machine. Throws Error for a law out of range (stiffness is required), for numbers beyond those of limits.h, for a
/// negative volume or time step, for a state that no step can have left, and where the result would not be finite.
SingleContact single_contact(const ContactForceLaw& law, const Overlap& overlap, const ContactMotion& motion,
                             const ContactStateRow& state, double time_step);

/// The contact of a depth. Throws Error as the function above, and for a normal that is not a unit vector to 1e-6.
SingleContact single_contact(const ContactForceLaw& law, const Depth& depth, const ContactMotion& motion,
                             const ContactStateRow& state, double time_step);

}  // namespace isopatch
