// SPDX-License-Identifier: Apache-2.0
//
// Memory whose first words are given to arrays, one after the other; without memory it counts them.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

struct GivenMemory {
  static constexpr std::int64_t kLine = 16;  // numbers of a line of a cache

  double* memory;
  std::int64_t words;

  /// Of all that was given, whole lines.
  ISOPATCH_HD std::int64_t lines() const { return (words + kLine - 1) / kLine * kLine; }
  template <class T>
  ISOPATCH_HD void give(T*& array, std::int64_t count) {
    static_assert(alignof(T) <= sizeof(double));
    array = memory == nullptr ? nullptr : reinterpret_cast<T*>(memory + words);
    words += (count * static_cast<std::int64_t>(sizeof(T)) + 7) / 8;
  }
};

}  // namespace isopatch::detail
