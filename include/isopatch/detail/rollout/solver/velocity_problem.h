// SPDX-License-Identifier: Apache-2.0
//
// The velocities at the end of an implicit step, as the minimum of a convex function (Castro, Han, Masterjohn,
// "Irrotational Contact Fields", 2023):
//
//   l(v) = 1/2 (v - v*)^T M (v - v*) + potentials of the contact points + potentials of the joints
//        + potentials of the friction of contacts with state
//
// v has a number for each degree of freedom, v* their values without contact and what acts on joints. The polygons stay
// where they are over the step. The degrees of freedom are numbered in the order of elimination.
#pragma once

#include "isopatch/detail/rollout/solver/tree_columns.h"

namespace isopatch::detail {

/// The sizes and parameters of a solve; its numbers are in SolverMemory.
struct VelocityProblem {
  std::int32_t num_bodies, num_joints, num_dofs, num_pairs, num_terms, num_trees, num_loops;
  PointParameters<double> parameters;
};

ISOPATCH_HD_CALLED RelativeTwist<double> relative_twist(const SolvedBody* bodies, const SolvedPair& pair,
                                                        const double* velocities, bool difference) {
  const Twist of_a =
      shifted(twist_of_center(bodies, pair.a, velocities, difference), pair.point - bodies[pair.a].center);
  const Twist of_b =
      shifted(twist_of_center(bodies, pair.b, velocities, difference), pair.point - bodies[pair.b].center);
  return {of_a.linear - of_b.linear, of_a.angular - of_b.angular};
}

/// The twist of a pair's point on body a relative to that on body b, with these velocities; without the known twists if
/// they are differences.
ISOPATCH_HD RelativeTwist<double> relative_twist(const SolverMemory& m, const SolvedPair& pair,
                                                 const double* velocities, bool difference = false) {
  return relative_twist(m.bodies, pair, velocities, difference);
}

/// Calls visit(term) for the contacts with state of a pair, if code that takes the sums of its points may have any.
template <class PointSums, class Visit>
ISOPATCH_HD void for_each_term(const SolverMemory& m, const SolvedPair& pair, const Visit& visit) {
  if constexpr (PointSums::kHasPlates) {
    for (int t = 0; t < pair.terms; ++t) visit(m.terms[pair.first_term + t]);
  }
}

template <class Columns = PolygonColumns>
ISOPATCH_HD Columns columns_of(const SolverMemory& m, const SolvedPair& pair) {
  return Columns(m.columns + static_cast<std::ptrdiff_t>(pair.first_block) * Columns::kBlock);
}

/// The impulse on body a (side 0) or b (1) about its center.
ISOPATCH_HD Momentum impulse_on(const SolverMemory& m, const SolvedPair& pair, int side) {
  const auto [force, moment] = pair.impulse();
  const Vec3d arm = pair.point - m.bodies[side == 0 ? pair.a : pair.b].center;
  const Momentum on_a = {force, moment + cross(arm, force)};
  return side == 0 ? on_a : Momentum{-on_a.linear, -on_a.angular};
}

/// M v of every body, at `velocities` without the known twists. Called by all lanes.
template <class Warp>
ISOPATCH_HD void multiply_by_mass(Warp& warp, const VelocityProblem& p, const SolverMemory& m, const double* velocities,
                                  double* product) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_bodies; i += Warp::kSize) {
    const SolvedBody& body = m.bodies[i];
    if (body.num_dofs == 0 || body.is_follower || body.is_in_tree()) continue;
    double* const of_body = product + body.first_dof;
    body.project(body.momentum(body.twist(velocities, true)), [&](int k, double value) { of_body[k] = value; });
    for (std::int32_t k = body.first_follower; k >= 0; k = m.bodies[k].next_follower) {
      const SolvedBody& follower = m.bodies[k];
      *of_body += follower.along_freedom(follower.momentum(follower.twist(velocities, true)));
    }
    if (body.armature > 0) *of_body = fma(body.armature, velocities[body.first_dof], *of_body);
  }
  if constexpr (kTakesTrees<Warp>) {
    auto&& lanes = lanes_of(warp);
    if (p.num_trees > 0) multiply_by_mass_of_trees(lanes, p.num_trees, m, velocities, product);
  }
  warp.sync();
}

