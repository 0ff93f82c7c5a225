// SPDX-License-Identifier: Apache-2.0
//
// From listed pairs of cells to polygons with SIMD, in stages over a few vectors each: the code of one stage is called
// for all of them before that of the next, and fits the core's instruction cache.
#pragma once

#include "host/cpu/pressure_field/simd_search.h"

namespace isopatch::detail {
namespace {

constexpr int kStagedVectors = 4;  // that go through the stages together

/// One pair of cells for each lane, all of one part pair, and what the stages find of them. T is float or double.
template <class T, int lanes>
struct StagedVector {
  using Number = Simd<T, lanes>;

  const PairContext* context;
  std::int32_t part_pair;
  const std::int32_t *m, *s;
  PolygonBounds<Simd<float, lanes>> bounds;
  Mask<lanes> found;
  ContactPlane<Number> plane;
  Segments<Number> segments;

  const PairContext& f() const { return *context; }
  bool beside_half_space() const { return context->S.half_space && !context->S.geometry->is_layer; }
};

/// Members of cells that the integrals rarely need, loaded when they are asked for.
template <int lanes>
class RareCells {
 public:
  using Double = Simd<double, lanes>;

  RareCells(const PairBody& body, const std::int32_t* indices) : cells_(body.hierarchy.cells), indices_(indices) {}

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

template <class T, int lanes>
__attribute__((noinline)) void make_planes(std::span<StagedVector<T, lanes>> vectors) {
  for (StagedVector<T, lanes>& v : vectors) {
    const PairContext& f = v.f();
    const SimdPlanes<lanes> m(f.M.hierarchy.cells, v.m), s(f.S.half_space ? nullptr : f.S.hierarchy.cells, v.s);
    v.found = v.found && make_contact_plane<false>(f, m, s, v.bounds, v.plane);
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

/// Makes the polygons of listed cells; calls take(vectors) for those of a few vectors at a time. The last few cells of
/// a part pair take vectors of half as many lanes, where a vector of doubles fills one register instead of two.
template <class T, int lanes, class Take>
void make_polygons(std::span<const PairContext* const> contexts, const AcceptedList& list, Take& take) {
  constexpr int kMost = kIsFloat<T> ? kFloatLanes : kLanes;
  const SimdWorkspace::Accepted& rows = list.rows();
  StagedVector<T, lanes> staged[kStagedVectors];
  std::size_t count = 0;
  const auto run = [&] {
    const std::span<StagedVector<T, lanes>> vectors(staged, count);
    make_planes(vectors);
    clip_planes<kMaxLines>(vectors);
    clip_planes<kHalfSpaceLines>(vectors);
    take(vectors);
    count = 0;
  };
  for (const AcceptedRange& range : list.ranges()) {
    for (std::int32_t at = range.begin; at < range.end; at += kMost) {
      const std::int32_t left = range.end - at;
      if constexpr (kMost != kLanes) {
        if ((left <= kLanes) != (lanes == kLanes)) continue;
      }
      const auto load = [&](const auto* row) {
        return Simd<std::remove_cvref_t<decltype(*row)>, lanes>::load(row + at);
      };
      StagedVector<T, lanes>& v = staged[count++];
      v.context = contexts[static_cast<std::size_t>(range.part_pair)];
      v.part_pair = range.part_pair;
      v.m = rows.m + at;
      v.s = rows.s + at;
      v.bounds = {load(rows.positive), {load(rows.x), load(rows.y), load(rows.z)}, load(rows.radius)};
      v.found = Mask<lanes>(hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(left < lanes ? left : lanes)));
      if (count == kStagedVectors) run();
    }
  }
  if (count > 0) run();
}

/// Calls visit(list, std::integral_constant<int, lanes>) for each width of vector that make_polygons() takes.
template <class T, class Visit>
void for_each_width(const AcceptedList& list, const Visit& visit) {
  if constexpr (kIsFloat<T>) visit(list, std::integral_constant<int, kFloatLanes>());
  visit(list, std::integral_constant<int, kLanes>());
}

}  // namespace
}  // namespace isopatch::detail
