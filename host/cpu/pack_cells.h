// SPDX-License-Identifier: Apache-2.0
//
// A cell for each lane, of a hierarchy's cells with given numbers.
#pragma once

#include <cstddef>

#include "cpu/pack.h"
#include "isopatch/detail/scene_view.h"

namespace isopatch::detail {
namespace {

/// The first four numbers of row 0, of row 4 and of row 8 and so on, side by side.
template <int lanes, class T>
ISOPATCH_HD hn::Vec<Tag<T, lanes>> load_rows(const T* const* rows) {
  if constexpr (lanes <= 4) {
    return hn::LoadU(Tag<T, lanes>(), rows[0]);
  } else {
    return hn::Combine(Tag<T, lanes>(), load_rows<lanes / 2>(rows + lanes / 2), load_rows<lanes / 2>(rows));
  }
}

/// Four packs from four consecutive numbers of each lane: rows[i] is where lane i's begin.
ISOPATCH_HD void load_transposed(const double* const* rows, Pack<double, kLanes> (&out)[4]) {
  using Double = Pack<double, kLanes>;
  const Tag<double, kLanes> tag;
  if constexpr (kLanes == 2) {
    for (int i = 0; i < 4; i += 2) {
      const auto a = hn::LoadU(tag, rows[0] + i), b = hn::LoadU(tag, rows[1] + i);
      out[i] = Double(hn::InterleaveLower(tag, a, b));
      out[i + 1] = Double(hn::InterleaveUpper(tag, a, b));
    }
  } else {  // blocks of two
    const auto a = load_rows<kLanes>(rows), b = load_rows<kLanes>(rows + 1);
    const auto c = load_rows<kLanes>(rows + 2), d = load_rows<kLanes>(rows + 3);
    const auto ab0 = hn::InterleaveLower(tag, a, b), ab1 = hn::InterleaveUpper(tag, a, b);
    const auto cd0 = hn::InterleaveLower(tag, c, d), cd1 = hn::InterleaveUpper(tag, c, d);
    out[0] = Double(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd0), ab0));
    out[1] = Double(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd1), ab1));
    out[2] = Double(hn::OddEvenBlocks(cd0, hn::SwapAdjacentBlocks(ab0)));
    out[3] = Double(hn::OddEvenBlocks(cd1, hn::SwapAdjacentBlocks(ab1)));
  }
}

ISOPATCH_HD void load_transposed(const double* const* rows, Pack<double, kFloatLanes> (&out)[4]) {
  Pack<double, kLanes> low[4], high[4];
  load_transposed(rows, low);
  load_transposed(rows + kLanes, high);
  for (int i = 0; i < 4; ++i) {
    out[i].part[0] = low[i].part[0];
    out[i].part[1] = high[i].part[0];
  }
}

ISOPATCH_HD void load_transposed(const float* const* rows, Pack<float, kFloatLanes> (&out)[4]) {
  const Tag<float, kFloatLanes> tag;
  const Tag<double, kLanes> pairs;
  const auto a = load_rows<kFloatLanes>(rows), b = load_rows<kFloatLanes>(rows + 1);
  const auto c = load_rows<kFloatLanes>(rows + 2), d = load_rows<kFloatLanes>(rows + 3);
  const auto ab0 = hn::BitCast(pairs, hn::InterleaveLower(tag, a, b));
  const auto ab2 = hn::BitCast(pairs, hn::InterleaveUpper(tag, a, b));
  const auto cd0 = hn::BitCast(pairs, hn::InterleaveLower(tag, c, d));
  const auto cd2 = hn::BitCast(pairs, hn::InterleaveUpper(tag, c, d));
  const auto joined = [&](auto v) { return Pack<float, kFloatLanes>(hn::BitCast(tag, v)); };
  out[0] = joined(hn::InterleaveLower(pairs, ab0, cd0));
  out[1] = joined(hn::InterleaveUpper(pairs, ab0, cd0));
  out[2] = joined(hn::InterleaveLower(pairs, ab2, cd2));
  out[3] = joined(hn::InterleaveUpper(pairs, ab2, cd2));
}

/// The first `words` numbers of each lane's cell, as packs.
template <int words, int lanes, class T, class AnyCell>
ISOPATCH_HD void load_cells(const AnyCell* cells, const std::int32_t* numbers, Pack<T, lanes> (&out)[words]) {
  const T* rows[lanes];
  for (int i = 0; i < lanes; ++i) rows[i] = reinterpret_cast<const T*>(cells + numbers[i]);
  for (int at = 0; at < words; at += 4) {
    Pack<T, lanes> loaded[4];
    load_transposed(rows, loaded);
    for (int i = 0; i < 4; ++i) out[at + i] = loaded[i];
    for (const T*& row : rows) row += 4;
  }
}

/// As CellRef.
template <int lanes>
class PackCells {
 public:
  using Double = Pack<double, lanes>;

  /// `cells` is null for a half space, of which nothing may be asked.
  ISOPATCH_HD PackCells(const Cell* cells, const std::int32_t* numbers) {
    if (cells != nullptr) load_cells(cells, numbers, word_);
  }

  ISOPATCH_HD Vec3<Double> vertex(int i) const { return vec(3 * i); }
  ISOPATCH_HD Double extent(int i) const { return word_[kExtent + i]; }
  ISOPATCH_HD Vec3<Double> gradient() const { return vec(kGradient); }
  ISOPATCH_HD Vec3<Double> inward(int i) const { return vec(kInward + 3 * i); }
  ISOPATCH_HD Mask<lanes> has_zero_face() const {
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

  Double word_[kWords];  // as in Cell; the last one is no number
};

/// As CoarseRef.
class PackCoarseCells {
 public:
  using Float = Pack<float, kFloatLanes>;

  ISOPATCH_HD PackCoarseCells(const CoarseCell* cells, const std::int32_t* numbers) {
    load_cells(cells, numbers, word_);
  }

  ISOPATCH_HD Vec3<Float> vertex(int i) const { return vec(3 * i); }
  ISOPATCH_HD Float extent(int i) const { return word_[kExtent + i]; }
  ISOPATCH_HD Vec3<Float> gradient() const { return vec(kGradient); }
  ISOPATCH_HD Float longest_edge() const { return word_[kEdge]; }

 private:
  static constexpr int kExtent = 12, kGradient = 16, kEdge = 19, kWords = 20;
  static_assert(offsetof(CoarseCell, extent) == kExtent * sizeof(float));
  static_assert(offsetof(CoarseCell, gradient) == kGradient * sizeof(float));
  static_assert(offsetof(CoarseCell, longest_edge) == kEdge * sizeof(float));
  static_assert(sizeof(CoarseCell) == kWords * sizeof(float));

  ISOPATCH_HD Vec3<Float> vec(int at) const { return {word_[at], word_[at + 1], word_[at + 2]}; }

  Float word_[kWords];  // as in CoarseCell
};

}  // namespace
}  // namespace isopatch::detail
