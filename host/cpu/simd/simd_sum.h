// SPDX-License-Identifier: Apache-2.0
//
// Reproducible sums with one sum for each lane. Terms are rounded and added as in plain arithmetic, so all lanes
// together hold the same integers in whatever order the terms came.
#pragma once

#include "host/cpu/simd/simd.h"
#include "isopatch/detail/math/reproducible_sum.h"

namespace isopatch::detail {
namespace {

template <int lanes>
std::int64_t sum_of_lanes(const Simd<std::int64_t, lanes>& vector) {
  std::int64_t lane[lanes], sum = 0;
  vector.store(lane);
  for (const std::int64_t value : lane) sum = wrapping_sum(sum, value);
  return sum;
}

/// SumBound of a SIMD vector of terms.
template <class T, int lanes>
struct SimdSumBound {
  std::int64_t terms = 0;
  Simd<std::int64_t, lanes> magnitude = Simd<std::int64_t, lanes>(std::int64_t{0});

  ISOPATCH_HD Mask<lanes> add(Simd<T, lanes> largest, Mask<lanes> counts) {
    using Number = Simd<T, lanes>;
    const Mask<lanes> fits = largest < Number(T(kMaxQuanta));
    terms += count_bits(bits_of(counts));
    const Number added = select(counts, SumBound::magnitude_of(largest, fits), Number(T(0)));
    magnitude = magnitude + Simd<std::int64_t, lanes>(nearest_integers(added));
    return counts && fits;
  }
  void add_to(SumBound& bound) const {
    bound.terms += terms;
    bound.magnitude += sum_of_lanes(magnitude);
  }
};

}  // namespace

template <class T, int lanes>
struct BoundOfSums<Simd<T, lanes>> {
  using Type = SimdSumBound<T, lanes>;
};

template <class T, int lanes>
struct ReproducibleSum<Simd<T, lanes>> {
  using Number = Simd<T, lanes>;

  Simd<std::int64_t, lanes> limb[ReproducibleSum<T>::kLimbs];

  ISOPATCH_HD ReproducibleSum() {  // a SIMD vector's own default leaves it unset
    for (auto& l : limb) l = Simd<std::int64_t, lanes>(std::int64_t{0});
  }

  ISOPATCH_HD void add(Number quanta) {
    const Number whole = nearest(quanta);
    limb[0] = limb[0] + to_integers(cast<Simd<double, lanes>>(whole));
    if constexpr (!kIsFloat<Number>) limb[1] = limb[1] + to_integers(nearest((quanta - whole) * Number(0x1p40)));
  }
  void add_to(ReproducibleSum<T>& sum) const {
    for (int i = 0; i < ReproducibleSum<T>::kLimbs; ++i) sum.limb[i] = wrapping_sum(sum.limb[i], sum_of_lanes(limb[i]));
  }
};

/// In doubles, which hold integers here and take one operation to add.
template <class T, int lanes>
struct SignSum<Simd<T, lanes>> {
  using Number = Simd<T, lanes>;
  using Double = Simd<double, lanes>;

  Double sum = Double(0.0);

  ISOPATCH_HD void add(Number quanta) { sum = sum + cast<Double>(nearest(Number(T(kCoarseQuanta)) * quanta)); }
  void add_to(SignSum<T>& total) const {
    double lane[lanes];
    sum.store(lane);
    for (const double value : lane) total.limb = wrapping_sum(total.limb, std::llrint(value));
  }
};

}  // namespace isopatch::detail
