// SPDX-License-Identifier: Apache-2.0
//
// A pass over an overlap with SIMD.
#pragma once

#include "host/cpu/cells/simd_search.h"
#include "host/cpu/simd/simd_sum.h"
#include "host/cpu/single_contact/overlap_kernels.h"

namespace isopatch::detail {
namespace {

struct SurfaceGate {
  template <class Cells, class F>
  ISOPATCH_HD static MaskOf<F> test(const MeshPair& f, const Cells& m, const Cells& s, PolygonBounds<F>& bounds) {
    return test_surface_exactly(f, m, s, bounds);
  }
};

/// Adds the polygons of listed cells.
template <bool with_rates>
struct OverlapStage {
  using Double = Simd<double, kLanes>;

  const OverlapPass& f;
  OverlapSums<Double, with_rates>& sums;

  void operator()(const AcceptedList& list) const {
    for (const AcceptedRange& range : list.ranges()) {
      for (std::int32_t at = range.begin; at < range.end; at += kLanes) {
        if (f.S.half_space) {
          add<kHalfSpaceLines>(list.rows(), at, range.end - at);
        } else {
          add<kMaxLines>(list.rows(), at, range.end - at);
        }
      }
    }
  }

 private:
  template <int most_lines>
  __attribute__((noinline)) void add(const AcceptedRows& rows, std::int32_t at, std::int32_t count) const {
    const auto load = [&](const auto* row) ISOPATCH_INLINED {
      return Simd<std::remove_cvref_t<decltype(*row)>, kLanes>::load(row + at);
    };
    const PolygonBounds<Simd<float, kLanes>> bounds = {
        load(rows.positive), {load(rows.x), load(rows.y), load(rows.z)}, load(rows.radius)};
    const SimdPlanes<kLanes> m(f.M.hierarchy.cells, rows.m + at);
    const SimdPlanes<kLanes> s(f.S.half_space ? nullptr : f.S.hierarchy.cells, rows.s + at);
    CutPlane<Double> plane;
    Mask<kLanes> found =
        first_lanes<kLanes>(count) && make_surface_plane(f, m, s, bounds, LinesInPlace<false>(), plane);
    if (!any(found)) return;
    Segments<Double> polygon;
    found = found && clip(plane.line, most_lines, polygon);
    if (!any(found)) return;
    const AreaMoments<Double> moments = area_moments(polygon, most_lines);
    const SimdCorners<kLanes> corners(has_cones(f) ? f.M.hierarchy.cells : nullptr, rows.m + at);
    const Double weight = weight_of(corners, bounds.positive, has_cones(f));
    Double terms[kNumbersOf<with_rates>];
    make_overlap_terms<with_rates>(f, plane, polygon.middle_x, polygon.middle_y, moments, weight, terms);
    sums.add(f.scales, found, terms);
  }
};

template <bool with_rates>
PassTotal sum_overlap_pass(const OverlapPass& f, SimdOverlapWorkspace& work) {
  OverlapSums<Simd<double, kLanes>, with_rates> vectors;
  const OverlapStage<with_rates> stage = {f, vectors};
  AcceptedList list(work.accepted, stage);
  list.begin(0);
  CellTest<SurfaceGate> cells(f, list);
  search_hierarchies(f, 0, work.traversal, cells);
  cells.finish();
  list.end();
  list.give();
  OverlapSums<double, with_rates> sums;
  for (int i = 0; i < kNumbersOf<with_rates>; ++i) vectors.sum[i].add_to(sums.sum[i]);
  vectors.bound.add_to(sums.bound);
  return total_of<with_rates>(f, sums);
}

constexpr OverlapKernels kOverlapKernels = {sum_overlap_pass<false>, sum_overlap_pass<true>};

}  // namespace
}  // namespace isopatch::detail
