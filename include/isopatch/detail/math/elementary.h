// SPDX-License-Identifier: Apache-2.0
//
// Logarithm and arctangent with the same bits on every machine, which those of the C library do not have. Within a few
// roundings of double.
#pragma once

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// x = mantissa * 2^exponent with the mantissa in [1, 2), for normal positive x. The exponent is put into the lowest
/// bits of 2^52, where a double counts in ones.
inline constexpr std::uint64_t kMantissaBits = 0x000fffffffffffff, kOneBits = 0x3ff0000000000000,
                               kCountingBits = 0x4330000000000000;
inline constexpr double kCountingBias = 0x1p52 + 1023;
ISOPATCH_HD double mantissa_of(double x) {
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) & kMantissaBits) | kOneBits);
}
ISOPATCH_HD double exponent_of(double x) {
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 52) | kCountingBits) - kCountingBias;
}

/// c[0] + c[1] x + c[2] x^2 + ...
template <class D, int count>
ISOPATCH_HD D polynomial(const double (&c)[count], D x) {
  D sum = D(c[count - 1]);
  ISOPATCH_UNROLL
  for (int i = count - 2; i >= 0; --i) sum = fma(sum, x, D(c[i]));
  return sum;
}

/// The natural logarithm of a normal positive number. With x = m 2^k and s = (m - 1) / (m + 1), it is k log 2 + 2
/// artanh s, s^2 < 0.0295. The polynomial interpolates 2 (artanh(s) / s - 1) / s^2 in s^2 at Chebyshev's points; its
/// error is below 1e-16 of the logarithm.
template <class D>
ISOPATCH_HD D log(D x) {
  constexpr double kSeries[] = {0.66666666666666696, 0.39999999999899505, 0.28571428625975487, 0.22222211134795081,
                                0.18182889125261723, 0.15331721600556042, 0.14616449685043406};
  const D mantissa = mantissa_of(x), exponent = exponent_of(x);
  const MaskOf<D> large = mantissa > D(1.4142135623730951);
  const D m = select(large, D(0.5) * mantissa, mantissa), k = select(large, exponent + D(1), exponent);
  const D s = (m - D(1)) * reciprocal(m + D(1)), square = s * s;
  return fma(k, D(0.69314718055994531), fma(s * square, polynomial(kSeries, square), D(2) * s));
}

/// The angle of (x, y) from the x axis, in [-pi/2, pi/2], for x >= 0; 0 for (0, 0). Above pi/8 it is formed from its
/// difference to pi/4, so that the argument of the polynomial, which is interpolated like that of log(), is below
/// 0.172.
template <class D>
ISOPATCH_HD D arctangent(D y, D x) {
  constexpr double kSeries[] = {
      -0.33333333333333248, 0.19999999999898407,   -0.14285714266096619, 0.11111109636534361,   -0.09090852557176049,
      0.076910551583931494, -0.066496136952916687, 0.057363321659076427, -0.044833346222728859, 0.022750526993361671};
  const D side = abs(y), low = min(side, x), high = max(side, x);
  const MaskOf<D> large = low > D(0.41421356237309503) * high;
  const D numerator = select(large, low - high, low), denominator = select(large, low + high, high);
  const D t = numerator * reciprocal(max(denominator, D(0x1p-100))), square = t * t;
  const D eighth = fma(t * square, polynomial(kSeries, square), t);
  const D angle = eighth + select(large, D(0.78539816339744828), D(0));
  const D upright = select(side > x, D(1.5707963267948966) - angle, angle);
  return select(y < D(0), -upright, upright);
}

}  // namespace isopatch::detail
