// SPDX-License-Identifier: Apache-2.0
//
// Descends two hierarchies of wide nodes together, with SIMD: a node of one body is tested against eight of the other
// at once. A wide node is transformed to the frames of both bodies when it is first opened. The contact model decides
// what a test compares. Its NodeTest has, for F a SIMD vector of floats,
//
//   void transform(bool of_M, const NodeBox<F>&,                    calls put(F) for each row of a TransformedWideNode,
//                  const int* children, const Put& put)             whose nodes have these children
//   Mask may_touch(const RowsA& a, const RowsB& b)                  of rows a(i), b(i): one is M's, the other S's
//   Mask may_touch_half_space(const NodeBox<F>& m)
//   Mask cells_may_touch(const RowsM& m, const RowsS& s)            of two leaves that may touch; if kTestsCells
//
// and its visitor test(const int* m, const int* s, Mask active), which is given pairs of cells.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host/cpu/simd/simd.h"
#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {
namespace {

/// The items that one round works on, one for each lane.
template <int lanes>
struct Round {
  int first;  // index in the queue
  Mask<lanes> active;
};

/// Takes the last `lanes` items of a queue of pairs of cells; if there are fewer, the other lanes repeat the first one
/// and are masked.
template <int lanes, class Queue>
Round<lanes> take(Queue& queue, int& waiting) {
  const int count = waiting < lanes ? waiting : lanes;
  const int first = waiting - count;
  for (int i = waiting; i < first + lanes; ++i) {
    queue.m[i] = queue.m[first];
    queue.s[i] = queue.s[first];
  }
  waiting = first;
  return {first, Mask<lanes>(hn::FirstN(Tag<float, lanes>(), static_cast<std::size_t>(count)))};
}

#if HWY_TARGET == HWY_AVX2
/// For each mask of eight lanes the lanes in it, four bits each, one behind another.
constexpr auto kLanesInMask = [] {
  std::array<std::uint32_t, 256> of_mask = {};
  for (std::uint32_t mask = 0; mask < of_mask.size(); ++mask) {
    std::uint32_t count = 0;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1) != 0) of_mask[mask] |= lane << 4 * count++;
    }
  }
  return of_mask;
}();
#endif

/// Takes the lanes of a mask out of vectors. (hn::Compress() copies a table of 1 KB in each call where there is no
/// instruction for it.)
class LanesInMask {
 public:
#if HWY_TARGET == HWY_AVX2
  ISOPATCH_HD explicit LanesInMask(Mask<kFloatLanes> mask) {
    const Tag<std::uint32_t, kFloatLanes> tag;
    alignas(32) constexpr std::uint32_t kShifts[kFloatLanes] = {0, 4, 8, 12, 16, 20, 24, 28};
    lanes_ = _mm256_srlv_epi32(hn::Set(tag, kLanesInMask[bits_of(mask)]).raw, hn::Load(tag, kShifts).raw);
  }
#else
  ISOPATCH_HD explicit LanesInMask(Mask<kFloatLanes> mask) : mask_(mask) {}
#endif

  /// Writes their items to `queue`; what lies beyond them is overwritten.
  template <class T>
  ISOPATCH_HD void append(Simd<T, kFloatLanes> items, T* queue) const {
    const Tag<T, kFloatLanes> tag;
#if HWY_TARGET == HWY_AVX2
    hn::StoreU(hn::TableLookupLanes(items.low, hn::Indices256<T>{lanes_}), tag, queue);
#else
    hn::StoreU(hn::Compress(items.low, hn::RebindMask(tag, mask_.m)), tag, queue);
#endif
  }

 private:
#if HWY_TARGET == HWY_AVX2
  __m256i lanes_;  // the last three bits of each number count
#else
  Mask<kFloatLanes> mask_;
#endif
};

/// Fills the candidates with pairs of cells whose nodes may touch.
template <class NodeTest>
class SimdTraversal {
 public:
  /// `wide_S` is null for a half space.
  SimdTraversal(const NodeTest& test, const WideNode* wide_M, const WideNode* wide_S, SimdTraversalMemory& memory)
      : test_(test), work_(memory), wide_M_(wide_M), wide_S_(wide_S) {
    numbers_ = work_.transformed[0].row[0];
    work_.opened[0] = kOfM;  // the root
    work_.kept[0] = 0;
    if (wide_S != nullptr) transform_new(0);
    depth_ = 1;
  }

