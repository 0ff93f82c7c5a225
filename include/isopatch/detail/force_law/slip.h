// SPDX-License-Identifier: Apache-2.0
//
// Slip of a plate in its plane, and what goes with it: four numbers, a vector in the plane and the spin about the
// normal times the radius of gyration. One limit of friction holds for all four.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

struct Slip {
  Vec3d along;  // in the plane
  double spin;
};

ISOPATCH_HD Slip operator*(double s, Slip a) { return {s * a.along, s * a.spin}; }
ISOPATCH_HD double dot(Slip a, Slip b) { return fma(a.spin, b.spin, dot(a.along, b.along)); }
ISOPATCH_HD double norm(Slip a) { return sqrt(dot(a, a)); }
/// s a + b
ISOPATCH_HD Slip fma(double s, Slip a, Slip b) { return {fma(s, a.along, b.along), fma(s, a.spin, b.spin)}; }

/// x without its part along the unit vector n
ISOPATCH_HD Vec3d tangential(Vec3d x, Vec3d n) { return fma(-dot(x, n), n, x); }

}  // namespace isopatch::detail
