// SPDX-License-Identifier: Apache-2.0
//
// Numbers with their derivatives: a function of them is evaluated together with its derivatives by a few parameters, by
// the rules of differentiation (forward mode; Griewank and Walther, "Evaluating Derivatives", 2008).
#pragma once

#include <bit>

#include "isopatch/detail/math/elementary.h"

namespace isopatch::detail {

/// A double, and its derivatives by n parameters. Comparisons are of values: at a kink the derivative is one-sided.
template <int n>
struct Dual {
  static constexpr int kSlopes = static_cast<int>(std::bit_ceil(n + 1u)) - 1;  // a whole vector register, or several

  double value = 0;
  double slope[kSlopes] = {};

  Dual() = default;
  ISOPATCH_HD explicit Dual(double constant) : value(constant) {}

  /// f with the value f and the slopes f_x x' (+ f_y y').
  ISOPATCH_HD static Dual along(double f, double f_x, const Dual& x) {
    Dual out(f);
    for (int i = 0; i < kSlopes; ++i) out.slope[i] = f_x * x.slope[i];
    return out;
  }
  ISOPATCH_HD static Dual along(double f, double f_x, const Dual& x, double f_y, const Dual& y) {
    Dual out(f);
    for (int i = 0; i < kSlopes; ++i) out.slope[i] = std::fma(f_x, x.slope[i], f_y * y.slope[i]);
    return out;
  }

  friend ISOPATCH_HD Dual operator-(const Dual& x) { return along(-x.value, -1, x); }
  friend ISOPATCH_HD Dual operator+(const Dual& x, const Dual& y) { return along(x.value + y.value, 1, x, 1, y); }
  friend ISOPATCH_HD Dual operator-(const Dual& x, const Dual& y) { return along(x.value - y.value, 1, x, -1, y); }
  friend ISOPATCH_HD Dual operator*(const Dual& x, const Dual& y) {
    return along(x.value * y.value, y.value, x, x.value, y);
  }
  friend ISOPATCH_HD Dual fma(const Dual& x, const Dual& y, const Dual& z) {
    Dual out(std::fma(x.value, y.value, z.value));
    for (int i = 0; i < kSlopes; ++i) {
      out.slope[i] = std::fma(y.value, x.slope[i], std::fma(x.value, y.slope[i], z.slope[i]));
    }
    return out;
  }
  friend ISOPATCH_HD bool operator<(const Dual& x, const Dual& y) { return x.value < y.value; }
  friend ISOPATCH_HD bool operator>(const Dual& x, const Dual& y) { return x.value > y.value; }
  friend ISOPATCH_HD bool operator!=(const Dual& x, const Dual& y) { return x.value != y.value; }
  friend ISOPATCH_HD Dual select(bool mask, const Dual& x, const Dual& y) { return mask ? x : y; }
  friend ISOPATCH_HD Dual abs(const Dual& x) { return x.value < 0 ? -x : x; }
  friend ISOPATCH_HD Dual reciprocal(const Dual& x) {
    const double r = detail::reciprocal(x.value);
    return along(r, -r * r, x);
  }
  friend ISOPATCH_HD Dual inverse_sqrt(const Dual& x) {
    const double r = detail::inverse_sqrt(x.value);
    return along(r, -0.5 * r * r * r, x);
  }
  friend ISOPATCH_HD Dual log(const Dual& x) { return along(detail::log(x.value), detail::reciprocal(x.value), x); }
  /// Of (0, 0) without slopes.
  friend ISOPATCH_HD Dual arctangent(const Dual& y, const Dual& x) {
    const double square = std::fma(x.value, x.value, y.value * y.value), angle = detail::arctangent(y.value, x.value);
    if (!(square > 0)) return Dual(angle);
    const double r = detail::reciprocal(square);
    return along(angle, x.value * r, y, -(y.value * r), x);
  }
};

template <int n>
struct NumberTraits<Dual<n>> {
  using Float = float;
  using Double = Dual<n>;
  using Int = std::int32_t;
  using Mask = bool;
};

}  // namespace isopatch::detail
