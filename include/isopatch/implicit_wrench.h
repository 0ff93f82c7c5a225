// SPDX-License-Identifier: Apache-2.0
//
// Contact for whoever integrates bodies by himself: stiffness and damping of a contact, and the wrench that makes both
// implicit in an explicit step.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "isopatch/geometry/mesh.h"
#include "isopatch/results/records.h"

namespace isopatch {

/// How the contact wrench of body a about a point falls as the body moves, world frame: 6 x 6, row by row; force before
/// torque, and the velocity of the point before the angular velocity.
struct ContactMatrices {
  std::array<double, 36> stiffness = {};  ///< minus the derivative by the displacement; N/m, N, N m
  std::array<double, 36> damping = {};    ///< minus that by the velocity; N s/m, N s, N m s
};

/// The stiffness and damping of `contacts`, all of them of one pair, under Hunt and Crossley's law; `origin` is a point
/// of body a, world frame, m, and `velocity` its velocity and the angular velocity relative to body b there, m/s and
/// rad/s. With v_n and v_t the relative velocity at a contact along its normal n and across, d the dissipation and N
/// the damped normal force, a contact has the stiffness k (1 - d v_n) and the damping d A p along n, and across it the
/// secant of friction, mu N / sqrt(|v_t|^2 + v_s^2), v_s being `slip_tolerance`, m/s: with this damping a step of any
/// length slows a slide and does not reverse it. Throws Error for a `slip_tolerance` that is not above 0.
ContactMatrices contact_matrices(std::span<const DiscreteContact> contacts, const Point3& origin,
                                 const std::array<double, 6>& velocity, double slip_tolerance);

/// What implicit_wrench() takes. n is 6 for a free body, or the number of coordinates of several; matrices are n x n,
/// row by row.
struct ImplicitStep {
  double time_step = 0;                ///< h, s, > 0
  std::span<const double> inertia;     ///< M, kg and so on
  std::span<const double> stiffness;   ///< K, N/m and so on: minus the derivative of the wrench by the coordinates
  std::span<const double> damping;     ///< C, N s/m and so on: minus that by the velocity
  std::span<const double> wrench;      ///< n   W, N; N m. The contact wrench at the beginning of the step
  std::span<const double> velocity;    ///< n   v, m/s; rad/s. At the beginning of the step, in the same coordinates
  std::span<const double> other = {};  ///< n   N; N m. All other wrenches, such as weight; empty: none

  /// Whether K is replaced by its symmetric part without negative eigenvalues, which patches on round bodies have, of
  /// rolling: with them the step may be unstable.
  bool clamp = true;
};

/// The contact wrench W' [n], N; N m, that a step of length h has to apply so that stiffness and damping are implicit.
/// With M (v' - v) = h (other + W') and the wrench at the end of the step W' = W - K h v' - C (v' - v), this is
///
///     W' = (1 + h (h K + C) M^-1)^-1 (W - h K v - h (h K + C) M^-1 other),
///
/// which stays bounded however stiff the contact is, where W itself would make it explode. Apply W' as an explicit
/// integrator applies any wrench. See Baraff and Witkin, "Large steps in cloth simulation", 1998, equation 6. Throws
/// Error, naming the array, for other sizes, numbers that are not finite, and a step that is not above 0.
std::vector<double> implicit_wrench(const ImplicitStep& step);

}  // namespace isopatch
