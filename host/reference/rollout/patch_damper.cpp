// SPDX-License-Identifier: Apache-2.0
#include "host/reference/rollout/patch_damper.h"

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
  const Real share_of_turn = rolls ? 1 : share(of_turn, turn_squared), share_of_slip = share(of_slip, slip_squared);
  for (const std::size_t i : points) {
    ContactPoint& p = problem.points[i];
    p.stiffness *= beta;
    p.force += h * p.stiffness * (share_of_turn * turn_at(p) + share_of_slip * p.normal.dot(slip));
  }
}

}  // namespace isopatch::reference