  /// Opens the next nodes and appends at most kMaxAdded candidates to the first `waiting` ones. False if no nodes are
  /// left.
  ///
  /// A whole batch is tested before any result is used, since each mispredicted branch on a result would throw away
  /// work begun on the next test. Entries from further down are pushed first, so that levels rise towards the top.
  static constexpr int kBatch = SimdTraversalMemory::kBatch;
  static constexpr int kMaxAdded = kBatch * kWide;
  bool advance(int& waiting) {
    if (depth_ == 0) return false;
    const int count = depth_ < kBatch ? depth_ : kBatch, depth = depth_ - count;
    Lists to = {work_, numbers_, depth, waiting};
    std::int32_t opened[kBatch], kept[kBatch];
    std::uint32_t touching[kBatch], larger[kBatch];
    if (wide_S_ == nullptr) {
      for (int i = 0; i < count; ++i) opened[i] = work_.opened[depth + i];
      for (int i = 0; i < count; ++i) touching[i] = test_beside_half_space(wide_M_[opened[i] >> 1]);
      for (int i = 0; i < count; ++i) push_beside_half_space(wide_M_[opened[i] >> 1], touching[i], to);
      depth_ = to.depth;
      waiting = to.waiting;
      return true;
    }
    const float *wide[kBatch], *other[kBatch];
    for (int i = 0; i < count; ++i) {
      opened[i] = work_.opened[depth + i];
      kept[i] = work_.kept[depth + i];
      wide[i] = transformed(opened[i]);
      other[i] = numbers_ + kept[i];
    }
    for (int i = 0; i < count; ++i) {
      touching[i] = test(wide[i], other[i]);
      larger[i] = larger_ones(wide[i], other[i]);
    }
    for (int i = 0; i < count; ++i) {
      if (touching[i] != 0) push(opened[i] & kOfM, wide[i], kept[i], touching[i], larger[i], to);
    }
    depth_ = to.depth;
    waiting = to.waiting;
    return true;
  }

 private:
  static constexpr std::int32_t kOfM = 1;
  static constexpr int kSize = TransformedWideNode::kSize, kChild = TransformedWideNode::kChild;  // rows
  static constexpr int kPart = kWide < kFloatLanes ? kWide : kFloatLanes;  // of a wide node, tested at once
  using F = Simd<float, kPart>;

  /// Where nodes and candidates go, in variables of a function: members would be read again after each store of a
  /// vector, which may change anything as far as the compiler knows.
  struct Lists {
    SimdTraversalMemory& work;
    const float* numbers;
    int depth, waiting;
  };

  /// The nodes of a wide node from `first` on.
  static NodeBox<F> box_of(const WideNode& n, int first) {
    const auto vec = [&](const float(&v)[3][kWide]) {
      return Vec3<F>{F::load(v[0] + first), F::load(v[1] + first), F::load(v[2] + first)};
    };
    return {{vec(n.center), vec(n.half), vec(n.velocity), vec(n.expansion)},
            F::load(n.low + first),
            F::load(n.high + first)};
  }

  /// The rows of the transformed wide node; transforms it if it is opened for the first time.
  const float* transformed(std::int32_t opened) {
    const std::int32_t known = work_.index_of[opened];
    if (known >= num_transformed_ || work_.opener[known] != opened) transform_new(opened);
    return work_.transformed[work_.index_of[opened]].row[0];
  }
  void transform_new(std::int32_t opened) {
    // in two steps: with -fsanitize=undefined, GCC 12 takes (condition ? a : b)[i >> 1] for b[0] where b is chosen
    const WideNode* const nodes = (opened & kOfM) != 0 ? wide_M_ : wide_S_;
    const WideNode& wide = nodes[opened >> 1];
    TransformedWideNode& to = work_.transformed[num_transformed_];
    for (int first = 0; first < kWide; first += kPart) {
      const NodeBox<F> box = box_of(wide, first);
      int row = 0;
      test_.transform((opened & kOfM) != 0, box, wide.child + first,
                      [&](F numbers) ISOPATCH_INLINED { numbers.store(to.row[row++] + first); });
      F::load(wide.size + first).store(to.row[kSize] + first);
    }
    std::memcpy(to.row[kChild], wide.child, sizeof wide.child);
    work_.opener[num_transformed_] = opened;
    work_.index_of[opened] = num_transformed_++;
  }

