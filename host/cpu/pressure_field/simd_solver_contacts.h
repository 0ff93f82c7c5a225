// SPDX-License-Identifier: Apache-2.0
//
// The contact polygons of a part pair with SIMD.
#pragma once

#include "host/cpu/pressure_field/simd_accepted.h"
#include "host/cpu/pressure_field/solver_contact_kernels.h"
#include "host/cpu/simd/simd_sum.h"

namespace isopatch::detail {
namespace {

/// The counterpart of SolverContactVisitor for points that are one record a polygon.
template <class T>
class SimdContactVisitor {
 public:
  SimdContactVisitor(const PairContext& context, SimdWorkspace& work, const ContactSearch<T>& search)
      : f_(context), accepted_(context, work), search_(search) {}

  void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
    accepted_.test(m, s, active);
    while (accepted_.waiting() >= kPolygonLanes) visit(far_side_);
  }

  /// Visits what is left, once there are no more candidates.
  SearchResult<T> finish() {
    SearchResult<T> found = {};
    while (accepted_.waiting() > kLanes) visit(far_side_);
    if (accepted_.waiting() > 0) {
      SignSum<Simd<T, kLanes>> rest;
      visit(rest);
      rest.add_to(found.far_side);
    }
    far_side_.add_to(found.far_side);
    found.touches = touches_;
    return found;
  }

 private:
  static constexpr int kPolygonLanes = kIsFloat<T> ? kFloatLanes : kLanes;  // kLanes for the last few polygons

  template <int lanes>
  void visit(SignSum<Simd<T, lanes>>& far_side) {
    if (f_.S.half_space && !f_.S.geometry->is_layer) {
      visit_lines<kHalfSpaceLines>(far_side);
    } else {
      visit_lines<kMaxLines>(far_side);
    }
  }

  template <int most_lines, int lanes>
  void visit_lines(SignSum<Simd<T, lanes>>& far_side) {
    using Number = Simd<T, lanes>;
    const SimdCellPairs<lanes> cells = accepted_.take<lanes>();
    const SimdPlanes<lanes> m(accepted_.cells_M(), cells.m), s(accepted_.cells_S(), cells.s);
    ContactPlane<Number> plane;
    Segments<Number> segments;
    Mask<lanes> found = cells.active && make_contact_plane<false>(f_, m, s, cells.bounds, plane);
    if (!any(found)) return;
    found = found && clip(plane.line, most_lines, segments);
    if (!any(found)) return;
    const AreaMoments<Number> moments = area_moments(segments, most_lines);
    found = found && counts_as_polygon(f_, plane, segments, most_lines, moments);
    if (!any(found)) return;
    touches_ = true;
    if (f_.pass == Pass::kUnfiltered) return;
    PlaneFields<Number> fields;
    const Number load = plane.radius * plane.radius * integrate_pressure(plane, segments, moments, fields);
    const auto weight = weigh_pressure(f_, m, s, segments, moments, plane);
    const Number excess = far_side_excess(f_, m, s, plane, found, weight, load);
    far_side.add(select(found, Number(search_.load_scale.to_quanta) * excess, Number(T(0))));
    SolverContact<Number> polygons;
    found = found && make_solver_contact(f_, m, s, search_.points, search_.origin_W, plane,
                                         PolygonShape<Number>(f_, plane, segments, moments, weight), polygons);
    emit(found, cells, polygons);
  }

  template <int lanes>
  void emit(Mask<lanes> found, const SimdCellPairs<lanes>& cells, SolverContact<Simd<T, lanes>>& polygons) {
    T numbers[SolverContact<T>::kNumbers][lanes];
    int row = 0;
    polygons.for_each_number([&](const Simd<T, lanes>& number) { number.store(numbers[row++]); });
    for (std::uint32_t left = bits_of(found); left != 0; left &= left - 1) {
      const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
      SolverContact<T> polygon;
      row = 0;
      polygon.for_each_number([&](T& number) { number = numbers[row++][lane]; });
      polygon.friction = f_.law.friction;
      polygon.key = ContactKey::of_part_pair(search_.part_pair, cells.m[lane], cells.s[lane]).word();
      search_.found.push_back(polygon);
    }
  }

  const PairContext& f_;
  SimdAccepted accepted_;
  const ContactSearch<T>& search_;
  bool touches_ = false;
  SignSum<Simd<T, kPolygonLanes>> far_side_;
};

}  // namespace
}  // namespace isopatch::detail
