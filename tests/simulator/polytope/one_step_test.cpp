// SPDX-License-Identifier: Apache-2.0
//
// One step of rigid polytopes by euler, in all modes of relations: velocities that an independent program has found.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/simulator/polytope/polytope_bodies.h"

namespace isopatch::test {
namespace {

using std::numbers::pi;

constexpr double kStep = 0.01;

struct Case {
  PolytopeScene scene;
  double margin = 0.01;
  ContactRelations relations = ContactRelations::kExact;
  int iterations = 1;

  Rollout step() {
    scene.description.rollout.time_step = kStep;
    scene.description.rollout.integrator = Integrator::kEuler;
    scene.description.rollout.geometry_iterations = iterations;
    scene.description.contact.polytope.margin = margin;
    scene.description.contact.polytope.relations = relations;
    Rollout rollout(scene.finish());
    rollout.step(1);
    return rollout;
  }
};

/// The twist of body 0: along x, y and about z of a polygon, else all of it.
void expect_twist(const Rollout& rollout, const std::vector<double>& expected, double tolerance = 1e-9) {
  EXPECT_EQ(rollout.state.status[0] & (kFrozen | kHeld), 0u) << status_text(rollout.state.status[0]);
  double scale = 0;
  for (const double v : expected) scale = std::max(scale, std::abs(v));
  const Vector v = rollout.velocity(0), w = rollout.angular_velocity(0);
  const std::vector<double> found = expected.size() == 3 ? std::vector<double>{v[0], v[1], w[2]}
                                                         : std::vector<double>{v[0], v[1], v[2], w[0], w[1], w[2]};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], tolerance * scale) << i;
}

double impulse_of(const Rollout& rollout) {
  const auto& w = rollout.output.pair_wrench;
  return kStep * length({w[0], w[1], w[2]});
}

Case on_its_tip(double x, double y, const std::array<double, 6>& velocity, double margin) {
  Case c;
  c.margin = margin;
  Body& square = c.scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1),
                                     pose_at({x, y + 0.1 * std::sqrt(2.0), 0}, turn_about({0, 0, 1}, pi / 4)));
  square.velocity = velocity;
  c.scene.add_fixed_polygon("corner", rectangle(-1, -1, 0, 0));
  c.scene.description.rollout.gravity = {0, 0, 0};
  return c;
}

TEST(PolytopeCases, ASquarePassesACorner) {
  Case c = on_its_tip(0.02, -0.01, {0.5, -1, 0, 0, 0, 0}, 0.05);
  expect_twist(c.step(), {0.5, -1, 0});
  EXPECT_EQ(impulse_of(c.step()), 0);
  c.relations = ContactRelations::kUnilateral;
  expect_twist(c.step(), {-0.063156406, 1, -12.791086025});
  c.relations = ContactRelations::kSeparating;
  expect_twist(c.step(), {0.5, -1, 0});
}

TEST(PolytopeCases, ASquareIsOverACorner) {
  Case c = on_its_tip(-0.004, 0.002, {1, -1, 0, 0, 0, 0}, 0.01);
  expect_twist(c.step(), {0.846772539, -0.2, -3.204477068});
  c.relations = ContactRelations::kUnilateral;
  expect_twist(c.step(), {0.836030728, -0.187839169, -3.040207813});
  c.relations = ContactRelations::kSeparating;
  expect_twist(c.step(), {1, -0.2, 0});
}

TEST(PolytopeCases, UnilateralContactsHaveNoWayOut) {
  Case c;
  c.margin = 0.15;
  c.scene.add_polygon("plate", rectangle(-0.02, -0.06, 0.12, -0.01)).velocity = {0.3, -0.5, 0, 0, 0, 0};
  c.scene.add_fixed_polygon("block", rectangle(0, 0, 0.1, 1));
  c.scene.description.rollout.gravity = {0, 0, 0};
  expect_twist(c.step(), {0.3, -0.5, 0});
  c.relations = ContactRelations::kSeparating;
  expect_twist(c.step(), {0.3, -0.5, 0});
  c.relations = ContactRelations::kUnilateral;
  EXPECT_EQ(c.step().state.status[0], kNoStep | kFrozen);
}

TEST(PolytopeCases, TwoVertices) {
  const auto e = [](double degrees) { return Point2{std::cos(degrees * pi / 180), std::sin(degrees * pi / 180)}; };
  const auto sum = [](const Point2& p, const Point2& q) { return Point2{p[0] + q[0], p[1] + q[1]}; };
  Case c;
  c.margin = 0.05;
  const Point2 corner = {0.03 * e(110)[0], 0.03 * e(110)[1]}, left = sum(corner, e(230)), right = sum(corner, e(280));
  const Point2 center = {(corner[0] + left[0] + right[0]) / 3, (corner[1] + left[1] + right[1]) / 3};
  const auto about = [&](const Point2& p) { return Point2{p[0] - center[0], p[1] - center[1]}; };
  c.scene.add_polygon("triangle", {about(corner), about(left), about(right)}, pose_at({center[0], center[1], 0}))
      .velocity = {(0.03 * e(40)[0] - corner[0]) / kStep, (0.03 * e(40)[1] - corner[1]) / kStep, 0, 0, 0, 0};
  c.scene.add_fixed_polygon("wedge", {{0, 0}, e(-30), e(30)});
  c.scene.description.rollout.gravity = {0, 0, 0};
  const Rollout exact = c.step();
  expect_twist(exact, {2.763016145, -0.989665788, 3.9151339});
  EXPECT_NEAR(impulse_of(exact), 0.218259347, 1e-8);
  c.relations = ContactRelations::kSeparating;
  expect_twist(c.step(), {2.763016145, -0.989665788, 3.9151339});
  c.relations = ContactRelations::kUnilateral;
  expect_twist(c.step(), {2.314691271, -3.205695951, 2.320073966});
}

