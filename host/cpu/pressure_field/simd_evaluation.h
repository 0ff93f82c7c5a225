// SPDX-License-Identifier: Apache-2.0
//
// Part pairs with SIMD, on one CPU core. The formulas are those of the GPU; only the order of work differs.
#pragma once

#include "host/cpu/pressure_field/deferred_polygons.h"
#include "host/cpu/pressure_field/simd_solver_contacts.h"
#include "host/cpu/simd/simd_sum.h"

namespace isopatch::detail {
namespace {

/// Adds up the sums of the lanes.
template <class T, int lanes, bool with_patch>
void add_lanes(WrenchSums<Simd<T, lanes>, with_patch>& from, WrenchSums<T, with_patch>& to) {
  from.for_each_sum([](ReproducibleSum<Simd<T, lanes>>& sum, ReproducibleSum<T>& total) { sum.add_to(total); }, to);
  from.far_side.add_to(to.far_side);
  from.bound.add_to(to.bound);
  if constexpr (with_patch) {
    T lane[lanes];
    from.patch.max_pressure.store(lane);
    for (const T value : lane) to.patch.max_pressure = max(value, to.patch.max_pressure);
  }
}

/// The plane of one lane, and the segments of its polygon.
template <class T>
struct PlaneLane {
  ContactPlane<T> plane;
  Segments<T> segments;

  template <int lanes>
  PlaneLane(const ContactPlane<Simd<T, lanes>>& from_plane, const Segments<Simd<T, lanes>>& from, int lane) {
    const auto take = [lane](auto& to, const auto& numbers) ISOPATCH_INLINED { to = lane_of(numbers, lane); };
    for_each_plane_number(plane, from_plane, take);
    plane.num_lines = kMaxLines;
    for (int i = 0; i < kMaxLines; ++i) {
      take(segments.x0[i], from.x0[i]), take(segments.y0[i], from.y0[i]);
      take(segments.x1[i], from.x1[i]), take(segments.y1[i], from.y1[i]);
    }
    take(segments.middle_x, from.middle_x), take(segments.middle_y, from.middle_y);
  }
};

/// The polygon of one lane.
template <class T>
struct PolygonLane : PlaneLane<T> {
  Contribution<T> contribution;

  template <int lanes>
  PolygonLane(const ContactPlane<Simd<T, lanes>>& from_plane, const Segments<Simd<T, lanes>>& from_segments,
              const Contribution<Simd<T, lanes>>& from, int lane)
      : PlaneLane<T>(from_plane, from_segments, lane) {
    const auto take = [lane](auto& to, const auto& numbers) ISOPATCH_INLINED { to = lane_of(numbers, lane); };
    const auto take_vec = [&](auto& to, const auto& v)
                              ISOPATCH_INLINED { take(to.x, v.x), take(to.y, v.y), take(to.z, v.z); };
    take(this->plane.near_side, from_plane.near_side);
    take_vec(contribution.force, from.force), take_vec(contribution.torque, from.torque);
    take_vec(contribution.friction, from.friction), take_vec(contribution.normal, from.normal);
    take_vec(contribution.pressure_moment, from.pressure_moment);
    take(contribution.pressure_integral, from.pressure_integral), take(contribution.area, from.area);
    take(contribution.max_pressure, from.max_pressure), take(contribution.far_side, from.far_side);
  }
};

/// The last stages of polygons whose wrenches are wanted: integrals, those of hard polygons, and sums.
template <class T, int lanes, bool with_patch>
class WrenchStages {
 public:
  using Number = Simd<T, lanes>;
  using Vectors = std::span<StagedVector<T, lanes>>;

  WrenchStages(std::span<const PartPairWork> part_pairs, WrenchSums<T, with_patch>* sums, SimdWorkspace& work,
               const ErasedSink<T>* erased)
      : part_pairs_(part_pairs), to_(sums), hard_(work), erased_(erased) {}

  void operator()(Vectors vectors) {
    integrate_vectors(vectors);
    if (!hard_.empty()) {
      hard_.integrate(vectors[0].f().law.slip_tolerance, [&](int vector, int lane, const PlaneWrench<T>& w) {
        PlaneWrench<Number>& to = integral_[vector].wrench;
        const auto set = [lane](Number& x, T value) { reinterpret_cast<T*>(&x)[lane] = value; };
        set(to.u, w.u), set(to.v, w.v), set(to.n, w.n);
        set(to.moment_u, w.moment_u), set(to.moment_v, w.moment_v), set(to.moment_n, w.moment_n);
      });
    }
    add_vectors(vectors);
  }

