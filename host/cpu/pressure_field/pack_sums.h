// SPDX-License-Identifier: Apache-2.0
//
// WrenchSums with one sum for each lane. The terms are rounded and added as there, so the lanes together hold the same
// integers in whatever order they came.
#pragma once

#include "host/cpu/packs/pack.h"
#include "isopatch/detail/pressure_field/wrench_sums.h"

namespace isopatch::detail {
namespace {

template <int lanes>
std::int64_t sum_of(const Pack<std::int64_t, lanes>& pack) {
  std::int64_t lane[lanes], sum = 0;
  pack.store(lane);
  for (const std::int64_t value : lane) sum = wrapping_sum(sum, value);
  return sum;
}

template <class T, int lanes>
class PackSum {
 public:
  using Number = Pack<T, lanes>;

  ISOPATCH_HD PackSum() {  // a pack's own default leaves it unset
    for (auto& limb : limb_) limb = Pack<std::int64_t, lanes>(std::int64_t{0});
  }

  /// Adds the terms of the lanes in `taken`, in steps.
  ISOPATCH_HD void add(Number steps, Mask<lanes> taken) {
    const Number term = select(taken, steps, Number(T(0))), whole = nearest(term);
    limb_[0] = limb_[0] + to_integers(cast<Pack<double, lanes>>(whole));
    if constexpr (!kIsFloat<Number>) limb_[1] = limb_[1] + to_integers(nearest((term - whole) * Number(0x1p40)));
  }

  void add_to(ReproducibleSum<T>& sum) const {
    for (int i = 0; i < ReproducibleSum<T>::kLimbs; ++i) {
      sum.limb[i] = wrapping_sum(sum.limb[i], sum_of(limb_[i]));
    }
  }

 private:
  Pack<std::int64_t, lanes> limb_[ReproducibleSum<T>::kLimbs];
};

template <class T, int lanes>
struct PackSumVec3 {
  PackSum<T, lanes> x, y, z;

  ISOPATCH_HD void add(const Vec3<Pack<T, lanes>>& steps, Mask<lanes> taken) {
    x.add(steps.x, taken);
    y.add(steps.y, taken);
    z.add(steps.z, taken);
  }
  void add_to(SumVec3<T>& sum) const {
    x.add_to(sum.x);
    y.add_to(sum.y);
    z.add_to(sum.z);
  }
};

/// As WrenchSums, member by member.
template <class T, int lanes, bool with_patch>
class PackWrenchSums {
 public:
  using Number = Pack<T, lanes>;

  ISOPATCH_HD void add(Contribution<Number> c, Mask<lanes> found, const FixedPointScales<T>& scales) {
    const Number largest = scales.template scale<with_patch>(c);
    const Mask<lanes> counted = found && FixedPointScales<T>::has_area(c.area);
    const Mask<lanes> fits = largest < Number(T(kMostSteps)), taken = counted && fits;
    polygons_ += count_bits(bits_of(counted));
    const Number magnitude = select(counted, SumBound::magnitude_of(largest, fits), Number(T(0)));
    magnitude_ = magnitude_ + Pack<std::int64_t, lanes>(nearest_integers(magnitude));
    force_.add(c.force, taken);
    torque_.add(c.torque, taken);
    area_.add(c.area, taken);
    if constexpr (with_patch) {
      pressure_.add(c.pressure_integral, taken);
      pressure_moment_.add(c.pressure_moment, taken);
      friction_force_.add(c.friction_force, taken);
      normal_.add(c.normal, taken);
      max_pressure_ = select(taken, max(c.max_pressure, max_pressure_), max_pressure_);
    }
  }

  void add_to(WrenchSums<T, with_patch>& sums) const {
    force_.add_to(sums.force);
    torque_.add_to(sums.torque);
    area_.add_to(sums.area);
    sums.bound.terms += polygons_;
    sums.bound.magnitude += sum_of(magnitude_);
    if constexpr (with_patch) {
      pressure_.add_to(sums.patch.pressure);
      pressure_moment_.add_to(sums.patch.pressure_moment);
      friction_force_.add_to(sums.patch.friction_force);
      normal_.add_to(sums.patch.normal);
      T lane[lanes];
      max_pressure_.store(lane);
      for (const T value : lane) sums.patch.max_pressure = max(value, sums.patch.max_pressure);
    }
  }

 private:
  PackSumVec3<T, lanes> force_, torque_, pressure_moment_, normal_, friction_force_;
  PackSum<T, lanes> area_, pressure_;
  Pack<T, lanes> max_pressure_ = Pack<T, lanes>(T(0));
  Pack<std::int64_t, lanes> magnitude_ = Pack<std::int64_t, lanes>(std::int64_t{0});
  std::int64_t polygons_ = 0;
};

}  // namespace
}  // namespace isopatch::detail
