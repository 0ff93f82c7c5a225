// SPDX-License-Identifier: Apache-2.0
//
// Loops: linkages beside their equation of motion in one angle, which is integrated with much shorter steps.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "tests/support/tree_scenes.h"

namespace isopatch::test {
namespace {

constexpr double kPi = 3.141592653589793;

/// A linkage in the plane x-z, as functions of the crank's angle: how its bodies are placed, each a centre and an
/// angle.
struct Linkage {
  std::vector<double> masses, lengths;  // lengths 0: a block that does not turn
  std::function<std::vector<std::array<double, 3>>(double)> places;

  double inertia(std::size_t i) const { return masses[i] * (lengths[i] * lengths[i] + 0.02 * 0.02) / 12; }

  /// Of the kinetic energy M w^2/2.
  double mass(double angle) const {
    constexpr double kStep = 1e-5;
    const auto before = places(angle - kStep), after = places(angle + kStep);
    double sum = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const auto rate = [&](std::size_t k) { return (after[i][k] - before[i][k]) / (2 * kStep); };
      sum +=
          masses[i] * (rate(0) * rate(0) + rate(1) * rate(1)) + (lengths[i] > 0 ? inertia(i) : 0) * rate(2) * rate(2);
    }
    return sum;
  }
  double height(double angle) const {  // times weight
    double sum = 0;
    const auto at = places(angle);
    for (std::size_t i = 0; i < masses.size(); ++i) sum += 9.81 * masses[i] * at[i][1];
    return sum;
  }
  /// Of angle and rate after a time.
  std::array<double, 2> after(double time, double angle, double rate) const {
    const auto slope = [&](double a, double w) {
      constexpr double kStep = 1e-4;
      const double of_mass = (mass(a + kStep) - mass(a - kStep)) / (2 * kStep);
      return (-0.5 * of_mass * w * w - (height(a + kStep) - height(a - kStep)) / (2 * kStep)) / mass(a);
    };
    const int steps = 4000;
    const double h = time / steps;
    for (int i = 0; i < steps; ++i) {  // by Runge and Kutta
      const double a1 = slope(angle, rate), w2 = rate + h / 2 * a1, a2 = slope(angle + h / 2 * rate, w2),
                   w3 = rate + h / 2 * a2, a3 = slope(angle + h / 2 * w2, w3), w4 = rate + h * a3,
                   a4 = slope(angle + h * w3, w4);
      angle += h / 6 * (rate + 2 * w2 + 2 * w3 + w4);
      rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return {angle, rate};
  }
};

/// A rod of the linkage on a joint; angles are about -y.
Body& add_rod(SceneBuilder& scene, const char* name, const std::optional<int>& parent, const Vector& anchor,
              const std::array<double, 3>& place, double length, double mass) {
  Body& rod = add_link(scene, name, parent, MotionType::kRevolute, {0, -1, 0}, anchor, {place[0], 0, place[1]},
                       {length, 0.02, 0.02}, mass);
  const std::array<double, 4> q = turn_about({0, -1, 0}, place[2]);
  std::copy(q.begin(), q.end(), rod.pose.begin() + 3);
  return rod;
}

void compare(const Linkage& linkage, SceneDescription scene, double begin, double rate, double time_step) {
  scene.pairs.emplace();
  scene.rollout.time_step = time_step;
  Rollout rollout(scene);
  rollout.step(0);
  const double energy = rollout.energy();
  double gap = 0, gained = 0;
  rollout.step(static_cast<int>(std::lround(1 / time_step)), [&] {
    for (const double x : rollout.output.loop_gap) gap = std::max(gap, std::fabs(x));
    gained = std::max(gained, rollout.energy() - energy);
  });
  const auto expected = linkage.after(1, begin, rate);
  EXPECT_NEAR(rollout.state.joints[0], expected[0] - begin, 1e-3);
  EXPECT_LT(gap, 1e-5);
  EXPECT_LT(gained, 3e-4 * std::max(1.0, std::fabs(energy)));
  EXPECT_EQ(rollout.state.status[0], kOk);
}

TEST(Loop, ASliderOnACrankMovesAsItsEquationSays) {
  constexpr double kCrank = 0.1, kRod = 0.3;
  const auto pin = [](double a) { return std::array<double, 2>{kCrank * std::cos(a), kCrank * std::sin(a)}; };
  const auto slider = [&](double a) { return pin(a)[0] + std::sqrt(kRod * kRod - pin(a)[1] * pin(a)[1]); };
  const Linkage linkage = {{0.5, 0.8, 1.0}, {kCrank, kRod, 0}, [&](double a) -> std::vector<std::array<double, 3>> {
                             const auto [x, z] = pin(a);
                             const double end = slider(a);
                             return {{x / 2, z / 2, a}, {(x + end) / 2, z / 2, std::atan2(-z, end - x)}, {end, 0, 0}};
                           }};
  for (const double rate : {0.0, 10.0}) {
    const double begin = kPi / 3;
    const auto places = linkage.places(begin);
    const auto [x, z] = pin(begin);
    const double end = slider(begin), e = 1e-6;
    const auto at = [&](std::size_t i, std::size_t k) {
      return (linkage.places(begin + e)[i][k] - linkage.places(begin - e)[i][k]) / (2 * e);
    };
    SceneBuilder scene;
    add_rod(scene, "crank", std::nullopt, {0, 0, 0}, places[0], kCrank, 0.5).motion.velocity = rate;
    add_rod(scene, "rod", 0, {x, 0, z}, places[1], kRod, 0.8).motion.velocity = (at(1, 2) - 1) * rate;
    add_link(scene, "slider", std::nullopt, MotionType::kPrismatic, {1, 0, 0}, {}, {end, 0, 0}, {0.05, 0.05, 0.05}, 1)
        .motion.velocity = at(2, 0) * rate;
    scene.description.loops = {{LoopType::kHinge, 1, 2, {end, 0, 0}, {0, 1, 0}}};
    compare(linkage, scene.description, begin, rate, 1e-3);
  }
}

TEST(Loop, FourBarsMoveAsTheirEquationSays) {
  constexpr double kCrank = 0.15, kCoupler = 0.35, kRocker = 0.3, kGround = 0.4;
  const auto joints = [](double a) {
    const double bx = kCrank * std::cos(a), bz = kCrank * std::sin(a), dx = kGround - bx, dz = -bz;
    const double d = std::hypot(dx, dz), x = (kCoupler * kCoupler - kRocker * kRocker + d * d) / (2 * d),
                 y = std::sqrt(kCoupler * kCoupler - x * x);
    return std::array<double, 4>{bx, bz, bx + (x * dx - y * dz) / d, bz + (x * dz + y * dx) / d};
  };
  const Linkage linkage = {
      {0.4, 0.7, 0.6}, {kCrank, kCoupler, kRocker}, [&](double a) -> std::vector<std::array<double, 3>> {
        const auto [bx, bz, cx, cz] = joints(a);
        return {{bx / 2, bz / 2, a},
                {(bx + cx) / 2, (bz + cz) / 2, std::atan2(cz - bz, cx - bx)},
                {(cx + kGround) / 2, cz / 2, std::atan2(cz, cx - kGround)}};
      }};
  for (const double rate : {0.0, 10.0}) {
    const double begin = 7 * kPi / 18, e = 1e-6;
    const auto places = linkage.places(begin);
    const auto [bx, bz, cx, cz] = joints(begin);
    const auto at = [&](std::size_t i, std::size_t k) {
      return (linkage.places(begin + e)[i][k] - linkage.places(begin - e)[i][k]) / (2 * e);
    };
    SceneBuilder scene;
    add_rod(scene, "crank", std::nullopt, {0, 0, 0}, places[0], kCrank, 0.4).motion.velocity = rate;
    add_rod(scene, "coupler", 0, {bx, 0, bz}, places[1], kCoupler, 0.7).motion.velocity = (at(1, 2) - 1) * rate;
    add_rod(scene, "rocker", std::nullopt, {kGround, 0, 0}, places[2], kRocker, 0.6).motion.velocity = at(2, 2) * rate;
    scene.description.loops = {{LoopType::kHinge, 1, 2, {cx, 0, cz}, {0, 1, 0}}};
    compare(linkage, scene.description, begin, rate, 1e-3);
  }
}

/// Two free bodies as one, and the world.
TEST(Loop, AWeldOfFreeBodiesFallsAsOne) {
  SceneBuilder builder;
  for (const double side : {-1.0, 1.0}) {
    Body& body = builder.add(side < 0 ? "a" : "b", make_box("box", {0.1, 0.06, 0.04}), pose_at({side * 0.05, 0, 1}));
    builder.description.geometries.back().name = body.name;
    body.rigid = true;
    body.mass = side < 0 ? 1.0 : 2.0;
    body.velocity = {0, 0, -side * 0.05 * 3, 0, 3, 0};  // turn about y at the origin
  }
  builder.description.loops = {{LoopType::kWeld, 0, 1, {0, 0, 1}, {0, 0, 0}}};
  builder.description.pairs.emplace();
  builder.description.rollout.time_step = 1e-3;
  Rollout rollout(builder.description);
  rollout.step(0);
  const RolloutOutputArrays begin = rollout.output;
  rollout.step(500);
  EXPECT_NEAR(rollout.output.momentum[2] - begin.momentum[2], -3 * 9.81 * 0.5, 1e-9);
  for (const double x : rollout.output.loop_gap) EXPECT_LT(std::fabs(x), 1e-7);
  EXPECT_NEAR(rollout.energy(), begin.kinetic_energy[0] + begin.potential_energy[0], 1e-4);
}

TEST(Loop, OfBodiesThatAreApartIsRefused) {
  SceneDescription scene = rods(2, 0.2, 0.5);
  SceneBuilder builder;
  builder.description = scene;
  builder.add_ground();
  builder.description.pairs.emplace();
  builder.description.loops = {{LoopType::kHinge, 1, 2, {0.4, 0, 0}, {0, 1, 0}}};
  EXPECT_NO_THROW(Simulator{Scene(builder.description)});
  builder.description.bodies[0].motion.position = 0.01;
  try {
    const Simulator simulator{Scene(builder.description)};
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("loop 0: 'rod1' and 'ground' are 0.004 m"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace isopatch::test
