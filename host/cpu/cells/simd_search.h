// SPDX-License-Identifier: Apache-2.0
//
// The search for pairs of cells with SIMD: two hierarchies are traversed, the pairs of cells whose nodes may touch are
// tested, and those that pass are listed.
#pragma once

#include <cstddef>
#include <span>

#include "host/cpu/cells/accepted_rows.h"
#include "host/cpu/simd/simd_cells.h"
#include "host/cpu/simd/simd_traversal.h"
#include "isopatch/detail/cells/node_test.h"
#include "isopatch/detail/cells/tet_filter.h"

namespace isopatch::detail {
namespace {

/// The first `count` of them, or all.
template <int lanes>
ISOPATCH_HD Mask<lanes> first_lanes(int count) {
  return Mask<lanes>(hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(count < lanes ? count : lanes)));
}

/// The cells of a part pair that passed their test, from `begin` to `end` in the list.
struct AcceptedRange {
  std::int32_t part_pair, begin, end;
};

/// What has passed, one part pair after another. Before it overflows, and at the end, it is given to take(list), which
/// stays a pointer, so that what fills the list is compiled once.
class AcceptedList {
 public:
  template <class Take>
  AcceptedList(AcceptedRows& rows, const Take& take)
      : rows_(rows),
        erased_(&take),
        take_([](const void* erased, const AcceptedList& list) { (*static_cast<const Take*>(erased))(list); }) {}

  void begin(std::int32_t part_pair) {
    if (is_full()) give();
    ranges_[num_ranges_] = {part_pair, size_, size_};
  }

  /// Makes room for a vector's cells of the part pair that was begun last.
  void make_room() {
    if (!is_full()) return;
    const std::int32_t part_pair = ranges_[num_ranges_].part_pair;
    end();
    give();
    begin(part_pair);
  }

  ISOPATCH_HD void append(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> pass,
                          const PolygonBounds<Simd<float, kFloatLanes>>& bounds) {
    using Int = Simd<std::int32_t, kFloatLanes>;
    AcceptedRows& rows = rows_;  // in variables: members would be read again after each store of a vector
    const std::int32_t at = size_;
    const LanesInMask passing(pass);
    passing.append(Int::load(m), rows.m + at);
    passing.append(Int::load(s), rows.s + at);
    passing.append(bounds.positive, rows.positive + at);
    passing.append(bounds.center.x, rows.x + at);
    passing.append(bounds.center.y, rows.y + at);
    passing.append(bounds.center.z, rows.z + at);
    passing.append(bounds.radius, rows.radius + at);
    size_ = at + static_cast<std::int32_t>(hn::CountTrue(Tag<float, kFloatLanes>(), pass.m));
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

  /// Gives all away.
  void give() {
    take_(erased_, *this);
    size_ = num_ranges_ = 0;
  }

  std::span<const AcceptedRange> ranges() const { return {ranges_, static_cast<std::size_t>(num_ranges_)}; }
  const AcceptedRows& rows() const { return rows_; }

 private:
  static constexpr int kMaxRanges = 128;

  bool is_full() const { return size_ > AcceptedRows::kMax - 2 * kFloatLanes || num_ranges_ == kMaxRanges; }

  AcceptedRows& rows_;
  const void* erased_;
  void (*take_)(const void* erased, const AcceptedList&);
  std::int32_t size_ = 0, num_ranges_ = 0;
  AcceptedRange ranges_[kMaxRanges + 1];
};

/// Three rows of a transformed wide node.
template <class F, class Rows>
ISOPATCH_HD Vec3<F> vec_of(const Rows& row, int first) {
  return {row(first), row(first + 1), row(first + 2)};
}

/// A node's box, wider by a margin.
template <class F>
ISOPATCH_HD NodeBox<F> widened(NodeBox<F> box, float margin) {
  box.box.half = box.box.half + Vec3<F>{F(margin), F(margin), F(margin)};
  return box;
}

/// The node test of pressure fields.
struct SimdNodeTest {
  static constexpr bool kTestsCells = false;

