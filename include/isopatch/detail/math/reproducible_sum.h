// SPDX-License-Identifier: Apache-2.0
//
// Sums that do not depend on the order of their terms. A term is rounded to a multiple of the quantum, a power of two
// that is fixed for the (environment, pair) before any term is known, and added as a 64-bit integer. Addition is then
// associative: any traversal, thread count or warp width gives the same bits.
//
// A term must be less than `bound`, a power of two, and the quantum is bound 2^-62. A double evaluation keeps the
// remainder in a second limb, whose quantum is 2^-40 of the first. The remainder is at most half a quantum of the first
// limb, 2^39 of the second, so 2^24 terms fit.
//
// The terms may add up to 2^63 quanta or more. So SumBound adds up their magnitudes, and where it cannot rule out that
// a sum has wrapped, the pair is evaluated again with a wider scale.
#pragma once

#include <bit>
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

/// Converts terms to quanta and back, for terms whose sum stays below `bound`, itself a power of two.
template <class T>
struct FixedPointScale {
  T to_quanta;      // 2^62 / bound
  double to_value;  // bound / 2^62

  ISOPATCH_HD static FixedPointScale from_bound(double bound) {
    const double raised = max(bound, 0x1p-60);                                // keeps to_quanta finite in float
    constexpr std::uint64_t kExponents = std::uint64_t{2 * 1023 + 62} << 52;  // a quotient of powers of two
    const double to_quanta = std::bit_cast<double>(kExponents - std::bit_cast<std::uint64_t>(raised));
    return {static_cast<T>(to_quanta), raised * 0x1p-62};
  }
};

/// A single term must be fewer quanta than this.
inline constexpr float kMaxQuanta = 0x1p62f;

/// Bounds all sums of one (environment, pair) at once. Each of its N terms has several components, one for each sum.
/// Let m be the largest of their magnitudes, in quanta, and w = m 2^-32 rounded to an integer. A sum of components s,
/// each rounded to an integer, is at most
///
///     sum of (|s| + 1/2)  <=  sum of (m + 1/2)  <=  sum of (2^32 (w + 1/2) + 1/2)  <  2^32 (W + N),   W = sum of w,
///
/// so it is below 2^62 where W + N < 2^30. W and N themselves do not wrap: w is at most 2^30, even for a term that does
/// not fit and is left out, and there are fewer than 2^31 terms. Neither depends on the order.
struct SumBound {
  std::int64_t terms = 0;
  std::int64_t magnitude = 0;  // W

  static constexpr std::int64_t kMax = std::int64_t{1} << 30;

  /// Counts a term whose components are at most `largest` quanta, if `counts` is true. False if the term does not fit
  /// the scale and must be left out.
  template <class T>
  ISOPATCH_HD bool add(T largest, bool counts = true) {
    if (!counts) return false;
    const bool fits = largest < T(kMaxQuanta);
    terms += 1;
    magnitude += std::llrint(magnitude_of(largest, fits));
    return fits;
  }

  /// w before it is rounded. For a term that does not fit, it alone reaches kMax.
  template <class T>
  ISOPATCH_HD static T magnitude_of(T largest, MaskOf<T> fits) {
    return select(fits, T(0x1p-32f) * largest, T(0x1p30f));
  }

  /// True if no sum has wrapped and no term was left out. T is the type that was summed.
  template <class T>
  ISOPATCH_HD bool holds() const {
    constexpr std::int64_t kMaxTerms = kIsFloat<T> ? kMax : std::int64_t{1} << 24;  // see the second limb
    return magnitude + terms < kMax && terms < kMaxTerms;
  }

  /// If holds() is false: the power of two by which a scale must be wider for it to hold, for fewer than 2^29 terms
  /// that fit. With that scale W + N is at most 2^28 + N / 2 + N.
  ISOPATCH_HD int widening() const {
    int power = 1;
    while ((magnitude + terms) >> power >= kMax / 4) ++power;
    return power;
  }
};

/// A sum of terms in quanta. Number is a float, a double or a SIMD vector, which has a sum for each lane.
template <class Number>
struct ReproducibleSum;

/// The type of the bound that goes with it.
template <class Number>
struct BoundOfSums {
  using Type = SumBound;
};

template <>
struct ReproducibleSum<float> {
  static constexpr int kLimbs = 1;
  std::int64_t limb[kLimbs] = {0};

  /// Adds a term given in quanta, fewer than kMaxQuanta.
  ISOPATCH_HD void add(float quanta) { limb[0] = wrapping_sum(limb[0], std::llrint(quanta)); }

  ISOPATCH_HD double value(const FixedPointScale<float>& scale) const {
    return static_cast<double>(limb[0]) * scale.to_value;
  }
};

template <>
struct ReproducibleSum<double> {
  static constexpr int kLimbs = 2;
  std::int64_t limb[kLimbs] = {0, 0};

  ISOPATCH_HD void add(double quanta) {
    const std::int64_t whole = std::llrint(quanta);
    const double remainder = quanta - static_cast<double>(whole);  // exact
    limb[0] = wrapping_sum(limb[0], whole);
    limb[1] = wrapping_sum(limb[1], std::llrint(remainder * 0x1p40));
  }

  ISOPATCH_HD double value(const FixedPointScale<double>& scale) const {
    return std::fma(static_cast<double>(limb[1]), 0x1p-40, static_cast<double>(limb[0])) * scale.to_value;
  }
};

/// A sum of which only the sign counts, in coarser quanta and of one limb: a double holds it exactly too, where the
/// terms are less than 2^53 of these quanta together, 8 times the bound of their scale.
inline constexpr float kCoarseQuanta = 0x1p-12f;

template <class Number>
struct SignSum {
  std::int64_t limb = 0;

  /// Adds a term given in quanta, fewer than kMaxQuanta.
  ISOPATCH_HD void add(Number quanta) { limb = wrapping_sum(limb, std::llrint(Number(kCoarseQuanta) * quanta)); }
};

}  // namespace isopatch::detail
