// SPDX-License-Identifier: Apache-2.0
//
// The contacts of a step of the integrator midpoint. Its damper: how stiff the contact of each pair is for a step, and
// which part of the velocities at its points carries the patch along. And the restitution of a contact.
#pragma once

#include <optional>

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

/// A rebound that takes the place of a contact's spring, along its normal.
struct Bounce {
  Real mass = 0;                 // that its impulse moves, kg
  Real before = 0, leaving = 0;  // how fast its bodies part before the step and ask to after it, m/s
  Real free = 0;                 // without the contact, m/s
};

/// What takes the place of the spring of a contact with a restitution, after damp(), in a step that is long for it.
/// Otherwise its points are changed to push bodies that leave no farther than asked for. `stiffness` is h^2 times that
/// of the pair over the mass it moves; gravity is a size, m/s^2.
std::optional<Bounce> bounce(ConvexProblem& problem, FrictionTerm& term, const VectorX& known_velocities,
                             Real stiffness, Real gravity);

/// Changes the points of the contact so that alone it leaves with `leaving`.
void rebound(ConvexProblem& problem, FrictionTerm& term, const Bounce& bounce, Real leaving);

/// The work of the contact in a step, with its friction, J.
Real work_of(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& before, const VectorX& after);

/// Whether a stage of sdirk2 pushes the bodies of a contact with a restitution apart by a hundredth of the speed of
/// their impact faster than it asks for.
bool bounces_too_far(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& velocity, Real gravity);

}  // namespace isopatch::reference