  const MeshPair& f;
  float margin;  // by which boxes of M are wider, m

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t*, const Put& put) const {
    const TransformedBox<F> b = of_M ? transformed_M(f, widened(box, margin)) : transformed_S(f, box);
    for (const LinearBounds<F>* bounds : {&b.in_M, &b.in_S}) {
      for (const Vec3<F>* v : {&bounds->center, &bounds->half, &bounds->velocity, &bounds->expansion}) {
        put(v->x), put(v->y), put(v->z);
      }
    }
    put(b.low), put(b.high);
  }

  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsM& m, const RowsS& s) const {
    return may_meet(f, box_of<F>(m), box_of<F>(s));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_meet_half_space(f, widened(m, margin));
  }

 private:
  template <class F, class Rows>
  ISOPATCH_HD static TransformedBox<F> box_of(const Rows& row) {
    const auto vec = [&](int r) { return vec_of<F>(row, r); };
    return {{vec(0), vec(3), vec(6), vec(9)}, {vec(12), vec(15), vec(18), vec(21)}, row(24), row(25)};
  }
};

/// Boxes that do not move with the extent: the node test of energies.
struct SimdFixedNodeTest {
  static constexpr bool kTestsCells = false;

  const MeshPair& f;
  float margin;  // by which boxes of M are wider, m

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t*, const Put& put) const {
    const TransformedFixedBox<F> b = of_M ? fixed_M(f, widened(box, margin)) : fixed_S(f, box);
    for (const Vec3<F>* v : {&b.center, &b.half_M, &b.half_S}) put(v->x), put(v->y), put(v->z);
  }

  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> may_touch(const RowsM& m, const RowsS& s) const {
    return may_overlap(f, box_of<F>(m), box_of<F>(s));
  }

  template <class F>
  ISOPATCH_HD MaskOf<F> may_touch_half_space(const NodeBox<F>& m) const {
    return may_overlap_half_space(f, widened(m, margin));
  }

 private:
  template <class F, class Rows>
  ISOPATCH_HD static TransformedFixedBox<F> box_of(const Rows& row) {
    return {vec_of<F>(row, 0), vec_of<F>(row, 3), vec_of<F>(row, 6)};
  }
};

/// The node test of pressure fields beside the triangles of a rigid S, which have no extent: boxes that do not move
/// leave 1.2 times the pairs of leaves for half the arithmetic and a third of the rows, and two of three such pairs
/// have all vertices of the tet on one side of the triangle. More rows: of M the vertices of a leaf's tet; of S the
/// normal of its triangle, in M, and how far from M's origin its plane is.
struct SimdRigidNodeTest : SimdFixedNodeTest {
  static constexpr bool kTestsCells = true;

  template <class F, class Put>
  ISOPATCH_HD void transform(bool of_M, const NodeBox<F>& box, const std::int32_t* children, const Put& put) const {
    SimdFixedNodeTest::transform(of_M, box, children, put);
    constexpr int kCount = F::kPartLanes;
    std::int32_t cells[kCount];
    for (int i = 0; i < kCount; ++i) cells[i] = children[i] < 0 ? ~children[i] : 0;  // of other nodes any cell
    if (of_M) {
      F vertices[12];
      load_cells<0>(f.M.hierarchy.coarse_cells, cells, vertices);
      for (const F& number : vertices) put(number);
    } else {
      F vertex[4], normal[4];
      load_cells<0>(f.S.hierarchy.coarse_cells, cells, vertex);
      load_cells<offsetof(CoarseCell, gradient) / sizeof(float)>(f.S.hierarchy.coarse_cells, cells, normal);
      const Vec3<F> n = rotate(f.coarse.X_MS, vec_at(normal));
      put(n.x), put(n.y), put(n.z);
      put(dot(n, apply(f.coarse.X_MS, vec_at(vertex))));
    }
  }

  /// The test of cells decides again, with half this error.
  template <class F, class RowsM, class RowsS>
  ISOPATCH_HD MaskOf<F> cells_may_touch(const RowsM& m, const RowsS& s) const {
    if (margin > 0) return MaskOf<F>(true);
    const Vec3<F> normal = vec_of<F>(s, kCells);
    const auto height = [&](int i) { return dot(normal, vec_of<F>(m, kCells + 3 * i)); };
    const F h[4] = {height(0), height(1), height(2), height(3)};
    const F lowest = fast_min(fast_min(h[0], h[1]), fast_min(h[2], h[3])),
            highest = fast_max(fast_max(h[0], h[1]), fast_max(h[2], h[3]));
    const F plane = s(kCells + 3), error = F(2 * f.coarse.error);
    return lowest <= plane + error && highest >= plane - error;
  }

