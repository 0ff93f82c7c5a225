// SPDX-License-Identifier: Apache-2.0
//
// Two hierarchies of wide nodes together: a node of one body is tested against up to eight of the other at once, and
// where a register holds sixteen floats, two such groups go together.
#pragma once

#include "cpu/pack.h"
#include "cpu/pack_kernels.h"
#include "isopatch/detail/evaluate_pair.h"

namespace isopatch::detail {
namespace {

/// Fills the candidates of a workspace with pairs of cells.
class PackTraversal {
 public:
  PackTraversal(const PairFrame& frame, PackWorkspace& work)
      : f_(frame),
        work_(work),
        wide_M_(frame.hierarchy_M.wide_nodes),
        wide_S_(frame.half_space_S ? nullptr : frame.hierarchy_S.wide_nodes) {
    set_entry(0, 0, frame.half_space_S ? kHalfSpace : 0, true);
    depth_ = 1;
  }

  /// Opens the next nodes: at most kMostAdded candidates come to the first `waiting`. False if there are none left.
  ///
  /// Two batches are taken before the first is opened: what comes of one is not known until its tests are through, and
  /// the other's can run meanwhile. The batch from further down goes first, so that levels rise towards the top.
  static constexpr int kBatch = kFloatLanes > kWide ? 2 : 1;
  static constexpr int kMostAdded = 2 * kBatch * kWide;
  bool advance(int& waiting) {
    if (depth_ == 0) return false;
    const Batch upper = take();
    if (depth_ > 0) open(take(), waiting);
    open(upper, waiting);
    return true;
  }

 private:
  static constexpr std::int32_t kHalfSpace = -1;
  static constexpr std::uint32_t kAllPlaces = (1u << kWide) - 1;

  bool opens_M(int at) const { return (work_.opened[at] & 1) != 0; }
  void set_entry(int at, std::int32_t opened, std::int32_t kept, bool in_M) {
    work_.opened[at] = 2 * opened + (in_M ? 1 : 0);
    work_.kept[at] = kept;
  }

  /// A node to be opened against one of the other body.
  struct Group {
    const WideNode* opened;
    std::int32_t opened_number;
    const WideNode* kept;  // null for a half space
    std::int32_t kept_number;
    int place() const { return kept_number & (kWide - 1); }
    std::int32_t kept_child() const { return kept->child[place()]; }
  };

  template <bool in_M>
  Group group_of(std::int32_t opened, std::int32_t kept) const {
    return {(in_M ? wide_M_ : wide_S_) + opened, opened,
            kept == kHalfSpace ? nullptr : (in_M ? wide_S_ : wide_M_) + kept / kWide, kept};
  }

  /// Entries from the top of the stack, with nodes of one body to be opened.
  struct Batch {
    std::int32_t opened[2], kept[2];
    int count;
    bool in_M;
  };
  Batch take() {
    const bool in_M = opens_M(depth_ - 1), two = kBatch == 2 && depth_ > 1 && opens_M(depth_ - 2) == in_M;
    depth_ -= two ? 2 : 1;
    const int second = two ? depth_ + 1 : depth_;
    return {{work_.opened[depth_] >> 1, work_.opened[second] >> 1},
            {work_.kept[depth_], work_.kept[second]},
            two ? 2 : 1,
            in_M};
  }
  void open(const Batch& batch, int& waiting) {
    if (batch.count == kBatch) {
      batch.in_M ? open<true, kBatch>(batch, waiting) : open<false, kBatch>(batch, waiting);
    } else {
      batch.in_M ? open<true, 1>(batch, waiting) : open<false, 1>(batch, waiting);
    }
  }

  // The rows of a wide node.
  static constexpr std::size_t kRow = kWide * sizeof(float);
  static constexpr int kSize = 14;
  static_assert(offsetof(WideNode, half) == 3 * kRow && offsetof(WideNode, drift) == 6 * kRow &&
                offsetof(WideNode, growth) == 9 * kRow && offsetof(WideNode, low) == 12 * kRow &&
                offsetof(WideNode, high) == 13 * kRow && offsetof(WideNode, size) == kSize * kRow);
  static const float* row_of(const WideNode* w, int r) { return w->center[0] + r * kWide; }

  /// A box for each lane; `row` gives the numbers at one row of a wide node.
  template <class F, class Row>
  static NodeBox<F> box_of(const Row& row) {
    const auto vec = [&](int r) { return Vec3<F>{row(r), row(r + 1), row(r + 2)}; };
    return {vec(0), vec(3), vec(6), vec(9), row(12), row(13)};
  }

