// SPDX-License-Identifier: Apache-2.0
//
// WrenchSums with one sum for each lane. The terms are rounded and added as there, so the lanes together hold the same
// integers in whatever order they came.
#pragma once

#include "cpu/pack.h"
#include "isopatch/detail/wrench_sums.h"

namespace isopatch::detail {
namespace {

template <class T, int lanes>
class PackSum {
 public:
  using Number = Pack<T, lanes>;

  ISOPATCH_HD PackSum() {  // a pack's own default leaves it unset
    for (auto& limb : limb_) limb = Pack<std::int64_t, lanes>(std::int64_t{0});
  }

  /// Adds the terms of the lanes in `found`; true where one does not fit the grid and was left out.
  ISOPATCH_HD Mask<lanes> add(Number term, Mask<lanes> found, const Grid<T>& grid) {
    const Number steps = term * Number(grid.to_steps);
    const Mask<lanes> fits = abs(steps) < Number(T(0x1p62));
    const Number taken = select(fits && found, steps, Number(T(0))), whole = nearest(taken);
    limb_[0] = limb_[0] + to_integers(cast<Pack<double, lanes>>(whole));
    if constexpr (!kIsFloat<Number>) limb_[1] = limb_[1] + to_integers(nearest((taken - whole) * Number(0x1p40)));
    return found && !fits;
  }

  void add_to(OrderFreeSum<T>& sum) const {
    for (int i = 0; i < OrderFreeSum<T>::kLimbs; ++i) {
      std::int64_t lane[lanes];
      limb_[i].store(lane);
      for (const std::int64_t value : lane) sum.limb[i] += value;
    }
  }

 private:
  Pack<std::int64_t, lanes> limb_[OrderFreeSum<T>::kLimbs];
};

template <class T, int lanes>
struct PackSumVec3 {
  PackSum<T, lanes> x, y, z;

  ISOPATCH_HD Mask<lanes> add(const Vec3<Pack<T, lanes>>& term, Mask<lanes> found, const Grid<T>& grid) {
    const Mask<lanes> misfit_x = x.add(term.x, found, grid), misfit_y = y.add(term.y, found, grid);
    return misfit_x || misfit_y || z.add(term.z, found, grid);
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
  ISOPATCH_HD void add(const Contribution<Pack<T, lanes>>& c, Mask<lanes> found, const Grids<T>& grids) {
    Mask<lanes> misfit = force_.add(c.force, found, grids.force);
    misfit = torque_.add(c.torque, found, grids.torque) || misfit;
    misfit = area_.add(c.area, found, grids.area) || misfit;
    if constexpr (with_patch) {
      misfit = pressure_.add(c.pressure_integral, found, grids.force) || misfit;
      misfit = pressure_moment_.add(c.pressure_moment, found, grids.torque) || misfit;
      misfit = friction_force_.add(c.friction_force, found, grids.force) || misfit;
      misfit = normal_.add(c.area * c.normal, found, grids.area) || misfit;
      max_pressure_ = select(found, max(max_pressure_, c.max_pressure), max_pressure_);
    }
    polygons_ += count_bits(bits_of(found));
    misfits_ += count_bits(bits_of(misfit));
  }

  void add_to(WrenchSums<T, with_patch>& sums) const {
    force_.add_to(sums.force);
    torque_.add_to(sums.torque);
    area_.add_to(sums.area);
    sums.polygons += polygons_;
    sums.misfits += misfits_;
    if constexpr (with_patch) {
      pressure_.add_to(sums.patch.pressure);
      pressure_moment_.add_to(sums.patch.pressure_moment);
      friction_force_.add_to(sums.patch.friction_force);
      normal_.add_to(sums.patch.normal);
      T lane[lanes];
      max_pressure_.store(lane);
      for (const T value : lane) sums.patch.max_pressure = max(sums.patch.max_pressure, value);
    }
  }

 private:
  PackSumVec3<T, lanes> force_, torque_, pressure_moment_, normal_, friction_force_;
  PackSum<T, lanes> area_, pressure_;
  Pack<T, lanes> max_pressure_ = Pack<T, lanes>(T(0));
  std::int64_t polygons_ = 0, misfits_ = 0;
};

}  // namespace
}  // namespace isopatch::detail
