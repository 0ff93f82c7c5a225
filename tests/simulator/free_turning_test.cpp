// SPDX-License-Identifier: Apache-2.0
//
// Bodies that turn in the air keep momentum and energy, however slender or flat they are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <random>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kDuration = 10;  // s

struct Shape {
  const char* name;
  Vector size;
  bool is_symmetric;
};

const Shape kShapes[] = {{"pen", {0.19, 0.01, 0.01}, true},
                         {"needle", {0.01, 0.5, 0.01}, true},
                         {"plate", {0.25, 0.25, 0.01}, true},
                         {"flat bar", {0.2, 0.04, 0.01}, false},
                         {"brick", {0.05, 0.2, 0.1}, false}};

/// The body turned at random, which turns about a random axis.
SceneDescription thrown(const Shape& shape, double spin, double time_step, Integrator integrator, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto direction = [&] { return Vector{normal(random), normal(random), normal(random)}; };
  const Vector axis = direction();
  SceneBuilder scene;
  Body& body = scene.add(shape.name, make_box("box", shape.size), pose_at({0, 0, 0}, turn_about(direction(), spin)));
  for (std::size_t k = 0; k < 3; ++k) body.velocity[3 + k] = spin / length(axis) * axis[k];
  scene.description.rollout.gravity = {0, 0, 0};
  scene.description.rollout.time_step = time_step;
  scene.description.rollout.integrator = integrator;
  return scene.finish();
}

Eigen::Quaterniond attitude(const Rollout& rollout) {
  const auto q = rollout.orientation(0);
  return {q[0], q[1], q[2], q[3]};
}

Eigen::Quaterniond turn_by(const Eigen::Vector3d& vector) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(vector.norm(), vector.normalized()));
}

/// Of a symmetric top, from the start: it turns about its momentum, and about its own axis.
Eigen::Quaterniond exact_attitude(const Shape& shape, const Eigen::Quaterniond& begin, const Eigen::Vector3d& momentum,
                                  const std::array<std::array<double, 3>, 3>& inertia, double time) {
  const int axis = shape.size[0] == shape.size[1] ? 2 : shape.size[0] == shape.size[2] ? 1 : 0;
  const auto moment = [&](int i) { return inertia[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)]; };
  const double across = 1 / moment((axis + 1) % 3), along = 1 / moment(axis);
  const Eigen::Vector3d unit = Eigen::Vector3d::Unit(axis);
  const double own = (along - across) * momentum.dot(begin * unit);
  return turn_by(time * across * momentum) * begin * turn_by(time * own * unit);
}

struct Errors {
  double first = 0, last = 0;  // of the kinetic energy, relative, in the first and the last second
  double most = 0;
  double momentum = 0;  // relative
  double angle = 0;     // at the end, of a symmetric top, rad
  std::uint32_t status = 0;
};

Errors errors_of(const Shape& shape, double spin, double time_step, Integrator integrator, unsigned seed) {
  const SceneDescription scene = thrown(shape, spin, time_step, integrator, seed);
  Rollout rollout(scene);
  rollout.step(0);
  const double energy = rollout.energy();
  const std::vector<double> begun = rollout.output.momentum;
  const Eigen::Vector3d momentum(begun[3], begun[4], begun[5]);
  const Eigen::Quaterniond begin = attitude(rollout);
  Errors errors;
  rollout.step(static_cast<int>(std::lround(kDuration / time_step)), [&] {
    const double error = std::fabs(rollout.energy() / energy - 1);
    errors.most = std::max(errors.most, error);
    if (rollout.time() <= 1) errors.first = std::max(errors.first, error);
    if (rollout.time() > kDuration - 1) errors.last = std::max(errors.last, error);
    errors.status |= rollout.state.status[0];
    for (std::size_t k = 3; k < 6; ++k) {
      errors.momentum = std::max(errors.momentum, std::fabs(rollout.output.momentum[k] - begun[k]) / momentum.norm());
    }
  });
  if (shape.is_symmetric) {
    const auto inertia = body_mass(scene, scene.bodies[0]).inertia;
    errors.angle = attitude(rollout).angularDistance(exact_attitude(shape, begin, momentum, inertia, rollout.time()));
  }
  return errors;
}

class FreeTurning : public ::testing::TestWithParam<Integrator> {};

TEST_P(FreeTurning, KeepsEnergyAndMomentum) {
  unsigned seed = 1;
  for (const Shape& shape : kShapes) {
    for (const double time_step : {1e-3, 5e-3, 1e-2}) {
      for (const double spin : {5.0, 20.0, 50.0}) {
        SCOPED_TRACE(fmt::format("{}, {} rad/s, {} s", shape.name, spin, time_step));
        const Errors errors = errors_of(shape, spin, time_step, GetParam(), ++seed);
        EXPECT_LT(errors.momentum, 1e-12);
        EXPECT_EQ(errors.status, 0u);
        if (shape.is_symmetric) {
          EXPECT_LT(errors.most, 1e-12);
          // the rounding of a needle's attitude changes the spin about its axis, of which the moment is 1/1250
          EXPECT_LT(errors.angle, shape.name == std::string("needle") ? 1e-8 : 1e-9);
        } else {
          EXPECT_LT(errors.most, spin * time_step <= 0.25 ? 1e-3 : 5e-3);
          EXPECT_LT(errors.last, 1.5 * errors.first);  // it does not drift
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, FreeTurning,
                         ::testing::Values(Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2));

// Of a brick, whose attitude has no closed form that is short: half the step has a quarter of the error.
TEST(FreeTurning, IsOfSecondOrder) {
  const Shape brick = kShapes[4];
  const auto end = [&](double time_step) {
    Rollout rollout(thrown(brick, 20, time_step, Integrator::kMidpoint, 3));
    rollout.step(static_cast<int>(std::lround(0.5 / time_step)));
    return attitude(rollout);
  };
  const Eigen::Quaterniond exact = end(1.25e-5);
  const double coarse = end(4e-3).angularDistance(exact), fine = end(2e-3).angularDistance(exact);
  EXPECT_LT(fine, 1e-2);
  EXPECT_NEAR(coarse / fine, 4, 0.4);
}

// A top turns exactly by any angle; what is no top says that it turns too far.
TEST(FreeTurning, TellsOfWhatTurnsTooFar) {
  for (const Shape& shape : kShapes) {
    for (const double spin : {50.0, 80.0, 120.0, 300.0}) {
      const Errors errors = errors_of(shape, spin, 1e-2, Integrator::kMidpoint, 7);
      EXPECT_EQ(errors.status, spin > 100 && !shape.is_symmetric ? kFastBody : kOk) << shape.name << " " << spin;
      if (shape.is_symmetric) {
        EXPECT_LT(errors.most, 1e-12) << shape.name << " " << spin;
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test
