// SPDX-License-Identifier: Apache-2.0
//
// Distances of points to shapes in extended precision: the nearest point of the surface is found, the way from it is
// the gradient. Frames and signs are those of include/isopatch/detail/single_contact/distances.h.
#pragma once

#include "host/reference/scene/vector.h"

namespace isopatch::reference {

struct Distance {
  Real value = 0;
  Vector3 gradient = Vector3::UnitX();
};

Distance half_space_distance(const Vector3& x);
Distance sphere_distance(const Vector3& x, Real radius);
Distance box_distance(const Vector3& x, const Vector3& half);
Distance cylinder_distance(const Vector3& x, Real radius, Real half_height);
Distance capsule_distance(const Vector3& x, Real radius, Real half_length);

}  // namespace isopatch::reference