  /// Tests all nodes below the opened ones; what may touch goes on the stack, or to the candidates.
  template <bool in_M, int count>
  void open(const Batch& batch, int& waiting) {
    constexpr int lanes = count * kWide < kFloatLanes ? count * kWide : kFloatLanes;
    using F = Pack<float, lanes>;
    using Half = Tag<float, lanes / 2>;
    Group group[count];
    for (int g = 0; g < count; ++g) group[g] = group_of<in_M>(batch.opened[g], batch.kept[g]);

    const auto kept_row = [&](int r) {
      const F first(row_of(group[0].kept, r)[group[0].place()]);
      if constexpr (count == 1) {
        return first;
      } else {
        const Mask<lanes> lower(hn::FirstN(Tag<float, lanes>(), kWide));
        return select(lower, first, F(row_of(group[1].kept, r)[group[1].place()]));
      }
    };
    const NodeBox<F> kept = f_.half_space_S ? NodeBox<F>{} : box_of<F>(kept_row);
    const F kept_size = f_.half_space_S ? F(0) : kept_row(kSize);

    std::uint32_t touching = 0, larger = 0;
    for (int first = 0; first < count * kWide; first += lanes) {
      const auto opened_row = [&](int r) {
        if constexpr (count == 1) {
          return F::load(row_of(group[0].opened, r) + first);
        } else {
          const auto lower = hn::LoadU(Half(), row_of(group[0].opened, r));
          return F(hn::Combine(Tag<float, lanes>(), hn::LoadU(Half(), row_of(group[1].opened, r)), lower));
        }
      };
      const NodeBox<F> opened = box_of<F>(opened_row);
      const NodeBox<F>&m = in_M ? opened : kept, &s = in_M ? kept : opened;
      touching |= bits_of(may_meet(f_, m, s)) << first;
      larger |= bits_of(opened_row(kSize) >= kept_size) << first;
    }
    if (touching == 0) return;
    for (int g = 0; g < count; ++g) {
      push<in_M>(group[g], touching >> (g * kWide) & kAllPlaces, larger >> (g * kWide), waiting);
    }
  }

  /// The nodes of a group that touch: two leaves are a candidate, otherwise the larger of the two is opened next.
  template <bool in_M>
  void push(const Group& group, std::uint32_t touching, std::uint32_t larger, int& waiting) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86  // compresses in one instruction
    const Tag<std::int32_t, kWide> tag;
    const auto child = hn::LoadU(tag, group.opened->child), zero = hn::Zero(tag);
    const auto touch = mask_of(touching), leaf = hn::Lt(child, zero);
    const auto entry = hn::Add(hn::Add(child, child), hn::Set(tag, in_M ? 1 : 0));
    if (group.kept == nullptr || group.kept_child() < 0) {
      const std::int32_t cell = group.kept == nullptr ? -1 : ~group.kept_child();
      auto& to = work_.candidates;
      append(hn::AndNot(leaf, touch), entry, group.kept_number, work_.opened, work_.kept, depth_);
      append(hn::And(leaf, touch), hn::Not(child), cell, in_M ? to.m : to.s, in_M ? to.s : to.m, waiting);
    } else {
      const auto down = hn::And(touch, hn::AndNot(leaf, mask_of(larger)));
      const auto number = hn::Iota(tag, group.opened_number * kWide);
      append(down, entry, group.kept_number, work_.opened, work_.kept, depth_);
      append(hn::AndNot(down, touch), number, 2 * group.kept_child() + (in_M ? 0 : 1), work_.kept, work_.opened,
             depth_);
    }
#else
    const bool kept_leaf = group.kept == nullptr || group.kept_child() < 0;
    const std::int32_t kept_cell = group.kept == nullptr ? -1 : ~group.kept_child();
    for (; touching != 0; touching &= touching - 1) {
      const int place = hwy::Num0BitsBelowLS1Bit_Nonzero32(touching);
      const std::int32_t child = group.opened->child[place];
      if (child < 0 && kept_leaf) {
        (in_M ? work_.candidates.m : work_.candidates.s)[waiting] = ~child;
        (in_M ? work_.candidates.s : work_.candidates.m)[waiting++] = kept_cell;
      } else if (kept_leaf || (child >= 0 && (larger >> place & 1u) != 0u)) {
        set_entry(depth_++, child, group.kept_number, in_M);
      } else {
        set_entry(depth_++, group.kept_child(), group.opened_number * kWide + place, !in_M);
      }
    }
#endif
  }

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  using Ints = Tag<std::int32_t, kWide>;

  static hn::Mask<Ints> mask_of(std::uint32_t bits) { return {static_cast<__mmask8>(bits)}; }

  /// Puts `list` and `one` at the places from `at` on, for the lanes in `mask`; what lies beyond is overwritten.
  static void append(hn::Mask<Ints> mask, hn::Vec<Ints> list, std::int32_t one, std::int32_t* lists, std::int32_t* ones,
                     int& at) {
    hn::StoreU(hn::Compress(list, mask), Ints(), lists + at);
    hn::StoreU(hn::Set(Ints(), one), Ints(), ones + at);
    at += count_bits(mask.raw);
  }
#endif

  const PairFrame& f_;
  PackWorkspace& work_;
  const WideNode *wide_M_, *wide_S_;
  int depth_;
};

}  // namespace
}  // namespace isopatch::detail
