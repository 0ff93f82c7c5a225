// SPDX-License-Identifier: Apache-2.0
//
// Bristles: what they hold, how they slide, and that friction is the gradient of a convex function.
#include "isopatch/detail/lumped/friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "isopatch/detail/lumped/contact_memory.h"

namespace isopatch::detail {
namespace {

LumpedNumbers law_of(double friction, double ratio, double stribeck = 1e-3) {
  LumpedNumbers law = {};
  law.friction = friction;
  law.has_bristles = true;
  law.bristle = {1e5, 200, 0, stribeck, 0.1, ratio};
  return law;
}

class RandomSlips {
 public:
  Slip slip(double size) { return {{size * unit(), size * unit(), size * unit()}, size * unit()}; }
  double magnitude(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random_));
  }
  double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }

 private:
  double unit() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  std::mt19937_64 random_{5};
};

TEST(Bristles, SlideWithTheirFrictionFromAnyBend) {
  const LumpedNumbers law = law_of(0.4, 1.6);
  RandomSlips random;
  for (int i = 0; i < 10000; ++i) {
    Slip slip = random.slip(1);
    if (norm(slip) < 0.01) continue;  // 10 times the Stribeck velocity
    const Slip bent = random.slip(5e-6);
    const double dt = random.magnitude(1e-9, 1e3);
    const FrictionTerm term =
        bristle_term(law, bristle_weights(law, sticking_at(law.bristle, slip), random.share(), dt), bent, dt);
    const Slip error = fma(-0.4 / norm(slip), slip, friction_at(term, slip).total);
    EXPECT_LE(norm(error), 1e-14) << i;
  }
}

TEST(Bristles, StayBelowTheirLimitForAnyStep) {
  constexpr double kRounding = 1e-14;
  RandomSlips random;
  for (int i = 0; i < 100000; ++i) {
    LumpedNumbers law = law_of(random.magnitude(1e-2, 2), 1 + random.share(), random.magnitude(1e-4, 1e-1));
    law.bristle.damping = random.magnitude(1, 1e4);
    const Slip slip = random.slip(random.magnitude(1e-9, 10)), bent = random.slip(random.magnitude(1e-9, 1e-3));
    const double dt = random.magnitude(1e-9, 1e3);
    const BristleWeights weights = bristle_weights(law, sticking_at(law.bristle, slip), random.share(), dt);
    const Slip b = friction_at(bristle_term(law, weights, bent, dt), slip).bristles;
    const Slip next = next_bend(law.bristle, b, bent, dt);
    EXPECT_LE(norm(b), weights.limit * (1 + kRounding)) << i;
    EXPECT_LE(norm(next), std::fmax(norm(bent), weights.limit / law.bristle.stiffness) * (1 + kRounding)) << i;
    EXPECT_LE(weights.limit, law.friction * law.bristle.static_ratio * (1 + kRounding));
    EXPECT_GE(weights.limit, law.friction);
  }
}

TEST(Bristles, GainStaticFrictionAsTheyDwell) {
  const LumpedNumbers law = law_of(0.4, 1.6);
  for (const int steps : {1, 7, 1000}) {
    double dwell = 0;
    const double time = 0.25;
    for (int i = 0; i < steps; ++i) dwell = bristle_weights(law, 1, dwell, time / steps).dwell;
    EXPECT_NEAR(dwell, -std::expm1(-time / law.bristle.dwell_time), 1e-12) << steps;
  }
  LumpedNumbers at_once = law;
  at_once.bristle.dwell_time = 0;
  EXPECT_EQ(bristle_weights(at_once, 1, 0.25, 0).dwell, 1);
}

/// Pulls at a bristle, whose end moves at `speed`, until it slides: how far it is then, and its largest friction.
struct BreakAway {
  double bend = 0, friction = 0;
};
BreakAway pull(const LumpedNumbers& law, double speed, double dt) {
  BreakAway found;
  Slip bent = {};
  const double wanted = law.friction * law.bristle.static_ratio / law.bristle.stiffness;
  for (double pulled = 0; pulled < 2 * wanted; pulled += speed * dt) {
    const Slip slip = {{speed, 0, 0}, 0};
    const FrictionTerm term = bristle_term(law, bristle_weights(law, sticking_at(law.bristle, slip), 1, dt), bent, dt);
    const double friction = friction_at(term, slip).total.along.x;
    if (friction > found.friction * (1 + 1e-9)) found = {pulled + speed * dt, friction};
    bent = next_bend(law.bristle, friction_at(term, slip).bristles, bent, dt);
  }
  return found;
}

TEST(Bristles, BreakAwayAtStaticFrictionOverStiffness) {
  const LumpedNumbers law = law_of(0.4, 1.5);
  const BreakAway found = pull(law, 1e-8, 1e-1);
  EXPECT_NEAR(found.bend, 0.6 / 1e5, 1e-3 * 0.6 / 1e5);
  EXPECT_NEAR(found.friction, 0.6, 1e-3 * 0.6);
}

