// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/convex_problem.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/reference/rollout/moving_bodies.h"
#include "isopatch/error.h"

namespace isopatch::reference {
namespace {

constexpr Real kConverged = 1e-15L;  // of the gradient relative to the momenta, both over the roots of masses
constexpr Real kAtRest = 1e-20L;     // of the same, J^(1/2)
constexpr int kMaxIterations = 200, kMaxTrials = 200;

}  // namespace

Vector3 ConvexProblem::point_velocity(std::size_t i, const VectorX& velocity) const {
  const auto row = static_cast<Eigen::Index>(3 * i);
  return jacobian.middleRows<3>(row) * velocity + known.segment<3>(row);
}

Real ConvexProblem::normal_speed(std::size_t i, const VectorX& velocity) const {
  return points[i].normal.dot(point_velocity(i, velocity));
}

Real ConvexProblem::normal_impulse(std::size_t i, Real v_n) const {
  const ContactPoint& p = points[i];
  return step * std::max(p.force - step * p.stiffness * v_n, Real{0}) * std::max(1 - p.dissipation * v_n, Real{0});
}

Real ConvexProblem::normal_impulse_of(const FrictionTerm& term, const VectorX& velocity) const {
  Real sum = 0;
  for (const std::size_t i : term.points) sum += normal_impulse(i, normal_speed(i, velocity));
  return sum;
}

Vector3 ConvexProblem::impulse(std::size_t i, const VectorX& velocity) const {
  const Vector3& n = points[i].normal;
  const Vector3 u = point_velocity(i, velocity), slip = u - n * n.dot(u);
  const Real friction = points[i].friction * limits[i];
  return normal_impulse(i, n.dot(u)) * n - friction / std::hypot(slip.norm(), slip_tolerance) * slip;
}

Matrix3 ConvexProblem::impulse_matrix(std::size_t i, const VectorX& velocity) const {
  const ContactPoint& p = points[i];
  const Matrix3 along = p.normal * p.normal.transpose(), across = Matrix3::Identity() - along;
  const Vector3 u = point_velocity(i, velocity);
  const Real v_n = p.normal.dot(u), elastic = p.force - step * p.stiffness * v_n, damping = 1 - p.dissipation * v_n;
  const Real fall =
      elastic > 0 && damping > 0 ? step * (step * p.stiffness * damping + p.dissipation * elastic) : Real{0};

  const Real root = std::hypot((across * u).norm(), slip_tolerance);
  const Vector3 t = across * u / root;
  return fall * along + p.friction * limits[i] / root * (across - t * t.transpose());
}

VectorX ConvexProblem::gradient(const VectorX& velocity) const {
  VectorX result = mass * (velocity - free_velocity);
  for (std::size_t i = 0; i < points.size(); ++i) {
    result -= jacobian.middleRows<3>(static_cast<Eigen::Index>(3 * i)).transpose() * impulse(i, velocity);
  }
  for (const FrictionTerm& term : terms) result -= term.jacobian.transpose() * term.on_a(velocity);
  for (const auto& [dof, force] : joints) result[dof] -= force.step * force.force(velocity[dof]);
  return result;
}

ConvexProblem::Derivatives ConvexProblem::derivatives(const VectorX& velocity) const {
  Derivatives result = {gradient(velocity), mass};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const MatrixX J = jacobian.middleRows<3>(static_cast<Eigen::Index>(3 * i));
    result.matrix += J.transpose() * impulse_matrix(i, velocity) * J;
  }
  for (const FrictionTerm& term : terms) {
    const MatrixX J = term.slip_matrix() * term.jacobian;
    result.matrix += term.impulse * J.transpose() * term.friction.slope(term.slip(velocity)) * J;
  }
  for (const auto& [dof, force] : joints) result.matrix(dof, dof) += force.step * force.fall(velocity[dof]);
  return result;
}

/// How far to go along the direction: until the slope, which is negative at first, is small.
Real ConvexProblem::distance_along(const VectorX& velocity, const VectorX& direction) const {
  const auto slope_at = [&](Real distance) { return gradient(velocity + distance * direction).dot(direction); };
  const Real small = std::abs(slope_at(0)) / 4;
  Real low = 0, high = 1;
  while (slope_at(high) < -small && high < 1024) {
    low = high;
    high *= 2;
  }
  Real middle = high;
  for (int trial = 0; trial < kMaxTrials; ++trial) {
    const Real slope = slope_at(middle);
    if (std::abs(slope) <= small) break;
    (slope < 0 ? low : high) = middle;
    middle = (low + high) / 2;
  }
  return middle;
}

VectorX ConvexProblem::minimum(VectorX velocity) const {
  const VectorX weights = mass.diagonal().cwiseSqrt().cwiseInverse();
  const auto size = [&](const VectorX& momentum) { return weights.cwiseProduct(momentum).norm(); };
  const auto tolerance = [&] {
    return kConverged * std::max(size(mass * velocity), size(mass * free_velocity)) + kAtRest;
  };
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Derivatives d = derivatives(velocity);
    if (size(d.gradient) <= tolerance()) return velocity;
    const VectorX direction = -d.matrix.llt().solve(d.gradient);
    velocity += distance_along(velocity, direction) * direction;
  }
  // a stop's force follows from a difference of rates
  VectorX rounding = VectorX::Zero(velocity.size());
  for (const auto& [dof, force] : joints) {
    if (force.of_stop(velocity[dof]) == 0) continue;
    rounding[dof] += 4 * std::numeric_limits<Real>::epsilon() * force.step * force.stop * std::abs(velocity[dof]);
  }
  if (size(gradient(velocity)) <= tolerance() + size(rounding)) return velocity;
  throw Error("the reference found no velocities for a step");
}

void ConvexProblem::begin_limits(const VectorX& velocity, bool predicted) {
  limits.clear();
  for (std::size_t i = 0; i < points.size(); ++i) {
    ContactPoint& point = points[i];
    const Real v_n = normal_speed(i, velocity);
    limits.push_back(step * point.force * std::max(1 - point.dissipation * v_n, Real{0}));
    if (predicted) point.force += step * point.stiffness * v_n;
  }
  for (FrictionTerm& term : terms) {
    term.impulse = 0;
    for (const std::size_t i : term.points) term.impulse += limits[i];
  }
}

VectorX ConvexProblem::solve(const VectorX& start, int passes, Real renewed) {
  VectorX velocity = start;
  for (int pass = 1;; ++pass) {
    velocity = minimum(velocity);
    std::vector<Real> found;
    Real missed = 0, friction = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      found.push_back(normal_impulse(i, normal_speed(i, velocity)));
      missed += points[i].friction * std::abs(found[i] - limits[i]);
      friction += points[i].friction * found[i];
    }
    for (const FrictionTerm& term : terms) {
      const Real mu = term.contact.law.friction, normal = normal_impulse_of(term, velocity);
      missed += mu * std::abs(normal - term.impulse);
      friction += mu * normal;
      if (!term.friction.has_bristles()) continue;
      missed += mu * normal * std::abs(term.sticking_at(term.slip(velocity)) - term.friction.sticking);
    }
    if (pass >= passes || !(missed > renewed * friction)) return velocity;
    limits = found;
    for (FrictionTerm& term : terms) {
      term.impulse = normal_impulse_of(term, velocity);
      term.hold(term.slip(velocity), pass == 1 ? 1 : 0.5L);
    }
  }
}

Eigen::Matrix<Real, 4, 6> FrictionTerm::slip_matrix() const {
  const Vector3& n = contact.normal;
  Eigen::Matrix<Real, 4, 6> S = Eigen::Matrix<Real, 4, 6>::Zero();
  S.topLeftCorner<3, 3>() = Matrix3::Identity() - n * n.transpose();
  S.bottomRightCorner<1, 3>() = spin_radius() * n.transpose();
  return S;
}

void FrictionTerm::begin(const Memory& before, const Vector6& twist, const Vector3& mean_spin, Real step) {
  const Vector3& n = contact.normal;
  begun = touched(contact.law, before, contact.metric, -n.dot(twist.head<3>()));
  friction.law = contact.law;
  friction.time_step = step;
  friction.bent << carried(begun.bend, n, step * n.dot(mean_spin)), spin_radius() * begun.twist;
  hold(slip_matrix() * twist);
}

Memory FrictionTerm::after(const Vector4& slip, Real duration) const {
  Memory next;
  next.impact = begun.impact;
  next.offset = offset_after(contact.law, begun.offset, duration);
  next.age = begun.age + duration;
  if (!friction.has_bristles()) return next;
  const Vector4 bend = friction.next_bend(slip);
  next.bend = bend.head<3>();
  next.twist = spin_radius() > 0 ? bend[3] / spin_radius() : 0;
  next.dwell = friction.dwell;
  return next;
}

Memory between_stages(const FrictionTerm& term, const Memory& first, const Vector4& slip, Real duration) {
  Memory next = first;
  if (!term.friction.has_bristles()) return next;
  const Real beyond = (1 - kGamma) / kGamma;
  next.bend = term.begun.bend + beyond * (first.bend - term.begun.bend);
  next.twist = term.begun.twist + beyond * (first.twist - term.begun.twist);
  next.dwell = dwell_after(term.contact.law, term.sticking_at(slip), term.begun.dwell, duration);
  return next;
}

}  // namespace isopatch::reference
