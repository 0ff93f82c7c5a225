// SPDX-License-Identifier: Apache-2.0
//
// Pairs with bodies of trees: many degrees of freedom move such a body, and some may move both. For each of them a
// column has the twist of body A relative to B at the pair's point with a rate of 1. They stay over a solve, as does
// the velocity that an impulse of the pair gives its bodies.
#pragma once

#include "isopatch/detail/rollout/solver/solver_memory.h"

namespace isopatch::detail {

/// Of a pair.
struct TreeColumns {
  PairMobility* mobility;  // of its bodies that are of trees
  std::int32_t* count;     // of the columns
  std::int32_t* dofs;      // the degree of freedom of each
  double* columns;         // six numbers for each

  ISOPATCH_HD Twist column(int i) const {
    const double* const c = columns + 6 * static_cast<std::ptrdiff_t>(i);
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
};

ISOPATCH_HD TreeColumns columns_of_trees(const SolverMemory& m, const SolvedPair& pair) {
  const std::ptrdiff_t at = &pair - m.pairs, room = 2 * std::ptrdiff_t{m.max_chain};
  std::int32_t* const dofs = m.tree_dofs + at * (room + 1);
  return {m.mobilities + at, dofs, dofs + 1, m.tree_columns + at * room * 6};
}

ISOPATCH_HD std::int32_t first_dof_of_tree(const SolverMemory& m, int tree) {
  return m.bodies[m.tree_views[tree].body].first_dof;
}

/// Adds what a body has in the columns: its own degrees of freedom, and what the bodies that carry it have.
ISOPATCH_HD void add_chain(const SolverMemory& m, const SolvedPair& pair, int index, double sign,
                           const TreeColumns& to) {
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = index; k >= 0; k = m.bodies[k].parent) {
    const SolvedBody& body = m.bodies[k];
    ISOPATCH_NO_UNROLL
    for (int d = 0; d < body.num_dofs; ++d) {
      const Twist twist = shifted(body.unit_twist(d), pair.point - body.center);
      std::int32_t at = 0;
      while (at < *to.count && to.dofs[at] != body.first_dof + d) ++at;
      double* const c = to.columns + 6 * static_cast<std::ptrdiff_t>(at);
      if (at == *to.count) {
        ++*to.count;
        to.dofs[at] = body.first_dof + d;
        for (int i = 0; i < 6; ++i) c[i] = 0;
      }
      const double add[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                             twist.angular.x, twist.angular.y, twist.angular.z};
      for (int i = 0; i < 6; ++i) c[i] = fma(sign, add[i], c[i]);
    }
  }
}

/// Adds to `mobility` what an impulse of the pair gives to the bodies of one tree. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_mobility(Warp& warp, const SolverMemory& m, const TreeColumns& columns, int tree,
                              PairMobility& mobility) {
  const LowerMatrix factor = m.trees.factor_of(m.tree_views[tree]);
  const std::int32_t first = first_dof_of_tree(m, tree), size = factor.size;
  ISOPATCH_NO_UNROLL
  for (int row = warp.lane(); row < 6; row += Warp::kSize) {  // of L^-1 J^T
    double* const y = m.tree_rows + static_cast<std::ptrdiff_t>(row) * size;
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < size; ++k) y[k] = 0;
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < *columns.count; ++i) {
      const std::int32_t dof = columns.dofs[i] - first;
      if (dof >= 0 && dof < size) y[dof] = columns.columns[6 * i + row];
    }
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < size; ++k) {
      double value = y[k];
      ISOPATCH_NO_UNROLL
      for (int c = 0; c < k; ++c) value = fma(-factor.at(k, c), y[c], value);
      y[k] = value / factor.at(k, k);
    }
  }
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 36; i += Warp::kSize) {
    const int row = i / 6, column = i % 6;
    if (column < row) continue;
    const double* const a = m.tree_rows + static_cast<std::ptrdiff_t>(row) * size;
    const double* const b = m.tree_rows + static_cast<std::ptrdiff_t>(column) * size;
    double sum = 0;
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < size; ++k) sum = fma(a[k], b[k], sum);
    mobility.at(row, column) += sum;
  }
  warp.sync();
}

