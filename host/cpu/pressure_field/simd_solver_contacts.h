// SPDX-License-Identifier: Apache-2.0
//
// The contact polygons of a part pair with SIMD.
#pragma once

#include "host/cpu/pressure_field/polygon_stages.h"
#include "host/cpu/pressure_field/solver_contact_kernels.h"
#include "host/cpu/simd/simd_sum.h"

namespace isopatch::detail {
namespace {

/// The counterpart of SolverContactVisitor for points that are one record a polygon, as the last stage of polygons.
template <class T, int lanes>
class ContactStage {
 public:
  using Number = Simd<T, lanes>;
  using Vectors = std::span<StagedVector<T, lanes>>;

  ContactStage(const ContactSearch<T>& search, SearchResult<T>& found) : search_(search), found_(found) {}

  void operator()(Vectors vectors) {
    for_each_found(vectors, [&](StagedVector<T, lanes>& v, auto most_lines) { visit<most_lines()>(v); });
  }

  void finish() { far_side_.add_to(found_.far_side); }

 private:
  template <int most_lines>
  __attribute__((noinline)) void visit(StagedVector<T, lanes>& v) {
    const PairContext& f = v.f();
    const ColdCells<lanes> m(f.M, v.m), s(f.S, v.s);
    const SidesInPlace<Number> sides = {v.segments, most_lines};
    const AreaMoments<Number> moments = area_moments(sides);
    Mask<lanes> found = v.found && is_polygon(sides, moments);
    if (!any(found)) return;
    found_.touches = true;
    if (f.pass == Pass::kUnfiltered) return;
    PlaneFields<Number> fields;
    const Number load = v.plane.radius * v.plane.radius * integrate_pressure(v.plane, v.segments, moments, fields);
    const auto weight = weigh_pressure(f, m, s, v.segments, moments, v.plane);
    set_near_side(f, m, s, found, v.plane);
    const Number excess = far_side_excess(f, v.plane, weight, load);
    far_side_.add(select(found, Number(search_.load_scale.to_quanta) * excess, Number(T(0))));
    SolverContact<Number> contacts;
    found = found && make_solver_contact(f, m, s, search_.points, search_.origin_W, v.plane,
                                         PolygonShape<Number>(f, v.plane, v.segments, moments, weight), contacts);
    emit(found, v, contacts);
  }

  void emit(Mask<lanes> found, const StagedVector<T, lanes>& v, SolverContact<Number>& contacts) {
    T numbers[SolverContact<T>::kNumbers][lanes];
    int row = 0;
    contacts.for_each_number([&](const Number& number) { number.store(numbers[row++]); });
    for (std::uint32_t left = bits_of(found); left != 0; left &= left - 1) {
      const int lane = hwy::Num0BitsBelowLS1Bit_Nonzero32(left);
      SolverContact<T> contact;
      row = 0;
      contact.for_each_number([&](T& number) { number = numbers[row++][lane]; });
      contact.friction = v.f().law.friction;
      contact.key = ContactKey::of_part_pair(search_.part_pair, v.m[lane], v.s[lane]).word();
      search_.found.push_back(contact);
    }
  }

  const ContactSearch<T>& search_;
  SearchResult<T>& found_;
  SignSum<Number> far_side_;
};

template <class T>
SearchResult<T> find_contacts(const PairContext& context, SimdWorkspace& work, const ContactSearch<T>& search) {
  SearchResult<T> found = {};
  const PartPairWork only[] = {{&context, 0, search.kept}};
  ContactStage<T, kPolygonLanes<T>> stage(search, found);
  const auto take = [&](const AcceptedList& list) { make_polygons<T, kPolygonLanes<T>>(only, list, work, stage); };
  search_part_pairs(only, work, AcceptedList(work.accepted, take));
  stage.finish();
  return found;
}

}  // namespace
}  // namespace isopatch::detail
