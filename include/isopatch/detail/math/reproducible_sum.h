// SPDX-License-Identifier: Apache-2.0
//
// Sums that do not depend on the order of their terms. A term is rounded to a multiple of a power of two that is fixed
// for the (environment, pair) before any term is known, and added as a 64-bit integer, so addition is associative: any
// traversal, thread count or warp width gives the same bits.
//
// A term must be less than `bound`, a power of two, and the grid is bound 2^-62. A double evaluation keeps a second
// limb with the remainder on a grid 2^-40 finer. The remainder is at most half a step of the first limb, 2^39 steps of
// the second, so 2^24 terms fit.
//
// That the terms add up to less than 2^63 steps is not taken for granted: SumBound adds up their magnitudes beside
// them, and where it cannot rule out that a sum has wrapped, the pair is evaluated again on a wider grid.
#pragma once

#include <cmath>
#include <cstdint>

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// The smallest power of two that is at least x, for x in [2^-1000, 2^1000].
ISOPATCH_HD double next_power_of_two(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);  // x = mantissa 2^exponent, mantissa in [0.5, 1)
  return std::ldexp(1.0, mantissa == 0.5 ? exponent - 1 : exponent);
}

/// A grid for terms whose sum stays below `bound`, itself a power of two.
template <class T>
struct FixedPointScale {
  T to_steps;       // 2^62 / bound
  double to_value;  // bound / 2^62

  ISOPATCH_HD static FixedPointScale from_bound(double bound) {
    const double held = max(bound, 0x1p-60);  // keeps to_steps finite in float
    return {static_cast<T>(0x1p62 / held), held * 0x1p-62};
  }
};

/// In steps: what a single term must stay below.
inline constexpr float kMostSteps = 0x1p62f;

/// Bounds all sums of one (environment, pair) at once. Each of its N terms has several numbers, one for each sum; let m
/// be the largest of their magnitudes, in steps, and w = m 2^-32 rounded to an integer. A sum of numbers s, each
/// rounded to an integer, is at most
///
///     sum of (|s| + 1/2)  <=  sum of (m + 1/2)  <=  sum of (2^32 (w + 1/2) + 1/2)  <  2^32 (W + N),   W = sum of w,
///
/// so it is below 2^62 where W + N < 2^30. W and N themselves do not wrap: w is at most 2^30, also for a term that does
/// not fit and is left out, and there are fewer than 2^31 terms. They do not depend on the order either.
struct SumBound {
  std::int64_t terms = 0;
  std::int64_t magnitude = 0;  // W

  static constexpr std::int64_t kMost = std::int64_t{1} << 30;

  /// Counts a term with numbers of up to `largest` steps, if it `counts`. False where it does not fit the grid and must
  /// be left out.
  template <class T>
  ISOPATCH_HD bool add(T largest, bool counts = true) {
    if (!counts) return false;
    const bool fits = largest < T(kMostSteps);
    terms += 1;
    magnitude += std::llrint(magnitude_of(largest, fits));
    return fits;
  }

  /// w before it is rounded; alone it reaches kMost for a term that does not fit.
  template <class T>
  ISOPATCH_HD static T magnitude_of(T largest, MaskOf<T> fits) {
    return select(fits, T(0x1p-32f) * largest, T(0x1p30f));
  }

  /// No sum has wrapped, and no term was left out. T is what was summed.
  template <class T>
  ISOPATCH_HD bool holds() const {
    constexpr std::int64_t kMostTerms = kIsFloat<T> ? kMost : std::int64_t{1} << 24;  // see the second limb
    return magnitude + terms < kMost && terms < kMostTerms;
  }

  /// Where it does not hold: it will on a grid wider by this power of two, for fewer than 2^29 terms that fit. There W
  /// + N is at most 2^28 + N / 2 + N.
  ISOPATCH_HD int widening() const {
    int power = 1;
    while ((magnitude + terms) >> power >= kMost / 4) ++power;
    return power;
  }
};

/// A sum of terms in steps. Number is a float, a double or a pack of them, which then has a sum for each lane.
template <class Number>
struct ReproducibleSum;

/// And the bound that goes with it.
template <class Number>
struct BoundOfSums {
  using Type = SumBound;
};

template <>
struct ReproducibleSum<float> {
  static constexpr int kLimbs = 1;
  std::int64_t limb[kLimbs] = {0};

  /// Adds a term given in steps, fewer than kMostSteps.
  ISOPATCH_HD void add(float steps) { limb[0] = wrapping_sum(limb[0], std::llrint(steps)); }

  ISOPATCH_HD double value(const FixedPointScale<float>& scale) const {
    return static_cast<double>(limb[0]) * scale.to_value;
  }
};

template <>
struct ReproducibleSum<double> {
  static constexpr int kLimbs = 2;
  std::int64_t limb[kLimbs] = {0, 0};

  ISOPATCH_HD void add(double steps) {
    const std::int64_t whole = std::llrint(steps);
    const double remainder = steps - static_cast<double>(whole);  // exact
    limb[0] = wrapping_sum(limb[0], whole);
    limb[1] = wrapping_sum(limb[1], std::llrint(remainder * 0x1p40));
  }

  ISOPATCH_HD double value(const FixedPointScale<double>& scale) const {
    return std::fma(static_cast<double>(limb[1]), 0x1p-40, static_cast<double>(limb[0])) * scale.to_value;
  }
};

}  // namespace isopatch::detail
