// SPDX-License-Identifier: Apache-2.0
//
// Pressures p = E f(e) that are not linear, against integrals of the true f.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "tests/mesh/grid_meshes.h"
#include "tests/support/scenes.h"

namespace isopatch {
// How GoogleTest prints parameters.
static void PrintTo(const StrainMap& map, std::ostream* out) {
  constexpr const char* kNames[] = {"linear", "true", "power", "table"};
  *out << kNames[static_cast<int>(map.kind)] << " " << map.parameter;
}
}  // namespace isopatch

namespace isopatch::test {
namespace {

using Kind = StrainMap::Kind;
using Function = std::function<double(double)>;

constexpr double kModulus = 1e5;
constexpr double kThickness = 0.1;  // of half spaces, m

const std::vector<StrainMap> kMaps = {{Kind::kPower, 2, {}},
                                      {Kind::kPower, 3, {}},
                                      {Kind::kPower, 1.5, {}},
                                      {Kind::kPower, 0.5, {}},
                                      {Kind::kTrue, 0.5, {}},
                                      {Kind::kTrue, 0.95, {}},
                                      {Kind::kTable, 0, {{0, 0}, {0.2, 0.05}, {0.5, 0.3}, {1, 1}}}};

/// By Simpson's rule over many intervals, closer to the lower end where the integrand may be steep.
double integral(double from, double to, const Function& f) {
  constexpr int kIntervals = 4000;
  const auto at = [&](int i) {  // x = from + (to - from) t^2, dx = 2 (to - from) t dt
    const double t = static_cast<double>(i) / kIntervals;
    return 2 * (to - from) * t * f(from + (to - from) * t * t);
  };
  double sum = at(0) + at(kIntervals);
  for (int i = 1; i < kIntervals; ++i) sum += (i % 2 == 1 ? 4 : 2) * at(i);
  return sum / (3 * kIntervals);
}

/// The force on body a along z, from body b at the origin.
double force(const Geometry& a, const Geometry& b, double height, bool rigid_a, bool rigid_b,
             Precision precision = Precision::kDouble) {
  SceneDescription scene = two_bodies(a, b);
  scene.bodies[0].rigid = rigid_a;
  scene.bodies[1].rigid = rigid_b;
  for (Body& body : scene.bodies) body.modulus = kModulus;
  scene.bodies[0].pose[2] = height;
  const Scene built(scene);
  const StateArrays states(scene, 1);
  ResultArrays r(built, 1);
  Evaluator(built, {.backend = Backend::kCpu, .precision = precision}).evaluate(states.view(), r.view());
  EXPECT_EQ(r.status[0], 0u);
  return r.pair_wrench[2];
}

class Strain : public ::testing::TestWithParam<StrainMap> {
 protected:
  double f(double extent) const { return mapped_extent(GetParam(), extent); }
};

// A cube of 12 tets in a rigid plane: its extent there is the distance to the nearest face, or the depth.
TEST_P(Strain, OfACubeInARigidPlane) {
  const double half = 0.05;
  const Geometry cube = with_strain(make_box("cube", {0.1, 0.1, 0.1}), GetParam());
  for (const double depth : {0.002, 0.005, 0.01, 0.02, 0.03, 0.045}) {
    const double inner = f(depth / half) * 4 * (half - depth) * (half - depth);
    const double rim = integral(0, depth, [&](double s) { return f(s / half) * 8 * (half - s); });
    const double expected = kModulus * (inner + rim);
    EXPECT_NEAR(force(cube, make_half_space("plane", 1), half - depth, false, true), expected, 0.01 * expected)
        << depth;
  }
}

// The extents are linear along every radius, so the force is an integral over radii; the mesh of the ball is inside it,
// by as much as that of a ball without strain.
TEST_P(Strain, OfABallInARigidPlane) {
  const double radius = 0.1;
  const Geometry plain = make_sphere("ball", radius, 3), ball = with_strain(plain, GetParam());
  for (const double depth : {0.02, 0.05, 0.08}) {
    const auto exact = [&](const Function& pressure) {
      return kModulus * 2 * std::numbers::pi *
             integral(radius - depth, radius, [&](double r) { return pressure(1 - r / radius) * r; });
    };
    const Geometry plane = make_half_space("plane", 1);
    const double of_mesh = exact([](double e) { return e; }) - force(plain, plane, radius - depth, false, true);
    const double expected = exact([&](double e) { return f(e); });
    // where the pressure rises as e^n, a surface that is too low changes the force by n times as much
    EXPECT_NEAR(force(ball, plane, radius - depth, false, true), expected, 0.01 * expected + 3 * std::fabs(of_mesh));
  }
}

// A half space is linear in layers; a punch at one depth feels one pressure.
TEST_P(Strain, OfAHalfSpaceUnderARigidCube) {
  const Geometry ground = with_strain(make_half_space("ground", kThickness), GetParam());
  const auto rows = strain_table(GetParam());
  const Geometry cube = make_box("cube", {0.1, 0.1, 0.4});
  for (int i = 1; i <= 60; ++i) {
    const double depth = i * kThickness / 40;
    const double exact = kModulus * interpolated(rows, depth / kThickness) * 0.01;
    const double found = force(cube, ground, 0.2 - depth, true, false);
    EXPECT_NEAR(found, exact, 1e-8 * exact) << depth;
    if (depth > 0.002 && depth <= kThickness) {
      // the tolerance of the map, here relative to what is found
      EXPECT_NEAR(found, kModulus * f(depth / kThickness) * 0.01, 0.005 / 0.995 * found) << depth;
    }
  }
  // on a level, the surface is in one layer
  for (const auto& [extent, value] : rows) {
    const double expected = kModulus * value * 0.01;
    EXPECT_NEAR(force(cube, ground, 0.2 - extent * kThickness, true, false), expected, 1e-8 * expected + 1e-12);
  }
}

// Above each point, the contact surface is where both pressures are equal; the force along z is the integral of that
// pressure over the plane. Both maps differ, so the surface is curved.
TEST_P(Strain, OfABallInAHalfSpaceOfAnotherMap) {
  const StrainMap other = {Kind::kPower, 2, {}};
  const double radius = 0.1, depth = 0.06;
  const Geometry ball = with_strain(make_sphere("ball", radius, 4), GetParam());
  const Geometry ground = with_strain(make_half_space("ground", kThickness), other);
  const double height = radius - depth;
  const auto pressure_at = [&](double rho) {  // by bisection along the vertical line
    double low = -depth, high = 0;            // of z
    const auto ball_at = [&](double z) { return f(1 - std::hypot(rho, z - height) / radius); };
    const auto ground_at = [&](double z) { return mapped_extent(other, -z / kThickness); };
    for (int i = 0; i < 60; ++i) {
      const double z = 0.5 * (low + high);
      (ball_at(z) > ground_at(z) ? high : low) = z;
    }
    return kModulus * ground_at(low);
  };
  const double edge = std::sqrt(radius * radius - height * height);
  const double expected = 2 * std::numbers::pi * integral(0, edge, [&](double rho) { return pressure_at(rho) * rho; });
  const double found = force(ball, ground, height, false, false);
  // half a percent for each map, and a quarter by which the mesh of the ball is off at this depth
  EXPECT_NEAR(found, expected, 0.0125 * expected);
  EXPECT_NEAR(force(ball, ground, height, false, false, Precision::kFloat), found, 1e-5 * found);
}

INSTANTIATE_TEST_SUITE_P(Maps, Strain, ::testing::ValuesIn(kMaps));

// PFC section VIII-A with the true strain of its first version, in a layer of one row of tets.
TEST(StrainOfALayer, UnderASinusoid) {
  constexpr double kWavelength = 2 * std::numbers::pi / 3;
  const StrainMap map = {Kind::kTrue, 0.9, {}};
  std::vector<double> extent;
  TetMesh layer = isopatch::testing::grid_mesh({4, 2, 1}, false, [&](auto x, auto y, auto z) -> Point3 {
    extent.push_back(z == 0 ? 1 : 0);
    return {-0.5 + (kWavelength + 1) * x / 4, -0.5 + 0.5 * y, z - 1.0};
  });
  layer.point_data["extent"] = extent;
  FieldOptions from_data;
  from_data.kind = FieldOptions::Kind::kPointData;
  const Geometry ground = with_strain(make_tet_mesh("layer", layer, from_data), map);

  for (const double amplitude : {0.0, 0.166, 0.333}) {
    const TetMesh punch = isopatch::testing::grid_mesh({256, 1, 1}, false, [&](auto x, auto y, auto z) -> Point3 {
      const double bottom = amplitude * (1 - std::cos(2 * std::numbers::pi * x / 256));
      return {kWavelength * x / 256, 0.5 * y - 0.25, z == 0 ? bottom : 2};
    });
    const Geometry rigid = make_tet_mesh("punch", punch);
    for (const double depth : {0.1, 0.2, 0.4}) {
      const auto pressure = [&](double x) {
        return mapped_extent(map, depth - amplitude * (1 - std::cos(2 * std::numbers::pi * x / kWavelength)));
      };
      const double expected = kModulus * 0.5 * 2 * integral(0, kWavelength / 2, pressure);
      const double found = force(rigid, ground, -depth, true, false);
      EXPECT_NEAR(found, expected, 0.01 * expected) << amplitude << ", " << depth;
    }
  }
}

// Part pairs have one row, whatever the layers, which add up to the wrench of the pair.
TEST(StrainOfAHalfSpace, HasOneRowOfPartPairs) {
  SceneDescription scene = boxes_on_ground();
  scene.geometries[2] = with_strain(scene.geometries[2], {Kind::kPower, 2, {}});
  const Scene built(scene);
  EXPECT_EQ(built.num_part_pairs(), built.num_pairs());
  EXPECT_EQ(static_cast<int>(built.part_pairs().size()), built.num_pairs());
  StateArrays states(scene, 1);
  states.poses[2] = 0.03;
  states.poses[7] = 0.3;
  states.poses[9] = 0.05;
  ResultArrays r(built, 1, {.part_pairs = true});
  Evaluator(built, {.backend = Backend::kCpu, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
  ASSERT_EQ(r.part_pair_wrench.size(), r.pair_wrench.size());
  int in_contact = 0;
  for (std::size_t i = 0; i < r.pair_wrench.size(); ++i) {
    EXPECT_NEAR(r.part_pair_wrench[i], r.pair_wrench[i], 1e-9) << i;
    in_contact += r.pair_wrench[i] != 0 ? 1 : 0;
  }
  EXPECT_GE(in_contact, 10);
}

// Damping by PFC takes the slope of the pressure from means at the levels.
TEST(StrainOfAHalfSpace, HasContinuousDamping) {
  SceneDescription scene =
      two_bodies(make_box("cube", {0.1, 0.1, 0.1}),
                 with_strain(make_half_space("ground", kThickness), {Kind::kTable, 0, {{0, 0}, {0.3, 0.1}, {1, 1}}}));
  scene.contact.dissipation_model = DissipationModel::kPfc;
  scene.bodies[0].rigid = true;
  scene.bodies[1].dissipation = 5;
  const Scene built(scene);
  const auto force_at = [&](double depth, Backend backend) {
    StateArrays states(scene, 1);
    states.poses[2] = 0.05 - depth;
    states.velocities[2] = -0.1;
    ResultArrays r(built, 1);
    Evaluator(built, {.backend = backend, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
    return r.pair_wrench[2];
  };
  const double level = 0.3 * kThickness;
  double before = 1e30;
  for (const double step : {1e-4, 1e-5, 1e-6}) {
    const double change =
        std::fabs(force_at(level + 0.3 * step, Backend::kCpu) - force_at(level - 0.7 * step, Backend::kCpu));
    EXPECT_LT(change, 0.2 * before);
    before = change;
  }
  for (const double depth : {0.01, 0.029, 0.03, 0.031, 0.05, 0.2}) {
    const double expected = force_at(depth, Backend::kReference);
    EXPECT_NEAR(force_at(depth, Backend::kCpu), expected, 2e-9 * expected) << depth;
  }
}

TEST(StrainOfAHalfSpace, HasNoMoreLayersThanASceneHasRoomFor) {
  StrainMap map = {Kind::kTable, 0, {}};
  for (int i = 0; i <= 32'769; ++i) map.table.push_back({i / 32'769.0, i / 32'769.0});
  const SceneDescription scene =
      two_bodies(make_box("cube", {0.1, 0.1, 0.1}), with_strain(make_half_space("ground", kThickness), map));
  try {
    const Scene built(scene);
    FAIL() << "32 769 layers were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("32769 pairs of parts and layers of half spaces, the limit is 32768"),
              std::string::npos)
        << error.what();
  }
}

// A half space may take the place of another one with as many layers or more; of one with fewer it may not.
TEST(StrainOfAHalfSpace, MayBeChosenForAnEnvironment) {
  const Geometry flat = make_half_space("flat", kThickness), strained = with_strain(flat, {Kind::kPower, 2, {}});
  SceneDescription scene = two_bodies(make_box("cube", {0.1, 0.1, 0.1}), strained);
  scene.geometries.push_back(flat);
  scene.bodies[0].pose[2] = 0.03;
  const auto evaluate = [&](int own, int chosen, Backend backend) {
    scene.bodies[1].geometry = own;
    const Scene built(scene);
    StateArrays states(scene, 1);
    states.geometry_index = {0, chosen};
    ResultArrays r(built, 1);
    Evaluator(built, {.backend = backend, .precision = Precision::kDouble}).evaluate(states.view(), r.view());
    return std::pair(r.pair_wrench[2], r.status[0]);
  };
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    const auto [linear, ok] = evaluate(2, 2, backend);
    EXPECT_EQ(ok, 0u);
    EXPECT_EQ(evaluate(1, 2, backend).second, 0u);
    EXPECT_NEAR(evaluate(1, 2, backend).first, linear, 1e-12 * linear);
    EXPECT_LT(evaluate(1, 1, backend).first, 0.5 * linear);
    EXPECT_EQ(evaluate(2, 1, backend).second, static_cast<std::uint32_t>(kBadGeometry));
  }
}

}  // namespace
}  // namespace isopatch::test
