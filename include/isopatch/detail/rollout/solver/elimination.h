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

// Registers hold what these loops work on where they are unrolled, which GCC does only if told to.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define ISOPATCH_UNROLL_BLOCK _Pragma("GCC unroll 6")
#else
#define ISOPATCH_UNROLL_BLOCK ISOPATCH_UNROLL
#endif

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

/// The entry of a factor on its diagonal, and what follows from it.
struct Pivot {
  double root, inverse;
  double quotient;  // x / root
};

/// x / y for a y that is positive or NaN. A GPU divides a zero in 70 instructions more than any other x.
ISOPATCH_HD double quotient_of(double x, double y) {
#if defined(__CUDA_ARCH__)
  if (x == 0 && y > 0) return x;
#endif
  return x / y;
}

ISOPATCH_HD_CALLED Pivot pivot_of(double entry, double x) {
  const double root = sqrt(entry);
  return {root, 1 / root, quotient_of(x, root)};
}

/// The most columns that are eliminated together.
inline constexpr int kMostColumns = 6;

/// The block of the columns themselves, while they are eliminated; x is then solved for.
struct TopBlock {
  double entry[kMostColumns][kMostColumns], x[kMostColumns];  // column after column
  Pivot pivot[kMostColumns];

  ISOPATCH_HD TopBlock(const LowerMatrix& H, int own, int columns, const double* from) {
    ISOPATCH_UNROLL_BLOCK
    for (int c = 0; c < kMostColumns; ++c) {
      if (c >= columns) continue;
      x[c] = from[own + c];
      ISOPATCH_UNROLL_BLOCK
      for (int i = c; i < kMostColumns; ++i) {
        if (i < columns) entry[c][i] = H.at(own + i, own + c);
      }
    }
    ISOPATCH_UNROLL_BLOCK
    for (int c = 0; c < kMostColumns; ++c) {
      if (c >= columns) continue;
      pivot[c] = pivot_of(entry[c][c], x[c]);
      x[c] = pivot[c].quotient;
      ISOPATCH_UNROLL_BLOCK
      for (int j = c + 1; j < kMostColumns; ++j) {
        if (j >= columns) continue;
        entry[c][j] *= pivot[c].inverse;
        x[j] = fma(-x[c], entry[c][j], x[j]);
      }
      ISOPATCH_UNROLL_BLOCK
      for (int j = c + 1; j < kMostColumns; ++j) {
        if (j >= columns) continue;
        ISOPATCH_UNROLL_BLOCK
        for (int i = j; i < kMostColumns; ++i) {
          if (i < columns) entry[j][i] = fma(-entry[c][j], entry[c][i], entry[j][i]);
        }
      }
    }
  }
};

/// Replaces one body's columns in H by columns of its Cholesky factor, updates the columns after them, and solves for
/// the entries of x in their rows. `rows` begins with the columns themselves, which are consecutive.
template <int columns>
ISOPATCH_HD void eliminate_columns(const LowerMatrix& H, const MatrixRows& rows, double* x) {
  const int own = rows.row[0];
  const TopBlock top(H, own, columns, x);
  double* column[columns];
  ISOPATCH_UNROLL_BLOCK
  for (int c = 0; c < columns; ++c) {
    column[c] = H.column(own + c);
    column[c][own + c] = top.pivot[c].root;
    ISOPATCH_UNROLL_BLOCK
    for (int i = c + 1; i < columns; ++i) column[c][own + i] = top.entry[c][i];
    x[own + c] = top.x[c];
  }
  for (int i = columns; i < rows.count; ++i) {
    const int row = rows.row[i];
    double entry[columns], y = x[row];
    ISOPATCH_UNROLL_BLOCK
    for (int c = 0; c < columns; ++c) entry[c] = column[c][row];
    ISOPATCH_UNROLL_BLOCK
    for (int c = 0; c < columns; ++c) {
      entry[c] *= top.pivot[c].inverse;
      y = fma(-top.x[c], entry[c], y);
      ISOPATCH_UNROLL_BLOCK
      for (int j = c + 1; j < columns; ++j) entry[j] = fma(-top.entry[c][j], entry[c], entry[j]);
      column[c][row] = entry[c];
    }
    x[row] = y;
  }
  for (int j = columns; j < rows.count; ++j) {
    double* const to = H.column(rows.row[j]);
    double factor[columns];
    ISOPATCH_UNROLL_BLOCK
    for (int c = 0; c < columns; ++c) factor[c] = -column[c][rows.row[j]];
    for (int i = j; i < rows.count; ++i) {
      const int row = rows.row[i];
      double entry = to[row];
      ISOPATCH_UNROLL_BLOCK
      for (int c = 0; c < columns; ++c) entry = fma(factor[c], column[c][row], entry);
      to[row] = entry;
    }
  }
}