/// Writes the columns of pairs with bodies of trees, and how they give way. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_tree_columns(Warp& warp, int num_pairs, SolverMemory m) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    const SolvedBody &a = m.bodies[pair.a], &b = m.bodies[pair.b];
    if (!a.is_in_tree() && !b.is_in_tree()) continue;
    const TreeColumns columns = columns_of_trees(m, pair);
    if (warp.lane() == 0) {
      *columns.count = 0;
      ISOPATCH_NO_UNROLL
      for (int side = 0; side < 2; ++side) {
        add_chain(m, pair, side == 0 ? pair.a : pair.b, side == 0 ? 1.0 : -1.0, columns);
      }
      const Symmetric3 none = {0, 0, 0, 0, 0, 0};
      *columns.mobility = {none, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, none};
    }
    warp.sync();
    ISOPATCH_NO_UNROLL
    for (int side = 0; side < 2; ++side) {
      const SolvedBody& body = side == 0 ? a : b;
      if (!body.is_in_tree() || (side == 1 && b.tree == a.tree)) continue;
      add_mobility(warp, m, columns, body.tree, *columns.mobility);
    }
  }
}

/// MatrixSums by value.
struct MatrixOfPoints {
  double sums[MatrixSums::kSize];

  ISOPATCH_HD static MatrixOfPoints of(const double* sums) {
    MatrixOfPoints matrix;
    ISOPATCH_UNROLL
    for (int k = 0; k < MatrixSums::kSize; ++k) matrix.sums[k] = sums[k];
    return matrix;
  }
};

/// Adds the matrices of a pair's points: a lane has a column of the matrix. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void add_tree_pair_to_matrix(Warp& warp, SolverMemory m, const SolvedPair& pair, MatrixOfPoints of) {
  const double* const sums = of.sums;
  const TreeColumns columns = columns_of_trees(m, pair);
  const int count = *columns.count;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < count; i += Warp::kSize) {
    const double* const x = columns.columns + 6 * static_cast<std::ptrdiff_t>(i);
    double y[6] = {0, 0, 0, 0, 0, 0};
    ISOPATCH_UNROLL
    for (int c = 0; c < 6; ++c) {
      ISOPATCH_UNROLL
      for (int row = 0; row < 6; ++row) y[row] = fma(sums[MatrixSums::at(row, c)], x[c], y[row]);
    }
    double* const column = m.matrix.column(columns.dofs[i]);
    ISOPATCH_NO_UNROLL
    for (int k = 0; k < count; ++k) {
      if (columns.dofs[k] < columns.dofs[i]) continue;
      const double* const of_row = columns.columns + 6 * static_cast<std::ptrdiff_t>(k);
      double sum = column[columns.dofs[k]];
      ISOPATCH_UNROLL
      for (int c = 0; c < 6; ++c) sum = fma(of_row[c], y[c], sum);
      column[columns.dofs[k]] = sum;
    }
  }
  warp.sync();
}

/// Subtracts the impulse of a pair, from the last evaluation. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void subtract_impulse_of_tree_pair(Warp& warp, SolverMemory m, const SolvedPair& pair,
                                                     double* gradient) {
  const TreeColumns columns = columns_of_trees(m, pair);
  const auto [force, moment] = pair.impulse();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < *columns.count; i += Warp::kSize) {
    const Twist c = columns.column(i);
    gradient[columns.dofs[i]] -= dot(c.linear, force) + dot(c.angular, moment);
  }
  warp.sync();
}

/// M v of trees. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void multiply_by_mass_of_trees(Warp& warp, int num_trees, SolverMemory m, const double* velocities,
                                                 double* product) {
  ISOPATCH_NO_UNROLL
  for (int tree = 0; tree < num_trees; ++tree) {
    const LowerMatrix mass = m.trees.mass_of(m.tree_views[tree]);
    const std::int32_t first = first_dof_of_tree(m, tree);
    ISOPATCH_NO_UNROLL
    for (int row = warp.lane(); row < mass.size; row += Warp::kSize) {
      double sum = 0;
      ISOPATCH_NO_UNROLL
      for (int k = 0; k < mass.size; ++k) sum = fma(mass.symmetric(row, k), velocities[first + k], sum);
      product[first + row] = sum;
    }
  }
}

/// Begins the matrix of second derivatives with the masses of trees. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART void begin_matrix_of_trees(Warp& warp, int num_trees, SolverMemory m) {
  ISOPATCH_NO_UNROLL
  for (int tree = 0; tree < num_trees; ++tree) {
    const LowerMatrix mass = m.trees.mass_of(m.tree_views[tree]);
    const std::int32_t first = first_dof_of_tree(m, tree);
    ISOPATCH_NO_UNROLL
    for (int row = warp.lane(); row < mass.size; row += Warp::kSize) {
      ISOPATCH_NO_UNROLL
      for (int column = 0; column <= row; ++column) m.matrix.at(first + row, first + column) = mass.at(row, column);
    }
  }
}

}  // namespace isopatch::detail
