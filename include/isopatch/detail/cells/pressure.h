// SPDX-License-Identifier: Apache-2.0
//
// The pressure law: p = E e, with the modulus E and the extent e, which is affine in each tet. Everything that depends
// on this law is in this file. Number is a float, a double or a SIMD vector of them.
#pragma once

#include "isopatch/detail/cells/field_geometry.h"

namespace isopatch::detail {

/// One body of a pair.
struct PairBody {
  const GeometryView* geometry;
  const FieldGeometry* field;
  HierarchyView hierarchy;  // over the tets of a compliant body, the triangles of a rigid one
  bool rigid;
  bool half_space;
  double modulus;         // Pa; 0 where rigid
  double zero_tolerance;  // the signed difference at a vertex of this body counts as 0 up to here (Pa, or m beside a
                          // rigid body)
};

/// The pressure at a point with a given extent, or the slope of the pressure for a given slope of the extent.
template <class Number>
ISOPATCH_HD Number pressure_at(const PairBody& body, Number extent) {
  return Number(body.modulus) * extent;
}

/// The same at a point where the pressure is higher by `rise` than where the extent is `extent`.
template <class Number>
ISOPATCH_HD Number pressure_at(const PairBody& body, Number extent, Number rise) {
  return fma(Number(body.modulus), extent, rise);
}

template <class Number>
ISOPATCH_HD Vec3<Number> pressure_gradient(const PairBody& body, Vec3<Number> extent_gradient) {
  return Number(body.modulus) * extent_gradient;
}

/// The same, or for a rigid body the slope of the height over its surface, whose normal is given.
template <class Number>
ISOPATCH_HD Vec3<Number> level_gradient(const PairBody& body, Vec3<Number> extent_gradient) {
  return Number(body.rigid ? 1.0 : body.modulus) * extent_gradient;
}

/// Slope of a half space's extent along its outward normal, 1/m.
ISOPATCH_HD double half_space_extent_slope(const PairBody& body) { return -1.0 / body.field->thickness; }

/// Slope of its pressure, Pa/m.
ISOPATCH_HD double half_space_pressure_slope(const PairBody& body) { return -body.modulus / body.field->thickness; }

/// The smoothed slope of its extent at a height over its surface, 1/m.
template <class Number>
ISOPATCH_HD Number half_space_smoothed_slope(const PairBody& body, Number height) {
  return fma(height, Number(body.field->smoothed_slope), Number(body.field->smoothed));
}

/// An affine function that is `at_origin` at `origin`.
template <class Number>
struct AffinePressure {
  Vec3<Number> gradient, origin;
  Number at_origin;

  ISOPATCH_HD Number at(Vec3<Number> x) const { return at_origin + dot(gradient, x - origin); }
};

}  // namespace isopatch::detail
