// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope/step_problem.h"

#include <algorithm>
#include <limits>

namespace isopatch::reference::polytope {
namespace {

using Twist = Eigen::Matrix<Real, 6, 1>;

/// From a body's degrees of freedom to the twist of its centre of mass.
Eigen::Matrix<Real, 6, Eigen::Dynamic> freedom_of(const StepBody& body) {
  Eigen::Matrix<Real, 6, Eigen::Dynamic> freedom;
  freedom.setZero(6, body.num_dofs());
  if (body.num_dofs() == 6) freedom.setIdentity();
  if (body.num_dofs() == 3) freedom(0, 0) = freedom(1, 1) = freedom(5, 2) = 1;
  return freedom;
}

Twist twist_of(const PolytopeBody& body) {
  Twist twist;
  twist << body.velocity, body.angular_velocity;
  return twist;
}

}  // namespace

Real StepProblem::gap_rate(const Relation& relation, const VectorX& v) const {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (const int member : relation.members) largest = std::max(largest, gap_rate(member, v));
  return largest;
}

StepProblem step_problem(const std::vector<StepBody>& bodies, const std::vector<BodyPair>& pairs,
                         const PairSettings& settings) {
  StepProblem problem;
  Eigen::Index dofs = 0;
  for (const StepBody& body : bodies) {
    problem.first_dofs.push_back(static_cast<int>(dofs));
    dofs += body.num_dofs();
  }
  problem.mass = MatrixX::Zero(dofs, dofs);
  problem.free_velocity = VectorX::Zero(dofs);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto freedom = freedom_of(bodies[i]);
    Eigen::Matrix<Real, 6, 6> inertia = Eigen::Matrix<Real, 6, 6>::Zero();
    inertia.topLeftCorner<3, 3>() = bodies[i].mass * Matrix3::Identity();
    inertia.bottomRightCorner<3, 3>() = bodies[i].inertia;
    const Eigen::Index first = problem.first_dofs[i], count = freedom.cols();
    problem.mass.block(first, first, count, count) = freedom.transpose() * inertia * freedom;
    problem.free_velocity.segment(first, count) = freedom.transpose() * twist_of(bodies[i].body);
  }

  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const StepBody* sides[] = {&bodies[static_cast<std::size_t>(pairs[p].a)],
                               &bodies[static_cast<std::size_t>(pairs[p].b)]};
    const PairResult found = evaluate_pair(sides[0]->body, sides[1]->body, settings);
    for (const PartPair& parts : found.part_pairs) {
      const auto before = static_cast<int>(problem.contacts.size());
      for (const Contact& contact : parts.set.contacts) {
        StepContact row = {static_cast<int>(p), contact, contact.gap / settings.time_step, VectorX::Zero(dofs)};
        const auto center = [&](int side) { return sides[side]->body.pose * sides[side]->body.center; };
        const GapRow of_gap = gap_row(contact, center(0), center(1));
        for (const int side : {0, 1}) {
          const Twist of_side = of_gap.segment<6>(6 * side);
          const auto freedom = freedom_of(*sides[side]);
          const int body = side == 0 ? pairs[p].a : pairs[p].b;
          row.J.segment(problem.first_dofs[static_cast<std::size_t>(body)], freedom.cols()) +=
              freedom.transpose() * of_side;
          if (freedom.cols() == 0) row.b += of_side.dot(twist_of(sides[side]->body));
        }
        problem.contacts.push_back(row);
      }
      for (Relation relation : parts.set.relations) {
        for (int& member : relation.members) member += before;
        problem.relations.push_back(relation);
      }
    }
  }
  return problem;
}

}  // namespace isopatch::reference::polytope
