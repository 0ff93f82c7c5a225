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

std::optional<Bounce> bounce(ConvexProblem& problem, FrictionTerm& term, const VectorX& known_velocities,
                             Real stiffness, Real gravity) {
  const ContactForceLaw& law = term.contact.law;
  if (!law.restitution || !term.contact.is_single_contact) return {};
  const Real h = problem.step, impact = term.begun.impact, e = *law.restitution;
  const VectorX of_normal = term.jacobian.topRows<3>().transpose() * term.contact.normal;
  Bounce bounce;
  bounce.mass = 1 / of_normal.dot(Eigen::LLT<MatrixX>(problem.mass).solve(of_normal));
  bounce.before = speed_of_parting(term, known_velocities);
  bounce.free = speed_of_parting(term, problem.free_velocity);
  const Real given = bounce.before - bounce.free;
  if (impact <= 2 * std::max(h * gravity, given) || impact <= law.small_speed) return {};

  const Real wanted = e * (impact - std::max<Real>(given, 0) / 2);
  const bool comes = -bounce.before > 0.9L * wanted, is_early = term.begun.age <= 8 * h;
  if (is_early && stiffness > (comes ? 0.06L : 0.25L)) {
    bounce.leaving = comes ? std::min(wanted, -0.999L * bounce.before) : -bounce.before * (bounce.before < 0 ? e : 1);
    return bounce;
  }
  if (stiffness > 0.25L || bounce.before <= wanted / 2) return {};
  // the largest force at rest with which the contact leaves with e v_i, or that pushes no more
  Real slope = 0, force = 0;
  for (const std::size_t i : term.points) {
    slope += h * problem.points[i].stiffness;
    force += problem.points[i].force;
  }
  const Real share = 1 - damping_after(law, impact) * e * impact;
  const Real most = std::max(slope * std::max(bounce.before, wanted),
                             slope * wanted + bounce.mass * (wanted - bounce.free) / (h * share));
  if (force <= most) return {};
  for (const std::size_t i : term.points) problem.points[i].force *= most / force;
  return {};
}

void rebound(ConvexProblem& problem, FrictionTerm& term, const Bounce& bounce, Real leaving) {
  const Real h = problem.step, count = static_cast<Real>(term.points.size());
  const Real impulse = bounce.mass * (leaving - bounce.free), slope = 2000 * bounce.mass;
  for (const std::size_t i : term.points) {  // a line through v' with the slope of 2000 masses in a step
    ContactPoint& point = problem.points[i];
    point.stiffness = slope / (h * h * count);
    point.force = (impulse + slope * leaving) / (h * count);
    point.dissipation = 0;
    point.position = term.contact.position;
    const auto row = static_cast<Eigen::Index>(3 * i);
    problem.jacobian.middleRows<3>(row) = term.jacobian.topRows<3>();
    problem.known.segment<3>(row) = term.known.head<3>();
  }
  term.impulse = std::max<Real>(impulse, 0);
}

Real work_of(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& before, const VectorX& after) {
  const Real normal = problem.normal_impulse_of(term, after);
  const Vector4 slips = term.slip(before) + term.slip(after);
  return (normal * (speed_of_parting(term, before) + speed_of_parting(term, after)) -
          term.impulse * term.friction.friction(term.slip(after)).dot(slips)) /
         2;
}

bool bounces_too_far(const ConvexProblem& problem, const FrictionTerm& term, const VectorX& velocity, Real gravity) {
  const ContactForceLaw& law = term.contact.law;
  if (!law.restitution || !term.contact.is_single_contact) return false;
  const Real came_with = term.begun.impact, most = (*law.restitution + 0.01L) * came_with;
  if (came_with <= std::max<Real>(2 * problem.step * gravity, law.small_speed)) return false;
  return speed_of_parting(term, velocity) > most && speed_of_parting(term, problem.free_velocity) <= most;
}

}  // namespace isopatch::reference