TEST(PolytopeCases, ASquareLands) {
  for (const auto relations :
       {ContactRelations::kExact, ContactRelations::kUnilateral, ContactRelations::kSeparating}) {
    Case c;
    c.relations = relations;
    c.scene
        .add_polygon("square", rectangle(-0.5, -0.5, 0.5, 0.5), pose_at({0, 0.51, 0}, turn_about({0, 0, 1}, pi / 180)))
        .velocity = {0, -3, 0, 0, 0, 0};
    c.scene.add_fixed_polygon("floor", rectangle(-5, -1, 5, 0));
    const Rollout rollout = c.step();
    expect_twist(rollout, {0, -0.992383598, -1.745506493});
    EXPECT_NEAR(impulse_of(rollout), 2.1057164, 1e-7);
  }
}

TEST(PolytopeCases, ASquareCrossesASeam) {
  Case c;
  c.scene.add_polygon("square", rectangle(-0.1, -0.1, 0.1, 0.1), pose_at({-0.105, 0.1, 0})).velocity = {1, 0, 0,
                                                                                                        0, 0, 0};
  c.scene.add_fixed_polygon("left", rectangle(-2, -1, 0, 0));
  c.scene.add_fixed_polygon("right", rectangle(0, -1, 2, 0));
  expect_twist(c.step(), {1, 0, 0}, 1e-12);
  c.relations = ContactRelations::kUnilateral;
  expect_twist(c.step(), {0.643362624, 0.150530755, -1.433626241});
  c.relations = ContactRelations::kSeparating;  // of the right box, which is 5 mm ahead, its wall
  expect_twist(c.step(), {0.5, 0, 0}, 1e-12);
}

TEST(PolytopeCases, CrossedBars) {
  for (const auto relations :
       {ContactRelations::kExact, ContactRelations::kUnilateral, ContactRelations::kSeparating}) {
    Case c;
    c.relations = relations;
    c.scene
        .add_solid("upper", make_box("upper", {1, 0.1, 0.1}),
                   pose_at({0.05, 0.02, 0.1 * std::sqrt(2.0) + 0.001}, turn_about({1, 0, 0}, pi / 4)))
        .velocity = {0, 0, -1, 0, 0, 0};
    c.scene.add_fixed_solid("lower", make_box("lower", {0.1, 1, 0.1}),
                            pose_at({0, 0, 0}, turn_about({0, 1, 0}, pi / 4)));
    const Rollout rollout = c.step();
    EXPECT_NEAR(rollout.velocity(0)[2], -0.128791346, 1e-9);
    EXPECT_NEAR(rollout.angular_velocity(0)[1], 0.575826923, 1e-9);
    EXPECT_NEAR(impulse_of(rollout), 0.009693087, 1e-9);
  }
}

TEST(PolytopeCases, CubesAt45Degrees) {
  for (const auto relations :
       {ContactRelations::kExact, ContactRelations::kUnilateral, ContactRelations::kSeparating}) {
    Case c;
    c.relations = relations;
    c.scene.add_solid("upper", make_box("upper", {1, 1, 1}), pose_at({0, 0, 1}, turn_about({0, 0, 1}, pi / 4)));
    c.scene.add_fixed_solid("lower", make_box("lower", {1, 1, 1}));
    const Rollout rollout = c.step();
    EXPECT_LT(length(rollout.velocity(0)), 1e-13);
    EXPECT_LT(length(rollout.angular_velocity(0)), 1e-13);
    EXPECT_NEAR(impulse_of(rollout), 0.0981, 1e-11);
  }
}

TEST(PolytopeCases, ABarPassesARidge) {
  Case c;
  c.margin = 0.05;
  c.scene
      .add_solid("upper", make_box("upper", {0.3, 0.1, 0.1}),
                 pose_at({-0.13, 0, 0.05 * std::sqrt(2.0) + 0.066}, turn_about({0, 1, 0}, 0.1)))
      .velocity = {3, 0, -1.2, 0, 0, 0};
  c.scene.add_fixed_solid("ridge", make_box("ridge", {0.1, 1, 0.1}), pose_at({0, 0, 0}, turn_about({0, 1, 0}, pi / 4)));
  c.scene.description.rollout.gravity = {0, 0, 0};
  expect_twist(c.step(), {3.019402046, 0, -1.006626703, 0, -3.170287639, 0});
  c.relations = ContactRelations::kLnc;
  EXPECT_EQ(impulse_of(c.step()), 0);
  c.relations = ContactRelations::kUnilateral;
  expect_twist(c.step(), {-1.148317476, 0, 0.476041659, 0, 4.098156226, 0});
}

}  // namespace
}  // namespace isopatch::test
