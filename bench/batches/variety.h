// SPDX-License-Identifier: Apache-2.0
//
// How the environments of a batch differ, in benchmarks, comparisons of bits and predictions alike:
//
//   near    17 that are less than 2 mm apart, again and again, which is kind to caches
//   turned  bodies turned at random in each, so that other cells touch, as deep as in the scene
//   mixed   0 to 3 times as deep as in the scene, and no contact in about half of them
//
// Poses of every other environment that is turned or mixed are rounded to float, as many callers do.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "host/random/random.h"
#include "isopatch/isopatch.h"
#include "tests/support/random_contacts.h"

namespace isopatch::bench {

enum class Variety : std::uint8_t { kNear, kTurned, kMixed };

inline std::map<std::string, Variety> varieties() {
  return {{"near", Variety::kNear}, {"turned", Variety::kTurned}, {"mixed", Variety::kMixed}};
}

/// What the name of a benchmark's scene ends with.
inline std::string suffix_of(Variety variety) {
  if (variety == Variety::kNear) return "";
  return variety == Variety::kTurned ? "_turned" : "_mixed";
}

/// A body that is turned about an axis through the world's origin, or, where that is 0, about its own origin in any
/// way.
struct Turn {
  int body;
  Point3 axis;
};

/// The bodies that move along a direction, so that the first of them leaves `from`. A joint's position falls by as much
/// as the bodies move.
struct Separation {
  std::vector<int> bodies;
  int from;
  Point3 direction;
  int joint = -1;
};

struct Movements {
  std::vector<Turn> turns;
  std::vector<Separation> separations;
};

/// Of bench/scenes/drop.json and pinch.json, and of scenes of two bodies. Throws Error for a scene of one.
inline Movements movements_of(const std::string& scene, const SceneDescription& description) {
  constexpr Point3 kAny = {};
  if (scene == "drop") return {{{0, kAny}, {1, {0, 0, 1}}}, {{{0}, 1, {0, 0, 1}}, {{0, 1}, 2, {0, 0, 1}}}};
  if (scene == "pinch") return {{{2, {0, 1, 0}}}, {{{0}, 2, {0, 1, 0}, 0}, {{1}, 2, {0, -1, 0}, 1}}};
  if (description.bodies.size() < 2) throw Error("a scene of one body has none to be turned against");
  const auto &a = description.bodies[0].pose, &b = description.bodies[1].pose;
  Point3 direction = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  const double length = std::hypot(direction[0], direction[1], direction[2]);
  for (double& x : direction) x /= length;
  return {{{0, kAny}}, {{{0}, 1, direction}}};
}

constexpr double kMaxDepth = 3;        // of environments that are mixed, over the scene's
constexpr double kMinGap = 0.04;       // m, of those without contact, so that it stays for some steps
constexpr std::int64_t kNear = 17;     // environments that differ
constexpr std::int64_t kVaried = 509;  // of rollouts that are turned or mixed, since each is stepped until bodies touch

/// The random numbers of an environment, whatever the batch.
inline random_contacts::Random random_of(std::int64_t environment) {
  return random_contacts::Random(detail::scrambled(static_cast<std::uint64_t>(environment) + 1));
}

/// Turns bodies of an environment at random.
inline void turn(const std::vector<Turn>& turns, random_contacts::Random& random, double* poses) {
  for (const Turn& t : turns) {
    double* const pose = poses + 7 * t.body;
    std::array<double, 4> q = random.quaternion();
    if (t.axis != Point3{}) {
      const double half = random.uniform(0, std::numbers::pi), s = std::sin(half);
      q = {std::cos(half), s * t.axis[0], s * t.axis[1], s * t.axis[2]};
      const Point3 moved = random_contacts::rotate(q, {pose[0], pose[1], pose[2]});
      std::copy(moved.begin(), moved.end(), pose);
    }
    const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
    pose[3] = q[0] * w - q[1] * x - q[2] * y - q[3] * z;
    pose[4] = q[0] * x + q[1] * w + q[2] * z - q[3] * y;
    pose[5] = q[0] * y - q[1] * z + q[2] * w + q[3] * x;
    pose[6] = q[0] * z + q[1] * y - q[2] * x + q[3] * w;
  }
}

inline void move(const Separation& s, double distance, double* poses) {
  for (const int body : s.bodies) {
    for (std::size_t k = 0; k < 3; ++k) poses[7 * body + static_cast<int>(k)] += distance * s.direction[k];
  }
}

/// How far the bodies have to move until the first one does not touch `from` any more, m.
inline double depth_of(const Scene& scene, const Separation& s, const double* poses) {
  const std::vector<Pair> pairs = pairs_of(scene.description());
  const auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& p) {
    return std::minmax(p.a, p.b) == std::minmax(s.bodies[0], s.from);
  });
  if (pair == pairs.end()) throw Error("bodies that are to be separated are no pair");
  const Evaluator evaluator(scene, {.num_threads = 1});
  std::vector<std::int32_t> polygons(static_cast<std::size_t>(scene.num_pairs()));
  Results results;
  results.polygon_count = polygons.data();
  const auto touch = [&](double distance) {
    std::vector<double> moved(poses, poses + 7 * scene.num_bodies());
    move(s, distance, moved.data());
    State state;
    state.num_environments = 1;
    state.poses = moved.data();
    evaluator.evaluate(state, results);
    return polygons[static_cast<std::size_t>(pair - pairs.begin())] > 0;
  };
  double near = 0, far = 1e-4;
  while (touch(far)) far *= 2;
  for (int i = 0; i < 30; ++i) (touch(0.5 * (near + far)) ? near : far) = 0.5 * (near + far);
  return far;
}