/// The sum over degrees of freedom of term(i). Called by all lanes.
template <class Warp, class Term>
ISOPATCH_HD double sum_of_dofs(Warp& warp, const VelocityProblem& p, const Term& term) {
  double sums[1];
  lane_sums(
      warp, p.num_dofs, [&](int i, double(&add)[1]) { add[0] += term(i); }, sums);
  return sums[0];
}

/// What the points of a pair begin with, which have begun by default.
ISOPATCH_HD PointsStart<double> start_of(const SolverMemory& m, const SolvedPair& pair,
                                         PointsBegin by = PointsBegin::kBegun) {
  return {by, relative_twist(m, pair, m.vectors.previous), relative_twist(m, pair, m.vectors.free_velocity), {}};
}

/// l(v) at the known velocities and at the velocities without contact. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD void find_potentials(Warp& warp, const VelocityProblem& p, const SolverMemory& m, double (&potentials)[2]) {
  const SolverVectors& v = m.vectors;
  multiply_by_mass(warp, p, m, v.previous, v.momentum);
  potentials[0] = 0.5 * sum_of_dofs(warp, p, [&](int i) {
                    return (v.previous[i] - v.free_velocity[i]) * (v.momentum[i] - v.free_momentum[i]);
                  });
  potentials[1] = 0;
  for (int k = 0; k < 2; ++k) {
    const double* const velocity = k == 0 ? v.previous : v.free_velocity;
    double& sum = potentials[k];
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < p.num_joints; ++i) sum += m.joints[i].potential(velocity[m.joint_dofs[i]]);
    if constexpr (kTakesTrees<Warp>) {
      ISOPATCH_NO_UNROLL
      for (int i = 0; i < p.num_loops; ++i) {
        sum += m.loops[i].potential(relative_twist(m, m.pairs[p.num_pairs + i], velocity));
      }
    }
    ISOPATCH_NO_UNROLL
    for (int i = 0; i < p.num_pairs; ++i) {
      const SolvedPair& pair = m.pairs[i];
      sum += pair.potentials[k];
      if (!PointSums::kHasPlates || pair.terms == 0) continue;
      const RelativeTwist<double> twist = relative_twist(m, pair, velocity);
      for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) { sum += potential_of(term, twist); });
    }
  }
  warp.sync();
}

/// Finds the potentials of points that have begun. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD_LARGE void find_potentials_of_points(Warp& warp, const PointSums& points, const VelocityProblem& p,
                                                 const SolverMemory& m) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    SolvedPair& pair = m.pairs[i];
    double sums[2];
    points.begin(p.parameters, columns_of<typename PointSums::Columns>(m, pair), pair.polygons, start_of(m, pair),
                 sums);
    if (warp.lane() == 0) pair.potentials[0] = sums[0], pair.potentials[1] = sums[1];
  }
  warp.sync();
}

/// Adds the matrices of a pair's points: for each column of the blocks a-a and b-b, and of the block that a and b have
/// in common. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_pair_to_matrix(Warp& warp, const SolverMemory& m, const SolvedPair& pair, const double* sums) {
  const SolvedBody &a = m.bodies[pair.a], &b = m.bodies[pair.b];
  if constexpr (kTakesTrees<Warp>) {
    if (a.is_in_tree() || b.is_in_tree()) {
      auto&& lanes = lanes_of(warp);
      return add_tree_pair_to_matrix(lanes, m, pair, MatrixOfPoints::of(sums));
    }
  }
  const bool both = a.num_dofs > 0 && b.num_dofs > 0;
  const SolvedBody& early = !both || a.first_dof < b.first_dof ? a : b;
  const SolvedBody& late = &early == &a ? b : a;
  const int in_common = both ? early.num_dofs : 0, count = a.num_dofs + b.num_dofs + in_common;
  const bool one_joint = share_joint(a, b);  // then all of it is one entry, which one lane adds up
  double matrix[6][6];
  ISOPATCH_UNROLL
  for (int row = 0; row < 6; ++row) {
    ISOPATCH_UNROLL
    for (int c = 0; c < 6; ++c) matrix[row][c] = sums[MatrixSums::at(row, c)];
  }
  const int own_count = pair.is_empty() || (one_joint && warp.lane() > 0) ? 0 : count;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < own_count; i += one_joint ? 1 : Warp::kSize) {
    const bool in_a = i < a.num_dofs, in_b = !in_a && i < a.num_dofs + b.num_dofs;
    const SolvedBody& from = in_a ? a : in_b ? b : early;
    const SolvedBody& to = in_a ? a : in_b ? b : late;
    const int k = in_a ? i : in_b ? i - a.num_dofs : i - a.num_dofs - b.num_dofs;

    const Twist twist = shifted(from.unit_twist(k), pair.point - from.center);
    const double x[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                         twist.angular.x, twist.angular.y, twist.angular.z};
    double y[6] = {0, 0, 0, 0, 0, 0};
    ISOPATCH_UNROLL
    for (int c = 0; c < 6; ++c) {
      ISOPATCH_UNROLL
      for (int row = 0; row < 6; ++row) y[row] = fma(matrix[c][row], x[c], y[row]);
    }
    const Vec3d force = {y[0], y[1], y[2]}, moment = {y[3], y[4], y[5]};
    const Momentum about_center = {force, moment + cross(pair.point - to.center, force)};
    const double sign = in_a || in_b ? 1.0 : one_joint ? -2.0 : -1.0;
    double* const column = m.matrix.column(from.first_dof + k) + to.first_dof;
    const int first_row = in_a || in_b ? k : 0;
    to.project(about_center, [&](int row, double value) {
      if (row >= first_row) column[row] = fma(sign, value, column[row]);
    });
  }
  warp.sync();
}

