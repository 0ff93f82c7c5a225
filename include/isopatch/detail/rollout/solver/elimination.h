// SPDX-License-Identifier: Apache-2.0
//
// Solving H x = b for a symmetric positive definite H with a block for each body that moves. Bodies that do not touch
// have no block in common, so they are eliminated in an order that leaves few blocks (minimum degree), which is found
// from the contact at hand.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/lower_matrix.h"
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

/// The entry of a factor on its diagonal, and what follows from it.
struct Pivot {
  double root, inverse;
  double quotient;  // x / root
};

ISOPATCH_HD_CALLED Pivot pivot_of(double entry, double x) {
  const double root = sqrt(entry);
  return {root, 1 / root, x / root};
}

/// The same by lanes that work together, to the same bits: each factors the block of the columns themselves, which
/// takes no longer than if one of them did, then its own rows below it and its own entries of the columns after them.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void eliminate_columns(Warp& warp, const LowerMatrix& H, const MatrixRows& rows, int columns, double* x) {
  constexpr int kMost = 6;
  const int own = rows.row[0];  // the first of the columns
  double top[kMost][kMost], value[kMost];
  Pivot pivot[kMost];
  ISOPATCH_UNROLL
  for (int c = 0; c < kMost; ++c) {
    if (c >= columns) continue;
    value[c] = x[own + c];
    ISOPATCH_UNROLL
    for (int i = c; i < kMost; ++i) {
      if (i < columns) top[c][i] = H.at(own + i, own + c);
    }
  }
  ISOPATCH_UNROLL
  for (int c = 0; c < kMost; ++c) {
    if (c >= columns) continue;
    pivot[c] = pivot_of(top[c][c], value[c]);
    value[c] = pivot[c].quotient;
    ISOPATCH_UNROLL
    for (int j = c + 1; j < kMost; ++j) {
      if (j >= columns) continue;
      top[c][j] *= pivot[c].inverse;
      value[j] = fma(-value[c], top[c][j], value[j]);
    }
    ISOPATCH_UNROLL
    for (int j = c + 1; j < kMost; ++j) {
      if (j >= columns) continue;
      ISOPATCH_UNROLL
      for (int i = j; i < kMost; ++i) {
        if (i < columns) top[j][i] = fma(-top[c][j], top[c][i], top[j][i]);
      }
    }
  }
  warp.sync();  // before they change
  ISOPATCH_NO_UNROLL
  for (int at = warp.lane(); at < rows.count; at += Warp::kSize) {
    const int row = rows.row[at];
    double entry[kMost], y = x[row];
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c < columns && c <= at) entry[c] = H.at(row, own + c);
    }
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c >= columns || c > at) continue;
      if (c == at) {
        entry[c] = pivot[c].root;
        y = value[c];
        continue;
      }
      entry[c] *= pivot[c].inverse;
      y = fma(-value[c], entry[c], y);
      ISOPATCH_UNROLL
      for (int j = c + 1; j < kMost; ++j) {
        if (j < columns && j <= at) entry[j] = fma(-top[c][j], entry[c], entry[j]);
      }
    }
    x[row] = y;
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c < columns && c <= at) H.at(row, own + c) = entry[c];
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

/// The same by lanes that work together: each solves for a few of the last entries, and then takes its own of the rest
/// on. Called by all lanes.
template <class Warp>
ISOPATCH_HD void substitute_back(Warp& warp, const LowerMatrix& H, double* x) {
  constexpr int kMost = 6;
  for (int end = H.size; end > 0; end -= kMost) {
    const int first = max(end - kMost, 0), count = end - first;
    double value[kMost];
    ISOPATCH_UNROLL
    for (int c = kMost - 1; c >= 0; --c) {
      if (c < count) value[c] = x[first + c];
    }
    ISOPATCH_UNROLL
    for (int c = kMost - 1; c >= 0; --c) {
      if (c >= count) continue;
      value[c] = value[c] / H.at(first + c, first + c);
      ISOPATCH_UNROLL
      for (int k = 0; k < c; ++k) value[k] = fma(-value[c], H.at(first + c, first + k), value[k]);
    }
    warp.sync();  // before they change
    ISOPATCH_UNROLL
    for (int c = 0; c < kMost; ++c) {
      if (c < count && warp.lane() == 0) x[first + c] = value[c];
    }
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < first; k += Warp::kSize) {
      double rest = x[k];
      ISOPATCH_UNROLL
      for (int c = kMost - 1; c >= 0; --c) {
        if (c < count) rest = fma(-value[c], H.at(first + c, k), rest);
      }
      x[k] = rest;
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail
