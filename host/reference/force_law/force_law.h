// SPDX-License-Identifier: Apache-2.0
//
// Single contacts in extended precision, from the formulas of include/isopatch/detail/force_law/README.md. It shares
// with the library the types of what goes in.
#pragma once

#include <array>

#include "host/reference/force_law/contact_state.h"
#include "host/reference/scene/vector.h"
#include "isopatch/single_contact.h"

namespace isopatch::reference {

using Vector6 = Eigen::Matrix<Real, 6, 1>;
using Matrix6 = Eigen::Matrix<Real, 6, 6>;

inline Vector3 vector_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

/// Of a patch and its normal, world frame.
struct ContactPatch {
  Real metric = 0;  // volume or depth; no contact unless > 0
  Vector3 point = Vector3::Zero(), normal = Vector3::Zero();
  Matrix3 spread = Matrix3::Zero();  // C_t, m^2
};
ContactPatch contact_patch(const Overlap& overlap, OverlapNormal normal);
ContactPatch contact_patch(const Depth& depth);

/// As isopatch::SingleContact.
struct SingleContact {
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero(), friction_force = Vector3::Zero();
  std::array<Real, 8> state = {};
  Matrix6 damping_matrix = Matrix6::Zero();                     // by differences of forces
  Real elastic = 0, offset = 0, damping = 0, normal_force = 0;  // f_k and a of this offset, f_n
};

/// f_k
Real elastic_force(const ContactForceLaw& law, bool has_exponent, Real metric, Real offset);

SingleContact single_contact(const ContactForceLaw& law, const ContactPatch& patch, bool has_exponent,
                             const ContactMotion& motion, const ContactStateRow& state, double time_step);

/// What a ball has in common with the half space below the plane through the origin with unit normal n: slices are
/// added up.
struct OverlapIntegrals {
  Real volume = 0;
  Vector3 centroid = Vector3::Zero(), area = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
};
OverlapIntegrals ball_overlap(const Vector3& center, Real radius, const Vector3& n);

}  // namespace isopatch::reference