/// Calls visit(body) for those whose blocks are in the columns of body i in the order of elimination: itself, and
/// later ones, in that order.
template <class Visit>
ISOPATCH_HD void for_each_block(const SolverMemory& m, int i, const Visit& visit) {
  const EliminationOrder& order = *m.order;
  visit(m.bodies[order.body[i]]);
  for (int j = i + 1; j < order.count; ++j) {
    if ((order.touching[order.body[i]] & set_of(order.body[j])) != 0) visit(m.bodies[order.body[j]]);
  }
}

/// Sets to 0 the blocks of the matrix that are read.
ISOPATCH_HD void clear_blocks(const SolverMemory& m) {
  for (int i = 0; i < m.order->count; ++i) {
    const SolvedBody& body = m.bodies[m.order->body[i]];
    for_each_block(m, i, [&](const SolvedBody& of) {
      for (int column = 0; column < body.block_dofs; ++column) {
        double* const to = m.matrix.column(body.first_dof + column) + of.first_dof;
        if (of.block_dofs == kMostColumns) {  // without a call of memset()
          for (int k = 0; k < kMostColumns; ++k) to[k] = 0;
        } else {
          for (int k = 0; k < of.block_dofs; ++k) to[k] = 0;
        }
      }
    });
  }
}

/// Begins the matrix of second derivatives at the velocity, with what is of no pair. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_matrix(Warp& warp, const VelocityProblem& p, const SolverMemory& m) {
  const double* const velocity = m.vectors.velocity;
  if constexpr (Warp::kSize == 1) {
    clear_blocks(m);
  } else {
    const int entries = p.num_dofs * p.num_dofs;
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < entries; i += Warp::kSize) m.matrix.entries[i] = 0;
    warp.sync();
  }
  constexpr int kOfBody = Warp::kSize == 1 ? 1 : kMostColumns;  // lanes, each with a column
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_bodies * kOfBody; i += Warp::kSize) {
    const SolvedBody& body = m.bodies[i / kOfBody];
    const int first = i % kOfBody;
    if (body.is_follower || body.is_in_tree()) continue;
    if (body.num_dofs == 1 && first == 0) m.matrix.at(body.first_dof, body.first_dof) = body.joint_mass;
    for (int column = first; column < body.num_dofs && body.num_dofs > 1; column += kOfBody) {
      double* const to = m.matrix.column(body.first_dof + column) + body.first_dof;
      body.project(body.momentum(body.unit_twist(column)), [&](int row, double value) {
        if (row >= column) to[row] = value;
      });
    }
  }
  if constexpr (kTakesTrees<Warp>) {
    auto&& lanes = lanes_of(warp);
    if (p.num_trees > 0) begin_matrix_of_trees(lanes, p.num_trees, m);
  }
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_joints; i += Warp::kSize) {
    const int dof = m.joint_dofs[i];
    m.matrix.at(dof, dof) += m.joints[i].fall(velocity[dof]);
  }
  warp.sync();
}

