// SPDX-License-Identifier: Apache-2.0
//
// One step of rigid bodies with corners, as a problem for their velocities: of the contacts of each relation, one at
// least must have a gap of zero or more where the velocities lead, by gaps that are linear in them.
#pragma once

#include <vector>

#include "host/reference/polytope/pair.h"

namespace isopatch::reference::polytope {

/// A body that takes a step.
struct StepBody {
  PolytopeBody body;  // with the velocities that it has at the end of the step without contact
  Real mass = 0;      // kg, of a polygon per metre; 0: it does not yield, and moves as its velocities say
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, world axes
  bool is_planar = false;             // moves along x and y and about z

  int num_dofs() const { return mass > 0 ? is_planar ? 3 : 6 : 0; }
};

/// A contact that may bear an impulse: its gap over the step is b + J v.
struct StepContact {
  int pair = 0;  // among those that were given
  Contact contact;
  Real b = 0;  // m/s: gap over the step's length, and what bodies without degrees of freedom add
  VectorX J;
};

/// Find v nearest to v* in the metric of M so that max over the members of (b + J v) >= 0 for each relation.
struct StepProblem {
  std::vector<int> first_dofs;  // of each body
  MatrixX mass;                 // M
  VectorX free_velocity;        // v*
  std::vector<StepContact> contacts;
  std::vector<Relation> relations;  // members are indices of contacts

  Eigen::Index num_dofs() const { return free_velocity.size(); }
  Real gap_rate(int contact, const VectorX& v) const {
    const StepContact& c = contacts[static_cast<std::size_t>(contact)];
    return c.b + c.J.dot(v);
  }
  /// The largest over the members of a relation.
  Real gap_rate(const Relation& relation, const VectorX& v) const;
  /// Half the square of the distance from v* in the metric of M, J.
  Real cost(const VectorX& v) const { return (v - free_velocity).dot(mass * (v - free_velocity)) / 2; }
};

struct BodyPair {
  int a = 0, b = 0;
};

/// `settings.time_step` is the length of the step, s.
StepProblem step_problem(const std::vector<StepBody>& bodies, const std::vector<BodyPair>& pairs,
                         const PairSettings& settings);

}  // namespace isopatch::reference::polytope
