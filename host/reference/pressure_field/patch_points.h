// SPDX-License-Identifier: Apache-2.0
//
// A patch as four points for each cluster of normals, with the formulas of INTERFACE.md.
#pragma once

#include <array>
#include <vector>

#include "host/reference/pressure_field/contact_polygon.h"

namespace isopatch::reference {

/// Four points of one cluster, in the frame of the polygons.
struct PatchPoints {
  std::array<Vector3, 4> points;
  Vector3 normal;  // of all four
  Real stiffness;  // of each, N/m
  std::array<Real, 4> distances;
};

/// A force, and its moment about the frame's origin.
struct ElasticWrench {
  Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
};

struct PatchContacts {
  std::vector<PatchPoints> clusters;
  ElasticWrench residual;  // the wrench of the pressure minus the wrench of the points
};

PatchContacts patch_contacts(const std::vector<const ContactPolygon*>& polygons, int max_clusters);

}  // namespace isopatch::reference
