// SPDX-License-Identifier: Apache-2.0
#include "host/cli/random_states.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "host/mesh/math/point_math.h"
#include "host/random/random.h"
#include "host/scene/planar_rules.h"
#include "isopatch/detail/rollout/motion/rotation.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr double kPosition = 0.02;     // of the body size
constexpr double kHalfAngle = 0.1;     // tangent of half the angle
constexpr double kSpeed = 0.5;         // body sizes per second
constexpr double kAngularSpeed = 0.5;  // rad/s

enum Stream : std::uint64_t {
  kPositionStream = 0,
  kRotationStream = 3,
  kLinearStream = 6,
  kAngularStream = 9,
  kStreams = 12
};

std::uint64_t mix(std::uint64_t x) { return SplitMix64(x).next(); }

double diagonal(const Geometry& geometry) {
  Box box;
  for (const Point3& point : geometry.mesh.points) box.add(point);
  return norm(box.high - box.low);
}

/// q <- scale (r, then q), both in world axes.
void rotate(double* q, double scale, const Quaternion& r) {
  const auto [w, v] = r;
  const std::array<double, 4> p = {q[0], q[1], q[2], q[3]};
  q[0] = scale * (w * p[0] - v.x * p[1] - v.y * p[2] - v.z * p[3]);
  q[1] = scale * (w * p[1] + v.x * p[0] + v.y * p[3] - v.z * p[2]);
  q[2] = scale * (w * p[2] + v.y * p[0] + v.z * p[1] - v.x * p[3]);
  q[3] = scale * (w * p[3] + v.z * p[0] + v.x * p[2] - v.y * p[1]);
}

/// Moves a body of an environment, one that `is_planar` along x and y and about z. No function is called but the square
/// root, so every machine gives the same bits.
void vary(const CounterRandom& random, std::uint64_t environment, std::size_t index, const Spread& spread,
          bool is_planar, double* pose, double* velocity) {
  constexpr double kInsideBall = 0.57735;  // 1/sqrt(3)
  const double largest = spread.angle.value_or(kHalfAngle) * kInsideBall;
  const auto draw = [&](Stream stream, std::size_t axis) {
    return random.symmetric(environment, index * kStreams + stream + axis);
  };
  std::array<double, 3> turn = {0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!is_planar || axis < 2) {
      pose[axis] += spread.position * draw(kPositionStream, axis);
      velocity[axis] += spread.speed * draw(kLinearStream, axis);
    }
    if (!is_planar || axis == 2) {
      turn[axis] = largest * draw(kRotationStream, axis);
      velocity[axis + 3] += spread.angular_speed * draw(kAngularStream, axis);
    }
  }
  const Vec3d r = {turn[0], turn[1], turn[2]};
  if (spread.angle) {
    rotate(pose + 3, 1, exp(r));
  } else {
    rotate(pose + 3, 1 / std::sqrt(1 + r.x * r.x + r.y * r.y + r.z * r.z), {1, r});
  }
}

bool moves_in_plane(const SceneDescription& scene, const Body& body) {
  return body.motion.type == MotionType::kPlanar || has_polygon(scene, body);
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
      const Geometry& geometry = scene.geometries[part.geometry];
      if (geometry.kind == GeometryKind::kMesh) size = std::min(size, diagonal(geometry));
    }
  }
  return std::isfinite(size) ? size : 1;
}

Spread default_spread(const SceneDescription& scene) {
  const double size = body_size(scene);
  return {kPosition * size, {}, kSpeed * size, kAngularSpeed};
}

void vary(const SceneDescription& scene, std::uint64_t seed, std::int64_t first, const Spread& spread,
          bool (*moves)(const Body&), std::vector<double>& poses, std::vector<double>& velocities) {
  const CounterRandom random(seed);
  const std::size_t bodies = scene.bodies.size();
  std::vector<bool> in_plane;
  for (const Body& body : scene.bodies) in_plane.push_back(moves_in_plane(scene, body));
  for (std::size_t k = 0; 7 * k < poses.size(); ++k) {
    const std::uint64_t environment = static_cast<std::uint64_t>(first) + k / bodies;
    if (environment == 0 || !moves(scene.bodies[k % bodies])) continue;
    vary(random, environment, k % bodies, spread, in_plane[k % bodies], &poses[k * 7], &velocities[k * 6]);
  }
}

StateArrays random_states(const SceneDescription& scene, std::int64_t num_environments, std::uint64_t seed,
                          std::int64_t first) {
  StateArrays states(scene, num_environments);
  const auto moves = [](const Body& body) { return !body.fixed; };
  vary(scene, seed, first, default_spread(scene), moves, states.poses, states.velocities);
  return states;
}

}  // namespace isopatch::cli
