// SPDX-License-Identifier: Apache-2.0
//
// Loads one cell for each lane, from a hierarchy's cells with given indices.
#pragma once

#include <cstddef>
#include <type_traits>

#include "host/cpu/simd/simd.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {
namespace {

/// The four elements at `at` of each row, side by side.
template <int lanes, class T>
ISOPATCH_HD hn::Vec<Tag<T, lanes>> load_rows(const T* const* rows, int at) {
  if constexpr (lanes == 4) {
    return hn::LoadU(Tag<T, lanes>(), rows[0] + at);
  } else {
    const auto upper = load_rows<lanes / 2>(rows + lanes / 8, at);
    return hn::Combine(Tag<T, lanes>(), upper, load_rows<lanes / 2>(rows, at));
  }
}

/// Transposes blocks of four: `a` has four elements for each of the lanes 0, 4, 8 and so on, `b` for lanes 1, 5, 9, `c`
/// and `d` likewise. Calls put(i, v) with element i of all lanes, for i from 0 to 3.
template <class D, class V, class Put, std::enable_if_t<std::is_same_v<hn::TFromD<D>, float>, int> = 0>
ISOPATCH_HD void transpose(D tag, V a, V b, V c, V d, const Put& put) {
  const hn::Repartition<double, D> pairs;
  const auto ab0 = hn::BitCast(pairs, hn::InterleaveLower(tag, a, b));
  const auto ab2 = hn::BitCast(pairs, hn::InterleaveUpper(tag, a, b));
  const auto cd0 = hn::BitCast(pairs, hn::InterleaveLower(tag, c, d));
  const auto cd2 = hn::BitCast(pairs, hn::InterleaveUpper(tag, c, d));
  put(0, hn::BitCast(tag, hn::InterleaveLower(pairs, ab0, cd0)));
  put(1, hn::BitCast(tag, hn::InterleaveUpper(pairs, ab0, cd0)));
  put(2, hn::BitCast(tag, hn::InterleaveLower(pairs, ab2, cd2)));
  put(3, hn::BitCast(tag, hn::InterleaveUpper(pairs, ab2, cd2)));
}

template <class V, class Put>
ISOPATCH_HD void transpose(Tag<double, kLanes> tag, V a, V b, V c, V d, const Put& put) {
  const auto ab0 = hn::InterleaveLower(tag, a, b), ab1 = hn::InterleaveUpper(tag, a, b);
  const auto cd0 = hn::InterleaveLower(tag, c, d), cd1 = hn::InterleaveUpper(tag, c, d);
  put(0, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd0), ab0));
  put(1, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(cd1), ab1));
  put(2, hn::OddEvenBlocks(cd0, hn::SwapAdjacentBlocks(ab0)));
  put(3, hn::OddEvenBlocks(cd1, hn::SwapAdjacentBlocks(ab1)));
}

/// Calls put(i, v) for `words` indices of each lane's cell, from element `first` on, for one register of lanes. Four
/// lanes' rows are transposed at once.
template <class T, int lanes, int first, int words, class AnyCell, class Put>
ISOPATCH_HD void load_register(const AnyCell* cells, const std::int32_t* indices, const Put& put) {
  const Tag<T, lanes> tag;
  const auto row = [&](int lane) { return reinterpret_cast<const T*>(cells + indices[lane]) + first; };
  constexpr int kRows = words / 4;
  if constexpr (lanes == 2) {
    ISOPATCH_UNROLL
    for (int i = 0; i < words; i += 2) {
      const auto a = hn::LoadU(tag, row(0) + i), b = hn::LoadU(tag, row(1) + i);
      put(i, hn::InterleaveLower(tag, a, b));
      put(i + 1, hn::InterleaveUpper(tag, a, b));
    }
  } else {
    hn::Vec<Tag<T, lanes>> loaded[4][kRows];
    ISOPATCH_UNROLL
    for (int i = 0; i < 4; ++i) {  // few rows at a time, so that their addresses stay in registers
      const T* rows[lanes / 4];
      for (int k = 0; k < lanes / 4; ++k) rows[k] = row(4 * k + i);
      ISOPATCH_UNROLL
      for (int r = 0; r < kRows; ++r) loaded[i][r] = load_rows<lanes>(rows, 4 * r);
    }
    ISOPATCH_UNROLL
    for (int r = 0; r < kRows; ++r) {
      transpose(tag, loaded[0][r], loaded[1][r], loaded[2][r], loaded[3][r],
                [&](int i, hn::Vec<Tag<T, lanes>> v) { put(4 * r + i, v); });
    }
  }
}

