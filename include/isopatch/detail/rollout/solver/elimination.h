// SPDX-License-Identifier: Apache-2.0
//
// Solving H x = b for a symmetric positive definite H with a block for each body that moves. Bodies that do not touch
// have no block in common, so they are eliminated in an order that leaves few blocks (minimum degree), which is found
// from the contact at hand.
#pragma once

#include <cstdint>

#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/detail/simt/warp.h"
#include "isopatch/limits.h"

namespace isopatch::detail {

/// A set of bodies.
using BodySet = std::uint64_t;

ISOPATCH_HD BodySet set_of(int body) { return BodySet{1} << body; }
ISOPATCH_HD int size_of(BodySet set) {
  return count_bits(static_cast<std::uint32_t>(set)) + count_bits(static_cast<std::uint32_t>(set >> 32));
}
/// The first body of a set that is not empty. (nvcc 13.0 makes std::countr_zero() of 64 bits a constant.)
ISOPATCH_HD int first_of(BodySet set) { return size_of(~set & (set - 1)); }

/// The order of elimination, as sets of bodies in memory that lanes share.
struct EliminationOrder {
  BodySet
      touching[limits::kMaxBodies];  // of each body: the bodies eliminated after it that have a block in common with it
  std::int32_t body[limits::kMaxBodies];  // in order
  std::int32_t count;
};

/// Orders the bodies of `moving`, each with the bodies it touches in order.touching. Always takes a body that touches
/// the fewest of the rest; of several the first. Called by one lane.
ISOPATCH_HD void order_bodies(BodySet moving, EliminationOrder& order) {
  BodySet rest = moving;
  int count = 0;
  while (rest != 0) {
    int next = first_of(rest), fewest = limits::kMaxBodies + 1;
    for (BodySet left = rest; left != 0; left &= left - 1) {
      const int body = first_of(left), degree = size_of(order.touching[body] & rest);
      if (degree < fewest) {
        fewest = degree;
        next = body;
      }
    }
    rest &= ~set_of(next);
    const BodySet neighbors = order.touching[next] & rest;
    order.touching[next] = neighbors;
    for (BodySet left = neighbors; left != 0; left &= left - 1) {
      const int body = first_of(left);
      order.touching[body] |= neighbors & ~set_of(body);
    }
    order.body[count++] = next;
  }
  order.count = count;
}

/// The rows of the matrix in which a body's columns have entries: the body's, and the rows of bodies eliminated after
/// it that have a block in common with it, ascending. Columns are numbered in the order of elimination.
struct MatrixRows {
  const std::int32_t* row;
  std::int32_t count;
};

/// The lower triangle of a symmetric matrix, column after column.
struct LowerMatrix {
  double* entries;
  std::int32_t size;

  ISOPATCH_HD double& at(int row, int column) const {
    return entries[static_cast<std::ptrdiff_t>(column) * size + row];
  }
  ISOPATCH_HD double* column(int c) const { return entries + static_cast<std::ptrdiff_t>(c) * size; }
};

/// Replaces some columns of H by columns of its Cholesky factor, and updates the columns after them. `rows` begins with
/// the columns themselves. Called by all lanes.
template <class Warp>
ISOPATCH_HD void eliminate_columns(Warp& warp, const LowerMatrix& H, const MatrixRows& rows, int columns) {
  for (int c = 0; c < columns; ++c) {
    double* const column = H.column(rows.row[c]);
    const double pivot = sqrt(column[rows.row[c]]), inverse = 1 / pivot;
    warp.sync();
    if (warp.lane() == 0) column[rows.row[c]] = pivot;
    for (int i = c + 1 + warp.lane(); i < rows.count; i += Warp::kSize) column[rows.row[i]] *= inverse;
    warp.sync();
    for (int j = c + 1; j < rows.count; ++j) {
      double* const to = H.column(rows.row[j]);
      const double factor = -column[rows.row[j]];
      for (int i = j + warp.lane(); i < rows.count; i += Warp::kSize) {
        to[rows.row[i]] = fma(factor, column[rows.row[i]], to[rows.row[i]]);
      }
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail
