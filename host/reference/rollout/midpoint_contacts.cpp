// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/midpoint_contacts.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <map>

namespace isopatch::reference {
namespace {

/// n . W n of a point, 1/kg.
Real softness(const ConvexProblem& problem, const Eigen::LLT<MatrixX>& mass, std::size_t point) {
  const VectorX along =
      problem.jacobian.middleRows<3>(static_cast<Eigen::Index>(3 * point)).transpose() * problem.points[point].normal;
  return along.dot(mass.solve(along));
}

Vector3 velocity_at(const DampedBody& body, const Vector3& position) {
  return twist_at(body.twist, position - body.center).head<3>();
}

/// The velocity that a patch goes along with: of the body on which it moves less.
Vector3 carrying_velocity(const DampedBody& a, const DampedBody& b) {
  constexpr Real kSlow = 1e-4L;  // rad^2/s^2
  Real of_a = a.is_free || (a.has_joint && !b.is_free) ? 1 : 0;
  if (a.is_free && b.is_free) {
    const Real turn_a = a.twist.tail<3>().squaredNorm(), turn_b = b.twist.tail<3>().squaredNorm();
    of_a = (turn_a + kSlow * b.mass / (a.mass + b.mass)) / (turn_a + turn_b + kSlow);
  }
  return of_a * a.twist.head<3>() + (1 - of_a) * b.twist.head<3>();
}

/// The least-squares multiple of `part` in rates over stiffnesses, from none to all of it.
Real share(Real rate, Real squared) { return squared > 0 ? std::clamp(rate / squared, Real{0}, Real{1}) : 0; }

/// By how much less than the points of an overlap say its bodies are pushed apart as they turn about `middle`, for it
/// moves in them: over each point the elastic force's rate that is too much, times how fast the turn parts the bodies.
Real turned_along(const ConvexProblem& problem, const FrictionTerm& term, const DampedBody& a, const DampedBody& b,
                  const Vector3& carried, const Vector3& middle) {
  const Vector3 turning = a.twist.tail<3>() - b.twist.tail<3>(), &center = term.contact.position;
  const Vector3& n = term.contact.normal;
  Vector3 shift = Vector3::Zero();
  Real stiffness = 0, turned = 0;
  for (const std::size_t i : term.points) {
    const ContactPoint& point = problem.points[i];
    const Vector3 from_center = point.position - center;
    const Real turn = n.dot(turning.cross(from_center));
    shift += point.stiffness * turn * from_center;
    turned += point.stiffness * turn * turn;
    stiffness += point.stiffness;
  }
  Real sum = 0;
  if (shift.squaredNorm() > 0) {
    const Vector3 goes_along = carried - velocity_at(b, center);
    const Vector3 moves = stiffness * term.contact.thickness * (term.contact.velocity - goes_along);
    sum += turned * (1 + moves.dot(shift) / shift.squaredNorm());
  }
  const Real parting = n.dot(velocity_at(a, center) - velocity_at(b, center));
  return sum + stiffness * (term.contact.growth + parting) * n.dot(turning.cross(center - middle));
}

Real speed_of_parting(const FrictionTerm& term, const VectorX& velocity) {
  return term.contact.normal.dot((term.jacobian * velocity + term.known).head<3>());
}

}  // namespace

Real stiffest_pair(const ConvexProblem& problem, Real step) {
  if (problem.points.empty()) return 0;
  const Eigen::LLT<MatrixX> mass(problem.mass);
  std::map<std::size_t, Real> stiffness;
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    stiffness[problem.points[i].pair] += step * step * problem.points[i].stiffness * softness(problem, mass, i);
  }
  Real largest = 0;
  for (const auto& [pair, value] : stiffness) largest = std::max(largest, value);
  return largest;
}

Real relative_stiffness(const ConvexProblem& problem, const std::vector<std::size_t>& points, Real step) {
  const Eigen::LLT<MatrixX> mass(problem.mass);
  Real sum = 0;
  for (const std::size_t i : points) sum += step * step * problem.points[i].stiffness * softness(problem, mass, i);
  return sum;
}

void damp(ConvexProblem& problem, const std::vector<std::size_t>& points, const DampedBody& a, const DampedBody& b,
          bool rolls, Real substeps) {
  const Real h = problem.step, relative = relative_stiffness(problem, points, h);
  Real stiffness = 0;
  Vector3 middle = Vector3::Zero(), normal = Vector3::Zero();
  for (const std::size_t i : points) {
    const ContactPoint& point = problem.points[i];
    stiffness += point.stiffness;
    middle += point.stiffness * point.position;
    normal += point.stiffness * point.normal;
  }
  if (stiffness == 0) return;  // of points that only begin to press
  middle /= stiffness;
  normal.normalize();
  Real beta = 2 * relative / (1 + relative);
  const Real top = (a.is_free && b.is_free ? 20 : 3) * substeps, of_step = relative * substeps * substeps;
  if (of_step > 1) beta += (top - 2) * std::pow(1 - 1 / of_step, 2);

  const Vector3 carried = carrying_velocity(a, b), turning = a.twist.tail<3>() - b.twist.tail<3>();
  const Vector3 in_middle = velocity_at(a, middle) - velocity_at(b, middle);
  Vector3 slip = in_middle - normal * normal.dot(in_middle);
  if (a.is_free && b.is_free) slip.setZero();
  const auto turn_at = [&](const ContactPoint& p) { return p.normal.dot(turning.cross(p.position - middle)); };
  Real of_turn = 0, turn_squared = 0, of_slip = 0, slip_squared = 0;
  for (const std::size_t i : points) {
    const ContactPoint& p = problem.points[i];
    const Vector3 of_field = (1 - p.share_b) * velocity_at(a, p.position) + p.share_b * velocity_at(b, p.position);
    const Real rate = -p.slope.dot(of_field - carried), turn = turn_at(p), slide = p.normal.dot(slip);
    of_turn += rate * turn;
    turn_squared += p.stiffness * turn * turn;
    of_slip += rate * slide;
    slip_squared += p.stiffness * slide * slide;
  }
  for (const FrictionTerm& term : problem.terms) {
    if (term.contact.pair != problem.points[points.front()].pair || !(term.contact.thickness > 0)) continue;
    of_turn += turned_along(problem, term, a, b, carried, middle);
  }
  const Real share_of_turn = rolls ? 1 : share(of_turn, turn_squared), share_of_slip = share(of_slip, slip_squared);
  for (const std::size_t i : points) {
    ContactPoint& p = problem.points[i];
    p.stiffness *= beta;
    p.force += h * p.stiffness * (share_of_turn * turn_at(p) + share_of_slip * p.normal.dot(slip));
  }
}

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
