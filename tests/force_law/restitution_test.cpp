// SPDX-License-Identifier: Apache-2.0
//
// A contact leaves with the speed that its restitution asks for.
#include "isopatch/detail/force_law/restitution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "host/reference/force_law/force_law.h"
#include "isopatch/single_contact.h"
#include "tests/force_law/single_contact_scenes.h"

namespace isopatch::test {
namespace {

TEST(ImpactFactor, SolvesItsEquation) {
  const double expected[][2] = {{0.1, 9.99815940},  {0.2, 4.91916672}, {0.5, 1.43275053},  {0.6, 0.97487171},
                                {0.85, 0.26400941}, {0.9, 0.16648195}, {0.975, 0.03845907}};
  for (const auto& [e, factor] : expected) EXPECT_NEAR(detail::impact_factor(e), factor, 1e-8) << e;
}

TEST(ImpactFactor, AgreesWithTheReferenceUpToElasticImpacts) {
  constexpr double kRelative = 1e-13;
  for (int i = 1; i < 2000; ++i) {
    const double e = i / 2000.0;
    const double expected = static_cast<double>(reference::impact_factor(e));
    EXPECT_NEAR(detail::impact_factor(e), expected, kRelative * (1 + expected)) << e;
  }
  EXPECT_EQ(detail::impact_factor(1), 0);
  for (const double rest : {1e-3, 1e-6, 1e-9}) {  // 3/2 (1 - e) + 9/10 (1 - e)^2 + ..., of the equation's series
    EXPECT_NEAR(detail::impact_factor(1 - rest) / rest, 1.5, 3 * rest + 1e-6) << rest;
  }
  EXPECT_NEAR(detail::impact_factor(1e-3), 1000, 1e-9);
  EXPECT_LT(detail::impact_factor(1e-300), HUGE_VAL);
}

struct Bounce {
  double speed = 0, depth = 0, force = 0, duration = 0;  // that it leaves with; largest; s
};

/// A mass that meets a contact at `impact` m/s, by the classical method of Runge and Kutta. `force` is of a depth and
/// a speed of separation.
Bounce bounce(double mass, double impact, double dt, const std::function<double(double, double)>& force) {
  Bounce found;
  double x = 0, v = -impact;  // depth is -x
  const auto acceleration = [&](double at, double speed) { return at < 0 ? force(-at, speed) / mass : 0; };
  for (int i = 0; i < 10'000'000; ++i) {
    const double a1 = acceleration(x, v);
    const double v2 = v + 0.5 * dt * a1, a2 = acceleration(x + 0.5 * dt * v, v2);
    const double v3 = v + 0.5 * dt * a2, a3 = acceleration(x + 0.5 * dt * v2, v3);
    const double v4 = v + dt * a3, a4 = acceleration(x + dt * v3, v4);
    x += dt / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    if (x >= 0) {
      found.duration = i * dt;
      break;
    }
    found.depth = std::fmax(found.depth, -x);
    found.force = std::fmax(found.force, mass * a1);
  }
  found.speed = v;
  return found;
}

double point_force(const ContactForceLaw& law, double impact, double depth, double speed) {
  return single_contact(law, Depth{depth, {}, {0, 0, 1}}, moving({0, 0, speed}), ContactStateRow{impact}, 0).wrench[2];
}

TEST(Restitution, IsThatOfTheLawForAnyExponent) {
  constexpr double kTolerance = 1e-6;
  for (const double exponent : {1.0, 1.5, 2.0}) {
    for (const double e : {0.1, 0.5, 0.9}) {
      ContactForceLaw law;
      law.stiffness = 3.4e10;
      law.exponent = exponent;
      law.restitution = e;
      for (const double impact : {0.2, 1.0}) {
        const auto force = [&](double depth, double speed) { return point_force(law, impact, depth, speed); };
        // a contact lasts some pi sqrt(m / K), K the stiffness at its depth, by the energy
        const double depth = std::pow((exponent + 1) * 0.454 * impact * impact / (2 * 3.4e10), 1 / (exponent + 1));
        const Bounce found = bounce(0.454, impact, depth / impact / 500, force);
        EXPECT_NEAR(found.speed / impact, e, kTolerance) << exponent << ' ' << impact;
      }
    }
  }
}

TEST(Restitution, HasTheDepthForceAndTimeOfAnIndependentProgram) {
  constexpr double kPrinted = 1e-5;  // of each
  ContactForceLaw law;
  law.stiffness = 3.4e10;
  for (const auto& [e, depth, force] : {std::array{0.5, 3.78986e-5, 10797.1}, {0.1, 2.30041e-5, 16621.4}}) {
    law.restitution = e;
    const Bounce found = bounce(0.454, 1, 1e-8, [&](double d, double v) { return point_force(law, 1, d, v); });
    EXPECT_NEAR(found.depth, depth, kPrinted * depth);
    EXPECT_NEAR(found.force, force, kPrinted * force);
    if (e == 0.5) {
      EXPECT_NEAR(found.duration, 1.6106e-4, 1e-4 * 1.6106e-4 + 1e-8);
    }
  }
}

TEST(Restitution, IsThatOfTheLawForABallsVolume) {
  constexpr double kTolerance = 1e-6, kRadius = 0.1;
  for (const double e : {0.2, 0.5, 0.9}) {
    ContactForceLaw law;
    law.stiffness = 1e7;
    law.restitution = e;
    const Bounce found = bounce(1, 1, 2e-6, [&](double depth, double speed) {
      return single_contact(law, ball_on_plane({0, 0, kRadius - depth}, kRadius), moving({0, 0, speed}),
                            ContactStateRow{1}, 0)
          .wrench[2];
    });
    EXPECT_NEAR(found.speed, e, kTolerance);
  }
}

TEST(ImpactLatch, KeepsTheFirstApproachOrTheLargest) {
  ContactForceLaw law;
  law.stiffness = 1e6;
  law.restitution = 0.5;
  const Depth depth = {1e-3, {}, {0, 0, 1}};
  EXPECT_EQ(single_contact(law, depth, moving({0, 0, -2}), {}, 1e-3).state[0], 2);
  EXPECT_EQ(single_contact(law, depth, moving({0, 0, 2}), {}, 1e-3).state[0], law.small_speed);
  EXPECT_EQ(single_contact(law, depth, moving({0, 0, -3}), ContactStateRow{2}, 1e-3).state[0], 2);
  law.latch = ImpactLatch::kLargest;
  EXPECT_EQ(single_contact(law, depth, moving({0, 0, -3}), ContactStateRow{2}, 1e-3).state[0], 3);
}

TEST(Relaxation, LetsWhatIsOverlappedAtFirstTouchPressLater) {
  ContactForceLaw law;
  law.stiffness = 1e6;
  law.exponent = 1;
  law.relaxation_time = 2;
  const Depth depth = {1e-3, {}, {0, 0, 1}};
  SingleContact contact = single_contact(law, depth, {}, {}, 0.5);
  EXPECT_EQ(contact.wrench[2], 0);
  EXPECT_DOUBLE_EQ(contact.state[1], 1e-3 * std::exp(-0.25));
  contact = single_contact(law, depth, {}, contact.state, 0.5);
  EXPECT_NEAR(contact.wrench[2], 1e6 * 1e-3 * (1 - std::exp(-0.25)), 1e-9);
  EXPECT_DOUBLE_EQ(contact.state[7], 1);
}

}  // namespace
}  // namespace isopatch::test
