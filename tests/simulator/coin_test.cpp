// SPDX-License-Identifier: Apache-2.0
//
// A coin that slides and spins on a plane: both motions end together, and the ratio of their speeds is known (VL,
// section V-A; Farkas, Bartels, Unger, Wolf, "Frictional coupling between sliding and spinning motion", 2003).
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/rollouts.h"

namespace isopatch::test {
namespace {

constexpr double kRadius = 0.01213, kHeight = 0.00175;  // m, a quarter dollar

/// The closed surface of a coin, whose round faces are `rings` rings of `sectors` sectors.
TriangleMesh coin_mesh(int rings, int sectors) {
  TriangleMesh mesh;
  const auto add_face = [&](double z) {
    const int center = static_cast<int>(mesh.points.size());
    mesh.points.push_back({0, 0, z});
    for (int ring = 1; ring <= rings; ++ring) {
      for (int i = 0; i < sectors; ++i) {
        const double angle = 2 * M_PI * i / sectors, r = kRadius * ring / rings;
        mesh.points.push_back({r * std::cos(angle), r * std::sin(angle), z});
      }
    }
    return center;
  };
  const int faces[2] = {add_face(-kHeight / 2), add_face(kHeight / 2)};
  const auto at = [&](int face, int ring, int i) { return faces[face] + 1 + (ring - 1) * sectors + i % sectors; };
  const auto add = [&](int face, int a, int b, int c) {  // counter-clockwise seen from above
    mesh.triangles.push_back(face == 1 ? Triangle{a, b, c} : Triangle{a, c, b});
  };
  for (int face = 0; face < 2; ++face) {
    for (int i = 0; i < sectors; ++i) {
      add(face, faces[face], at(face, 1, i), at(face, 1, i + 1));
      for (int ring = 1; ring < rings; ++ring) {
        add(face, at(face, ring, i), at(face, ring + 1, i), at(face, ring + 1, i + 1));
        add(face, at(face, ring, i), at(face, ring + 1, i + 1), at(face, ring, i + 1));
      }
    }
  }
  for (int i = 0; i < sectors; ++i) {
    const int low = at(0, rings, i), next_low = at(0, rings, i + 1), high = at(1, rings, i),
              next_high = at(1, rings, i + 1);
    mesh.triangles.push_back({low, next_low, next_high});
    mesh.triangles.push_back({low, next_high, high});
  }
  return mesh;
}

struct Coin {
  TriangleMesh mesh;
  ContactPoints points = ContactPoints::kMatched;
  double time_step = 1e-4, slip_tolerance = 1e-5, modulus = 1e6;
};

/// v / (omega R) where sqrt(v^2 + (omega R)^2) falls to each of `speeds`, from a start at 0.3 m/s.
std::vector<double> ratios(const Coin& coin, double start, const std::vector<double>& speeds) {
  SceneBuilder scene;
  const double weight = 5.67e-3 * 9.81, depth = weight / (M_PI * kRadius * kRadius) * 0.01 / coin.modulus;
  Body& body = scene.add("coin", make_surface_mesh("coin", coin.mesh), pose_at({0, 0, kHeight / 2 - depth}));
  body.mass = 5.67e-3;
  body.rigid = true;
  body.friction = 0.2;
  const double spin = 0.3 / std::sqrt(1 + start * start);
  body.velocity = {start * spin, 0, 0, 0, 0, spin / kRadius};
  Body& ground = scene.add("ground", make_half_space("ground", 0.01));
  ground.fixed = true;
  ground.modulus = coin.modulus;
  ground.dissipation = 20;
  ground.friction = 0.2;
  scene.description.contact.slip_tolerance = coin.slip_tolerance;
  scene.description.rollout.time_step = coin.time_step;
  scene.description.rollout.points = coin.points;
  Rollout rollout(scene.finish());
  std::vector<double> found;
  double speed = 1, ratio = 0;
  while (found.size() < speeds.size() && rollout.time() < 1) {
    rollout.step();
    const double v = std::hypot(rollout.velocity(0)[0], rollout.velocity(0)[1]),
                 w = std::fabs(rollout.angular_velocity(0)[2]) * kRadius;
    const double now = std::hypot(v, w);
    const double wanted = speeds[found.size()];
    if (now < wanted) found.push_back(ratio + (v / w - ratio) * (speed - wanted) / (speed - now));
    speed = now;
    ratio = v / w;
  }
  EXPECT_EQ(rollout.state.status[0], kOk);
  return found;
}

TEST(Coin, FollowsTheExactSolution) {
  const double starts[] = {0.4, 0.8, 1.5, 3};
  const double exact[][2] = {{0.6191, 0.6350}, {0.6593, 0.6562}, {0.6715, 0.6622}, {0.6979, 0.6746}};
  for (int i = 0; i < 4; ++i) {
    const std::vector<double> found = ratios({coin_mesh(4, 48)}, starts[i], {3e-3, 1e-3});
    ASSERT_EQ(found.size(), 2u);
    std::printf("start %.1f: %.4f %.4f, exact %.4f %.4f\n", starts[i], found[0], found[1], exact[i][0], exact[i][1]);
    EXPECT_NEAR(found[0], exact[i][0], 0.013 * exact[i][0]);
    EXPECT_NEAR(found[1], exact[i][1], 0.013 * exact[i][1]);
  }
}

/// The points of a fan are a ring, which attracts quickly, from every start to the same ratio: VL's own figure.
TEST(Coin, OnAFanHasTheRatioOfItsPoints) {
  for (const double start : {0.4, 0.8, 1.5, 3.0}) {
    const std::vector<double> found = ratios({coin_mesh(1, 152), ContactPoints::kCentroid}, start, {3e-3});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0], 0.6442, 0.005 * 0.6442) << start;
  }
  const std::vector<double> six = ratios({coin_mesh(1, 152), ContactPoints::kFan6}, 0.65, {3e-3, 1e-3, 3e-4, 1e-4});
  ASSERT_EQ(six.size(), 4u);
  for (const double ratio : six) std::printf("six %.4f\n", ratio);
  EXPECT_NEAR(six[0], 0.6507, 0.005 * 0.6507);
  const std::vector<double> matched = ratios({coin_mesh(1, 152), ContactPoints::kMatched}, 0.8, {3e-3});
  ASSERT_EQ(matched.size(), 1u);
  std::printf("fan: fan6 %.4f, matched %.4f\n", six[0], matched[0]);
}