  /// Ends the sums that are open.
  void finish() {
    if (open_ < 0) return;
    const std::int32_t to = part_pairs_[static_cast<std::size_t>(open_)].sums;
    add_lanes(sums_, to_[to]);
    if (!has_plates_) return;
    has_plates_ = false;
    for (int i = 0; i < PlateMoments::kWords; ++i) {
      std::int64_t& word = erased_->plates[to].word[i];
      word = wrapping_sum(word, sum_of_lanes(plates_[i]));
    }
  }

 private:
  __attribute__((noinline)) void integrate_vectors(Vectors vectors) {
    for_each_found(vectors, [&](StagedVector<T, lanes>& v, auto most_lines) {
      const int index = static_cast<int>(&v - vectors.data());
      const auto defer = [&](Mask<lanes> is_hard, const SidesInPlace<Number>& sides,
                             const DeferredPolygon<Number>& polygon, const PlaneFields<Number>& fields, double) {
        hard_.add(index, is_hard, sides.segments, sides.num_lines, polygon, fields);
        return polygon.wrench;
      };
      const ColdCells<lanes> m(v.f().M, v.m), s(v.f().S, v.s);
      set_near_side(v.f(), m, s, v.found, v.plane);
      PolygonIntegral<Number> integral;
      const SidesInPlace<Number> sides = {v.segments, most_lines()};
      v.found = v.found && integrate(v.f(), m, s, v.plane, v.segments, sides, integral, defer);
      if constexpr (!with_patch) {  // not needed, so that they are not computed
        const Number zero = Number(T(0));
        integral.pressure_integral = integral.max_pressure = zero;
        integral.pressure_moment = {zero, zero, zero};
      }
      integral_[index] = integral;
    });
  }

  __attribute__((noinline)) void add_vectors(Vectors vectors) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      const StagedVector<T, lanes>& v = vectors[i];
      if (!any(v.found)) continue;
      if (v.part_pair != open_) {
        finish();
        sums_ = {};
        open_ = v.part_pair;
        scales_ = FixedPointScales<T>::make(v.f().bounds);
      }
      const Contribution<Number> contribution = contribution_of(v.f(), v.plane, integral_[i]);
      const Mask<lanes> counts = sums_.add(v.found, contribution, scales_);
      if (erased_ != nullptr && v.f().pass == Pass::kFirst) {
        if (erased_->plates != nullptr) add_to_plates(counts, v);
        if (erased_->add != nullptr) give(counts, v, contribution);
      }
    }
  }

  __attribute__((noinline)) void add_to_plates(Mask<lanes> counts, const StagedVector<T, lanes>& v) {
    using Double = DoubleOf<Number>;
    const bool is_first = !has_plates_;
    const auto add = [&](int sum, Double quanta) ISOPATCH_INLINED {
      const auto fits = counts && abs(quanta) < Double(static_cast<double>(kMaxQuanta));
      ReproducibleSum<Double> term;
      term.add(select(fits, quanta, Double(0.0)));
      for (int i = 0; i < kLimbs; ++i) {
        auto& limb = plates_[kLimbs * sum + i];
        limb = is_first ? term.limb[i] : limb + term.limb[i];
      }
    };
    has_plates_ = true;
    for_each_plate_sum(v.f(), v.plane, v.segments, v.beside_half_space() ? kHalfSpaceLines : kMaxLines, add);
  }

  /// The polygons that count, one by one.
  __attribute__((noinline)) void give(Mask<lanes> counts, const StagedVector<T, lanes>& v,
                                      const Contribution<Number>& contribution) const {
    for (std::uint32_t left = bits_of(counts); left != 0; left &= left - 1) {
      const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
      const PolygonLane<T> polygon(v.plane, v.segments, contribution, lane);
      erased_->add(erased_->sinks, {v.f(),
                                    erased_->environment,
                                    erased_->pair,
                                    v.m[lane],
                                    v.s[lane],
                                    polygon.plane,
                                    {polygon.segments, v.beside_half_space() ? kHalfSpaceLines : kMaxLines},
                                    polygon.contribution});
    }
  }

