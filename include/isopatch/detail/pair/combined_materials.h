// SPDX-License-Identifier: Apache-2.0
//
// How the materials of two parts combine, whatever the contact model.
#pragma once

#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// A material parameter of a part pair: the compliant part's, or both weighted by the other's modulus (VL eq. 11); of
/// two rigid parts the mean.
ISOPATCH_HD double combined(double own_a, double own_b, double modulus_a, double modulus_b, bool rigid_a,
                            bool rigid_b) {
  if (rigid_a && rigid_b) return 0.5 * (own_a + own_b);
  if (rigid_a) return own_b;
  if (rigid_b) return own_a;
  return (modulus_b * own_a + modulus_a * own_b) / (modulus_a + modulus_b);
}

/// The coefficient of friction of a part pair: the harmonic mean, unless the pair overrides it.
ISOPATCH_HD double friction_of(const PairView& pair, const Material& a, const Material& b) {
  if (pair.friction >= 0 && !a.overrides_friction) return pair.friction;
  const double sum = a.friction + b.friction;
  return sum > 0 ? 2 * a.friction * b.friction / sum : 0.0;
}

/// The dissipation of a part pair in the law's unit, unless the pair overrides it.
ISOPATCH_HD double dissipation_of(const PairView& pair, const Material& a, const Material& b, bool rigid_a,
                                  bool rigid_b) {
  const bool own = pair.dissipation < 0 || a.overrides_dissipation;
  return own ? combined(a.dissipation, b.dissipation, a.modulus, b.modulus, rigid_a, rigid_b) : pair.dissipation;
}

}  // namespace isopatch::detail
