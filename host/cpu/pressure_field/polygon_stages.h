// SPDX-License-Identifier: Apache-2.0
//
// From listed pairs of cells to polygons with SIMD, in stages over a few vectors each: the code of one stage is called
// for all of them before that of the next, and fits the core's instruction cache.
#pragma once

#include <cstring>

#include "host/cpu/pressure_field/simd_search.h"

namespace isopatch::detail {
namespace {

constexpr int kStagedVectors = 8;  // that go through the stages together

/// Of polygons.
template <class T>
constexpr int kPolygonLanes = kIsFloat<T> ? kFloatLanes : kLanes;

/// One pair of cells for each lane, all of one part pair, and what the stages find of them. T is float or double.
template <class T, int lanes>
struct StagedVector {
  using Number = Simd<T, lanes>;

  const PairContext* context;
  std::int32_t part_pair, at, count;  // the cells' index in the list, and how many they are
  const std::int32_t *m, *s;
  Mask<lanes> found;
  ContactPlane<Number> plane;
  Segments<Number> segments;

  const PairContext& f() const { return *context; }
  bool beside_half_space() const { return context->S.half_space && !context->S.geometry->is_layer; }
};

/// Members of cells that the integrals rarely need, loaded when they are asked for.
template <int lanes>
class ColdCells {
 public:
  using Double = Simd<double, lanes>;

  ColdCells(const PairBody& body, const std::int32_t* indices) : cells_(body.hierarchy.cells), indices_(indices) {}

  Vec3<Double> vertex0() const { return load<offsetof(Cell, corner)>(); }
  Vec3<Double> gradient() const { return load<offsetof(Cell, gradient)>(); }
  __attribute__((noinline)) Vec3<Double> smoothed_gradient(const HierarchyView& hierarchy, Vec3<Double> arm) const {
    static_assert(sizeof(SmoothedGradient) == 12 * sizeof(double));
    Double g[12];
    load_cells<0>(hierarchy.smoothed_gradients, indices_, g);
    return SmoothedGradientOf<Double>{vec_at(g), vec_at(g + 3), vec_at(g + 6), vec_at(g + 9)}.at(arm);
  }

 private:
  template <int offset>
  __attribute__((noinline)) Vec3<Double> load() const {
    Double words[4];
    load_cells<offset / sizeof(double)>(cells_, indices_, words);
    return vec_at(words);
  }

