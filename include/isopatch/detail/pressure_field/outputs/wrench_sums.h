// SPDX-License-Identifier: Apache-2.0
//
// What one lane adds up for one pair, and how lanes become sums of the pair.
#pragma once

#include <type_traits>

#include "isopatch/arrays.h"
#include "isopatch/detail/pair/stored_sums.h"
#include "isopatch/detail/pressure_field/integrals/polygon_integrals.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// What is computed beyond the wrench: a set. With polygons, the patch is summed up too: there is one kernel for both.
enum class Outputs : std::uint8_t {
  kWrench = 0,         // nothing
  kPatch = 1 << 0,     // the sums of the patch
  kPolygons = 1 << 1,  // polygons, for the sinks
  kAll = kPatch | kPolygons
};

constexpr bool has(Outputs set, Outputs member) { return (static_cast<int>(set) & static_cast<int>(member)) != 0; }

/// Patch contacts aside, which find polygons themselves. Polygons come with all else: three instances, not four.
inline Outputs needed_outputs(const Results& r) {
  std::uintptr_t polygons = 0, patch = 0;  // 0 as long as all arrays are null: one instruction for each
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        const auto address = reinterpret_cast<std::uintptr_t>(array.data);
        if (info.group == OutputGroup::kPatch) patch |= address;
        if (info_of(info.group).needs_polygons && info.group != OutputGroup::kPatchContacts) polygons |= address;
      },
      r);
  if (polygons != 0) return Outputs::kAll;
  return patch != 0 ? Outputs::kPatch : Outputs::kWrench;
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

/// The sums that every evaluation has.
template <class Number>
struct WrenchGroup {
  SumVec3<Number> force, torque;
  ReproducibleSum<Number> area;

  ISOPATCH_HD void add(MaskOf<Number> taken, const Contribution<Number>& quanta) {
    force.add(taken, quanta.force);
    torque.add(taken, quanta.torque);
    area.add(select(taken, quanta.area, Number(0)));
  }
  /// Calls visit(sum of the first, sum of the second, ...) for every sum of some groups.
  template <class Visit, class... Groups>
  ISOPATCH_HD static void for_each_sum(const Visit& visit, Groups&... g) {
    visit(g.force.x...), visit(g.force.y...), visit(g.force.z...);
    visit(g.torque.x...), visit(g.torque.y...), visit(g.torque.z...);
    visit(g.area...);
  }
};

/// The sums of the patch.
template <class Number>
struct PatchGroup {
  SumVec3<Number> pressure_moment, normal, friction;
  ReproducibleSum<Number> pressure;

  ISOPATCH_HD void add(MaskOf<Number> taken, const Contribution<Number>& quanta) {
    pressure.add(select(taken, quanta.pressure_integral, Number(0)));
    pressure_moment.add(taken, quanta.pressure_moment);
    friction.add(taken, quanta.friction);
    normal.add(taken, quanta.normal);
  }
  template <class Visit, class... Groups>
  ISOPATCH_HD static void for_each_sum(const Visit& visit, Groups&... g) {
    visit(g.pressure_moment.x...), visit(g.pressure_moment.y...), visit(g.pressure_moment.z...);
    visit(g.normal.x...), visit(g.normal.y...), visit(g.normal.z...);
    visit(g.friction.x...), visit(g.friction.y...), visit(g.friction.z...);
    visit(g.pressure...);
  }
};

template <class Number>
struct PatchSums : PatchGroup<Number> {
  Number max_pressure = Number(0);
};

struct NoPatchSums {};

/// Words of a group of sums in memory. A group has nothing but sums.
template <class Group, class Number>
inline constexpr int kGroupWords = sizeof(Group) / sizeof(ReproducibleSum<Number>) * ReproducibleSum<Number>::kLimbs;

/// Number is a float, a double, or a SIMD vector of them for the polygons of as many pairs of cells at once.
template <class Number, bool with_patch>
struct WrenchSums : WrenchGroup<Number> {
  SignSum<Number> far_side;
  typename BoundOfSums<Number>::Type bound;  // its terms are the polygons
  std::conditional_t<with_patch, PatchSums<Number>, NoPatchSums> patch;

  /// In memory: the sums, far_side, both words of the bound, and the largest pressure.
  static constexpr int kWords =
      kGroupWords<WrenchGroup<Number>, Number> + 3 + (with_patch ? kGroupWords<PatchGroup<Number>, Number> + 1 : 0);

  ISOPATCH_HD std::int64_t polygons() const { return bound.terms; }

  /// Adds the polygons that were `found`; returns which of them count as polygons.
  template <class T>
  ISOPATCH_HD MaskOf<Number> add(MaskOf<Number> found, Contribution<Number> c, const FixedPointScales<T>& scales) {
    const Number largest = scales.template apply<with_patch>(c);
    const MaskOf<Number> counts = found && FixedPointScales<T>::has_area(c.area);
    const MaskOf<Number> taken = bound.add(largest, counts);
    if (!any(taken)) return counts;
    WrenchGroup<Number>::add(taken, c);
    far_side.add(select(taken, c.far_side, Number(0)));
    if constexpr (with_patch) {
      patch.add(taken, c);
      const Number higher = max(c.max_pressure, patch.max_pressure);  // of two zeros the positive one is kept
      patch.max_pressure = select(taken, higher, patch.max_pressure);
    }
    return counts;
  }

  /// Calls visit(sum), or visit(sum, sum of the others ...), for every sum but the signs and the bound.
  template <class Visit, class... Others>
  ISOPATCH_HD void for_each_sum(const Visit& visit, Others&... others) {
    WrenchGroup<Number>::for_each_sum(visit, *this, others...);
    if constexpr (with_patch) PatchGroup<Number>::for_each_sum(visit, patch, others.patch...);
  }

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

  template <class Visit>
  ISOPATCH_HD void for_each_peak(const Visit& visit) {
    if constexpr (with_patch) visit(patch.max_pressure);
  }
};

/// Room for every kind of WrenchSums.
inline constexpr int kWrenchWords = WrenchSums<double, true>::kWords;
static_assert(kWrenchWords >= WrenchSums<float, true>::kWords);
using StoredWrenchSums = StoredSums<kWrenchWords>;
using SharedWrenchSums = SharedSums<kWrenchWords>;

}  // namespace isopatch::detail
