// SPDX-License-Identifier: Apache-2.0
//
// The damper of the integrator midpoint: how stiff the contact of each pair is for a step, and which part of the
// velocities at its points carries the patch along.
#pragma once

#include "host/reference/rollout/convex_problem.h"

namespace isopatch::reference {

/// A body of a pair, with its known twist.
struct DampedBody {
  bool is_free = false, has_joint = false;
  Real mass = 0;                     // of a free body
  Vector3 center = Vector3::Zero();  // of mass; of a body without degrees of freedom its origin
  Vector6 twist = Vector6::Zero();   // of that point
};

/// The largest sum over the points of any pair of h^2 k n . W n: W is what an impulse changes the relative velocity of
/// a point by. `step` is h, s.
Real stiffest_pair(const ConvexProblem& problem, Real step);

/// That sum for the points with these indices.
Real relative_stiffness(const ConvexProblem& problem, const std::vector<std::size_t>& points, Real step);

/// Changes forces and stiffnesses of the points of one pair, which have these indices; after begin_limits(). With
/// `rolls` turning leaves the patch whole. The step has this many sub-steps.
void damp(ConvexProblem& problem, const std::vector<std::size_t>& points, const DampedBody& a, const DampedBody& b,
          bool rolls, Real substeps);

}  // namespace isopatch::reference
