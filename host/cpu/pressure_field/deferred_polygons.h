// SPDX-License-Identifier: Apache-2.0
//
// Polygons that need the closed form of friction are few. Those of several vectors are integrated side by side, so that
// the registers are full; the sides of each follow each other, so that there are as many rounds as one of them has
// sides.
#pragma once

#include "host/cpu/pressure_field/polygon_stages.h"

namespace isopatch::detail {
namespace {

/// Calls visit(number) for all numbers of a hard polygon and the fields over it.
template <class Polygon, class Fields, class Visit>
ISOPATCH_HD void for_each_number(Polygon& p, Fields& f, const Visit& visit) {
  visit(p.area), visit(p.centroid.x), visit(p.centroid.y), visit(p.blend.share), visit(p.farthest);
  visit(p.wrench.u), visit(p.wrench.v), visit(p.wrench.n);
  visit(p.wrench.moment_u), visit(p.wrench.moment_v), visit(p.wrench.moment_n);
  visit(f.pressure), visit(f.pressure_x), visit(f.pressure_y);
  visit(f.u), visit(f.v), visit(f.spin);
  visit(f.factor), visit(f.factor_x), visit(f.factor_y);
}

template <class T, int lanes>
class DeferredPolygons {
 public:
  using Number = Simd<T, lanes>;

  explicit DeferredPolygons(SimdWorkspace& work) : rows_(std::get<HardRows<T>>(work.hard)) {}

  /// Puts off the hard ones of a vector, whose number among the staged ones is given.
  __attribute__((noinline)) void add(int vector, Mask<lanes> is_hard, const Segments<Number>& s, int count,
                                     const DeferredPolygon<Number>& polygon, const PlaneFields<Number>& fields) {
    alignas(64) T number[kNumbers][lanes];
    int row = 0;
    for_each_number(polygon, fields, [&](const Number& x) ISOPATCH_INLINED { x.store(number[row++]); });
    const std::uint32_t cuts = bits_of(polygon.cuts), blends = bits_of(polygon.blend.any);
    std::uint32_t sides[kMaxLines];
    for (int i = 0; i < count; ++i) sides[i] = bits_of(s.has_side(i)) & bits_of(is_hard);

    for (std::uint32_t left = bits_of(is_hard); left != 0; left &= left - 1) {
      const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left), to = size_++;
      for (int i = 0; i < kNumbers; ++i) rows_.number[i][to] = number[i][lane];
      rows_.cuts[to] = cuts >> lane & 1u;
      rows_.blends[to] = blends >> lane & 1u;
      rows_.place[to] = vector * lanes + lane;
      const auto lane_of = [lane](const Number& x) { return reinterpret_cast<const T*>(&x)[lane]; };
      int stored = 0;
      for (int i = 0; i < count; ++i) {
        if ((sides[i] >> lane & 1u) == 0u) continue;
        rows_.side[stored][0][to] = lane_of(s.x0[i]);
        rows_.side[stored][1][to] = lane_of(s.y0[i]);
        rows_.side[stored][2][to] = lane_of(s.x1[i]);
        rows_.side[stored][3][to] = lane_of(s.y1[i]);
        ++stored;
      }
      rows_.num_sides[to] = stored;
    }
  }

  bool empty() const { return size_ == 0; }

  /// Calls put(vector, lane, wrench) with the wrench of each of them, and is empty afterwards.
  template <class Put>
  __attribute__((noinline)) void integrate(double slip_tolerance, const Put& put) {
    for (int first = 0; first < size_; first += lanes) {
      const int end = first + lanes < size_ ? first + lanes : size_;
      int most = 0;
      for (int i = first; i < end; ++i) most = most < rows_.num_sides[i] ? rows_.num_sides[i] : most;
      for (int i = first; i < first + lanes; ++i) {
        for (int k = i < end ? rows_.num_sides[i] : 0; k < most; ++k) {
          for (auto& row : rows_.side[k]) row[i] = 0;
        }
        if (i >= end) rows_.cuts[i] = rows_.blends[i] = 0;
      }

      SideList<Number> list;
      for (; list.count < most; ++list.count) {
        const auto& from = rows_.side[list.count];
        list.sides[list.count] = {Number::load(from[0] + first), Number::load(from[1] + first),
                                  Number::load(from[2] + first), Number::load(from[3] + first)};
      }
      DeferredPolygon<Number> polygon;
      PlaneFields<Number> fields;
      int row = 0;
      for_each_number(polygon, fields,
                      [&](Number& x) ISOPATCH_INLINED { x = Number::load(rows_.number[row++] + first); });
      using Int = Simd<std::int32_t, lanes>;
      polygon.cuts = Int::load(rows_.cuts + first) != Int(0);
      polygon.blend.any = Int::load(rows_.blends + first) != Int(0);
      const PlaneWrench<Number> w = integrate_hard(list, polygon, fields, slip_tolerance);
      alignas(64) T of_lane[6][lanes];
      w.u.store(of_lane[0]), w.v.store(of_lane[1]), w.n.store(of_lane[2]);
      w.moment_u.store(of_lane[3]), w.moment_v.store(of_lane[4]), w.moment_n.store(of_lane[5]);
      for (int i = first; i < end; ++i) {
        const int k = i - first;
        put(rows_.place[i] / lanes, rows_.place[i] % lanes,
            PlaneWrench<T>{of_lane[0][k], of_lane[1][k], of_lane[2][k], of_lane[3][k], of_lane[4][k], of_lane[5][k]});
      }
    }
    size_ = 0;
  }

 private:
  static constexpr int kNumbers = HardRows<T>::kNumbers;
  static_assert(HardRows<T>::kMax >= (kStagedVectors + 1) * lanes && HardRows<T>::kSides == kMaxLines);

  HardRows<T>& rows_;
  int size_ = 0;
};

}  // namespace
}  // namespace isopatch::detail
