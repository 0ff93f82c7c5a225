// SPDX-License-Identifier: Apache-2.0
//
// Single contacts against the reference, which solves the bristles' equation instead of using its solution, and takes
// differences of forces instead of their derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/reference/force_law/force_law.h"
#include "isopatch/detail/force_law/contact_patch.h"
#include "tests/reference/random_single_contacts.h"

namespace isopatch {
namespace {

using oracle::RandomContacts;
using reference::Matrix6;
using reference::Real;
using reference::Vector3;

constexpr int kContacts = 20000;

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

void compare(const ContactForceLaw& law, const SingleContact& found, const reference::SingleContact& expected,
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

TEST(SingleContactReference, AgreesWithTheLaw) {
  RandomContacts random;
  Worst worst;
  int pressed = 0, begun = 0;
  for (int i = 0; i < kContacts && !::testing::Test::HasFailure(); ++i) {
    const ContactForceLaw law = random.law();
    const ContactMotion motion = random.motion();
    const double time_step = random.one_in(10) ? 0 : random.magnitude(1e-5, 1e-1);
    SingleContact found;
    reference::SingleContact expected;
    if (random.one_in(3)) {
      const Depth depth = random.depth();
      const ContactStateRow state = random.state(law, depth.depth);
      found = single_contact(law, depth, motion, state, time_step);
      expected = reference::single_contact(law, reference::contact_patch(depth), true, motion, state, time_step);
    } else {
      const Overlap overlap = random.overlap();
      const ContactStateRow state = random.state(law, overlap.volume);
      found = single_contact(law, overlap, motion, state, time_step);
      expected = reference::single_contact(law, reference::contact_patch(overlap, law.normal), false, motion, state,
                                           time_step);
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

TEST(SingleContactReference, AddsUpTheSlicesOfABall) {
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
