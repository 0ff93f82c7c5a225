// SPDX-License-Identifier: Apache-2.0
//
// The search of part pairs with SIMD: their hierarchies are traversed, the pairs of cells whose nodes may touch are
// tested, and those that pass are listed for the stages that follow (polygon_stages.h).
#pragma once

#include <span>

#include "host/cpu/pressure_field/simd_kernels.h"
#include "host/cpu/simd/simd_cells.h"
#include "host/cpu/simd/simd_queue.h"
#include "host/cpu/simd/simd_traversal.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch::detail {
namespace {

/// The cells of a part pair that passed their test, from `begin` to `end` in the list.
struct AcceptedRange {
  std::int32_t part_pair, begin, end;
};

/// What has passed, one part pair after another.
class AcceptedList {
 public:
  explicit AcceptedList(SimdWorkspace& work) : rows_(work.accepted) {}

  void begin(std::int32_t part_pair) { ranges_[num_ranges_] = {part_pair, size_, size_}; }

  bool is_full() const { return size_ > SimdWorkspace::kMaxAccepted - 2 * kFloatLanes || num_ranges_ == kMaxRanges; }

  ISOPATCH_HD void append(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> pass,
                          const PolygonBounds<Simd<float, kFloatLanes>>& bounds) {
    using Int = Simd<std::int32_t, kFloatLanes>;
    detail::append(Int::load(m), pass, rows_.m + size_);
    detail::append(Int::load(s), pass, rows_.s + size_);
    detail::append(bounds.positive, pass, rows_.positive + size_);
    detail::append(bounds.center.x, pass, rows_.x + size_);
    detail::append(bounds.center.y, pass, rows_.y + size_);
    detail::append(bounds.center.z, pass, rows_.z + size_);
    detail::append(bounds.radius, pass, rows_.radius + size_);
    size_ += static_cast<std::int32_t>(hn::CountTrue(Tag<float, kFloatLanes>(), pass.m));
  }

  /// Ends the part pair that was begun last. Its last vector is filled up with its first cells.
  void end() {
    AcceptedRange& range = ranges_[num_ranges_];
    if (range.begin == size_) return;
    range.end = size_;
    ++num_ranges_;
    for (; (size_ - range.begin) % kFloatLanes != 0; ++size_) {
      rows_.m[size_] = rows_.m[range.begin];
      rows_.s[size_] = rows_.s[range.begin];
    }
  }

  void clear() { size_ = num_ranges_ = 0; }

  std::span<const AcceptedRange> ranges() const { return {ranges_, static_cast<std::size_t>(num_ranges_)}; }
  const SimdWorkspace::Accepted& rows() const { return rows_; }

 private:
  static constexpr int kMaxRanges = 128;

  SimdWorkspace::Accepted& rows_;
  std::int32_t size_ = 0, num_ranges_ = 0;
  AcceptedRange ranges_[kMaxRanges + 1];
};

/// Three rows of a transformed wide node.
template <class F, class Rows>
ISOPATCH_HD Vec3<F> vec_of(const Rows& row, int first) {
  return {row(first), row(first + 1), row(first + 2)};
}

/// The node test of pressure fields.
struct SimdNodeTest {
  const PairContext& f;

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const Put& put) const {
    const TransformedBox<F> b = of_M ? transformed_M(f, box) : transformed_S(f, box);
    for (const LinearBounds<F>* bounds : {&b.in_M, &b.in_S}) {
      for (const Vec3<F>* v : {&bounds->center, &bounds->half, &bounds->velocity, &bounds->expansion}) {
        put(v->x), put(v->y), put(v->z);
      }
    }
    put(b.low), put(b.high);
  }

  template <class F, class RowsA, class RowsB>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsA& a, const RowsB& b) const {
    return may_meet(f, box_of<F>(a), box_of<F>(b));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_meet_half_space(f, m);
  }

 private:
  template <class F, class Rows>
  ISOPATCH_HD static TransformedBox<F> box_of(const Rows& row) {
    const auto vec = [&](int r) { return vec_of<F>(row, r); };
    return {{vec(0), vec(3), vec(6), vec(9)}, {vec(12), vec(15), vec(18), vec(21)}, row(24), row(25)};
  }
};

/// Tests candidates and lists what passes; calls visit(list) before the list overflows.
template <class Visit>
struct CellTest {
  const PairContext& f;
  const std::int32_t part_pair;
  AcceptedList& list;
  const Visit& visit;

  __attribute__((noinline)) void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) const {
    using Float = Simd<float, kFloatLanes>;
    const bool half_space = f.S.half_space;
    const Cell *cells_M = f.M.hierarchy.cells, *cells_S = half_space ? nullptr : f.S.hierarchy.cells;
    const CoarseCell* coarse_S = half_space ? nullptr : f.S.hierarchy.coarse_cells;
    const auto exactly = [&](PolygonBounds<Float>& bounds) {
      return test_cells_exactly(f, SimdCorners<kFloatLanes>(cells_M, m), SimdCorners<kFloatLanes>(cells_S, s), bounds);
    };
    PolygonBounds<Float> bounds;
    const auto pass = test_cells<false>(f, SimdCoarseCells(f.M.hierarchy.coarse_cells, m), SimdCoarseCells(coarse_S, s),
                                        active, exactly, bounds);
    if (!any(pass)) return;
    if (list.is_full()) {
      list.end();
      visit(list);
      list.clear();
      list.begin(part_pair);
    }
    list.append(m, s, pass, bounds);
  }
};

/// Searches part pairs one after another; calls visit(list) for what has passed, when the list is full and at the end.
template <class Visit>
void search_part_pairs(std::span<const PairContext* const> contexts, SimdWorkspace& work, const Visit& visit) {
  AcceptedList list(work);
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    const PairContext& f = *contexts[i];
    const auto part_pair = static_cast<std::int32_t>(i);
    if (list.is_full()) {
      visit(list);
      list.clear();
    }
    list.begin(part_pair);
    CellTest<Visit> cells = {f, part_pair, list, visit};
    traverse_with_simd(SimdNodeTest{f}, f.M.hierarchy.wide_nodes, f.S.half_space ? nullptr : f.S.hierarchy.wide_nodes,
                       work.traversal, cells);
    list.end();
  }
  visit(list);
}

}  // namespace
}  // namespace isopatch::detail
