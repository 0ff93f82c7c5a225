// SPDX-License-Identifier: Apache-2.0
//
// Patches as four point contacts, or as four for each cluster of normals.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/mesh/mesh_fixtures.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

using namespace detail;

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using isopatch::testing::error_of;

/// Relative to the force times the size of the patch: some hundred roundings of double.
constexpr double kRounding = 1e-12;

Vector3d vector(const double* v) { return {v[0], v[1], v[2]}; }

/// What the points of a pair are together.
struct PointSums {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();  // the moment about body a's origin
  Vector3d center = Vector3d::Zero();
  Matrix3d tilting = Matrix3d::Zero();  // sum of k x x^T about the center
  double stiffness = 0;
};

PointSums sums_of(const ResultArrays& r, const StateArrays& states, std::size_t environment = 0) {
  PointSums sums;
  const Vector3d origin = vector(&states.poses[environment * static_cast<std::size_t>(7 * states.num_bodies)]);
  const auto clusters = static_cast<std::size_t>(r.max_clusters);
  const auto for_each = [&](const std::function<void(double, double, const Vector3d&, const Vector3d&)>& visit) {
    for (std::size_t c = environment * clusters; c < (environment + 1) * clusters; ++c) {
      for (std::size_t j = 4 * c; j < 4 * (c + 1); ++j) {
        visit(r.patch_stiffness[j], r.patch_distance[j], vector(&r.patch_point[3 * j]), vector(&r.patch_normal[3 * c]));
      }
    }
  };
  for_each([&](double k, double distance, const Vector3d& x, const Vector3d& n) {
    const Vector3d f = k * -distance * n;
    sums.force += f;
    sums.moment += (x - origin).cross(f);
    sums.stiffness += k;
    sums.center += k * x;
  });
  if (sums.stiffness > 0) sums.center /= sums.stiffness;
  for_each([&](double k, double, const Vector3d& x, const Vector3d&) {
    sums.tilting += k * (x - sums.center) * (x - sums.center).transpose();
  });
  return sums;
}

ResultArrays evaluate(const Scene& scene, const StateArrays& states, const EvaluatorOptions& options,
                      int clusters = 1) {
  ResultArrays results(scene, states.num_environments, {.max_clusters = clusters});
  Evaluator(scene, options).evaluate(states.view(), results.view());
  return results;
}

const EvaluatorOptions kDouble = {.backend = Backend::kCpu, .precision = Precision::kDouble};

/// A body on a rigid half space, turned by `tilt` [rad] and with both of them shifted.
Scene on_plane(const Geometry& geometry, double height, const Vector3d& tilt, const Vector3d& shift) {
  SceneDescription scene = two_bodies(geometry, make_half_space("plane", 1));
  scene.bodies[1].rigid = true;
  const double angle = tilt.norm();
  const Eigen::Quaterniond q(Eigen::AngleAxisd(angle, angle > 0 ? Vector3d(tilt / angle) : Vector3d::UnitZ()));
  const Vector3d x = shift + Vector3d(0, 0, height);
  scene.bodies[0].pose = {x.x(), x.y(), x.z(), q.w(), q.x(), q.y(), q.z()};
  scene.bodies[1].pose = {shift.x() + 0.3, shift.y() - 0.1, shift.z(), 1, 0, 0, 0};
  return Scene(scene);
}

TEST(PatchContacts, OfACubeOnAPlaneHaveItsForceAndStiffness) {
  const double side = 0.1, depth = 0.002, E = 1e5;
  for (const double yaw : {0.0, 0.3}) {
    for (const Vector3d& shift : {Vector3d(0, 0, 0), Vector3d(0.2, -0.1, 0.3)}) {
      const Scene scene = on_plane(make_box("cube", {side, side, side}), side / 2 - depth, {0, 0, yaw}, shift);
      const StateArrays states(scene.description(), 1);
      const ResultArrays r = evaluate(scene, states, kDouble);
      const PointSums sums = sums_of(r, states);

      // the extent is the distance to the nearest side over half a side, so beside the walls it does not rise upward
      const double inner = side - 2 * depth, slope = 2 * E / side;
      const double force = slope * (std::pow(side, 3) - std::pow(inner, 3)) / 6;
      const double stiffness = slope * inner * inner;
      ASSERT_EQ(r.patch_count[0], 1);
      EXPECT_NEAR(sums.force.z(), force, kRounding * force);
      EXPECT_NEAR(sums.stiffness, stiffness, kRounding * stiffness);
      const double tilting = stiffness * inner * inner / 12;
      EXPECT_NEAR(sums.tilting(0, 0), tilting, kRounding * tilting);
      EXPECT_NEAR(sums.tilting(1, 1), tilting, kRounding * tilting);
      EXPECT_NEAR(sums.tilting(0, 1), 0, kRounding * tilting);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(r.patch_residual[i], 0, kRounding * force);
      for (std::size_t i = 3; i < 6; ++i) EXPECT_NEAR(r.patch_residual[i], 0, kRounding * force * side);
    }
  }
}

TEST(PatchContacts, OfAFlatPatchKeepForceAndBothMoments) {
  const double h = 0.05;
  const std::vector<Geometry> geometries = {
      make_box("cube", {2 * h, 2 * h, 2 * h}),
      make_box("box", {0.16, 0.1, 2 * h}),
      make_cylinder("8", 0.06, 2 * h, 8),
      make_cylinder("32", 0.06, 2 * h, 32),
      make_cylinder("128", 0.06, 2 * h, 128),
      make_sphere("sphere", h, 3),
      make_convex_hull("hull", {{-h, -h, -h}, {h, -h, -h}, {0, 2 * h, -h}, {0, 0, h}, {h, h, h}})};
  int cases = 0;
  for (const Geometry& geometry : geometries) {
    for (const Vector3d& tilt :
         {Vector3d(0, 0, 0), Vector3d(0.01, 0.02, 0.5), Vector3d(-0.03, 0, 1), Vector3d(0.2, 0.1, 0)}) {
      for (const Vector3d& shift : {Vector3d(0, 0, 0), Vector3d(1, -2, 0.5)}) {
        const Scene scene = on_plane(geometry, h - 0.003, tilt, shift);
        const StateArrays states(scene.description(), 1);
        const ResultArrays r = evaluate(scene, states, kDouble);
        const PointSums sums = sums_of(r, states);
        const double force = vector(&r.pair_wrench[0]).norm();
        const ::testing::ScopedTrace trace(__FILE__, __LINE__, geometry.name);
        ASSERT_GT(force, 1);
        ASSERT_EQ(r.patch_count[0], 1);
        EXPECT_LT((sums.force - vector(&r.pair_wrench[0])).norm(), kRounding * force);
        EXPECT_LT((sums.moment - vector(&r.pair_wrench[3])).norm(), kRounding * force * 2 * h);
        EXPECT_LT(vector(&r.patch_residual[0]).norm(), kRounding * force);
        EXPECT_LT(vector(&r.patch_residual[3]).norm(), kRounding * force * 2 * h);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 56);
}

/// The largest relative difference between two sets of points, as sums over them.
double difference(const PointSums& a, const PointSums& b, double size) {
  const double force = b.force.norm(), stiffness = b.stiffness;
  const double differences[] = {(a.force - b.force).norm() / force, (a.moment - b.moment).norm() / (force * size),
                                std::fabs(a.stiffness - stiffness) / stiffness, (a.center - b.center).norm() / size,
                                (a.tilting - b.tilting).norm() / (stiffness * size * size)};
  return *std::max_element(std::begin(differences), std::end(differences));
}

TEST(PatchContacts, AreThoseOfTheReference) {
  const double radius = 0.05;
  for (const double apart : {0.094, 0.09, 0.08}) {
    SceneDescription description = two_bodies(make_sphere("a", radius, 1), make_sphere("b", radius, 1));
    description.bodies[1].modulus = 3e5;
    description.bodies[0].pose = {0.1, 0.2, 0.3, 0.5, 0.1, 0.2, 0.3};
    description.bodies[1].pose = {0.1 + 0.6 * apart, 0.2, 0.3 + 0.8 * apart, 1, 0.1, 0.2, 0.3};
    const Scene scene(description);
    const StateArrays states(description, 1);
    const PointSums expected = sums_of(evaluate(scene, states, {.backend = Backend::kReference}), states);
    const PointSums in_double = sums_of(evaluate(scene, states, kDouble), states);
    const PointSums in_float = sums_of(evaluate(scene, states, {}), states);
    EXPECT_LT(difference(in_double, expected, radius), 1e-11) << apart;
    EXPECT_LT(difference(in_float, expected, radius), 1e-4) << apart;
  }
}

TEST(PatchContacts, AndTheirResidualAreTheElasticWrench) {
  for (const int clusters : {1, 2, 5, 16}) {
    SceneDescription description = two_bodies(make_sphere("a", 0.05, 2), make_box("b", {0.06, 0.06, 0.06}));
    description.bodies[0].pose = {0, 0, 0.06, 1, 0, 0, 0};
    description.bodies[1].pose = {0.01, 0.02, 0, 1, 0.1, 0.2, 0.3};
    const Scene scene(description);
    for (const EvaluatorOptions& options : {kDouble, EvaluatorOptions{.backend = Backend::kReference}}) {
      StateArrays states(description, 1);
      const ResultArrays r = evaluate(scene, states, options, clusters);
      const PointSums sums = sums_of(r, states);
      const double force = vector(&r.pair_wrench[0]).norm();
      ASSERT_GT(force, 1);
      EXPECT_LT((sums.force + vector(&r.patch_residual[0]) - vector(&r.pair_wrench[0])).norm(), kRounding * force);
      EXPECT_LT((sums.moment + vector(&r.patch_residual[3]) - vector(&r.pair_wrench[3])).norm(), kRounding * force);
      if (clusters > 1) continue;
      EXPECT_LT(vector(&r.patch_residual[0]).norm(), kRounding * force) << "n is along the force";
    }
  }
}

TEST(PatchContacts, DoNotKnowOfDampingAndFriction) {
  SceneDescription description = two_bodies(make_sphere("a", 0.05, 2), make_sphere("b", 0.05, 2));
  description.bodies[0].pose[0] = 0.09;
  const Scene still(description);
  for (Body& body : description.bodies) {
    body.dissipation = 5;
    body.friction = 0.7;
  }
  description.bodies[0].velocity = {-0.05, 0.1, 0, 1, 2, 3};
  const Scene moving(description);
  const ResultArrays a = evaluate(still, StateArrays(still.description(), 1), kDouble);
  const ResultArrays b = evaluate(moving, StateArrays(description, 1), kDouble);
  EXPECT_NE(a.pair_wrench, b.pair_wrench);
  EXPECT_EQ(a.patch_point, b.patch_point);
  EXPECT_EQ(a.patch_stiffness, b.patch_stiffness);
  EXPECT_EQ(a.patch_distance, b.patch_distance);
  EXPECT_EQ(a.patch_residual, b.patch_residual);
}

/// A cube that lies on an edge in a groove of two half spaces, each at 45 degrees.
SceneDescription cube_in_groove() {
  const double c = std::cos(M_PI / 8), s = std::sin(M_PI / 8);
  SceneDescription scene = two_bodies(make_box("cube", {0.1, 0.1, 0.1}), make_half_space("side", 1));
  scene.bodies[0].pose = {0.001, 0.02, 0.05 * std::sqrt(2.0) - 0.003, c, 0, s, 0};
  scene.bodies[1].rigid = true;
  scene.bodies[1].parts = {{.geometry = 1, .name = "left", .pose = {0, 0, 0, c, 0, s, 0}},
                           {.geometry = 1, .name = "right", .pose = {0, 0, 0, c, 0, -s, 0}}};
  return scene;
}

TEST(PatchContacts, HaveAClusterForEachSideOfAGroove) {
  const Scene scene(cube_in_groove());
  const StateArrays states(scene.description(), 1);
  const double diagonal = std::sqrt(0.5);
  for (const EvaluatorOptions& options : {kDouble, EvaluatorOptions{.backend = Backend::kReference}}) {
    const ResultArrays one = evaluate(scene, states, options, 1), more = evaluate(scene, states, options, 4);
    const double force = vector(&one.pair_wrench[0]).norm();
    EXPECT_EQ(one.patch_count[0], 1);
    EXPECT_GT(std::fabs(one.patch_normal[2]), 0.9);

    ASSERT_EQ(more.patch_count[0], 2);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(std::fabs(more.patch_normal[3 * i]), diagonal, 1e-12);
      EXPECT_NEAR(more.patch_normal[3 * i + 2], diagonal, 1e-12);
    }
    EXPECT_LT(more.patch_normal[0] * more.patch_normal[3], 0);
    EXPECT_LT(vector(&more.patch_residual[0]).norm(), kRounding * force);
    EXPECT_LT(vector(&more.patch_residual[3]).norm(), kRounding * force);
    for (std::size_t i = 6; i < 12; ++i) EXPECT_EQ(more.patch_normal[i], 0);
    for (std::size_t i = 8; i < 16; ++i) EXPECT_EQ(more.patch_stiffness[i], 0);
    for (std::size_t i = 24; i < 48; ++i) EXPECT_EQ(more.patch_point[i], 0);
  }
}

TEST(PatchContacts, OfPairsWithoutContactAreZero) {
  SceneDescription description = two_bodies(make_sphere("a", 0.05, 1), make_sphere("b", 0.05, 1));
  const Scene scene(description);
  for (const Backend backend : {Backend::kCpu, Backend::kReference}) {
    StateArrays states(description, 4);
    states.poses[0] = 0.2;                                              // apart
    for (std::size_t i = 0; i < 3; ++i) states.poses[14 + i] = 0.0576;  // near, without a polygon
    states.poses[28] = std::nan("");                                    // not valid
    states.poses[42] = 0.08;                                            // masked
    states.pair_mask = {1, 1, 1, 0};
    ResultArrays results(scene, 4, {.max_clusters = 2});
    for_each_output(
        [](const ArrayInfo& info, auto& values) {
          if constexpr (std::is_arithmetic_v<typename std::remove_cvref_t<decltype(values)>::value_type>) {
            if (info.group == OutputGroup::kPatchContacts) std::fill(values.begin(), values.end(), 7);
          }
        },
        results);
    Evaluator(scene, {.backend = backend}).evaluate(states.view(), results.view());
    EXPECT_EQ(results.status[2], kBadPose);
    EXPECT_EQ(results.patch_count, std::vector<std::int32_t>(4));
    EXPECT_EQ(results.patch_point, std::vector<double>(4 * 2 * 12));
    EXPECT_EQ(results.patch_normal, std::vector<double>(4 * 2 * 3));
    EXPECT_EQ(results.patch_stiffness, std::vector<double>(4 * 2 * 4));
    EXPECT_EQ(results.patch_distance, std::vector<double>(4 * 2 * 4));
    EXPECT_EQ(results.patch_residual, std::vector<double>(4 * 6));
  }
}

/// 100 environments of the groove's cube, each a little different.
StateArrays many_states(const SceneDescription& scene) {
  StateArrays states(scene, 100);
  Random random(7);
  for (std::size_t e = 0; e < 100; ++e) {
    for (std::size_t i = 0; i < 7; ++i) states.poses[14 * e + i] += random.uniform(-0.002, 0.002);
  }
  return states;
}

TEST(PatchContacts, HaveTheSameBitsOnAnyThreadsAtAnyBatchSizeAndWithAnyOtherOutput) {
  const Scene scene(cube_in_groove());
  const StateArrays states = many_states(scene.description());
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    const ResultArrays expected = evaluate(scene, states, {.precision = precision, .num_threads = 1}, 2);
    const ResultArrays on_many = evaluate(scene, states, {.precision = precision, .num_threads = 4}, 2);
    EXPECT_EQ(on_many.patch_point, expected.patch_point);
    EXPECT_EQ(on_many.patch_distance, expected.patch_distance);
    EXPECT_EQ(on_many.patch_residual, expected.patch_residual);

    const Evaluator evaluator(scene, {.precision = precision});
    for (std::size_t e = 0; e < 100; e += 9) {
      std::vector<double> points(24), residual(6);
      Results results;
      results.patch_point = points.data();
      results.patch_residual = residual.data();
      results.max_clusters = 2;
      evaluator.evaluate(states.view(static_cast<std::int64_t>(e), 1), results);
      const auto row = [&](const std::vector<double>& all, std::size_t width) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(e * width);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(width));
      };
      EXPECT_EQ(points, row(expected.patch_point, 24));
      EXPECT_EQ(residual, row(expected.patch_residual, 6));
    }
  }
}

