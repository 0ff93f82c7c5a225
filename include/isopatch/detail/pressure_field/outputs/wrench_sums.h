// SPDX-License-Identifier: Apache-2.0
//
// What one lane adds up for one pair, and how lanes become sums of the pair.
#pragma once

#include <bit>
#include <type_traits>

#include "isopatch/arrays.h"
#include "isopatch/detail/pressure_field/integrals/polygon_integrals.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// How much is computed beyond the wrench.
enum class Outputs : std::uint8_t { kWrench, kPatch, kPolygons };

/// Patch contacts aside, which need polygons wherever they are computed.
inline Outputs needed_outputs(const Results& r) {
  bool polygons = false;
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        if (array.data == nullptr || info.group == OutputGroup::kPatchContacts) return;
        polygons = polygons || needs_polygons(info.group);
      },
      r);
  if (polygons) return Outputs::kPolygons;
  return is_wanted(r, OutputGroup::kPatch) ? Outputs::kPatch : Outputs::kWrench;
}

template <class T>
struct FixedPointScales {
  FixedPointScale<T> force, torque, area;

  ISOPATCH_HD static FixedPointScales make(const PairBounds& bounds) {
    return {FixedPointScale<T>::from_bound(bounds.force), FixedPointScale<T>::from_bound(bounds.torque),
            FixedPointScale<T>::from_bound(bounds.area)};
  }

  /// Converts what is summed of a polygon to quanta, its normal multiplied by the area, and returns the largest
  /// magnitude; NaN if any of it is NaN. Number is T or a SIMD vector of it.
  template <bool with_patch, class Number>
  ISOPATCH_HD Number apply(Contribution<Number>& c) const {
    const Number per_force = Number(force.to_quanta), per_torque = Number(torque.to_quanta);
    const Number per_area = Number(area.to_quanta);
    c.force = per_force * c.force;
    c.torque = per_torque * c.torque;
    if constexpr (with_patch) {
      c.pressure_integral = c.pressure_integral * per_force;
      c.pressure_moment = per_torque * c.pressure_moment;
      c.friction = per_force * c.friction;
      c.normal = per_area * (c.area * c.normal);
    }
    c.area = c.area * per_area;
    c.far_side = per_force * c.far_side;  // at most the area in quanta, since the pressure's bound is in the scale

    // a NaN in the others makes the torque NaN too, and max() keeps a NaN that is its second argument
    Number largest = abs(c.torque.x + c.torque.y + c.torque.z);
    const auto take = [&](Number x) { largest = max(abs(x), largest); };
    const auto take_all = [&](const Vec3<Number>& v) { take(v.x), take(v.y), take(v.z); };
    take(c.area);
    take_all(c.force);
    take_all(c.torque);
    if constexpr (with_patch) {
      take(c.pressure_integral);
      take_all(c.pressure_moment);
      take_all(c.friction);
      take_all(c.normal);
    }
    return largest;
  }

  /// A polygon whose area is below what the scale resolves counts as none.
  template <class Number>
  ISOPATCH_HD static MaskOf<Number> has_area(Number area_quanta) {
    return area_quanta > Number(kIsFloat<T> ? T(0.5) : T(0x1p-41));
  }
};

template <class Number>
struct SumVec3 {
  ReproducibleSum<Number> x, y, z;

  ISOPATCH_HD void add(MaskOf<Number> taken, const Vec3<Number>& quanta) {
    const Vec3<Number> none = {Number(0), Number(0), Number(0)};
    const Vec3<Number> term = select(taken, quanta, none);
    x.add(term.x);
    y.add(term.y);
    z.add(term.z);
  }
  template <class T>
  ISOPATCH_HD Vec3d value(const FixedPointScale<T>& scale) const {
    return {x.value(scale), y.value(scale), z.value(scale)};
  }
};

template <class Number>
struct PatchSums {
  SumVec3<Number> pressure_moment, normal, friction;
  ReproducibleSum<Number> pressure;
  Number max_pressure = Number(0);
};

struct NoPatchSums {};

/// Sums in memory, with room for every kind of WrenchSums; zero while they are not in use.
struct StoredSums {
  static constexpr int kWords = 40;
  std::int64_t word[kWords];
};

/// Where the warps that share a pair add up what they computed in the frame of body a and in that of b. Zero between
/// calls.
struct SharedSums {
  StoredSums of_frame[2];
  std::int32_t arrived;
};

/// Number is a float, a double, or a SIMD vector of them for the polygons of as many pairs of cells at once.
template <class Number, bool with_patch>
struct WrenchSums {
  SumVec3<Number> force, torque;
  ReproducibleSum<Number> area;
  SignSum<Number> far_side;
  typename BoundOfSums<Number>::Type bound;  // its terms are the polygons
  std::conditional_t<with_patch, PatchSums<Number>, NoPatchSums> patch;

