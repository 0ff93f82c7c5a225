// SPDX-License-Identifier: Apache-2.0
#include "host/cli/random_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "host/random.h"

namespace isopatch::cli {
namespace {

constexpr double kPosition = 0.02;     // of the body size
constexpr double kHalfAngle = 0.1;     // rad
constexpr double kSpeed = 0.5;         // body sizes per second
constexpr double kAngularSpeed = 0.5;  // rad/s

enum Stream : std::uint64_t {
  kPositionStream = 0,
  kRotationStream = 3,
  kLinearStream = 6,
  kAngularStream = 9,
  kStreams = 12
};

std::uint64_t mix(std::uint64_t x) { return detail::SplitMix64(x).next(); }

double diagonal(const Geometry& geometry) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Point3 low = {kInfinity, kInfinity, kInfinity}, high = {-kInfinity, -kInfinity, -kInfinity};
  for (const Point3& point : geometry.mesh.points) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], point[i]);
      high[i] = std::max(high[i], point[i]);
    }
  }
  const double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
  return std::sqrt(x * x + y * y + z * z);
}

/// q <- (rotation by 2 atan |half| about half) q, both in world axes. |half| is at most 0.1, so the angle is at most
/// 0.2. The only function called is the square root, so every machine gives the same bits.
void rotate(double* q, const std::array<double, 3>& half) {
  const auto [x, y, z] = half;
  const double scale = 1 / std::sqrt(1 + x * x + y * y + z * z);
  const std::array<double, 4> p = {q[0], q[1], q[2], q[3]};
  q[0] = scale * (p[0] - x * p[1] - y * p[2] - z * p[3]);
  q[1] = scale * (p[1] + x * p[0] + y * p[3] - z * p[2]);
  q[2] = scale * (p[2] + y * p[0] + z * p[1] - x * p[3]);
  q[3] = scale * (p[3] + z * p[0] + x * p[2] - y * p[1]);
}

}  // namespace

double CounterRandom::symmetric(std::uint64_t environment, std::uint64_t stream) const {
  const std::uint64_t bits = mix(mix(mix(seed_) ^ environment) ^ stream);
  return static_cast<double>(static_cast<std::int64_t>(bits) >> 11) * 0x1p-52;
}

double body_size(const SceneDescription& scene) {
  double size = std::numeric_limits<double>::infinity();
  for (const Body& body : scene.bodies) {
    for (const Part& part : parts_of(body)) {
      const Geometry& geometry = scene.geometries[static_cast<std::size_t>(part.geometry)];
      if (geometry.kind == GeometryKind::kMesh) size = std::min(size, diagonal(geometry));
    }
  }
  return std::isfinite(size) ? size : 1;
}

StateArrays random_states(const SceneDescription& scene, std::int64_t num_environments, std::uint64_t seed,
                          std::int64_t first) {
  const std::size_t bodies = scene.bodies.size();
  const auto environments = static_cast<std::size_t>(num_environments);
  StateArrays states(scene, num_environments);

  const CounterRandom random(seed);
  const double size = body_size(scene);
  for (std::size_t row = 0; row < environments; ++row) {
    const std::uint64_t environment = static_cast<std::uint64_t>(first) + row;
    for (std::size_t i = 0; i < bodies; ++i) {
      const Body& body = scene.bodies[i];
      double* pose = &states.poses[(row * bodies + i) * 7];
      double* velocity = &states.velocities[(row * bodies + i) * 6];
      if (environment == 0 || body.fixed) continue;

      const auto draw = [&](Stream stream, std::size_t axis) {
        return random.symmetric(environment, i * kStreams + stream + axis);
      };
      std::array<double, 3> half;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        pose[axis] += kPosition * size * draw(kPositionStream, axis);
        half[axis] = kHalfAngle * 0.57735 * draw(kRotationStream, axis);  // 1/sqrt(3): inside the ball
        velocity[axis] += kSpeed * size * draw(kLinearStream, axis);
        velocity[axis + 3] += kAngularSpeed * draw(kAngularStream, axis);
      }
      rotate(pose + 3, half);
    }
  }
  return states;
}

}  // namespace isopatch::cli