/// The impulses of loops at the velocity, and their matrices. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_loops(Warp& warp, const VelocityProblem& p, const SolverMemory& m, bool with_matrix) {
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_loops; ++i) {
    SolvedPair& pair = m.pairs[p.num_pairs + i];
    const RelativeTwist<double> twist = relative_twist(m, pair, m.vectors.velocity);
    if (warp.lane() == 0) {
      for (double& sum : pair.sums) sum = 0;
      m.loops[i].add_impulse(twist, pair.sums);
    }
    warp.sync();
    if (!with_matrix) continue;
    double matrix[MatrixSums::kSize] = {};
    m.loops[i].add_matrix(matrix);
    add_pair_to_matrix(warp, m, pair, matrix);
  }
}

/// Subtracts a pair's impulse from the gradient of the bodies that it pushes. Called by all lanes.
template <class Warp>
ISOPATCH_HD void subtract_impulse(Warp& warp, const SolverMemory& m, const SolvedPair& pair, double* gradient) {
  if constexpr (kTakesTrees<Warp>) {
    if (m.bodies[pair.a].is_in_tree() || m.bodies[pair.b].is_in_tree()) {
      auto&& lanes = lanes_of(warp);
      subtract_impulse_of_tree_pair(lanes, m, pair, gradient);
      return;
    }
  }
  const bool one_joint = share_joint(m.bodies[pair.a], m.bodies[pair.b]);  // then one lane takes both
  const int sides = pair.is_empty() || (one_joint && warp.lane() > 0) ? 0 : 2;
  ISOPATCH_NO_UNROLL
  for (int side = warp.lane(); side < sides; side += one_joint ? 1 : Warp::kSize) {
    const SolvedBody& body = m.bodies[side == 0 ? pair.a : pair.b];
    double* const own = gradient + body.first_dof;
    body.project(impulse_on(m, pair, side), [&](int k, double value) { own[k] -= value; });
  }
  warp.sync();
}

/// The impulses at the velocity, the gradient, and with PointSums::kTakesAll the matrix of second derivatives. Called
/// by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD void evaluate(Warp& warp, const PointSums& points, const VelocityProblem& p, const SolverMemory& m,
                          Evaluation how) {
  const SolverVectors& v = m.vectors;
  warp.sync();  // all have read what the last evaluation found
  multiply_by_mass(warp, p, m, v.velocity, v.momentum);
  if (how.with_matrix) begin_matrix(warp, p, m);
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    SolvedPair& pair = m.pairs[i];
    const RelativeTwist<double> twist = relative_twist(m, pair, v.velocity);
    const auto columns = columns_of<typename PointSums::Columns>(m, pair);
    const auto keep = [&](double* sums) {
      for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) { add_impulse(term, twist, sums); });
      if (warp.lane() != 0) return;
      ISOPATCH_UNROLL
      for (int k = 0; k < ImpulseSums::kSize; ++k) pair.sums[k] = sums[k];
    };
    if constexpr (PointSums::kTakesAll) {
      if (how.with_matrix) {
        double sums[kEvaluationSums];
        double* const matrix = sums + ImpulseSums::kSize;
        points.all(p.parameters, columns, pair.polygons, twist, how.renews, sums);
        for_each_term<PointSums>(m, pair, [&](const PlateTerm& term) { add_matrix(term, twist, matrix); });
        keep(sums);
        add_pair_to_matrix(warp, m, pair, matrix);
        continue;
      }
    }
    double sums[ImpulseSums::kSize];
    points.impulses(p.parameters, columns, pair.polygons, twist, !PointSums::kTakesAll && how.renews, sums);
    keep(sums);
  }
  if constexpr (kTakesTrees<Warp>) add_loops(warp, p, m, how.with_matrix);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_dofs; i += Warp::kSize) v.gradient[i] = v.momentum[i] - v.free_momentum[i];
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_joints; i += Warp::kSize) {
    const int dof = m.joint_dofs[i];
    v.gradient[dof] -= m.joints[i].impulse(v.velocity[dof]);
  }
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs + p.num_loops; ++i) {
    subtract_impulse(warp, m, m.pairs[i], v.gradient);
  }
}

