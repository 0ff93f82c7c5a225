// SPDX-License-Identifier: Apache-2.0
//
// The restitution of a contact in a step of the integrator midpoint.
#pragma once

#include "host/reference/rollout/convex_problem.h"

namespace isopatch::reference {

/// Changes the points of a contact with a restitution, after damp(), for bodies that come in a step that is long for
/// their contact, and for bodies that leave. `stiffness` is h^2 times that of the pair over the mass it moves; gravity
/// is a size, m/s^2.
void bounce(ConvexProblem& problem, FrictionTerm& term, const VectorX& known_velocities, Real stiffness, Real gravity);

/// Whether a stage of sdirk2 pushes the bodies of a contact with a restitution apart by a hundredth of the speed of
/// their impact faster than it asks for.
bool bounces_too_far(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& velocity, Real gravity);

}  // namespace isopatch::reference
