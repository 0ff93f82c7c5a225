// SPDX-License-Identifier: Apache-2.0
//
// Random laws, patches, motions and memories of single contacts.
#pragma once

#include <Eigen/QR>

#include <array>
#include <cmath>
#include <random>

#include "host/reference/scene/vector.h"
#include "isopatch/single_contact.h"

namespace isopatch::oracle {

/// Of contacts as single_contact() takes them.
class RandomContacts {
 public:
  explicit RandomContacts(unsigned seed = 1) : random_(seed) {}

  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double magnitude(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(random_) == 1; }

  Point3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

  std::array<double, 4> quaternion() { return {between(0.2, 1), between(-1, 1), between(-1, 1), between(-1, 1)}; }

  ContactForceLaw law() {
    ContactForceLaw law;
    law.stiffness = magnitude(1e4, 1e9);
    law.exponent = one_in(3) ? between(1, 3) : 1 + between(0, 3);
    if (one_in(4)) law.exponent = 1.5;
    law.dissipation = magnitude(1e-2, 1e2);
    if (!one_in(3)) law.restitution = one_in(10) ? 1 : between(0.02, 1);
    law.small_speed = magnitude(1e-4, 1e-1);
    if (one_in(2)) law.latch = ImpactLatch::kLargest;
    if (one_in(2)) law.relaxation_time = magnitude(1e-2, 10);
    if (one_in(3)) law.normal = OverlapNormal::kArea;
    law.friction = one_in(10) ? 0 : magnitude(1e-2, 2);
    if (!one_in(4)) law.friction_model = FrictionModel::kBristle;
    law.slip_tolerance = magnitude(1e-5, 1e-2);
    law.bristle = {magnitude(1e3, 1e6),
                   magnitude(1, 1e4),
                   one_in(2) ? 0 : between(0, 0.1),
                   magnitude(1e-4, 1e-1),
                   one_in(5) ? 0 : magnitude(1e-3, 1),
                   between(1, 2)};
    if (++laws_ % 3 == 0) law.bristle_flow = BristleFlow::kAlways;
    law.spin_radius = one_in(5) ? between(0, 2) : 1;
    return law;
  }

  /// Flat to cubic, about any axes, with a vector area that is near the shortest or not.
  Overlap overlap() {
    using reference::Matrix3, reference::Real, reference::Vector3;
    const Matrix3 axes =
        Matrix3(Matrix3::NullaryExpr([&] { return Real(between(-1, 1)); })).householderQr().householderQ();
    const double wide = magnitude(1e-3, 1e-1), long_side = wide * between(0.2, 5), high = wide * magnitude(1e-3, 1);
    const Vector3 squares(Real(wide) * wide / 12, Real(long_side) * long_side / 12, Real(high) * high / 12);
    Overlap overlap;
    overlap.volume = wide * long_side * high;
    const Matrix3 c = overlap.volume * axes * squares.asDiagonal() * axes.transpose();
    overlap.second_moments = {double(c(0, 0)), double(c(1, 1)), double(c(2, 2)),
                              double(c(0, 1)), double(c(0, 2)), double(c(1, 2))};
    const Point3 lean = vector(0.4);
    const Vector3 area = wide * long_side * (axes.col(2) + Vector3(lean[0], lean[1], lean[2]));
    overlap.area = {double(area[0]), double(area[1]), double(area[2])};
    overlap.centroid = vector(1);
    return overlap;
  }

  Depth depth() {
    Depth depth = {magnitude(1e-6, 1e-2), vector(1), vector(1)};
    double length = std::hypot(depth.normal[0], depth.normal[1], depth.normal[2]);
    for (double& x : depth.normal) x /= length;
    return depth;
  }

  ContactMotion motion() {
    const double speed = magnitude(1e-6, 1), spin = magnitude(1e-5, 10);
    ContactMotion motion = {vector(1), vector(1), vector(speed), vector(speed), vector(spin), vector(spin)};
    if (one_in(2)) motion.velocity_b = motion.angular_velocity_b = {};
    return motion;
  }

  ContactStateRow state(const ContactForceLaw& law, double metric) {
    if (one_in(4)) return {};
    const Point3 bend = vector(1.5 * law.friction / law.bristle.stiffness);
    return {magnitude(law.small_speed, 10),
            one_in(2) ? 0 : metric * between(0, 1.2),
            bend[0],
            bend[1],
            bend[2],
            between(-1e-3, 1e-3),
            between(0, 1),
            between(0, 10)};
  }

 private:
  std::mt19937_64 random_;
  int laws_ = 0;  // so far
};

}  // namespace isopatch::oracle