/// What an environment that is mixed moves by, m, for each separation: away from contact, or to a depth at random.
inline std::vector<double> mixed_distances(const std::vector<double>& depths, random_contacts::Random& random) {
  const bool is_apart = random.uniform(0, 1) < 0.5;
  std::vector<double> distances;
  for (const double depth : depths) {
    const double factor = random.uniform(0, 1);
    distances.push_back(is_apart ? depth + kMinGap * (1 + factor) : depth * (1 - kMaxDepth * factor));
  }
  return distances;
}

inline std::vector<double> depths_of(const Scene& scene, const Movements& movements, const double* poses) {
  std::vector<double> depths;
  for (const Separation& s : movements.separations) depths.push_back(depth_of(scene, s, poses));
  return depths;
}

inline void round_to_float(double* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(static_cast<float>(values[i]));
}

/// The scene in N environments. Those that are near have the first body moved by up to 16 times `shift`, m.
inline StateArrays make_states(const std::string& name, const Scene& scene, Variety variety, std::int64_t environments,
                               double shift) {
  StateArrays states(scene.description(), environments);
  const Movements movements = variety == Variety::kNear ? Movements() : movements_of(name, scene.description());
  const std::vector<double> depths =
      variety == Variety::kMixed ? depths_of(scene, movements, states.poses.data()) : std::vector<double>();
  for (std::int64_t e = 0; e < environments; ++e) {
    double* const poses = states.poses.data() + 7 * states.num_bodies * e;
    if (variety == Variety::kNear) {
      poses[0] += shift * static_cast<double>(e % kNear);
      poses[1] -= shift * static_cast<double>(e % kNear);
      continue;
    }
    random_contacts::Random random = random_of(e);
    if (variety == Variety::kTurned) turn(movements.turns, random, poses);
    if (variety == Variety::kMixed) {
      const std::vector<double> distances = mixed_distances(depths, random);
      for (std::size_t i = 0; i < distances.size(); ++i) move(movements.separations[i], distances[i], poses);
    }
    if (e % 2 == 1) round_to_float(poses, 7 * states.num_bodies);
  }
  return states;
}

/// The scene in N environments, some steps after it begins.
inline RolloutStateArrays make_rollout_states(const std::string& name, const Scene& scene, Variety variety,
                                              std::int64_t environments, int steps_before) {
  const std::int64_t count = variety == Variety::kNear ? kNear : std::min(environments, kVaried);
  RolloutStateArrays different(scene, count), states(scene, environments);
  const Movements movements = variety == Variety::kNear ? Movements() : movements_of(name, scene.description());
  const std::int64_t bodies = scene.num_bodies(), joints = std::ssize(different.joints) / (2 * count);
  for (std::int64_t e = 0; e < count; ++e) {
    different.velocities[static_cast<std::size_t>(6 * bodies * e)] += 1e-3 * static_cast<double>(e % kNear);
    random_contacts::Random random = random_of(e);
    if (variety == Variety::kTurned) turn(movements.turns, random, different.poses.data() + 7 * bodies * e);
  }
  Simulator(scene).step(different.view(), {}, {}, steps_before);
  if (variety == Variety::kMixed) {
    const std::vector<double> depths = depths_of(scene, movements, different.poses.data());
    for (std::int64_t e = 0; e < count; ++e) {
      random_contacts::Random random = random_of(e);
      const std::vector<double> distances = mixed_distances(depths, random);
      for (std::size_t i = 0; i < distances.size(); ++i) {
        const Separation& s = movements.separations[i];
        move(s, distances[i], different.poses.data() + 7 * bodies * e);
        if (s.joint >= 0) different.joints[static_cast<std::size_t>(2 * (joints * e + s.joint))] -= distances[i];
      }
    }
  }
  for (std::int64_t e = 1; e < count && variety != Variety::kNear; e += 2) {
    round_to_float(different.poses.data() + 7 * bodies * e, 7 * bodies);
  }
  for_each_rollout_state(
      [](const ArrayInfo&, const auto& from, auto& to) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i % from.size()];
      },
      different, states);
  return states;
}

}  // namespace isopatch::bench