TEST(PatchContacts, GoToRowsOfAStrideAndOfFloat) {
  const Scene scene(cube_in_groove());
  const StateArrays states = many_states(scene.description());
  const ResultArrays expected = evaluate(scene, states, kDouble, 2);
  std::vector<float> stiffness(100 * 11, -1);
  Results results;
  results.patch_stiffness = {stiffness.data(), 11};
  results.max_clusters = 2;
  Evaluator(scene, kDouble).evaluate(states.view(), results);
  for (std::size_t e = 0; e < 100; ++e) {
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(stiffness[11 * e + i], static_cast<float>(expected.patch_stiffness[8 * e + i]));
    }
    for (std::size_t i = 8; i < 11; ++i) EXPECT_EQ(stiffness[11 * e + i], -1);
  }
}

TEST(PatchContacts, NeedANumberOfClusters) {
  const Scene scene(cube_in_groove());
  const StateArrays states(scene.description(), 1);
  std::vector<double> residual(6);
  Results results;
  results.patch_residual = residual.data();
  for (const int clusters : {0, -1, 17}) {
    results.max_clusters = clusters;
    EXPECT_EQ(error_of([&] { Evaluator(scene).evaluate(states.view(), results); }),
              "evaluate: results.max_clusters is " + std::to_string(clusters) + "; it must be from 1 to 16");
  }
}

}  // namespace
}  // namespace isopatch::test
