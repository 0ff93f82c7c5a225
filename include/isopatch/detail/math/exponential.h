// SPDX-License-Identifier: Apache-2.0
//
// The decaying exponential and powers with the same bits on every machine, which those of the C library do not have.
#pragma once

#include "isopatch/detail/math/elementary.h"

namespace isopatch::detail {

/// e^-x for x >= 0, within two units in the last place; 0 above 708, where it is nearly subnormal. With k the integer
/// nearest to x / log 2 it is 2^-k e^-r, |r| < 0.3467; what the series of e^-r leaves out is below 4e-18. The bits of k
/// are the lowest of 1.5 2^52 + k.
ISOPATCH_HD double decay(double x) {
  constexpr double kSeries[] = {
      1,          -1,         1. / 2,       -1. / 6,      1. / 24,        -1. / 120,      1. / 720,
      -1. / 5040, 1. / 40320, -1. / 362880, 1. / 3628800, -1. / 39916800, 1. / 479001600, -1. / 6227020800};
  constexpr double kIntegers = 0x1.8p52;
  if (x > 708) return 0;
  const double counted = fma(x, 1.4426950408889634, kIntegers), k = counted - kIntegers;
  const double r = fma(-k, 2.3190468138462996e-17, fma(-k, 0.69314718055994531, x));
  const std::uint64_t exponent = 1023 + std::bit_cast<std::uint64_t>(kIntegers) - std::bit_cast<std::uint64_t>(counted);
  return polynomial(kSeries, r) * std::bit_cast<double>(exponent << 52);
}

/// x^p for normal positive x and p from 0 to kMaxPower. The whole part of p is multiplied out, a half is a root; any
/// other rest goes through the logarithm, whose roundings count |rest log x| times.
inline constexpr double kMaxPower = 64;
ISOPATCH_HD double power(double x, double p) {
  const double nearest = p + 0x1p52, counted = nearest - 0x1p52 > p ? nearest - 1 : nearest;
  const double rest = p - (counted - 0x1p52);
  auto whole = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(counted));
  double product = 1;
  for (double square = x; whole > 0; whole >>= 1, square *= square) {
    if ((whole & 1) != 0) product *= square;
  }
  if (rest == 0) return product;
  if (rest == 0.5) return product * sqrt(x);
  const double exponent = rest * log(x);
  return exponent < 0 ? product * decay(-exponent) : product / decay(exponent);
}

}  // namespace isopatch::detail