/// The matrix at the velocity alone. Called by all lanes.
template <class Warp, class PointSums>
ISOPATCH_HD void find_matrix(Warp& warp, const PointSums& points, const VelocityProblem& p, const SolverMemory& m) {
  begin_matrix(warp, p, m);
  ISOPATCH_NO_UNROLL
  for (int i = 0; i < p.num_pairs; ++i) {
    const SolvedPair& pair = m.pairs[i];
    double sums[MatrixSums::kSize];
    const RelativeTwist<double> twist = relative_twist(m, pair, m.vectors.velocity);
    points.matrix(p.parameters, columns_of<typename PointSums::Columns>(m, pair), pair.polygons, twist, sums);
    add_pair_to_matrix(warp, m, pair, sums);
  }
  if constexpr (kTakesTrees<Warp>) add_loops(warp, p, m, true);
}

/// Solves H direction = -gradient, and replaces H by its Cholesky factor, or a copy of it in memory of the team that is
/// closer. Called by all lanes.
template <class Warp>
ISOPATCH_HD void find_direction(Warp& warp, const VelocityProblem& p, const SolverMemory& m) {
  const EliminationOrder& order = *m.order;
  LowerMatrix H = m.matrix;
  double* x = m.vectors.direction;
  std::int32_t* to_rows = m.rows;
  if constexpr (requires { warp.close_memory(); }) {
    GivenMemory close = {warp.close_memory(), 0};
    const int entries = p.num_dofs * p.num_dofs;
    close.give(H.entries, entries);
    close.give(x, p.num_dofs);
    close.give(to_rows, p.num_dofs);
    const bool fits = close.words <= Warp::kDoubles;
    if (!fits) H = m.matrix, x = m.vectors.direction, to_rows = m.rows;
    constexpr int kAtOnce = 12;  // that a lane waits for
    ISOPATCH_NO_UNROLL
    for (int first = warp.lane(); first < entries && fits; first += kAtOnce * Warp::kSize) {
      double entry[kAtOnce];
      const auto for_each_entry = [&](const auto& visit) {
        ISOPATCH_UNROLL
        for (int k = 0; k < kAtOnce; ++k) {
          if (first + k * Warp::kSize < entries) visit(entry[k], first + k * Warp::kSize);
        }
      };
      for_each_entry([&](double& value, int i) { value = m.matrix.entries[i]; });
      for_each_entry([&](double& value, int i) { H.entries[i] = value; });
    }
  }
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < p.num_dofs; i += Warp::kSize) x[i] = -m.vectors.gradient[i];
  warp.sync();
  // the rows of a body and, in the order of elimination, of later bodies it is connected with
  const auto list_rows = [&](int i) {
    std::int32_t count = 0;
    for_each_block(m, i, [&](const SolvedBody& of) {
      ISOPATCH_NO_UNROLL
      for (int k = warp.lane(); k < of.block_dofs; k += Warp::kSize) to_rows[count + k] = of.first_dof + k;
      count += of.block_dofs;
    });
    warp.sync();
    return MatrixRows{to_rows, count};
  };
  for (int i = 0; i < order.count; ++i) {
    const int columns = m.bodies[order.body[i]].block_dofs;
    const MatrixRows all = list_rows(i);
    if constexpr (Warp::kSize == 1) {
      eliminate_columns(H, all, columns, x);
    } else {
      for (int first = 0; first < columns; first += kMostColumns) {
        const MatrixRows rows = {all.row + first, all.count - first};
        eliminate_columns(warp, H, rows, min(columns - first, kMostColumns), x);
      }
    }
  }
  if constexpr (Warp::kSize == 1) {
    double zero[limits::kMaxBodies];
    for (int i = order.count - 1; i >= 0; --i) {
      double others = -0.0;
      for (int j = i + 1; j < order.count; ++j) {
        if ((order.touching[order.body[i]] & set_of(order.body[j])) == 0) others += zero[j];
      }
      zero[i] = substitute_back(H, list_rows(i), m.bodies[order.body[i]].block_dofs, others, x);
    }
  } else {
    substitute_back(warp, H, x);
    if constexpr (requires { warp.close_memory(); }) {
      ISOPATCH_NO_UNROLL
      for (int i = warp.lane(); i < p.num_dofs && x != m.vectors.direction; i += Warp::kSize) {
        m.vectors.direction[i] = x[i];
      }
      warp.sync();
    }
  }
}

}  // namespace isopatch::detail
