// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/bounce.h"

#include <Eigen/Cholesky>

#include <algorithm>

namespace isopatch::reference {
namespace {

Real speed_of_parting(const FrictionTerm& term, const VectorX& velocity) {
  return term.contact.normal.dot((term.jacobian * velocity + term.known).head<3>());
}

}  // namespace

void bounce(ConvexProblem& problem, FrictionTerm& term, const VectorX& known_velocities, Real stiffness, Real gravity) {
  const LumpedLaw& law = term.contact.law;
  if (!law.restitution || !term.contact.is_lumped) return;
  const Real h = problem.step, came_with = term.begun.impact;
  const VectorX of_normal = term.jacobian.topRows<3>().transpose() * term.contact.normal;
  const Real mass = 1 / of_normal.dot(Eigen::LLT<MatrixX>(problem.mass).solve(of_normal));
  const Real before = speed_of_parting(term, known_velocities);
  const Real without = speed_of_parting(term, problem.free_velocity);
  const Real fell = std::max<Real>(0, before - without) / 2, leaves_with = *law.restitution * (came_with - fell);
  const bool pressed = came_with <= 2 * std::max(h * gravity, before - without);
  if (pressed || came_with <= law.small_speed) return;

  const auto count = static_cast<Real>(term.points.size());
  if (stiffness > 0.06L && before < -came_with / 2) {
    // a line through e v_i with the slope of 200 masses in a step
    const Real impulse = mass * (leaves_with - without), slope = 200 * mass;
    for (const std::size_t i : term.points) {
      ContactPoint& point = problem.points[i];
      point.stiffness = slope / (h * h * count);
      point.force = (impulse + slope * leaves_with) / (h * count);
      point.dissipation = 0;
      point.position = term.contact.position;
      const auto row = static_cast<Eigen::Index>(3 * i);
      problem.jacobian.middleRows<3>(row) = term.jacobian.topRows<3>();
      problem.known.segment<3>(row) = term.known.head<3>();
    }
    term.impulse = impulse;
    return;
  }
  if (before <= leaves_with / 2) return;
  // the largest force at rest with which the contact leaves with e v_i, or that pushes no more
  Real slope = 0, force = 0;
  for (const std::size_t i : term.points) {
    slope += h * problem.points[i].stiffness;
    force += problem.points[i].force;
  }
  const Real share = 1 - damping_after(law, came_with) * *law.restitution * came_with;
  const Real most = std::max(slope * std::max(before, leaves_with),
                             slope * leaves_with + mass * (leaves_with - without) / (h * share));
  if (force <= most) return;
  for (const std::size_t i : term.points) problem.points[i].force *= most / force;
}

bool bounces_too_far(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& velocity, Real gravity) {
  const LumpedLaw& law = term.contact.law;
  if (!law.restitution || !term.contact.is_lumped) return false;
  const Real came_with = term.begun.impact, most = (*law.restitution + 0.01L) * came_with;
  if (came_with <= std::max<Real>(2 * problem.step * gravity, law.small_speed)) return false;
  return speed_of_parting(term, velocity) > most && speed_of_parting(term, problem.free_velocity) <= most;
}

}  // namespace isopatch::reference
