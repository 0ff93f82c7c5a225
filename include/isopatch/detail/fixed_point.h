// SPDX-License-Identifier: Apache-2.0
//
// Sums that do not depend on the order of their terms. A term is rounded to a multiple of a power of two that is fixed
// for the (environment, pair) before any term is known, and added as a 64-bit integer, so addition is associative: any
// traversal, thread count or warp width gives the same bits.
//
// With `bound` a power of two that the sum cannot reach, the grid is bound 2^-62. A double evaluation keeps a second
// limb with the remainder on a grid 2^-40 finer. The remainder is at most half a step of the first limb, 2^39 steps of
// the second, so 2^24 terms fit.
#pragma once

#include <cmath>
#include <cstdint>

#include "isopatch/detail/vec.h"

namespace isopatch::detail {

/// The smallest power of two that is at least x, for x in [2^-1000, 2^1000].
ISOPATCH_HD double next_power_of_two(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);  // x = mantissa 2^exponent, mantissa in [0.5, 1)
  return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

/// A grid for terms whose sum stays below `bound`, itself a power of two.
template <class T>
struct Grid {
  T to_steps;       // 2^62 / bound
  double to_value;  // bound / 2^62

  ISOPATCH_HD static Grid from_bound(double bound) {
    const double held = max(bound, 0x1p-60);  // keeps to_steps finite in float
    return {static_cast<T>(0x1p62 / held), held * 0x1p-62};
  }
};

template <class T>
struct OrderFreeSum;

template <>
struct OrderFreeSum<float> {
  static constexpr int kLimbs = 1;
  std::int64_t limb[kLimbs] = {0};

  /// Returns false, and adds nothing, if the term does not fit the grid.
  ISOPATCH_HD bool add(float term, const Grid<float>& grid) {
    const float steps = term * grid.to_steps;
    const bool fits = std::fabs(steps) < 0x1p62f;
    limb[0] += fits ? std::llrint(steps) : 0;
    return fits;
  }

  ISOPATCH_HD double value(const Grid<float>& grid) const { return static_cast<double>(limb[0]) * grid.to_value; }
};

template <>
struct OrderFreeSum<double> {
  static constexpr int kLimbs = 2;
  std::int64_t limb[kLimbs] = {0, 0};

  ISOPATCH_HD bool add(double term, const Grid<double>& grid) {
    const double steps = term * grid.to_steps;
    const bool fits = std::fabs(steps) < 0x1p62;
    const std::int64_t whole = fits ? std::llrint(steps) : 0;
    const double remainder = fits ? steps - static_cast<double>(whole) : 0.0;  // exact
    limb[0] += whole;
    limb[1] += std::llrint(remainder * 0x1p40);
    return fits;
  }

  ISOPATCH_HD double value(const Grid<double>& grid) const {
    return std::fma(static_cast<double>(limb[1]), 0x1p-40, static_cast<double>(limb[0])) * grid.to_value;
  }
};

}  // namespace isopatch::detail
