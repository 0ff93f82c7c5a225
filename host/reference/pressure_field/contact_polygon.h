// SPDX-License-Identifier: Apache-2.0
//
// One polygon of a contact surface, for every kind of element pair. Each rule counts a polygon exactly once when it
// lies in a face that two tets share: both tets see the same values at the shared vertices, a face is crossed only by
// values of both kinds (positive, and zero or negative), and a tet without both kinds contributes nothing.
#pragma once

#include <optional>

#include "host/reference/pressure_field/polygon.h"
#include "host/reference/scene/posed_body.h"

namespace isopatch::reference {

struct ContactPolygon {
  VertexList vertices;  // counter-clockwise about the normal
  Vector3 normal;       // unit, from body b into body a
  Affine pressure;      // of the softer side
  Real gradient = 0;    // effective pressure gradient along the normal, Pa/m; the compliant side's against a rigid one
  Real weight = 1;      // that the pressure and its gradients were multiplied by
  std::array<Vector3, 2> smoothed = {Vector3::Zero(), Vector3::Zero()};  // gradients of a and b at the centroid
  Real smoothed_gradient = 0;  // the same from smoothed gradients at the centroid, never negative; for damping by PFC
  std::array<Vector3, 2> gradients = {Vector3::Zero(), Vector3::Zero()};  // of a and b, zero if rigid

  /// True if the normal is within 5 pi/8 of the inward gradient of every compliant side.
  bool passes_gradient_filter() const;

  /// Multiplies the pressure and its slopes by the part that presses on the near side of a one-sided body.
  /// `steepest_a` and `steepest_b` are the largest gradients of the pressures, Pa/m.
  void weigh_one_sided(bool one_sided_a, bool one_sided_b, Real steepest_a, Real steepest_b);

  /// The weight for the status bit `far_side`: the weight of the pressure if a one-sided body presses on a compliant
  /// one, otherwise the smaller one that the gradients of the tets give. After weigh_one_sided(), with the same values.
  Real near_side(bool one_sided_a, bool one_sided_b, Real steepest_a, Real steepest_b) const;

  /// The integral of the pressure, N; before weigh_one_sided() of the whole pressure.
  Real load() const;

  /// True if the pressure of every compliant side rises into its body, by more than rounding.
  bool resists() const;
};

/// Compliant tet of a against compliant tet of b. Differences of pressure up to `tolerance_a` [Pa] at
/// the vertices of a, and `tolerance_b` at the vertices of b, count as zero.
std::optional<ContactPolygon> tet_on_tet(const PressureTet& a, const PressureTet& b, Real tolerance_a,
                                         Real tolerance_b);

/// Compliant tet of a against a layer of a compliant half space b.
std::optional<ContactPolygon> tet_on_half_space(const PressureTet& a, const HalfSpaceLayer& b, Real tolerance);

/// Compliant tet of a against a triangle of rigid b, outward oriented. Distances up to `tolerance` [m] count as zero.
std::optional<ContactPolygon> tet_on_triangle(const PressureTet& a, const SurfaceTriangle& b, Real tolerance);

/// Compliant tet of a against a rigid half space b, given by the distance above it.
std::optional<ContactPolygon> tet_on_plane(const PressureTet& a, const Affine& distance, Real tolerance);

/// A layer of a compliant half space a against a triangle of rigid b, outward oriented. `distance` is the height above
/// the half space.
std::optional<ContactPolygon> half_space_on_triangle(const HalfSpaceLayer& a, const Affine& distance,
                                                     const SurfaceTriangle& b);

/// The same polygon with the bodies exchanged.
ContactPolygon swapped(ContactPolygon polygon);

}  // namespace isopatch::reference
