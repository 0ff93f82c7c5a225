// SPDX-License-Identifier: Apache-2.0
//
// Bristles: what they hold, how they slide, and that friction is the gradient of a convex function.
#include "isopatch/detail/force_law/friction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "isopatch/detail/force_law/contact_state.h"

namespace isopatch::detail {
namespace {

/// Of bristles that flow at any bend.
LawNumbers law_of(double friction, double ratio, double stribeck = 1e-3) {
  LawNumbers law = {};
  law.friction = friction;
  law.has_bristles = law.flows_always = true;
  law.bristle = {1e5, 200, 0, stribeck, 0.1, ratio};
  return law;
}

/// The friction of a step that begins with bristles bent so, and with this dwell.
FrictionTerm term_of(const LawNumbers& law, Slip slip, Slip bent, double dwell, double dt) {
  return bristle_term(law, bristle_weights(law, sticking_at(law, slip, bent, dwell, dt), dwell, dt), bent, dt);
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
  const LawNumbers law = law_of(0.4, 1.6);
  RandomSlips random;
  for (int i = 0; i < 10000; ++i) {
    Slip slip = random.slip(1);
    if (norm(slip) < 0.01) continue;  // 10 times the Stribeck velocity
    const Slip bent = random.slip(5e-6);
    const double dt = random.magnitude(1e-9, 1e3);
    const FrictionTerm term = term_of(law, slip, bent, random.share(), dt);
    const Slip error = fma(-0.4 / norm(slip), slip, friction_at(term, slip).total);
    EXPECT_LE(norm(error), 1e-14) << i;
  }
}

TEST(Bristles, StayBelowTheirLimitForAnyStep) {
  constexpr double kRounding = 1e-14;
  RandomSlips random;
  for (int i = 0; i < 100000; ++i) {
    LawNumbers law = law_of(random.magnitude(1e-2, 2), 1 + random.share(), random.magnitude(1e-4, 1e-1));
    law.bristle.damping = random.magnitude(1, 1e4);
    law.flows_always = i % 2 == 0;
    const Slip slip = random.slip(random.magnitude(1e-9, 10)), bent = random.slip(random.magnitude(1e-9, 1e-3));
    const double dt = random.magnitude(1e-9, 1e3), dwell = random.share();
    const BristleWeights weights = bristle_weights(law, sticking_at(law, slip, bent, dwell, dt), dwell, dt);
    const Slip b = friction_at(bristle_term(law, weights, bent, dt), slip).bristles;
    const Slip next = next_bend(law.bristle, b, bent, dt);
    EXPECT_LE(norm(b), weights.limit * (1 + kRounding)) << i;
    EXPECT_LE(norm(next), std::fmax(norm(bent), weights.limit / law.bristle.stiffness) * (1 + kRounding)) << i;
    EXPECT_LE(weights.limit, law.friction * law.bristle.static_ratio * (1 + kRounding));
    EXPECT_GE(weights.limit, law.friction);
  }
}

TEST(Bristles, GainStaticFrictionAsTheyDwell) {
  const LawNumbers law = law_of(0.4, 1.6);
  for (const int steps : {1, 7, 1000}) {
    double dwell = 0;
    const double time = 0.25;
    for (int i = 0; i < steps; ++i) dwell = bristle_weights(law, 1, dwell, time / steps).dwell;
    EXPECT_NEAR(dwell, -std::expm1(-time / law.bristle.dwell_time), 1e-12) << steps;
  }
  LawNumbers at_once = law;
  at_once.bristle.dwell_time = 0;
  EXPECT_EQ(bristle_weights(at_once, 1, 0.25, 0).dwell, 1);
}

/// Pulls at a bristle, whose end moves at `speed`, until it slides: how far it is then, and its largest friction.
struct BreakAway {
  double bend = 0, friction = 0;
};
BreakAway pull(const LawNumbers& law, double speed, double dt) {
  BreakAway found;
  Slip bent = {};
  const double wanted = law.friction * law.bristle.static_ratio / law.bristle.stiffness;
  for (double pulled = 0; pulled < 2 * wanted; pulled += speed * dt) {
    const Slip slip = {{speed, 0, 0}, 0};
    const FrictionTerm term = term_of(law, slip, bent, 1, dt);
    const double friction = friction_at(term, slip).total.along.x;
    if (friction > found.friction * (1 + 1e-9)) found = {pulled + speed * dt, friction};
    bent = next_bend(law.bristle, friction_at(term, slip).bristles, bent, dt);
  }
  return found;
}

TEST(Bristles, BreakAwayAtStaticFrictionOverStiffness) {
  LawNumbers law = law_of(0.4, 1.5);
  for (const bool always : {true, false}) {
    law.flows_always = always;
    const BreakAway found = pull(law, 1e-8, 1e-1);
    EXPECT_NEAR(found.bend, 0.6 / 1e5, 1e-3 * 0.6 / 1e5);
    EXPECT_NEAR(found.friction, 0.6, 1e-3 * 0.6);
  }
}

TEST(Bristles, GiveWayNearTheirLimitAndForwardsAlone) {
  LawNumbers law = law_of(0.4, 1.5);
  const double limit = 0.4 * 1.25 / law.bristle.stiffness, dwell = 0.5;  // m
  const Slip slip = {{3e-3, 0, 0}, 4e-3};
  const double speed = norm(slip), sticking = std::exp(-std::pow(speed / law.bristle.stribeck_velocity, 2));
  const auto at = [&](double part, double dt) {
    return sticking_at(law, slip, fma(part * limit / speed, slip, -dt * slip), dwell, dt);
  };
  EXPECT_NEAR(at(0, 0), sticking, 1e-15);
  law.flows_always = false;
  for (const double dt : {0.0, 1e-4, 1e-2}) {  // the bend counts that all of the slip leaves
    double before = 1;
    for (int i = -20; i <= 20; ++i) {
      const double found = at(0.05 * i, dt);
      if (i < 14) {
        EXPECT_EQ(found, 1) << i;
      }
      EXPECT_LE(found, before) << i;
      before = found;
    }
    EXPECT_NEAR(at(0.85, dt), 1 - 0.5 * (1 - sticking), 1e-9);
    EXPECT_NEAR(at(1 + 1e-12, dt), sticking, 1e-15);
    EXPECT_NEAR(at(3, dt), sticking, 1e-15);
  }
  // across, the less the more it turns
  const Slip bent = {{0, 2 * limit, 0}, 0};
  EXPECT_EQ(sticking_at(law, slip, bent, dwell, 0), 1);
  const Slip aslant = {{speed, std::sqrt(3) * speed, 0}, 0};
  EXPECT_NEAR(sticking_at(law, aslant, {{2 * limit, 0, 0}, 0}, dwell, 0), 0.5, 1e-6);
}

/// How far a bristle that carries `load` of its limit has given way after shaking it ten times to `most` of it and
/// back, m.
double given_way(LawNumbers law, double load, double most, bool always) {
  law.flows_always = always;
  const double limit = law.friction / law.bristle.stiffness, dt = 1e-4, angular = 2 * std::numbers::pi * 60;
  Slip bent = {{load * limit, 0, 0}, 0};
  double end = bent.along.x;
  for (int i = 1; i <= 1667; ++i) {
    const double next = limit * (load + (most - load) * std::sin(angular * i * dt));
    const Slip slip = {{(next - end) / dt, 0, 0}, 0};
    bent = next_bend(law.bristle, friction_at(term_of(law, slip, bent, 0, dt), slip).bristles, bent, dt);
    end = next;
  }
  return end - bent.along.x;
}

TEST(Bristles, WalkWhenShakenOnlyIfTheyFlowAlways) {
  const LawNumbers law = law_of(0.5, 1);
  const double limit = law.friction / law.bristle.stiffness;
  EXPECT_LT(std::fabs(given_way(law, 0.5, 0.69, false)), 1e-12 * limit);
  EXPECT_GT(given_way(law, 0.5, 0.69, true), 1e-2 * limit);
}

/// Slips and bends with which the bristles are cut and are not, and slide and do not.
template <class Use>
void for_each_term(const Use& use) {
  RandomSlips random;
  int cut = 0, whole = 0;
  for (int i = 0; i < 4000; ++i) {
    LawNumbers law = law_of(0.4, 1.6);
    law.bristle.viscous = i % 3 == 0 ? 0.05 : 0;
    const Slip at = random.slip(random.magnitude(1e-6, 3e-3)), bent = random.slip(random.magnitude(1e-8, 2e-5));
    law.flows_always = i % 2 == 0;
    FrictionTerm term = term_of(law, at, bent, random.share(), random.magnitude(1e-5, 1e-1));
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