  /// The nodes of a wide node that may touch a node of the other body, as bits.
  ISOPATCH_HD std::uint32_t test(const float* wide, const float* other) const {
    std::uint32_t touching = 0;
    for (int first = 0; first < kWide; first += kPart) {
      const auto below = [&](int row) ISOPATCH_INLINED { return F::load(wide + row * kWide + first); };
      const auto beside = [&](int row) ISOPATCH_INLINED { return F(other[row * kWide]); };
      touching |= bits_of(test_.template may_touch<F>(below, beside)) << first;
    }
    return touching;
  }
  /// The leaves of a wide node whose cells may touch the cell of a leaf of the other body, as bits.
  ISOPATCH_HD std::uint32_t test_cells(std::int32_t of_M, const float* wide, const float* other) const {
    std::uint32_t touching = 0;
    for (int first = 0; first < kWide; first += kPart) {
      const auto below = [&](int row) ISOPATCH_INLINED { return F::load(wide + row * kWide + first); };
      const auto beside = [&](int row) ISOPATCH_INLINED { return F(other[row * kWide]); };
      if constexpr (!NodeTest::kTestsCells) {
        touching = ~0u;
      } else if (of_M != 0) {
        touching |= bits_of(test_.template cells_may_touch<F>(below, beside)) << first;
      } else {
        touching |= bits_of(test_.template cells_may_touch<F>(beside, below)) << first;
      }
    }
    return touching;
  }
  ISOPATCH_HD static std::uint32_t larger_ones(const float* wide, const float* other) {
    std::uint32_t larger = 0;
    for (int first = 0; first < kWide; first += kPart) {
      larger |= bits_of(F::load(wide + kSize * kWide + first) >= F(other[kSize * kWide])) << first;
    }
    return larger;
  }

  std::uint32_t test_beside_half_space(const WideNode& wide) const {
    std::uint32_t touching = 0;
    for (int first = 0; first < kWide; first += kPart) {
      touching |= bits_of(test_.may_touch_half_space(box_of(wide, first))) << first;
    }
    return touching;
  }

