// SPDX-License-Identifier: Apache-2.0
//
// Symmetric positive definite matrices of a few dozen rows, and the solution of systems with them by Cholesky's factor.
// Lanes take rows, so that a warp has the bits of a single lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// The lower triangle of a symmetric matrix, column after column.
struct LowerMatrix {
  double* entries;
  std::int32_t size;

  ISOPATCH_HD double& at(int row, int column) const {
    return entries[static_cast<std::ptrdiff_t>(column) * size + row];
  }
  ISOPATCH_HD double* column(int c) const { return entries + static_cast<std::ptrdiff_t>(c) * size; }
  /// Of either triangle.
  ISOPATCH_HD double symmetric(int row, int column) const { return row >= column ? at(row, column) : at(column, row); }
};

/// Replaces H by its Cholesky factor. Called by all lanes.
template <class Warp>
ISOPATCH_HD void factorize(Warp& warp, const LowerMatrix& H) {
  ISOPATCH_NO_UNROLL
  for (int c = 0; c < H.size; ++c) {
    const double pivot = sqrt(H.at(c, c)), inverse = 1 / pivot;
    warp.sync();  // before it changes
    ISOPATCH_NO_UNROLL
    for (int row = c + warp.lane(); row < H.size; row += Warp::kSize) {
      H.at(row, c) = row == c ? pivot : inverse * H.at(row, c);
    }
    warp.sync();
    ISOPATCH_NO_UNROLL
    for (int row = c + 1 + warp.lane(); row < H.size; row += Warp::kSize) {
      const double factor = -H.at(row, c);
      ISOPATCH_NO_UNROLL
      for (int j = c + 1; j <= row; ++j) H.at(row, j) = fma(factor, H.at(j, c), H.at(row, j));
    }
    warp.sync();
  }
}

/// Replaces x by the solution y of L y = x with a factor L. Called by all lanes.
template <class Warp>
ISOPATCH_HD void substitute_forward(Warp& warp, const LowerMatrix& L, double* x) {
  ISOPATCH_NO_UNROLL
  for (int c = 0; c < L.size; ++c) {
    const double value = x[c] / L.at(c, c);
    warp.sync();  // before it changes
    ISOPATCH_NO_UNROLL
    for (int row = c + warp.lane(); row < L.size; row += Warp::kSize) {
      x[row] = row == c ? value : fma(-value, L.at(row, c), x[row]);
    }
    warp.sync();
  }
}

/// Replaces x by the solution y of L L^T y = x. Called by all lanes.
template <class Warp>
ISOPATCH_HD void solve_factorized(Warp& warp, const LowerMatrix& L, double* x) {
  substitute_forward(warp, L, x);
  ISOPATCH_NO_UNROLL
  for (int c = L.size - 1; c >= 0; --c) {
    const double value = x[c] / L.at(c, c);
    warp.sync();  // before it changes
    ISOPATCH_NO_UNROLL
    for (int row = warp.lane(); row <= c; row += Warp::kSize) {
      x[row] = row == c ? value : fma(-value, L.at(c, row), x[row]);
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail
