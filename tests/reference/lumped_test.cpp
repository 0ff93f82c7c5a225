// SPDX-License-Identifier: Apache-2.0
//
// Lumped contacts against the reference, which solves the bristles' equation instead of using its solution, and takes
// differences of forces instead of their derivatives.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/reference/lumped/lumped_law.h"
#include "isopatch/detail/lumped/lumped_patch.h"

namespace isopatch {
namespace {

using reference::Matrix3;
using reference::Matrix6;
using reference::Real;
using reference::Vector3;

constexpr int kContacts = 20000;

class RandomContacts {
 public:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  double magnitude(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  bool one_in(int n) { return std::uniform_int_distribution<int>(1, n)(random_) == 1; }

  Point3 vector(double size) { return {between(-size, size), between(-size, size), between(-size, size)}; }

  LumpedLaw law() {
    LumpedLaw law;
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
    law.spin_radius = one_in(5) ? between(0, 2) : 1;
    return law;
  }

  /// Flat to cubic, about any axes, with a vector area that is near the shortest or not.
  Overlap overlap() {
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

  LumpedMotion motion() {
    const double speed = magnitude(1e-6, 1), spin = magnitude(1e-5, 10);
    LumpedMotion motion = {vector(1), vector(1), vector(speed), vector(speed), vector(spin), vector(spin)};
    if (one_in(2)) motion.velocity_b = motion.angular_velocity_b = {};
    return motion;
  }

  LumpedState state(const LumpedLaw& law, double metric) {
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
  std::mt19937_64 random_{1};
};

/// The largest difference of two lists of numbers.
template <class A, class B>
double largest_difference(const A& a, const B& b, int begin, int end) {
  double largest = 0;
  for (int i = begin; i < end; ++i) {
    const double difference = std::fabs(static_cast<double>(Real(a[static_cast<std::size_t>(i)]) - b[i]));
    if (!(difference <= largest)) largest = difference;  // NaN too
  }
  return largest;
}

struct Worst {
  double force = 0, torque = 0, bend = 0, state = 0, damping = 0;
};

void compare(const LumpedLaw& law, const LumpedContact& found, const reference::LumpedContact& expected,
             const Point3& origin, Worst& worst, int i) {
  constexpr double kForce = 1e-9, kState = 1e-9, kDamping = 1e-6;
  const double size = static_cast<double>(expected.force.norm());
  const double arm = std::hypot(found.point[0] - origin[0], found.point[1] - origin[1], found.point[2] - origin[2]);
  const double lever = arm + found.radius * std::fmax(1, law.spin_radius);
  const double force = largest_difference(found.wrench, expected.force, 0, 3) / std::fmax(size, 1e-300);
  const double torque =
      largest_difference(std::array{found.wrench[3], found.wrench[4], found.wrench[5]}, expected.torque, 0, 3) /
      std::fmax(size * lever, 1e-300);
  const double limit = std::fmax(law.friction, 1e-2) * law.bristle.static_ratio / law.bristle.stiffness;
  const double bend = largest_difference(found.state, expected.state, 2, 5) / limit;
  const double twist = std::fabs(static_cast<double>(found.state[5] - expected.state[5])) * found.radius / limit;
  double state = std::fabs(static_cast<double>(found.state[6] - expected.state[6]));
  for (const std::size_t k : {0u, 1u, 7u}) {
    state = std::fmax(state, std::fabs(static_cast<double>(found.state[k] - expected.state[k])) /
                                 std::fmax(1e-300, std::fabs(found.state[k])));
  }
  if (size > 0) {
    EXPECT_LE(force, kForce) << i;
    EXPECT_LE(torque, kForce) << i;
    worst.force = std::fmax(worst.force, force);
    worst.torque = std::fmax(worst.torque, torque);
  }
  EXPECT_LE(bend, kState) << i;
  EXPECT_LE(twist, kState) << i;
  EXPECT_LE(state, kState) << i;
  worst.bend = std::fmax(worst.bend, std::fmax(bend, twist));
  worst.state = std::fmax(worst.state, state);

  // with the patch's radius as the unit of length all entries are N s/m; a point has no spin
  const double per_spin = found.radius > 0 ? 1 / found.radius : 1;
  double difference = 0, largest = 0;
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t column = 0; column < 6; ++column) {
      const double unit = (row < 3 ? 1 : per_spin) * (column < 3 ? 1 : per_spin);
      const Real entry = expected.damping_matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
      const double own = found.damping_matrix[6 * row + column];
      difference = std::fmax(difference, unit * std::fabs(static_cast<double>(own - entry)));
      largest = std::fmax(largest, unit * std::fabs(static_cast<double>(entry)));
    }
  }
  const double rounding = 1e-8 * size;  // of the reference's differences
  EXPECT_LE(difference, kDamping * largest + rounding) << i;
  if (kDamping * largest > rounding) worst.damping = std::fmax(worst.damping, difference / largest);
}

TEST(LumpedReference, AgreesWithTheLaw) {
  RandomContacts random;
  Worst worst;
  int pressed = 0, begun = 0;
  for (int i = 0; i < kContacts && !::testing::Test::HasFailure(); ++i) {
    const LumpedLaw law = random.law();
    const LumpedMotion motion = random.motion();
    const double time_step = random.one_in(10) ? 0 : random.magnitude(1e-5, 1e-1);
    LumpedContact found;
    reference::LumpedContact expected;
    if (random.one_in(3)) {
      const Depth depth = random.depth();
      const LumpedState state = random.state(law, depth.depth);
      found = lumped_contact(law, depth, motion, state, time_step);
      expected = reference::lumped_contact(law, reference::lumped_patch(depth), true, motion, state, time_step);
    } else {
      const Overlap overlap = random.overlap();
      const LumpedState state = random.state(law, overlap.volume);
      found = lumped_contact(law, overlap, motion, state, time_step);
      expected =
          reference::lumped_contact(law, reference::lumped_patch(overlap, law.normal), false, motion, state, time_step);
    }
    pressed += expected.force.isZero(0) ? 0 : 1;
    begun += found.state[7] == time_step ? 1 : 0;
    compare(law, found, expected, motion.origin_a, worst, i);
  }
  EXPECT_GT(pressed, kContacts / 4);
  EXPECT_GT(begun, kContacts / 5);
  for (const auto& [name, value] : {std::pair{"force", worst.force},
                                    {"torque", worst.torque},
                                    {"bend", worst.bend},
                                    {"state", worst.state},
                                    {"damping", worst.damping}}) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.2g", value);
    ::testing::Test::RecordProperty(name, text);
  }
}

TEST(LumpedReference, AddsUpTheSlicesOfABall) {
  constexpr double kRounding = 1e-13, kRadius = 0.1;
  RandomContacts random;
  for (int i = 0; i < 1000; ++i) {
    const Depth any = random.depth();
    const Vector3 n(any.normal[0], any.normal[1], any.normal[2]);
    const double depth = random.between(1e-3, 2) * kRadius;
    const Vector3 side = n.unitOrthogonal();
    const Vector3 center = (kRadius - depth) * n.normalized() + 0.3L * side;
    const reference::OverlapIntegrals expected = reference::ball_overlap(center, kRadius, n.normalized());
    const detail::OverlapMoments found =
        detail::ball_overlap({double(center[0]), double(center[1]), double(center[2])}, kRadius,
                             {any.normal[0], any.normal[1], any.normal[2]}, depth);
    const double volume = static_cast<double>(expected.volume), scale = volume * depth * kRadius;
    EXPECT_NEAR(found.volume, volume, kRounding * volume) << depth;
    EXPECT_NEAR(found.centroid.x, double(expected.centroid[0]), kRounding) << depth;
    EXPECT_NEAR(found.area.y, double(expected.area[1]), kRounding * kRadius * depth) << depth;
    EXPECT_NEAR(found.second.xx, double(expected.second(0, 0)), kRounding * scale) << depth;
    EXPECT_NEAR(found.second.yz, double(expected.second(1, 2)), kRounding * scale) << depth;
  }
}

}  // namespace
}  // namespace isopatch