/// The relative error of the speed of a coin on rings after 0.048 s, from that at the smallest of the steps.
std::vector<double> errors_of_steps(Integrator integrator, const std::vector<double>& steps) {
  std::vector<double> speeds, errors;
  for (const double step : steps) {
    SceneBuilder scene;
    const double depth = 5.67e-3 * 9.81 / (M_PI * kRadius * kRadius) * 0.01 / 1e6;
    Body& body = scene.add("coin", make_surface_mesh("coin", coin_mesh(2, 12)), pose_at({0, 0, kHeight / 2 - depth}));
    body.mass = 5.67e-3;
    body.rigid = true;
    body.friction = 0.2;
    body.velocity = {1, 0, 0, 0, 0, 1 / kRadius};
    Body& ground = scene.add("ground", make_half_space("ground", 0.01));
    ground.fixed = true;
    ground.modulus = 1e6;
    ground.dissipation = 20;
    ground.friction = 0.2;
    scene.description.contact.slip_tolerance = 1e-3;
    scene.description.rollout.time_step = step;
    scene.description.rollout.integrator = integrator;
    Rollout rollout(scene.finish());
    rollout.step(static_cast<int>(std::lround(0.048 / step)));
    speeds.push_back(rollout.velocity(0)[0]);
  }
  for (std::size_t i = 0; i + 1 < speeds.size(); ++i) errors.push_back(std::fabs(speeds[i] / speeds.back() - 1));
  return errors;
}

/// Of longer steps than .2 ms, those of sdirk2 are midpoint's: the patch is too stiff for them.
TEST(Coin, ConvergesWithTheOrderOfTheMethod) {
  const std::vector<double> euler = errors_of_steps(Integrator::kEuler, {8e-4, 4e-4, 2e-4, 1.25e-5}),
                            sdirk2 = errors_of_steps(Integrator::kSdirk2, {2e-4, 1e-4, 5e-5, 5e-6});
  for (std::size_t i = 0; i < euler.size(); ++i) std::printf("euler %.2g, sdirk2 %.2g\n", euler[i], sdirk2[i]);
  EXPECT_NEAR(std::log2(euler[0] / euler[1]), 1, 0.15);
  EXPECT_NEAR(std::log2(euler[1] / euler[2]), 1, 0.15);
  EXPECT_GT(std::log2(sdirk2[0] / sdirk2[2]) / 2, 1.8);
}

}  // namespace
}  // namespace isopatch::test
