// SPDX-License-Identifier: Apache-2.0
#include "host/cli/info/pressed.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "host/cli/random_states.h"
#include "host/mesh/math/point_math.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::size_t kRotations = 40;
constexpr std::array kDepths = {0.02, 0.05, 0.1, 0.2};  // of half the smallest width
constexpr std::uint64_t kDirections = 1000;

/// A point in the unit ball of N dimensions, not near the middle, moved onto its surface: uniform there.
template <std::size_t N>
std::array<double, N> random_unit(const CounterRandom& random, std::uint64_t index) {
  for (std::uint64_t k = 0;; ++k) {
    std::array<double, N> x;
    double square = 0;
    for (std::size_t i = 0; i < N; ++i) {
      x[i] = random.symmetric(index, N * k + i);
      square += x[i] * x[i];
    }
    if (square > 1 || square < 0.01) continue;
    for (double& value : x) value /= std::sqrt(square);
    return x;
  }
}

/// The least and the largest coordinate of the points along a direction.
std::pair<double, double> range_along(const std::vector<Point3>& points, const Point3& direction) {
  std::pair<double, double> range = {HUGE_VAL, -HUGE_VAL};
  for (const Point3& p : points) {
    const double along = dot(p, direction);
    range = {std::min(range.first, along), std::max(range.second, along)};
  }
  return range;
}

/// The world's z axis in the frame of a body with the unit quaternion q.
Point3 up_in_body(const std::array<double, 4>& q) {
  const auto& [w, x, y, z] = q;
  return {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
}

}  // namespace

double half_width_of(const std::vector<Point3>& points) {
  const CounterRandom random(0);
  double least = HUGE_VAL;
  const auto add = [&](const Point3& direction) {
    const auto [low, high] = range_along(points, direction);
    least = std::min(least, (high - low) / 2);
  };
  for (const Point3& axis : {Point3{1, 0, 0}, Point3{0, 1, 0}, Point3{0, 0, 1}}) add(axis);
  for (std::uint64_t i = 0; i < kDirections; ++i) add(random_unit<3>(random, i));
  return least;
}

std::vector<std::array<double, 7>> pressed_poses(const std::vector<Point3>& points, double half_width) {
  const CounterRandom random(1);
  std::vector<std::array<double, 7>> poses;
  for (std::size_t i = 0; i < kRotations; ++i) {
    const std::array<double, 4> q = random_unit<4>(random, i);
    const double lowest = range_along(points, up_in_body(q)).first;
    for (const double depth : kDepths) {
      poses.push_back({0, 0, -lowest - depth * half_width, q[0], q[1], q[2], q[3]});
    }
  }
  return poses;
}

Pressed press(const SceneDescription& description, const std::vector<std::array<double, 7>>& poses) {
  const Scene scene(description);
  const auto count = static_cast<std::int64_t>(poses.size());
  StateArrays states(scene.description(), count);
  const std::size_t row = 7 * scene.description().bodies.size();
  for (std::size_t i = 0; i < poses.size(); ++i) std::copy(poses[i].begin(), poses[i].end(), &states.poses[i * row]);
  ResultArrays results(scene, count);
  EvaluatorOptions options;
  options.precision = Precision::kDouble;
  options.num_threads = 1;
  const HostEvaluator evaluator(scene, options);
  const auto start = std::chrono::steady_clock::now();
  evaluator.evaluate(states.view(), results.view());
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;

  Pressed pressed;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double* w = &results.pair_wrench[6 * i];
    pressed.forces.push_back({w[0], w[1], w[2]});
    pressed.torques.push_back({w[3], w[4], w[5]});
    pressed.areas.push_back(results.area[i]);
  }
  pressed.microseconds = taken.count() / static_cast<double>(count);
  return pressed;
}

Differences differences(const Pressed& found, const Pressed& expected, double half_width) {
  Differences largest;
  for (std::size_t i = 0; i < expected.forces.size(); ++i) {
    const double force = norm(expected.forces[i]);
    const double torque = std::max(norm(expected.torques[i]), half_width * force);
    largest.force = std::max(largest.force, norm(found.forces[i] - expected.forces[i]) / force);
    largest.torque = std::max(largest.torque, norm(found.torques[i] - expected.torques[i]) / torque);
    largest.area = std::max(largest.area, std::fabs(found.areas[i] - expected.areas[i]) / expected.areas[i]);
  }
  return largest;
}

}  // namespace isopatch::cli
