// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/rollout/lagrangian.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <iterator>

namespace isopatch::oracle {

Matrix3 turned_by(const Vector3& rotation) {
  const Real angle = rotation.norm();
  if (angle == 0) return Matrix3::Identity();
  return Eigen::AngleAxis<Real>(angle, rotation / angle).toRotationMatrix();
}

Lagrangian::Lagrangian(const SceneDescription& scene, const std::vector<Leg>& legs) : legs_(legs) {
  for (const Body& body : scene.bodies) {
    Link link;
    link.motion = body.motion;
    link.is_base = body.motion.type == MotionType::kPrescribed;
    link.center = as_vector({body.pose[0], body.pose[1], body.pose[2]});
    if (link.is_base) {
      base_ = link.center;
    } else {
      link.mass = *body.mass;
      link.center += as_vector({(*body.center_of_mass)[0], (*body.center_of_mass)[1], (*body.center_of_mass)[2]});
      for (std::size_t k = 0; k < 3; ++k) {
        link.inertia(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = (*body.inertia)[k];
      }
      link.coordinate =
          body.motion.mimic ? links_[static_cast<std::size_t>(body.motion.mimic->body)].coordinate : num_coordinates_++;
    }
    links_.push_back(link);
  }
  gravity_ = as_vector(scene.rollout.gravity);
}

void Lagrangian::integrate(Real time, Real step) {
  q_.setZero(num_coordinates_);
  rates_.setZero(num_coordinates_);
  for (const Link& link : links_) {
    if (link.is_base || link.motion.mimic) continue;
    q_[link.coordinate] = link.motion.position;
    rates_[link.coordinate] = link.motion.velocity;
  }
  const auto rates_at = [&](const VectorX& q, const VectorX& momenta) -> VectorX {
    const auto [M, b] = inertia(q);
    return M.llt().solve(momenta - b);
  };
  set_time(0, step / 2);
  const auto [M, b] = inertia(q_);
  VectorX p = M * rates_ + b;
  const auto count = static_cast<int>(std::lround(time / step));
  for (int i = 0; i < count; ++i) {
    VectorX q_rate[4], p_rate[4];
    const auto derive = [&](int stage, Real share, const VectorX& q, const VectorX& momenta) {
      set_time((i + share) * step, (i + Real{1} / 2) * step);
      q_rate[stage] = rates_at(q, momenta);
      p_rate[stage] = force(q, q_rate[stage]);
    };
    derive(0, 0, q_, p);
    derive(1, Real{1} / 2, q_ + step / 2 * q_rate[0], p + step / 2 * p_rate[0]);
    derive(2, Real{1} / 2, q_ + step / 2 * q_rate[1], p + step / 2 * p_rate[1]);
    derive(3, 1, q_ + step * q_rate[2], p + step * p_rate[2]);
    q_ += step / 6 * (q_rate[0] + 2 * q_rate[1] + 2 * q_rate[2] + q_rate[3]);
    p += step / 6 * (p_rate[0] + 2 * p_rate[1] + 2 * p_rate[2] + p_rate[3]);
  }
  rates_ = rates_at(q_, p);
}

std::array<Real, 2> Lagrangian::error_of(const reference::MotionState& state) const {
  std::array<Real, 2> error = {0, 0};
  std::vector<Link> joints;
  std::copy_if(links_.begin(), links_.end(), std::back_inserter(joints),
               [](const Link& link) { return !link.is_base; });
  joints.erase(joints.begin(), joints.end() - static_cast<std::ptrdiff_t>(state.joints.size()));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Link& link = joints[j];
    const auto& [position, rate] = state.joints[j];
    error[0] = std::max(error[0], std::abs(position - link.position(q_)));
    error[1] = std::max(error[1], std::abs(rate - link.ratio() * rates_[link.coordinate]));
  }
  return error;
}

/// In the leg of the time `within`.
void Lagrangian::set_time(Real time, Real within) {
  Vector3 at = base_;
  Real begin = 0;
  moved_base_ = {};
  for (const Leg& leg : legs_) {
    const bool is_last = within < begin + leg.time;
    const Real duration = is_last ? time - begin : leg.time;
    at += duration * leg.velocity;
    moved_base_.R = turned_by(duration * leg.omega) * moved_base_.R;
    moved_base_.omega = leg.omega;
    moved_base_.at_origin = leg.velocity - leg.omega.cross(at);
    begin += leg.time;
    if (is_last) break;
  }
  moved_base_.t = at - moved_base_.R * base_;
}

Lagrangian::Moved Lagrangian::moved(const Link& link, const Moved& parent, const VectorX& q,
                                    const VectorX& rates) const {
  const Real position = link.position(q), rate = link.ratio() * rates[link.coordinate];
  const Vector3 axis = as_vector(link.motion.axis).normalized(), in_world = parent.R * axis;
  Moved now = parent;
  if (link.motion.type == MotionType::kPrismatic) {
    now.t += position * in_world;
    now.at_origin += rate * in_world;
    return now;
  }
  const Vector3 anchor = as_vector(*link.motion.anchor);
  const Matrix3 own = turned_by(position * axis);
  now.R = parent.R * own;
  now.t = parent.t + parent.R * (anchor - own * anchor);
  now.omega += rate * in_world;
  now.at_origin -= rate * in_world.cross(parent.R * anchor + parent.t);
  return now;
}

Lagrangian::Energies Lagrangian::energies(const VectorX& q, const VectorX& rates) const {
  std::vector<Moved> all;
  Energies energies;
  for (const Link& link : links_) {
    if (link.is_base) {
      all.push_back(moved_base_);
      continue;
    }
    const Moved parent = link.motion.parent ? all[static_cast<std::size_t>(*link.motion.parent)] : Moved{};
    const Moved& now = all.emplace_back(moved(link, parent, q, rates));
    const Vector3 center = now.R * link.center + now.t, velocity = now.at_origin + now.omega.cross(center);
    const Vector3 omega = now.R.transpose() * now.omega;
    const Real rate = link.ratio() * rates[link.coordinate];
    energies.kinetic += (link.mass * velocity.squaredNorm() + omega.dot(link.inertia * omega)) / 2;
    energies.kinetic += link.motion.armature * rate * rate / 2;
    energies.potential -= link.mass * gravity_.dot(center);
  }
  return energies;
}

/// M and b of T = T_0 + b q' + q' M q' / 2.
std::pair<MatrixX, VectorX> Lagrangian::inertia(const VectorX& q) const {
  const Eigen::Index n = num_coordinates_;
  const auto kinetic = [&](const VectorX& rates) { return energies(q, rates).kinetic; };
  const Real at_rest = kinetic(VectorX::Zero(n));
  MatrixX M(n, n);
  VectorX b(n), single(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    single[i] = kinetic(VectorX::Unit(n, i));
    const Real back = kinetic(-VectorX::Unit(n, i));
    M(i, i) = single[i] + back - 2 * at_rest;
    b[i] = (single[i] - back) / 2;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < i; ++k) {
      const Real both = kinetic(VectorX::Unit(n, i) + VectorX::Unit(n, k));
      M(i, k) = M(k, i) = both - single[i] - single[k] + at_rest;
    }
  }
  return {M, b};
}

VectorX Lagrangian::force(const VectorX& q, const VectorX& rates) const {
  constexpr Real kStep = 1e-3L;
  const auto lagrangian = [&](Eigen::Index i, Real distance) {
    const auto [kinetic, potential] = energies(q + distance * VectorX::Unit(q.size(), i), rates);
    return kinetic - potential;
  };
  VectorX result(q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const Real near = lagrangian(i, kStep) - lagrangian(i, -kStep);
    const Real far = lagrangian(i, 2 * kStep) - lagrangian(i, -2 * kStep);
    result[i] = (8 * near - far) / (12 * kStep);
  }
  return result;
}

}  // namespace isopatch::oracle