/// The same, whatever the number of columns.
ISOPATCH_HD void eliminate_columns(const LowerMatrix& H, const MatrixRows& rows, int columns, double* x) {
  int first = 0;
  for (; first + kMostColumns <= columns; first += kMostColumns) {
    eliminate_columns<kMostColumns>(H, {rows.row + first, rows.count - first}, x);
  }
  for (; first < columns; ++first) eliminate_columns<1>(H, {rows.row + first, rows.count - first}, x);
}

/// Solves with the transpose of the factor for one body's entries of x, after all behind them. Returns the sum of these
/// entries times 0: a zero with a sign, or NaN, which belongs to each entry of x in whose columns these rows are not
/// listed, as if the factor had zeros there. `others` is the sum of such zeros for this body.
template <int columns>
ISOPATCH_HD double substitute_back(const LowerMatrix& H, const MatrixRows& rows, double others, double* x) {
  const int own = rows.row[0];
  double value[columns], zero = -0.0;
  ISOPATCH_UNROLL_BLOCK
  for (int k = 0; k < columns; ++k) value[k] = x[own + k] + others;
  for (int i = rows.count - 1; i >= columns; --i) {
    const double factor = -x[rows.row[i]];
    ISOPATCH_UNROLL_BLOCK
    for (int k = 0; k < columns; ++k) value[k] = fma(factor, H.at(rows.row[i], own + k), value[k]);
  }
  ISOPATCH_UNROLL_BLOCK
  for (int c = columns - 1; c >= 0; --c) {
    value[c] = value[c] / H.at(own + c, own + c);
    x[own + c] = value[c];
    zero = fma(-value[c], 0.0, zero);
    ISOPATCH_UNROLL_BLOCK
    for (int k = 0; k < c; ++k) value[k] = fma(-value[c], H.at(own + c, own + k), value[k]);
  }
  return zero;
}

/// The same, whatever the number of columns.
ISOPATCH_HD double substitute_back(const LowerMatrix& H, const MatrixRows& rows, int columns, double others,
                                   double* x) {
  if (columns == kMostColumns) return substitute_back<kMostColumns>(H, rows, others, x);
  double zero = -0.0;
  for (int c = columns - 1; c >= 0; --c) {
    zero += substitute_back<1>(H, {rows.row + c, rows.count - c}, others, x);
  }
  return zero;
}

/// The same by lanes that work together, to the same bits: of one column after another each finds the pivot, and takes
/// its own rows; then its own entries of the columns after them. Nothing is kept in registers from column to column,
/// which would be spilled. Called by all lanes.
template <class Warp>
ISOPATCH_HD void eliminate_columns(Warp& warp, const LowerMatrix& H, const MatrixRows& rows, int columns, double* x) {
  constexpr int kMost = kMostColumns;
  const int own = rows.row[0];          // the first of the columns
  const std::ptrdiff_t apart = H.size;  // of entries in a row
  const double* const first = H.column(own);
  ISOPATCH_NO_UNROLL
  for (int c = 0; any_team(warp, c < columns); ++c) {
    const bool has_column = c < columns;
    double* const column = H.column(own + c);
    Pivot pivot;
    if (has_column) {
      double diagonal = column[own + c];
      const double* factor = first + own + c;
      ISOPATCH_NO_UNROLL
      for (int k = 0; k < c; ++k, factor += apart) diagonal = fma(-*factor, *factor, diagonal);
      pivot = pivot_of(diagonal, x[own + c]);
    }
    warp.sync();  // before they change
    ISOPATCH_NO_UNROLL
    for (int at = c + warp.lane(); at < rows.count && has_column; at += Warp::kSize) {
      const int row = rows.row[at];
      double entry = column[row];
      const double *factor = first + own + c, *before = first + row;
      ISOPATCH_NO_UNROLL
      for (int k = 0; k < c; ++k, factor += apart, before += apart) entry = fma(-*factor, *before, entry);
      const double scaled = entry * pivot.inverse;
      column[row] = at == c ? pivot.root : scaled;
      x[row] = at == c ? pivot.quotient : fma(-pivot.quotient, scaled, x[row]);
    }
    warp.sync();
  }

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

/// The same by lanes that work together: each solves for the last entry, and then takes its own of the rest on. Called
/// by all lanes.
template <class Warp>
ISOPATCH_HD void substitute_back(Warp& warp, const LowerMatrix& H, double* x) {
  ISOPATCH_NO_UNROLL
  for (int last = H.size - 1; last >= 0; --last) {
    const double value = quotient_of(x[last], H.at(last, last));
    warp.sync();  // before it changes
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k <= last; k += Warp::kSize) {
      x[k] = k == last ? value : fma(-value, H.at(last, k), x[k]);
    }
    warp.sync();
  }
}

}  // namespace isopatch::detail

#undef ISOPATCH_UNROLL_BLOCK
