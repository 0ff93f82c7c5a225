// SPDX-License-Identifier: Apache-2.0
//
// The test of pairs of cells with SIMD, and the queue of those that have passed it and wait until a SIMD vector is
// full.
#pragma once

#include "host/cpu/pressure_field/simd_kernels.h"
#include "host/cpu/simd/simd_cells.h"
#include "host/cpu/simd/simd_queue.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch::detail {
namespace {

/// One pair of cells for each lane of a round.
template <int lanes>
struct SimdCellPairs {
  Mask<lanes> active;
  const std::int32_t *m, *s;
  PolygonBounds<Simd<float, lanes>> bounds;
};

class SimdAccepted {
 public:
  SimdAccepted(const PairContext& context, SimdWorkspace& work)
      : f_(context),
        rows_(work.accepted),
        cells_M_(context.M.hierarchy.cells),
        cells_S_(context.S.half_space ? nullptr : context.S.hierarchy.cells),
        coarse_S_(context.S.half_space ? nullptr : context.S.hierarchy.coarse_cells) {}

  const Cell* cells_M() const { return cells_M_; }
  const Cell* cells_S() const { return cells_S_; }  // null for a half space
  int waiting() const { return waiting_; }

  /// Tests a SIMD vector of candidates.
  void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
    using Float = Simd<float, kFloatLanes>;
    const auto exactly = [&](PolygonBounds<Float>& bounds) {
      return test_cells_exactly(f_, SimdCorners<kFloatLanes>(cells_M_, m), SimdCorners<kFloatLanes>(cells_S_, s),
                                bounds);
    };
    PolygonBounds<Float> bounds;
    const auto pass = test_cells<false>(f_, SimdCoarseCells(f_.M.hierarchy.coarse_cells, m),
                                        SimdCoarseCells(coarse_S_, s), active, exactly, bounds);
    if (!any(pass)) return;
    append(Simd<std::int32_t, kFloatLanes>::load(m), pass, rows_.m + waiting_);
    append(Simd<std::int32_t, kFloatLanes>::load(s), pass, rows_.s + waiting_);
    append(bounds.positive, pass, rows_.positive + waiting_);
    append(bounds.center.x, pass, rows_.x + waiting_);
    append(bounds.center.y, pass, rows_.y + waiting_);
    append(bounds.center.z, pass, rows_.z + waiting_);
    append(bounds.radius, pass, rows_.radius + waiting_);
    waiting_ += static_cast<int>(hn::CountTrue(Tag<float, kFloatLanes>(), pass.m));
  }

  /// Takes up to `lanes` pairs from the queue. They stay valid until the next test.
  template <int lanes>
  SimdCellPairs<lanes> take() {
    const Round<lanes> round = detail::take<lanes>(rows_, waiting_);
    const auto load = [&](const auto* row) {
      return Simd<std::remove_cvref_t<decltype(*row)>, lanes>::load(row + round.first);
    };
    return {round.active,
            rows_.m + round.first,
            rows_.s + round.first,
            {load(rows_.positive), {load(rows_.x), load(rows_.y), load(rows_.z)}, load(rows_.radius)}};
  }

  /// Takes one.
  AcceptedCells take_one() {
    const int i = --waiting_;
    return {rows_.m[i], rows_.s[i], {rows_.positive[i], {rows_.x[i], rows_.y[i], rows_.z[i]}, rows_.radius[i]}};
  }

 private:
  const PairContext& f_;
  SimdWorkspace::Accepted& rows_;
  int waiting_ = 0;
  const Cell *cells_M_, *cells_S_;
  const CoarseCell* coarse_S_;
};

}  // namespace
}  // namespace isopatch::detail
