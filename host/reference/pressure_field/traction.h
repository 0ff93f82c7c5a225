// SPDX-License-Identifier: Apache-2.0
//
// From a contact polygon to the force and torque of its traction.
#pragma once

#include "host/reference/pressure_field/contact_polygon.h"
#include "isopatch/scene/scene.h"

namespace isopatch::reference {

/// The material of a pair and its motion at an environment's state.
struct ContactLaw {
  DissipationModel model = DissipationModel::kHuntCrossley;
  Quadrature quadrature = Quadrature::kExact;
  Real slip_tolerance = 0;
  Real modulus = 0;      // effective, Pa
  Real dissipation = 0;  // s/m or s
  Real friction = 0;

  /// velocity of a relative to b at x is velocity + angular_velocity x (x - origin)
  Vector3 velocity = Vector3::Zero();  // at the frame's origin
  Vector3 angular_velocity = Vector3::Zero();
};

/// What a polygon, or a patch, adds up to; torques about the frame's origin.
struct PatchSum {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
  Vector3 friction_force = Vector3::Zero();
  Real area = 0;
  Real pressure = 0;                          // integral of p dS
  Vector3 pressure_moment = Vector3::Zero();  // integral of x p dS
  Vector3 normal = Vector3::Zero();           // integral of n dS
  Real max_pressure = 0;
  int polygons = 0;

  void add(const PatchSum& other);
};

/// Adds one polygon. The static normal part is exact; damping and friction follow the law's quadrature,
/// where `exact` is their integral to 1e-10 of the normal force.
void add_polygon(const ContactPolygon& polygon, const ContactLaw& law, PatchSum& sum);

}  // namespace isopatch::reference