  const Cell* cells_;
  const std::int32_t* indices_;
};

/// The number of one lane.
template <class T, int lanes>
T lane_of(const Simd<T, lanes>& numbers, int lane) {
  T number;
  std::memcpy(&number, reinterpret_cast<const std::byte*>(&numbers) + static_cast<std::size_t>(lane) * sizeof(T),
              sizeof(T));
  return number;
}

/// Calls visit(number of a, number of b) for all numbers of two planes.
template <class PlaneA, class PlaneB, class Visit>
ISOPATCH_HD void for_each_plane_number(PlaneA& a, PlaneB& b, const Visit& visit) {
  const auto visit_vec = [&](auto& x, auto& y) ISOPATCH_INLINED { visit(x.x, y.x), visit(x.y, y.y), visit(x.z, y.z); };
  visit_vec(a.origin, b.origin), visit_vec(a.axes.u, b.axes.u), visit_vec(a.axes.v, b.axes.v);
  visit_vec(a.normal, b.normal);
  visit(a.pressure, b.pressure), visit(a.pressure_u, b.pressure_u), visit(a.pressure_v, b.pressure_v);
  visit(a.gradient_M, b.gradient_M), visit(a.gradient_S, b.gradient_S);
  visit(a.radius, b.radius);
  ISOPATCH_UNROLL
  for (int i = 0; i < kMaxLines; ++i) {
    visit(a.line[i].x, b.line[i].x), visit(a.line[i].y, b.line[i].y), visit(a.line[i].c, b.line[i].c);
  }
}

/// Makes the planes of as many lanes at a time as a register has doubles: `half` is memory for those of a vector that
/// has twice as many.
template <class T, int lanes>
__attribute__((noinline)) void make_planes(const AcceptedRows& rows, std::span<StagedVector<T, lanes>> vectors,
                                           ContactPlane<Simd<T, kLanes>>& half) {
  for (StagedVector<T, lanes>& v : vectors) {
    const PairContext& f = v.f();
    const auto make = [&](int part, ContactPlane<Simd<T, kLanes>>& plane) {
      const int at = v.at + part * kLanes;
      const auto load = [&](const auto* row) {
        return Simd<std::remove_cvref_t<decltype(*row)>, kLanes>::load(row + at);
      };
      const PolygonBounds<Simd<float, kLanes>> bounds = {
          load(rows.positive), {load(rows.x), load(rows.y), load(rows.z)}, load(rows.radius)};
      const SimdPlanes<kLanes> m(f.M.hierarchy.cells, rows.m + at);
      const SimdPlanes<kLanes> s(f.S.half_space ? nullptr : f.S.hierarchy.cells, rows.s + at);
      return first_lanes<kLanes>(v.count - part * kLanes) &&
             make_contact_plane<false>(f, m, s, bounds, LinesInPlace<false>(), plane);
    };
    if constexpr (lanes == kLanes) {
      v.found = make(0, v.plane);
    } else {
      Mask<kLanes> found[2] = {Mask<kLanes>(false), Mask<kLanes>(false)};
      for (int part = 0; part < 2; ++part) {
        if (part * kLanes < v.count) found[part] = make(part, half);
        if (!any(found[part])) {  // no parallel lines, which would take time
          for (int i = 0; i < kMaxLines; ++i) half.line[i] = no_line<Simd<T, kLanes>>(i);
        }
        for_each_plane_number(v.plane, half, [&](auto& to, const auto& from) ISOPATCH_INLINED {
          std::memcpy(reinterpret_cast<std::byte*>(&to) + static_cast<std::size_t>(part) * sizeof(from), &from,
                      sizeof(from));
        });
      }
      v.found = joined(found[0], found[1]);
    }
  }
}

template <int most_lines, class T, int lanes>
__attribute__((noinline)) void clip_planes(std::span<StagedVector<T, lanes>> vectors) {
  constexpr bool kHalfSpace = most_lines == kHalfSpaceLines;
  for (StagedVector<T, lanes>& v : vectors) {
    if (v.beside_half_space() != kHalfSpace || !any(v.found)) continue;
    v.found = v.found && clip(v.plane.line, most_lines, v.segments);
  }
}

/// Calls visit(vector, std::integral_constant<int, most lines>) for vectors in which a polygon was found.
template <class T, int lanes, class Visit>
ISOPATCH_HD void for_each_found(std::span<StagedVector<T, lanes>> vectors, const Visit& visit) {
  for (StagedVector<T, lanes>& v : vectors) {
    if (!any(v.found)) continue;
    if (v.beside_half_space()) {
      visit(v, std::integral_constant<int, kHalfSpaceLines>());
    } else {
      visit(v, std::integral_constant<int, kMaxLines>());
    }
  }
}

/// What make_polygons() works in.
template <class T, int lanes>
struct StagedVectors {
  StagedVector<T, lanes> staged[kStagedVectors];
  ContactPlane<Simd<T, kLanes>> half;

  StagedVectors() {}  // nothing is set
};

/// Makes the polygons of listed cells; calls take(vectors) for those of a few vectors at a time.
template <class T, int lanes, class Take>
void make_polygons(std::span<const PartPairWork> part_pairs, const AcceptedList& list, SimdWorkspace& work,
                   Take&& take) {
  const AcceptedRows& rows = list.rows();
  auto& stages = work.staged.make<StagedVectors<T, lanes>>();
  std::size_t count = 0;
  const auto run = [&] {
    const std::span<StagedVector<T, lanes>> vectors(stages.staged, count);
    make_planes(rows, vectors, stages.half);
    clip_planes<kMaxLines>(vectors);
    clip_planes<kHalfSpaceLines>(vectors);
    take(vectors);
    count = 0;
  };
  for (const AcceptedRange& range : list.ranges()) {
    for (std::int32_t at = range.begin; at < range.end; at += lanes) {
      StagedVector<T, lanes>& v = stages.staged[count++];
      v.context = part_pairs[static_cast<std::size_t>(range.part_pair)].context;
      v.part_pair = range.part_pair;
      v.at = at;
      v.count = range.end - at;
      v.m = rows.m + at;
      v.s = rows.s + at;
      if (count == kStagedVectors) run();
    }
  }
  if (count > 0) run();
}

}  // namespace
}  // namespace isopatch::detail
