// SPDX-License-Identifier: Apache-2.0
//
// What damping leaves of a force, and the damping that a coefficient of restitution asks for.
#pragma once

#include "isopatch/detail/math/exponential.h"
#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// d / e for a restitution e in (0, 1]: a contact with the damping (d / e) / v leaves with e v if it was met with v.
/// With c = 1 + 1 / e, d in (0, 1] solves (1 + d / e) e^(-c d) = 1 - d, which Newton's method from 1 approaches from
/// above. That equation has d = 0 as a double root, and near e = 1 the other root is near it; there the equation's
/// logarithm over d^2, a power series, is solved instead.
ISOPATCH_HD double impact_factor(double restitution) {
  const double e = restitution, q = 1 / e;
  if (e < 0.93) {
    const double c = 1 + q;
    double d = 1;
    for (int i = 0; i < 50; ++i) {
      const double left = decay(c * d);
      const double value = fma(left, fma(q, d, 1.0), d - 1), slope = fma(-left, fma(c * q, d, 1.0), 1.0);
      const double next = d - value / slope;
      if (!(next < d)) break;
      d = next;
    }
    return d * q;
  }
  // sum over n >= 2 of (1 + (-1)^(n+1) q^n) d^(n-2) / n; d q < 0.12
  double d = 1.5 * (1 - e);
  for (int i = 0; i < 50; ++i) {
    double value = -((1 - e) * q) * (1 + q) / 2, slope = 0;
    double of_d = 1, of_q = q * q;  // d^(n-3), q^(n-1)
    for (int n = 3; n < 24; ++n) {
      of_q *= q;
      const double coefficient = (n % 2 == 0 ? 1 - of_q : 1 + of_q) / n;
      slope = fma(coefficient * (n - 2), of_d, slope);
      of_d *= d;
      value = fma(coefficient, of_d, value);
    }
    const double next = d - value / slope;
    if (next == d) break;
    d = next;
  }
  return d * q;
}

/// The share of the elastic force that motion leaves, max(0, 1 - d v_n), so that there is no pull (Hunt and Crossley).
/// T is a number, or a SIMD vector of them.
template <class T>
ISOPATCH_HD T damped_share(T dissipation, T v_n) {
  return max(fma(-dissipation, v_n, T(1.0)), T(0.0));
}

}  // namespace isopatch::detail
