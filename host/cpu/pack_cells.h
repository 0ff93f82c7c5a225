// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cpu/pack.h"
#include "isopatch/detail/scene_view.h"

namespace isopatch::detail {
namespace {

/// Four packs from four consecutive numbers of each lane: rows[i] is where lane i's begin.
ISOPATCH_HD void load_transposed(const double* const (&rows)[kLanes], Pack<double> (&out)[4]) {
  const DoubleTag tag;
  if constexpr (kLanes == 2) {
    for (int i = 0; i < 4; i += 2) {
      const auto a = hn::LoadU(tag, rows[0] + i), b = hn::LoadU(tag, rows[1] + i);
      out[i] = Pack<double>(hn::InterleaveLower(tag, a, b));
      out[i + 1] = Pack<double>(hn::InterleaveUpper(tag, a, b));
    }
  } else {
    // rows of four numbers, two blocks of two; with 8 lanes those of lane i + 4 stand beside those of lane i
    const auto row = [&](int i) {
      if constexpr (kLanes == 8) {
        const hn::Half<DoubleTag> half;
        return hn::Combine(tag, hn::LoadU(half, rows[i + 4]), hn::LoadU(half, rows[i]));
      } else {
        return hn::LoadU(tag, rows[i]);
      }
    };
    const auto a = row(0), b = row(1), c = row(2), d = row(3);
    const auto ab0 = hn::InterleaveLower(tag, a, b), ab1 = hn::InterleaveUpper(tag, a, b);
    const auto cd0 = hn::InterleaveLower(tag, c, d), cd1 = hn::InterleaveUpper(tag, c, d);
    out[0] = Pack<double>(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd0), ab0));
    out[1] = Pack<double>(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd1), ab1));
    out[2] = Pack<double>(hn::OddEvenBlocks(cd0, hn::SwapAdjacentBlocks(ab0)));
    out[3] = Pack<double>(hn::OddEvenBlocks(cd1, hn::SwapAdjacentBlocks(ab1)));
  }
}

enum class CellParts { kField, kAll };  // kField: without the faces

/// A cell for each lane.
template <CellParts parts>
class PackCells {
 public:
  using Double = Pack<double>;

  /// `cells` is null for a half space, of which nothing may be asked.
  ISOPATCH_HD PackCells(const Cell* cells, const std::int32_t* numbers) {
    if (cells == nullptr) return;
    const double* rows[kLanes];
    for (int i = 0; i < kLanes; ++i) rows[i] = &cells[numbers[i]].vertex[0].x;
    constexpr int kGroups = parts == CellParts::kAll ? 8 : 5;
    for (int group = 0; group < kGroups; ++group) {
      Double loaded[4];
      load_transposed(rows, loaded);
      for (int i = 0; i < 4; ++i) word_[4 * group + i] = loaded[i];
      for (const double*& row : rows) row += 4;
    }
  }

  ISOPATCH_HD Vec3<Double> vertex(int i) const { return vec(3 * i); }
  ISOPATCH_HD Double extent(int i) const { return word_[kExtent + i]; }
  ISOPATCH_HD Vec3<Double> gradient() const { return vec(kGradient); }
  ISOPATCH_HD Vec3<Double> inward(int i) const { return vec(kInward + 3 * i); }
  ISOPATCH_HD Mask has_zero_face() const {
    const Double zero(0.0);
    return !(extent(0) != zero || extent(1) != zero || extent(2) != zero) && extent(kZeroFace) > zero;
  }

 private:
  static constexpr int kExtent = 12, kGradient = 16, kInward = 19, kWords = 32;
  static_assert(offsetof(Cell, extent) == kExtent * sizeof(double));
  static_assert(offsetof(Cell, gradient) == kGradient * sizeof(double));
  static_assert(offsetof(Cell, inward) == kInward * sizeof(double));
  static_assert(sizeof(Cell) >= kWords * sizeof(double));

  ISOPATCH_HD Vec3<Double> vec(int at) const { return {word_[at], word_[at + 1], word_[at + 2]}; }

  Double word_[kWords];  // as in Cell; the last one is not a number
};

}  // namespace
}  // namespace isopatch::detail