/// The same as SIMD vectors.
template <int first, int words, int lanes, class T, class AnyCell>
ISOPATCH_HD void load_cells(const AnyCell* cells, const std::int32_t* indices, Simd<T, lanes> (&out)[words]) {
  constexpr int kPart = Simd<T, lanes>::kPartLanes;
  load_register<T, kPart, first, words>(cells, indices, [&](int i, auto v) { out[i].low = v; });
  if constexpr (kPart < lanes) {
    load_register<T, kPart, first, words>(cells, indices + kPart, [&](int i, auto v) { out[i].high = v; });
  }
}

template <class T, int lanes>
ISOPATCH_HD Vec3<Simd<T, lanes>> vec_at(const Simd<T, lanes>* word) {
  return {word[0], word[1], word[2]};
}

/// The members of each lane's cell that a contact plane and its lines are made from, as in CellRef.
template <int lanes>
class SimdPlanes {
 public:
  using Double = Simd<double, lanes>;

  /// `cells` is null for a half space, whose members must not be used.
  ISOPATCH_HD SimdPlanes(const Cell* cells, const std::int32_t* indices) {
    if (cells != nullptr) {
      load_cells<0>(cells, indices, word_);
    } else {
      for (Double& word : word_) word = Double(0.0);  // never used, but the compiler cannot know
    }
  }

  ISOPATCH_HD Vec3<Double> vertex0() const { return vec_at(word_ + kCorner); }
  ISOPATCH_HD Double extent0() const { return word_[kCorner + 3]; }
  ISOPATCH_HD Vec3<Double> gradient() const { return vec_at(word_ + kGradient); }
  ISOPATCH_HD Vec3<Double> inward(int i) const { return vec_at(word_ + 4 * i); }
  ISOPATCH_HD Double height0() const { return word_[3]; }
  ISOPATCH_HD Mask<lanes> has_zero_face() const { return word_[kZero] != Double(0.0); }

 private:
  static constexpr int kGradient = 16, kZero = 19, kCorner = 20, kWords = 24;
  static_assert(offsetof(Cell, face) == 0 && sizeof(Cell::Face) == 4 * sizeof(double));
  static_assert(offsetof(Cell, gradient) == kGradient * sizeof(double));
  static_assert(offsetof(Cell, zero_face) == kZero * sizeof(double));
  static_assert(offsetof(Cell, corner) == kCorner * sizeof(double) && sizeof(Cell::Corner) == 4 * sizeof(double));

  Double word_[kWords];  // as in Cell
};

/// The members of each lane's cell that the gate needs, as in CellRef.
template <int lanes>
class SimdCorners {
 public:
  using Double = Simd<double, lanes>;

  ISOPATCH_HD SimdCorners(const Cell* cells, const std::int32_t* indices) {
    if (cells != nullptr) {
      load_cells<kFirst>(cells, indices, word_);
    } else {
      for (Double& word : word_) word = Double(0.0);  // never used, but the compiler cannot know
    }
  }

  ISOPATCH_HD Vec3<Double> vertex(int i) const { return vec_at(word_ + 4 + 4 * i); }
  ISOPATCH_HD Double extent(int i) const { return word_[7 + 4 * i]; }
  ISOPATCH_HD Vec3<Double> gradient() const { return vec_at(word_); }

 private:
  static constexpr int kFirst = 16, kWords = 20;
  static_assert(offsetof(Cell, gradient) == kFirst * sizeof(double));
  static_assert(offsetof(Cell, corner) == (kFirst + 4) * sizeof(double));

  Double word_[kWords];  // as in Cell
};

/// A coarse cell for each lane, with the members of CoarseRef.
class SimdCoarseCells {
 public:
  using Float = Simd<float, kFloatLanes>;

  ISOPATCH_HD SimdCoarseCells(const CoarseCell* cells, const std::int32_t* indices) {
    if (cells != nullptr) load_cells<0>(cells, indices, word_);
  }

  ISOPATCH_HD Vec3<Float> vertex(int i) const { return vec_at(word_ + 3 * i); }
  ISOPATCH_HD Float extent(int i) const { return word_[kExtent + i]; }
  ISOPATCH_HD Vec3<Float> gradient() const { return vec_at(word_ + kGradient); }
  ISOPATCH_HD Float longest_edge() const { return word_[kEdge]; }

 private:
  static constexpr int kExtent = 12, kGradient = 16, kEdge = 19, kWords = 20;
  static_assert(offsetof(CoarseCell, extent) == kExtent * sizeof(float));
  static_assert(offsetof(CoarseCell, gradient) == kGradient * sizeof(float));
  static_assert(offsetof(CoarseCell, longest_edge) == kEdge * sizeof(float));
  static_assert(sizeof(CoarseCell) == kWords * sizeof(float));

  Float word_[kWords];  // as in CoarseCell
};

}  // namespace
}  // namespace isopatch::detail