  /// The nodes below an opened one that touch the kept one: two leaves are a candidate, otherwise the larger of the two
  /// is opened next. An unused entry, whose child is the root, is left out whatever its box contains.
  ISOPATCH_HD void push(std::int32_t of_M, const float* wide, std::int32_t kept, std::uint32_t touching,
                        std::uint32_t larger, Lists& to) const {
    auto& [work, numbers, depth, waiting] = to;
    std::int32_t* const cells_here = of_M != 0 ? work.candidates.m : work.candidates.s;
    std::int32_t* const cells_there = of_M != 0 ? work.candidates.s : work.candidates.m;
    const auto column = static_cast<std::int32_t>(wide - numbers);  // of the first node
    const auto kept_child = std::bit_cast<std::int32_t>(numbers[kept + kChild * kWide]);
    const std::int32_t kept_opened = 2 * kept_child + (kOfM - of_M);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // compresses in one instruction
    const Tag<std::int32_t, kWide> tag;
    const auto child = hn::BitCast(tag, hn::LoadU(Tag<float, kWide>(), wide + kChild * kWide));
    const auto touch = hn::And(mask_of(touching), hn::Ne(child, hn::Zero(tag))), leaf = hn::Lt(child, hn::Zero(tag));
    const auto opened = hn::Add(hn::Add(child, child), hn::Set(tag, of_M));
    if (kept_child < 0) {
      append(hn::AndNot(leaf, touch), opened, kept, work.opened, work.kept, depth);
      const auto cells = hn::And(mask_of(test_cells(of_M, wide, numbers + kept)), touch);
      append(hn::And(leaf, cells), hn::Not(child), ~kept_child, cells_here, cells_there, waiting);
    } else {
      const auto down = hn::And(touch, hn::AndNot(leaf, mask_of(larger)));
      append(down, opened, kept, work.opened, work.kept, depth);
      const auto columns = hn::Add(hn::Iota(tag, 0), hn::Set(tag, column));  // Iota(tag, column) goes through memory
      append(hn::AndNot(down, touch), columns, kept_opened, work.kept, work.opened, depth);
    }
#else
    const std::uint32_t cells = kept_child < 0 ? test_cells(of_M, wide, numbers + kept) : 0;
    for (; touching != 0; touching &= touching - 1) {
      const int i = hwy::Num0BitsBelowLS1Bit_Nonzero32(touching);
      const auto child = std::bit_cast<std::int32_t>(wide[kChild * kWide + i]);
      if (child < 0 && kept_child < 0) {
        if ((cells >> i & 1u) == 0u) continue;
        cells_here[waiting] = ~child;
        cells_there[waiting++] = ~kept_child;
      } else if (child == 0) {
        continue;
      } else if (kept_child < 0 || (child >= 0 && (larger >> i & 1u) != 0u)) {
        work.opened[depth] = 2 * child + of_M;
        work.kept[depth++] = kept;
      } else {
        work.opened[depth] = kept_opened;
        work.kept[depth++] = column + i;
      }
    }
#endif
  }

  ISOPATCH_HD static void push_beside_half_space(const WideNode& wide, std::uint32_t touching, Lists& to) {
    for (; touching != 0; touching &= touching - 1) {
      const std::int32_t child = wide.child[hwy::Num0BitsBelowLS1Bit_Nonzero32(touching)];
      if (child < 0) {
        to.work.candidates.m[to.waiting] = ~child;
        to.work.candidates.s[to.waiting++] = -1;
      } else if (child > 0) {
        to.work.opened[to.depth++] = 2 * child + kOfM;
      }
    }
  }

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  using Ints = Tag<std::int32_t, kWide>;

  static hn::Mask<Ints> mask_of(std::uint32_t bits) { return {static_cast<__mmask8>(bits)}; }

  /// Writes `list` and `one` from index `at` on, for the lanes in `mask`; what lies beyond is overwritten.
  static void append(hn::Mask<Ints> mask, hn::Vec<Ints> list, std::int32_t one, std::int32_t* lists, std::int32_t* ones,
                     int& at) {
    hn::StoreU(hn::Compress(list, mask), Ints(), lists + at);
    hn::StoreU(hn::Set(Ints(), one), Ints(), ones + at);
    at += count_bits(mask.raw);
  }
#endif

  const NodeTest test_;
  SimdTraversalMemory& work_;
  const WideNode *wide_M_, *wide_S_;
  int depth_;
  std::int32_t num_transformed_ = 0;
  const float* numbers_;  // the rows of all transformed wide nodes
};

/// Passes the pairs of cells whose nodes may touch to visitor.test(m, s, active), one SIMD vector at a time.
template <class NodeTest, class Visitor>
void traverse_with_simd(const NodeTest& test, const WideNode* wide_M, const WideNode* wide_S,
                        SimdTraversalMemory& memory, Visitor& visitor) {
  SimdTraversal<NodeTest> traversal(test, wide_M, wide_S, memory);
  int waiting = 0;
  const auto test_vector = [&] {
    const Round<kFloatLanes> round = take<kFloatLanes>(memory.candidates, waiting);
    visitor.test(memory.candidates.m + round.first, memory.candidates.s + round.first, round.active);
  };
  while (traversal.advance(waiting)) {
    memory.counter.add(SimdTraversal<NodeTest>::kMaxAdded);
    if (waiting > SimdTraversalMemory::kMaxWaiting) {
      while (waiting >= kFloatLanes) test_vector();
    }
  }
  while (waiting > 0) test_vector();
}

}  // namespace

}  // namespace isopatch::detail
