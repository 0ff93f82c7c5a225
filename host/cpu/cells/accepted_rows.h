// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// Pairs of cells that passed their test, with one row for each member of AcceptedCells.
struct alignas(64) AcceptedRows {
  static constexpr int kMax = 1024;

  std::int32_t m[kMax], s[kMax];
  std::int32_t positive[kMax];
  float x[kMax], y[kMax], z[kMax], radius[kMax];
};

}  // namespace isopatch::detail
