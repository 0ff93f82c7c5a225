// SPDX-License-Identifier: Apache-2.0
//
// One pair of bodies in packs, on one CPU core: traversal, tests, polygons and sums. The formulas are those of the
// GPU; only who goes where differs. A node of one body is tested against up to eight of the other at once; pairs of
// cells wait until a pack is full, and those that pass their test wait once more.
#pragma once

#include "host/cpu/pressure_field/pack_cells.h"
#include "host/cpu/pressure_field/pack_kernels.h"
#include "host/cpu/pressure_field/pack_sums.h"
#include "host/cpu/pressure_field/pack_traversal.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch::detail {
namespace {

template <class T, bool with_patch>
class PackEvaluation {
 public:
  PackEvaluation(const PairContext& context, PackWorkspace& work)
      : f_(context),
        work_(work),
        scales_(FixedPointScales<T>::make(context)),
        traversal_(context, work),
        cells_M_(context.M.hierarchy.cells),
        cells_S_(context.S.half_space ? nullptr : context.S.hierarchy.cells),
        coarse_S_(context.S.half_space ? nullptr : context.S.hierarchy.coarse_cells) {}

  void run(WrenchSums<T, with_patch>& sums) {
    while (traversal_.advance(candidates_)) {
      while (candidates_ >= kFloatLanes) test();
    }
    while (candidates_ > 0) test();
    while (accepted_ > kLanes) visit(sums_);
    if (accepted_ > 0) {
      PackWrenchSums<T, kLanes, with_patch> rest;
      visit(rest);
      rest.add_to(sums);
    }
    sums_.add_to(sums);
  }

 private:
  static constexpr int kPolygonLanes = kIsFloat<T> ? kFloatLanes : kLanes;  // kLanes for the last few polygons

  /// The last `lanes` of a queue; where fewer wait, the rest repeats the first of them and is masked.
  template <int lanes>
  struct Round {
    int first;
    Mask<lanes> active;
  };
  template <int lanes, class Queue>
  static Round<lanes> take(Queue& queue, int& waiting) {
    const int count = waiting < lanes ? waiting : lanes;
    const int first = waiting - count;
    for (int i = waiting; i < first + lanes; ++i) {
      queue.m[i] = queue.m[first];
      queue.s[i] = queue.s[first];
    }
    waiting = first;
    return {first, Mask<lanes>(hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(count)))};
  }

  using Float = Pack<float, kFloatLanes>;

  void test() {
    const auto round = take<kFloatLanes>(work_.candidates, candidates_);
    const std::int32_t *m = work_.candidates.m + round.first, *s = work_.candidates.s + round.first;
    const auto exactly = [&](PolygonBounds<Float>& bounds) {
      return test_cells_exactly(f_, PackCorners<kFloatLanes>(cells_M_, m), PackCorners<kFloatLanes>(cells_S_, s),
                                bounds);
    };
    PolygonBounds<Float> bounds;
    const auto pass = test_cells<false>(f_, PackCoarseCells(f_.M.hierarchy.coarse_cells, m),
                                        PackCoarseCells(coarse_S_, s), round.active, exactly, bounds);
    if (!any(pass)) return;
    auto& to = work_.accepted;
    append(Pack<std::int32_t, kFloatLanes>::load(m), pass, to.m);
    append(Pack<std::int32_t, kFloatLanes>::load(s), pass, to.s);
    append(bounds.positive, pass, to.positive);
    append(bounds.center.x, pass, to.x);
    append(bounds.center.y, pass, to.y);
    append(bounds.center.z, pass, to.z);
    append(bounds.radius, pass, to.radius);
    accepted_ += static_cast<int>(hn::CountTrue(Tag<float, kFloatLanes>(), pass.m));
    while (accepted_ >= kPolygonLanes) visit(sums_);
  }

  /// Puts the items of the lanes in `mask` behind the accepted ones; what lies beyond is overwritten.
  template <class U>
  void append(Pack<U, kFloatLanes> items, Mask<kFloatLanes> mask, U* queue) const {
    const Tag<U, kFloatLanes> tag;
    hn::StoreU(hn::Compress(items.low, hn::RebindMask(tag, mask.m)), tag, queue + accepted_);
  }

  template <int lanes>
  void visit(PackWrenchSums<T, lanes, with_patch>& sums) {
    if (f_.S.half_space) {
      visit_lines<kHalfSpaceLines>(sums);
    } else {
      visit_lines<kMaxLines>(sums);
    }
  }

  template <int most_lines, int lanes>
  void visit_lines(PackWrenchSums<T, lanes, with_patch>& sums) {
    using Number = Pack<T, lanes>;
    const auto round = take<lanes>(work_.accepted, accepted_);
    const auto& from = work_.accepted;
    const int at = round.first;
    const auto load = [&](const auto* queue) {
      return Pack<std::remove_cvref_t<decltype(*queue)>, lanes>::load(queue + at);
    };
    const PolygonBounds<FloatOf<Number>> bounds = {
        load(from.positive), {load(from.x), load(from.y), load(from.z)}, load(from.radius)};
    const PackPlanes<lanes> m(cells_M_, from.m + at), s(cells_S_, from.s + at);
    ContactPlane<Number> plane;
    Segments<Number> segments;
    Contribution<Number> contribution;
    const Mask<lanes> found =
        round.active && contact_of<false, most_lines>(f_, m, s, bounds, plane, segments, contribution);
    if (any(found)) sums.add(contribution, found, scales_);
  }

  const PairContext& f_;
  PackWorkspace& work_;
  PackWrenchSums<T, kPolygonLanes, with_patch> sums_;
  const FixedPointScales<T> scales_;
  PackTraversal traversal_;
  const Cell *cells_M_, *cells_S_;
  const CoarseCell* coarse_S_;
  int candidates_ = 0, accepted_ = 0;
};

template <class T, bool with_patch>
void sum_pair(const PairContext& context, PackWorkspace& work, WrenchSums<T, with_patch>& sums) {
  PackEvaluation<T, with_patch>(context, work).run(sums);
}

constexpr PackKernels kPackKernels = {sum_pair<float, false>, sum_pair<float, true>, sum_pair<double, false>,
                                      sum_pair<double, true>};

}  // namespace
}  // namespace isopatch::detail
