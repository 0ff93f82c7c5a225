// SPDX-License-Identifier: Apache-2.0
//
// Friction by bristles between two parts with pressure fields: one force at the center of their pressure.
#pragma once

#include <vector>

#include "host/reference/force_law/contact_state.h"
#include "host/reference/pressure_field/contact_polygon.h"
#include "isopatch/scene/contact_force_law.h"

namespace isopatch::reference {

/// What the pressure of polygons adds up to.
struct PressureMoments {
  Real force = 0;                    // P0: the integral of p
  Vector3 center = Vector3::Zero();  // of pressure
  Matrix3 second = Matrix3::Zero();  // P2: the integral of p (x - center)(x - center)^T
};
PressureMoments pressure_moments(const std::vector<ContactPolygon>& polygons);

/// How a part pair moves in the frame of its body a: velocity of a relative to b in the origin, and both angular ones.
struct PatchMotion {
  Vector3 velocity, angular_a, angular_b;
};

struct BristleForce {
  Vector3 force = Vector3::Zero();   // of friction on a, at `center`
  Vector3 torque = Vector3::Zero();  // of friction about there
  Memory next;                       // in the frame of body a
};

/// `traction` is the force of pressure and damping on a; without it the patch faces along `area`, the integral of the
/// normal. All is in one frame.
BristleForce bristle_force(const ContactForceLaw& law, const PressureMoments& pressure, const Vector3& traction,
                           const Vector3& area, const PatchMotion& motion, const Memory& before, Real time_step);

}  // namespace isopatch::reference
