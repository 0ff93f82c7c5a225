// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/complementarity.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace isopatch::reference::polytope {
namespace {

constexpr Real kZero = 1e-14L;

/// w - A z - d z0 = b as rows over the columns w, z, z0 and b, which pivots turn round. The columns of w are at first
/// the unit matrix, by whose order rows with equal quotients are told apart.
class Tableau {
 public:
  Tableau(const MatrixX& A, const VectorX& b) : size_(b.size()), rows_(size_, 2 * size_ + 2) {
    rows_ << MatrixX::Identity(size_, size_), -A, -VectorX::Ones(size_), b;
    for (Eigen::Index i = 0; i < size_; ++i) basis_.push_back(i);
  }

  Eigen::Index artificial() const { return 2 * size_; }
  Eigen::Index complement(Eigen::Index column) const { return column < size_ ? column + size_ : column - size_; }

  /// The row whose variable becomes 0 first as the variable of a column grows; -1: none. The artificial variable leaves
  /// if it becomes 0 too.
  Eigen::Index leaving(Eigen::Index column) const {
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < size_; ++i) {
      if (rows_(i, column) > kZero && (best < 0 || is_before(i, best, column))) best = i;
    }
    if (best < 0) return best;
    for (Eigen::Index i = 0; i < size_; ++i) {
      if (basis_[static_cast<std::size_t>(i)] != artificial() || rows_(i, column) <= kZero) continue;
      if (std::abs(quotient(i, column) - quotient(best, column)) <= kZero) return i;
    }
    return best;
  }
  /// For the artificial variable at the start: the row that is lowest.
  Eigen::Index lowest() const {
    Eigen::Index row = 0;
    for (Eigen::Index i = 1; i < size_; ++i) {
      if (rhs(i) < rhs(row)) row = i;
    }
    return row;
  }
  Real rhs(Eigen::Index row) const { return rows_(row, 2 * size_ + 1); }

  /// Returns the variable that leaves.
  Eigen::Index pivot(Eigen::Index row, Eigen::Index column) {
    rows_.row(row) /= rows_(row, column);
    for (Eigen::Index i = 0; i < size_; ++i) {
      if (i != row) rows_.row(i) -= rows_(i, column) * rows_.row(row).eval();
    }
    return std::exchange(basis_[static_cast<std::size_t>(row)], column);
  }
  VectorX z() const {
    VectorX result = VectorX::Zero(size_);
    for (Eigen::Index i = 0; i < size_; ++i) {
      const Eigen::Index column = basis_[static_cast<std::size_t>(i)];
      if (column >= size_ && column < 2 * size_) result[column - size_] = rhs(i);
    }
    return result;
  }

 private:
  Real quotient(Eigen::Index row, Eigen::Index column) const { return rhs(row) / rows_(row, column); }
  bool is_before(Eigen::Index i, Eigen::Index k, Eigen::Index column) const {
    const Real difference = quotient(i, column) - quotient(k, column);
    if (std::abs(difference) > kZero) return difference < 0;
    for (Eigen::Index c = 0; c < size_; ++c) {
      const Real next = rows_(i, c) / rows_(i, column) - rows_(k, c) / rows_(k, column);
      if (std::abs(next) > kZero) return next < 0;
    }
    return false;
  }

  Eigen::Index size_;
  MatrixX rows_;
  std::vector<Eigen::Index> basis_;
};

std::size_t first_contact(const StepProblem& problem, const Relation& relation) {
  constexpr Real kBelow = -1e-4L;
  const auto gap = [&](std::size_t i) {
    return problem.contacts[static_cast<std::size_t>(relation.members[i])].contact.gap;
  };
  std::size_t first = 0;
  for (std::size_t i = 1; i < relation.members.size(); ++i) {
    const bool is_better = gap(first) >= kBelow ? gap(i) >= kBelow && gap(i) < gap(first) : gap(i) > gap(first);
    if (is_better) first = i;
  }
  return first;
}

}  // namespace

std::optional<VectorX> solve_lcp(const MatrixX& A, const VectorX& b) {
  if (b.size() == 0 || b.minCoeff() >= 0) return VectorX::Zero(b.size());
  Tableau tableau(A, b);
  Eigen::Index entering = tableau.complement(tableau.pivot(tableau.lowest(), tableau.artificial()));
  const Eigen::Index most = 50 * b.size() + 100;
  for (Eigen::Index i = 0; i < most; ++i) {
    const Eigen::Index row = tableau.leaving(entering);
    if (row < 0) return {};
    const Eigen::Index left = tableau.pivot(row, entering);
    if (left == tableau.artificial()) return tableau.z();
    entering = tableau.complement(left);
  }
  return {};
}

std::optional<StepSolution> complementary_step(const StepProblem& problem, bool cross_bears) {
  const auto contact = [&](int i) -> const StepContact& { return problem.contacts[static_cast<std::size_t>(i)]; };
  // rows in v and in c: of each relation the row of its first contact, then the rows of other contacts above it
  std::vector<VectorX> in_v;
  std::vector<int> bears;  // of each row the contact that its impulse acts at; negative: none
  std::vector<std::vector<std::size_t>> in_c;
  std::vector<Real> constant;
  for (const Relation& relation : problem.relations) {
    std::vector<int> members = relation.members;
    std::rotate(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(first_contact(problem, relation)),
                members.begin() + static_cast<std::ptrdiff_t>(first_contact(problem, relation)) + 1);
    const std::size_t begin = in_v.size();
    const StepContact& first = contact(members[0]);
    in_v.push_back(first.J);
    constant.push_back(first.b);
    bears.push_back(relation.kind != RelationKind::kCross || cross_bears ? members[0] : -1);
    in_c.emplace_back();
    for (std::size_t j = 1; j < members.size(); ++j) {
      in_v.push_back(first.J - contact(members[j]).J);
      constant.push_back(first.b - contact(members[j]).b);
      bears.push_back(-1);
      in_c[begin].push_back(begin + j);
      in_c.emplace_back();
      for (std::size_t i = 1; i <= j; ++i) in_c.back().push_back(begin + i);
    }
  }
  const auto size = static_cast<Eigen::Index>(in_v.size());
  const Eigen::LLT<MatrixX> mass(problem.mass);
  MatrixX A = MatrixX::Zero(size, size);
  VectorX b(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    b[i] = constant[at] + in_v[at].dot(problem.free_velocity);
    for (Eigen::Index k = 0; k < size; ++k) {
      const int bearing = bears[static_cast<std::size_t>(k)];
      if (bearing >= 0) A(i, k) = in_v[at].dot(mass.solve(contact(bearing).J));
    }
    for (const std::size_t k : in_c[at]) A(i, static_cast<Eigen::Index>(k)) += 1;
  }
  const std::optional<VectorX> z = solve_lcp(A, b);
  if (!z) return {};
  StepSolution solution = {problem.free_velocity, VectorX::Zero(static_cast<Eigen::Index>(problem.contacts.size())), 0};
  for (Eigen::Index i = 0; i < size; ++i) {
    const int bearing = bears[static_cast<std::size_t>(i)];
    if (bearing < 0) continue;
    solution.impulses[bearing] += (*z)[i];
    solution.velocity += (*z)[i] * mass.solve(contact(bearing).J);
  }
  solution.cost = problem.cost(solution.velocity);
  return solution;
}

}  // namespace isopatch::reference::polytope