/// Slips and bends with which the bristles are cut and are not, and slide and do not.
template <class Use>
void for_each_term(const Use& use) {
  RandomSlips random;
  int cut = 0, whole = 0;
  for (int i = 0; i < 4000; ++i) {
    LumpedNumbers law = law_of(0.4, 1.6);
    law.bristle.viscous = i % 3 == 0 ? 0.05 : 0;
    const Slip at = random.slip(random.magnitude(1e-6, 3e-3)), bent = random.slip(random.magnitude(1e-8, 2e-5));
    const double dt = random.magnitude(1e-5, 1e-1);
    FrictionTerm term =
        bristle_term(law, bristle_weights(law, sticking_at(law.bristle, at), random.share(), dt), bent, dt);
    if (i % 5 == 0) {
      law.slip_tolerance = 1e-4;
      term = coulomb_term(law);
    }
    (norm(fma(term.bend, at, term.carried)) > term.limit ? cut : whole) += 1;
    use(term, at, random);
  }
  EXPECT_GT(cut, 500);
  EXPECT_GT(whole, 500);
}

TEST(FrictionPotential, HasFrictionAsItsGradient) {
  for_each_term([](const FrictionTerm& term, Slip at, RandomSlips& random) {
    Slip way = random.slip(1);
    way = (1 / norm(way)) * way;
    // differences of fourth order, over a part of the speed within which friction turns
    const double h = 3e-3 * term.speed;
    const auto difference = [&](double step) {
      return friction_potential(term, fma(step, way, at)) - friction_potential(term, fma(-step, way, at));
    };
    const auto is_cut = [&](double step) {
      return norm(fma(term.bend, fma(step, way, at), term.carried)) > term.limit;
    };
    const auto slides = [&](double step) { return norm(fma(step, way, at)) >= term.speed; };
    if (is_cut(-2 * h) != is_cut(2 * h) || slides(-2 * h) != slides(2 * h)) return;  // a kink of the third derivative
    const double slope = (8 * difference(h) - difference(2 * h)) / (12 * h);
    EXPECT_NEAR(slope, dot(friction_at(term, at).total, way), 1e-9);
  });
}

TEST(FrictionPotential, IsConvex) {
  for_each_term([](const FrictionTerm& term, Slip at, RandomSlips& random) {
    const Slip other = random.slip(random.magnitude(1e-6, 1e-2));
    const double t = random.share();
    const Slip between = fma(t, other, (1 - t) * at);
    const double line = t * friction_potential(term, other) + (1 - t) * friction_potential(term, at);
    EXPECT_LE(friction_potential(term, between), line * (1 + 1e-13) + 1e-18);
  });
}

TEST(FrictionSlope, IsTheDerivativeOfFriction) {
  for_each_term([](const FrictionTerm& term, Slip at, RandomSlips& random) {
    Slip way = random.slip(1);
    way = (1 / norm(way)) * way;
    const double h = 1e-3 * term.speed;
    const auto is_cut = [&](double step) {
      return norm(fma(term.bend, fma(step, way, at), term.carried)) > term.limit;
    };
    const auto slides = [&](double step) { return norm(fma(step, way, at)) >= term.speed; };
    if (is_cut(-2 * h) != is_cut(2 * h) || slides(-2 * h) != slides(2 * h)) return;  // a kink
    const auto difference = [&](double step) {
      return fma(-1.0, friction_at(term, fma(-step, way, at)).total, friction_at(term, fma(step, way, at)).total);
    };
    const Slip slope = (1 / (12 * h)) * fma(8.0, difference(h), -1.0 * difference(2 * h));
    const FrictionSlope f = friction_slope(term, at);
    const Slip found =
        fma(f.of_load * dot(f.load, way), f.load, fma(f.of_slip * dot(f.slip, way), f.slip, f.identity * way));
    EXPECT_LE(norm(fma(-1.0, slope, found)), 1e-6 * f.identity);
    EXPECT_GE(dot(found, way), -1e-12 * f.identity);
  });
}

TEST(CarriedBend, KeepsItsLengthAndTurnsAboutTheNormal) {
  const Vec3d n = {0, 0, 1};
  EXPECT_DOUBLE_EQ(norm(carried_bend({3e-6, 4e-6, 2e-6}, n, 0.3)), std::sqrt(29e-12));
  const Vec3d turned = carried_bend({1, 0, 0}, n, 0.2);
  EXPECT_DOUBLE_EQ(std::atan2(turned.y, turned.x), 2 * std::atan(0.1));
  // a normal that has turned by more than 60 degrees leaves only what is in the new plane
  EXPECT_DOUBLE_EQ(norm(carried_bend({0.4, 0, 1}, n, 0)), 0.4);
}

}  // namespace
}  // namespace isopatch::detail