  ISOPATCH_HD std::int64_t polygons() const { return bound.terms; }

  /// Adds the polygons that were `found`; returns which of them count as polygons.
  template <class T>
  ISOPATCH_HD MaskOf<Number> add(MaskOf<Number> found, Contribution<Number> c, const FixedPointScales<T>& scales) {
    const Number largest = scales.template apply<with_patch>(c);
    const MaskOf<Number> counts = found && FixedPointScales<T>::has_area(c.area);
    const MaskOf<Number> taken = bound.add(largest, counts);
    if (!any(taken)) return counts;
    force.add(taken, c.force);
    torque.add(taken, c.torque);
    area.add(select(taken, c.area, Number(0)));
    far_side.add(select(taken, c.far_side, Number(0)));
    if constexpr (with_patch) {
      patch.pressure.add(select(taken, c.pressure_integral, Number(0)));
      patch.pressure_moment.add(taken, c.pressure_moment);
      patch.friction.add(taken, c.friction);
      patch.normal.add(taken, c.normal);
      const Number higher = max(c.max_pressure, patch.max_pressure);  // of two zeros the positive one is kept
      patch.max_pressure = select(taken, higher, patch.max_pressure);
    }
    return counts;
  }

  /// Calls visit(sum) for every sum but that of signs and the bound.
  template <class Visit>
  ISOPATCH_HD void for_each_sum(const Visit& visit) {
    const auto visit_vec = [&](SumVec3<Number>& sum) {
      visit(sum.x);
      visit(sum.y);
      visit(sum.z);
    };
    visit_vec(force);
    visit_vec(torque);
    visit(area);
    if constexpr (with_patch) {
      visit_vec(patch.pressure_moment);
      visit_vec(patch.normal);
      visit_vec(patch.friction);
      visit(patch.pressure);
    }
  }

  /// Calls visit(word) for everything that is added up.
  template <class Visit>
  ISOPATCH_HD void for_each_word(const Visit& visit) {
    for_each_sum([&](ReproducibleSum<Number>& sum) {
      ISOPATCH_UNROLL
      for (int i = 0; i < ReproducibleSum<Number>::kLimbs; ++i) visit(sum.limb[i]);
    });
    visit(far_side.limb);
    visit(bound.terms);
    visit(bound.magnitude);
  }

  /// Adds up all lanes; lane 0 ends with the total.
  template <class Warp>
  ISOPATCH_HD void reduce(Warp& warp) {
    for_each_word([&](std::int64_t& word) { word = warp.sum(word); });
    if constexpr (with_patch) patch.max_pressure = warp.max(patch.max_pressure);
  }

  /// Adds the sums of the lanes that have `mine` to stored ones: each lane adds up one word of all. Called by all
  /// lanes, and by other warps at the same time.
  template <class Warp>
  ISOPATCH_HD void add_lanes_to(Warp& warp, bool mine, StoredSums& stored) {
    int index = 0;
    std::int64_t own = 0;
    for_each_word([&](const std::int64_t& word) {
      const std::int64_t total = warp.sum(mine ? word : 0);
      if (warp.lane() == index % Warp::kSize) own = total;
      ++index;
      if (index % Warp::kSize == 0) warp.add(&stored.word[index - Warp::kSize + warp.lane()], own);
    });
    const int rest = index % Warp::kSize;
    if (warp.lane() < rest) warp.add(&stored.word[index - rest + warp.lane()], own);
    if constexpr (with_patch) {
      const Number highest = warp.max(mine ? patch.max_pressure : Number(0));
      if (warp.lane() == 0) warp.raise(&stored.word[index], ordered_bits(highest));
    }
  }

  /// Adds these sums to stored ones. Called by one lane, and by other warps at the same time.
  template <class Warp>
  ISOPATCH_HD void add_to(Warp& warp, StoredSums& stored) {
    int index = 0;
    for_each_word([&](std::int64_t& word) { warp.add(&stored.word[index++], word); });
    if constexpr (with_patch) warp.raise(&stored.word[index], ordered_bits(patch.max_pressure));
  }

  /// Takes stored sums, and leaves zero there. Called by one lane.
  template <class Warp>
  ISOPATCH_HD void take_from(Warp& warp, StoredSums& stored) {
    int index = 0;
    for_each_word([&](std::int64_t& word) { word = warp.take(&stored.word[index++]); });
    if constexpr (with_patch) {
      patch.max_pressure = static_cast<Number>(std::bit_cast<double>(warp.take(&stored.word[index])));
    }
  }

 private:
  /// Of a number that is not negative: in the order of its values.
  ISOPATCH_HD static std::int64_t ordered_bits(Number x) { return std::bit_cast<std::int64_t>(static_cast<double>(x)); }
};

}  // namespace isopatch::detail
