// SPDX-License-Identifier: Apache-2.0
//
// From contact polygons to the force and torque of their traction, and to points in place of a patch.
#pragma once

#include <vector>

#include "host/reference/contact/contact_law.h"
#include "host/reference/contact/pair_result.h"
#include "host/reference/pressure_field/contact_polygon.h"

namespace isopatch::reference {

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

/// Speed of separation times this is what damping takes from the normal traction, relative to the pressure.
Real damping_rate(const ContactPolygon& polygon, const ContactLaw& law);

/// Adds one polygon. The static normal part is exact; damping and friction follow the law's quadrature,
/// where `exact` is their integral to 1e-10 of the normal force.
void add_polygon(const ContactPolygon& polygon, const ContactLaw& law, PatchSum& sum);

/// A patch as four points for each cluster of normals, with the formulas of INTERFACE.md.
PatchContacts patch_contacts(const std::vector<const ContactPolygon*>& polygons, int max_clusters);

}  // namespace isopatch::reference