  std::span<const PartPairWork> part_pairs_;
  WrenchSums<T, with_patch>* to_;
  PolygonIntegral<Number> integral_[kStagedVectors];
  DeferredPolygons<T, lanes> hard_;
  std::int32_t open_ = -1;  // the part pair of the sums
  WrenchSums<Number, with_patch> sums_;
  FixedPointScales<T> scales_;
  const ErasedSink<T>* erased_;

  static constexpr int kLimbs = ReproducibleSum<double>::kLimbs;
  bool has_plates_ = false;
  Simd<std::int64_t, lanes> plates_[PlateMoments::kWords];  // unset until there are some
};

template <class T, bool with_patch>
void sum_part_pairs(std::span<const PartPairWork> part_pairs, SimdWorkspace& work, WrenchSums<T, with_patch>* sums,
                    const ErasedSink<T>* erased) {
  using Stages = WrenchStages<T, kPolygonLanes<T>, with_patch>;
  Stages& stages = work.last_stage.make<Stages>(part_pairs, sums, work, erased);
  const auto take = [&](const AcceptedList& list) {
    make_polygons<T, kPolygonLanes<T>>(part_pairs, list, work, stages);
  };
  search_part_pairs(part_pairs, work, AcceptedList(work.accepted, take));
  stages.finish();
}

void find_polygons(const PairContext& context, SimdWorkspace& work, AddFluxes add, EnergySum& to) {
  using Vectors = std::span<StagedVector<double, kLanes>>;
  const PartPairWork part_pair = {&context, 0, {}};
  const std::span<const PartPairWork> only(&part_pair, 1);
  const auto add_all = [&](Vectors vectors) {
    for_each_found(vectors, [&](const StagedVector<double, kLanes>& v, auto most_lines) {
      for (std::uint32_t left = bits_of(v.found); left != 0; left &= left - 1) {
        const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        const PlaneLane<double> polygon(v.plane, v.segments, lane);
        add(context, v.m[lane], v.s[lane], polygon.plane, {polygon.segments, most_lines()}, to);
      }
    });
  };
  const auto take = [&](const AcceptedList& list) { make_polygons<double, kLanes>(only, list, work, add_all); };
  search_part_pairs(only, work, AcceptedList(work.accepted, take));
}

void find_overlaps(const PairContext& context, SimdWorkspace& work, CellEnergyVisitor& visitor,
                   void (*visit)(CellEnergyVisitor&, std::int32_t, std::int32_t)) {
  struct OneByOne {
    CellEnergyVisitor& visitor;
    void (*visit)(CellEnergyVisitor&, std::int32_t, std::int32_t);

    void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) const {
      for (std::uint32_t left = bits_of(active); left != 0; left &= left - 1) {
        const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
        visit(visitor, m[lane], s[lane]);
      }
    }
  };
  OneByOne one_by_one = {visitor, visit};
  const auto wide_nodes = [](const PairBody& body) { return body.field->solid.wide_nodes; };
  traverse_with_simd(SimdFixedNodeTest{context, 0}, wide_nodes(context.M),
                     context.S.half_space ? nullptr : wide_nodes(context.S), work.traversal, one_by_one);
}

void find_accepted(const PairContext& context, SimdWorkspace& work, std::vector<AcceptedCells>& to) {
  const PartPairWork only[] = {{&context, 0, {}}};
  const auto take = [&](const AcceptedList& list) {
    const AcceptedRows& rows = list.rows();
    for (const AcceptedRange& range : list.ranges()) {
      for (std::int32_t i = range.begin; i < range.end; ++i) {
        to.push_back({rows.m[i], rows.s[i], {rows.positive[i], {rows.x[i], rows.y[i], rows.z[i]}, rows.radius[i]}});
      }
    }
  };
  search_part_pairs(only, work, AcceptedList(work.accepted, take));
}

constexpr PressureFieldKernels kPressureFieldKernels = {sum_part_pairs<float, false>,
                                                        sum_part_pairs<float, true>,
                                                        sum_part_pairs<double, false>,
                                                        sum_part_pairs<double, true>,
                                                        find_polygons,
                                                        find_overlaps,
                                                        find_contacts<float>,
                                                        find_contacts<double>,
                                                        find_accepted};

}  // namespace
}  // namespace isopatch::detail