 private:
  static constexpr int kCells = 9;  // the first of these rows
};

/// The test of cells in double that pressure fields have.
struct EqualPressureGate {
  template <class Cells, class F>
  ISOPATCH_HD static MaskOf<F> test(const MeshPair& f, const Cells& m, const Cells& s, PolygonBounds<F>& bounds) {
    return test_cells_exactly(f, m, s, bounds);
  }
};

/// Tests candidates and lists what passes. In a vector that float cannot decide, it mostly decides all but a lane or
/// two, so these wait until there are enough of them for a vector in double.
template <class Gate>
class CellTest {
 public:
  CellTest(const MeshPair& context, AcceptedList& to) : f_(context), list_(to) {}

  std::int32_t num_tested() const { return num_tested_; }

  __attribute__((noinline)) void test(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> active) {
    using Int = Simd<std::int32_t, kFloatLanes>;
    num_tested_ += kFloatLanes;
    const CoarseCell* coarse_S = f_.S.half_space ? nullptr : f_.S.hierarchy.coarse_cells;
    const auto result = filter_cells(f_, SimdCoarseCells(f_.M.hierarchy.coarse_cells, m), SimdCoarseCells(coarse_S, s));
    const Mask<kFloatLanes> possible = active && result.possible, pass = possible && result.certain;
    if (any(pass)) accept(m, s, pass, result.bounds);
    const Mask<kFloatLanes> open = possible && !result.certain;
    if (!any(open)) return;
    const LanesInMask still_open(open);
    still_open.append(Int::load(m), open_.m + num_open_);
    still_open.append(Int::load(s), open_.s + num_open_);
    num_open_ += count_bits(bits_of(open));
    if (num_open_ >= kFloatLanes) test_exactly();
  }

  /// Tests what still waits.
  void finish() {
    if (num_open_ > 0) test_exactly();
  }

 private:
  /// Tests the last ones that wait, up to a vector of them.
  __attribute__((noinline)) void test_exactly() {
    const Round<kFloatLanes> round = take<kFloatLanes>(open_, num_open_);
    const std::int32_t *m = open_.m + round.first, *s = open_.s + round.first;
    const Cell* cells_S = f_.S.half_space ? nullptr : f_.S.hierarchy.cells;
    PolygonBounds<Simd<float, kFloatLanes>> bounds = {};
    const auto pass = round.active && Gate::test(f_, SimdCorners<kFloatLanes>(f_.M.hierarchy.cells, m),
                                                 SimdCorners<kFloatLanes>(cells_S, s), bounds);
    if (any(pass)) accept(m, s, pass, bounds);
  }

  ISOPATCH_HD void accept(const std::int32_t* m, const std::int32_t* s, Mask<kFloatLanes> pass,
                          const PolygonBounds<Simd<float, kFloatLanes>>& bounds) {
    list_.make_room();
    list_.append(m, s, pass, bounds);
  }

  /// Less than a vector, and what one more adds.
  struct alignas(64) Queue {
    std::int32_t m[2 * kFloatLanes], s[2 * kFloatLanes];
  };

  const MeshPair& f_;
  AcceptedList& list_;
  std::int32_t num_tested_ = 0;
  int num_open_ = 0;
  Queue open_;
};

/// Searches the hierarchies of a part pair.
template <class Test>
void search_hierarchies(const MeshPair& f, float margin, SimdTraversalMemory& memory, Test& test) {
  const WideNode* const wide_M = f.M.hierarchy.wide_nodes;
  const WideNode* const wide_S = f.S.half_space ? nullptr : f.S.hierarchy.wide_nodes;
  // where the tets of M are the larger ones, boxes that move with the extent leave out more
  const bool fine_M = f.M.hierarchy.num_cells > f.S.hierarchy.num_cells;
  if (f.S.rigid && !f.S.half_space && fine_M) {
    traverse_with_simd(SimdRigidNodeTest{{f, margin}}, wide_M, wide_S, memory, test);
  } else {
    traverse_with_simd(SimdNodeTest{f, margin}, wide_M, wide_S, memory, test);
  }
}

}  // namespace
}  // namespace isopatch::detail
