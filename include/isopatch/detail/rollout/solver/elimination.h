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

/// Replaces the columns of one body in H by columns of its Cholesky factor, updates the columns after them, and solves
/// for the entries of x in their rows. `rows` begins with the columns themselves, which are consecutive.
ISOPATCH_HD void eliminate_columns(const LowerMatrix& H, const MatrixRows& rows, int columns, double* x) {
  for (int c = 0; c < columns; ++c) {
    double* const column = H.column(rows.row[c]);
    const double pivot = sqrt(column[rows.row[c]]), inverse = 1 / pivot;
    column[rows.row[c]] = pivot;
    for (int i = c + 1; i < rows.count; ++i) column[rows.row[i]] *= inverse;
    for (int j = c + 1; j < rows.count; ++j) {
      double* const to = H.column(rows.row[j]);
      const double factor = -column[rows.row[j]];
      for (int i = j; i < rows.count; ++i) {
        to[rows.row[i]] = fma(factor, column[rows.row[i]], to[rows.row[i]]);
      }
    }
  }
  for (int c = 0; c < columns; ++c) {
    const double* column = H.column(rows.row[c]);
    const double value = x[rows.row[c]] / column[rows.row[c]];
    x[rows.row[c]] = value;
    for (int k = c + 1; k < rows.count; ++k) x[rows.row[k]] = fma(-value, column[rows.row[k]], x[rows.row[k]]);
  }
}

/// Solves with the transpose of the factor.
ISOPATCH_HD void substitute_back(const LowerMatrix& H, double* x) {
  for (int c = H.size - 1; c >= 0; --c) {
    const double value = x[c] / H.at(c, c);
    x[c] = value;
    for (int k = 0; k < c; ++k) x[k] = fma(-value, H.at(c, k), x[k]);
  }
}

/// The same by the lanes of a warp, to the same bits: the body's columns are eliminated in registers, 32 rows at a time
/// with one in each lane, and then each lane updates an entry after another of the columns after them. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD void eliminate_columns(Warp& warp, const LowerMatrix& H, const MatrixRows& rows, int columns, double* x) {
  constexpr int kMost = 6;
  const int own = rows.row[0];  // the first of the columns
  double top[kMost], inverse[kMost], value[kMost];
  for (int first = 0; first < rows.count; first += Warp::kSize) {
    const int at = first + warp.lane();
    const bool exists = at < rows.count;
    const int row = exists ? rows.row[at] : own;
    double entry[kMost], y = exists ? x[row] : 0.0;
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) entry[c] = exists && c < columns && c <= at ? H.column(own + c)[row] : 0.0;
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c >= columns) continue;
      if (first == 0) {
        const double pivot = sqrt(warp.from_lane(entry[c], c));
        inverse[c] = 1 / pivot;
        entry[c] = at == c ? pivot : entry[c] * inverse[c];
        top[c] = entry[c];
      } else {
        entry[c] *= inverse[c];
      }
      ISOPATCH_UNROLL
      for (int j = c + 1; j < kMost; ++j) {
        if (j >= columns) continue;
        const double factor = -warp.from_lane(top[c], j);
        if (at >= j) entry[j] = fma(factor, entry[c], entry[j]);
      }
    }
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c >= columns) continue;
      if (first == 0) value[c] = warp.from_lane(y, c) / warp.from_lane(entry[c], c);
      if (at > c) y = fma(-value[c], entry[c], y);
      if (at == c) y = value[c];
    }
    if (!exists) continue;
    x[row] = y;
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c < columns && c <= at) H.column(own + c)[row] = entry[c];
    }
  }
  warp.sync();

  // the entries of row i in column j, column after column
  int j = columns, i = columns + warp.lane();
  const auto go_on = [&] {
    while (i >= rows.count && j < rows.count) i += ++j - rows.count;
  };
  for (go_on(); j < rows.count; i += Warp::kSize, go_on()) {
    const int row = rows.row[i], column = rows.row[j];
    double entry = H.at(row, column);
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c < columns) entry = fma(-H.at(column, own + c), H.at(row, own + c), entry);
    }
    H.at(row, column) = entry;
  }
  warp.sync();
}

template <class Warp>
ISOPATCH_HD void substitute_back(Warp& warp, const LowerMatrix& H, double* x) {
  for (int first = (H.size - 1) / Warp::kSize * Warp::kSize; first >= 0; first -= Warp::kSize) {
    const int at = first + warp.lane(), end = min(H.size, first + Warp::kSize);
    const bool exists = at < end;
    const double diagonal = exists ? H.at(at, at) : 1.0;
    double own = exists ? x[at] : 0.0;
    for (int c = end - 1; c >= first; --c) {
      const double value = warp.from_lane(own, c - first) / warp.from_lane(diagonal, c - first);
      if (at < c) own = fma(-value, H.at(c, at), own);
      if (at == c) own = value;
    }
    if (exists) x[at] = own;
    for (int before = warp.lane(); before - warp.lane() < first; before += Warp::kSize) {
      double rest = x[before];
      for (int c = end - 1; c >= first; --c) rest = fma(-warp.from_lane(own, c - first), H.at(c, before), rest);
      x[before] = rest;
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail
