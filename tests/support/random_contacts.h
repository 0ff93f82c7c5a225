// SPDX-License-Identifier: Apache-2.0
//
// Random contacts of two bodies, for the random_comparison program and the tests.
//
// A contact: random orientations and a random direction; the bodies are moved together along it until they just touch
// (bisection) and then on by a depth that is log-uniform from 3e-4 to 0.1 of the sum of their reaches along the
// direction. Moduli are log-uniform in [1e4, 1e7] Pa; velocities, dissipation and friction are random. Two more kinds
// for real meshes: a body dropped into an upright bowl, and a body squeezed between two pads. One for screw threads: a
// nut on a bolt.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "host/random/random.h"
#include "isopatch/isopatch.h"

namespace isopatch::random_contacts {

/// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_.next() >> 11) * 0x1p-53;
  }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform(0x1p-53, 1)));
    return radius * std::cos(uniform(0, 2 * std::numbers::pi));
  }
  Point3 direction() {
    Point3 d = {normal(), normal(), normal()};
    const double length = std::hypot(d[0], d[1], d[2]);
    for (double& x : d) x /= length;
    return d;
  }
  std::array<double, 4> quaternion() {
    std::array<double, 4> q = {normal(), normal(), normal(), normal()};
    double length = 0;
    for (const double x : q) length += x * x;
    for (double& x : q) x /= std::sqrt(length);
    return q;
  }

 private:
  detail::SplitMix64 bits_;
};

/// The state of environments in which bodies touch.
struct ContactStates : StateArrays {
  double size = 0;  // largest diameter of the finite bodies about their origins, m

  ContactStates(const Scene& scene, std::int64_t environments) {
    num_environments = environments;
    num_bodies = scene.num_bodies();
    num_parts = scene.num_parts();
    num_pairs = scene.num_pairs();
  }
};

/// Two bodies 'a' and 'b' with the given shapes and one pair.
inline SceneDescription two_bodies(Geometry a, Geometry b, ContactOptions contact) {
  SceneDescription scene;
  scene.geometries = {std::move(a), std::move(b)};
  scene.bodies.resize(2);
  scene.bodies[0].name = "a";
  scene.bodies[1].name = "b";
  scene.bodies[1].geometry = 1;
  scene.pairs = {{0, 1, {}, {}}};
  scene.contact = contact;
  return scene;
}

inline Point3 rotate(const std::array<double, 4>& q, const Point3& p) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  return {(1 - 2 * (y * y + z * z)) * p[0] + 2 * (x * y - z * w) * p[1] + 2 * (x * z + y * w) * p[2],
          2 * (x * y + z * w) * p[0] + (1 - 2 * (x * x + z * z)) * p[1] + 2 * (y * z - x * w) * p[2],
          2 * (x * z - y * w) * p[0] + 2 * (y * z + x * w) * p[1] + (1 - 2 * (x * x + y * y)) * p[2]};
}

/// Largest reach of a rotated shape along `direction`; a half space has none.
inline double support(const Geometry& g, const std::array<double, 4>& q, const Point3& direction) {
  if (g.kind == GeometryKind::kHalfSpace) return 0;
  double reach = -1e300;
  for (const Point3& p : g.mesh.points) {
    const Point3 r = rotate(q, p);
    reach = std::max(reach, r[0] * direction[0] + r[1] * direction[1] + r[2] * direction[2]);
  }
  return reach;
}

inline double diameter(const Geometry& g) {
  double radius = 0;
  for (const Point3& p : g.mesh.points) radius = std::max(radius, std::hypot(p[0], p[1], p[2]));
  return 2 * radius;
}

/// Appends one body's random velocity and materials.
inline void append_motion(const Scene& scene, Random& random, ContactStates& c) {
  const bool pfc = scene.description().contact.dissipation_model == DissipationModel::kPfc;
  for (int j = 0; j < 3; ++j) c.velocities.push_back(0.2 * random.normal());
  for (int j = 0; j < 3; ++j) c.velocities.push_back(2 * random.normal());
  c.modulus.push_back(random.log_uniform(1e4, 1e7));
  // s/m, or s: about the same damping, since lengths over which the pressure rises are some centimetres
  c.dissipation.push_back(random.uniform(0, pfc ? 0.05 : 2));
  c.friction.push_back(random.uniform(0, 1));
}

enum class Approach : std::uint8_t {
  kAnywhere,  // from a random direction, both bodies turned at random
  kDrop       // b upright, a turned at random, let down from above with its axis up to 2 cm off b's
};

/// ContactStates of the scene's first two bodies.
inline ContactStates make_contacts(const Scene& scene, std::int64_t count, std::uint64_t seed,
                                   Approach approach = Approach::kAnywhere) {
  const Geometry& a = scene.description().geometries[0];
  const Geometry& b = scene.description().geometries[1];
  const bool drop = approach == Approach::kDrop;
  const bool plane = b.kind == GeometryKind::kHalfSpace;
  Random random(seed);
  ContactStates c(scene, count);
  c.size = std::max(diameter(a), diameter(b));

  // orientations; b lies along `direction` from a, beside `offset`
  std::vector<Point3> directions, offsets;
  std::vector<double> near, far, depths;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto q_a = random.quaternion();
    const auto q_b = drop ? std::array<double, 4>{1, 0, 0, 0} : random.quaternion();
    // towards a half space means against its normal
    const Point3 up = plane || drop ? rotate(q_b, {0, 0, 1}) : random.direction();
    const Point3 down = {-up[0], -up[1], -up[2]};
    directions.push_back(down);
    offsets.push_back(drop ? Point3{random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), 0} : Point3{0, 0, 0});
    const double reach = support(a, q_a, down) + support(b, q_b, up);
    depths.push_back(reach * random.log_uniform(3e-4, 0.1));
    // nearest: the origins meet, the planes meet, or a's lowest point is as low as b's
    near.push_back(plane ? reach * (1 - 1e-12) : drop ? support(a, q_a, down) - support(b, q_b, down) : 0);
    far.push_back(reach);
    c.poses.insert(c.poses.end(), {0, 0, 0, q_a[0], q_a[1], q_a[2], q_a[3]});
    c.poses.insert(c.poses.end(), {0, 0, 0, q_b[0], q_b[1], q_b[2], q_b[3]});
    for (int k = 0; k < 2; ++k) append_motion(scene, random, c);
  }
  const auto move_to = [&](std::int64_t i, double distance) {
    const auto e = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < 3; ++k) c.poses[14 * e + 7 + k] = std::fma(distance, directions[e][k], offsets[e][k]);
  };

  // touching distance
  const Evaluator probe(scene, {Backend::kCpu, Precision::kDouble, 0});
  std::vector<std::int32_t> polygons(static_cast<std::size_t>(count));
  Results results;
  results.polygon_count = polygons.data();
  for (int step = 0; step < 16; ++step) {
    for (std::int64_t i = 0; i < count; ++i) {
      move_to(i, 0.5 * (near[static_cast<std::size_t>(i)] + far[static_cast<std::size_t>(i)]));
    }
    probe.evaluate(c.view(), results);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      (polygons[i] > 0 ? near[i] : far[i]) = 0.5 * (near[i] + far[i]);
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
    move_to(i, near[static_cast<std::size_t>(i)] - depths[static_cast<std::size_t>(i)]);
  return c;
}

/// Body 0 between pads 1 and 2, whose faces are the planes z = 0 of their frames with the pad below. Each pad comes
/// from its own side by a fraction of the body's width, log-uniform from 3e-3 to 0.1.
inline ContactStates make_squeezes(const Scene& scene, std::int64_t count, std::uint64_t seed) {
  const std::vector<Geometry>& shapes = scene.description().geometries;
  const auto shape_of = [&](std::size_t body) -> const Geometry& {
    return shapes[static_cast<std::size_t>(scene.description().bodies[body].geometry)];
  };
  Random random(seed);
  ContactStates c(scene, count);
  for (std::size_t body = 0; body < 3; ++body) c.size = std::max(c.size, diameter(shape_of(body)));
  const double half = std::sqrt(0.5);
  const std::array<std::array<double, 4>, 2> facing = {
      {{half, 0, -half, 0}, {half, 0, half, 0}}};  // pad's z along -x, x
  for (std::int64_t i = 0; i < count; ++i) {
    const auto q = random.quaternion();
    const auto highest = [&](const Point3& direction) { return support(shape_of(0), q, direction); };
    const double right = highest({1, 0, 0}), left = -highest({-1, 0, 0});
    const double y = 0.5 * (highest({0, 1, 0}) - highest({0, -1, 0})),
                 z = 0.5 * (highest({0, 0, 1}) - highest({0, 0, -1}));
    c.poses.insert(c.poses.end(), {0, 0, 0, q[0], q[1], q[2], q[3]});
    for (std::size_t side = 0; side < 2; ++side) {
      const double depth = (right - left) * random.log_uniform(3e-3, 0.1);
      const auto& p = facing[side];
      c.poses.insert(c.poses.end(), {side == 0 ? right - depth : left + depth, y, z, p[0], p[1], p[2], p[3]});
    }
    for (int body = 0; body < 3; ++body) append_motion(scene, random, c);
  }
  return c;
}

/// Body 0, a nut, on the thread of body 1, a bolt about z with the pitch given: screwed on by a random angle from where
/// the scene has it, then off the middle of its play by up to an eighth of the pitch along the axis, half as much
/// across, and up to 0.01 rad.
inline ContactStates make_nuts_on_bolts(const Scene& scene, double pitch, std::int64_t count, std::uint64_t seed) {
  const SceneDescription& description = scene.description();
  Random random(seed);
  ContactStates c(scene, count);
  for (const Geometry& geometry : description.geometries) c.size = std::max(c.size, diameter(geometry));
  for (std::int64_t i = 0; i < count; ++i) {
    const double height = description.bodies[0].pose[2] + pitch * random.uniform(0, 1);
    const double half = std::numbers::pi * height / pitch;
    const double x = random.uniform(-0.005, 0.005), y = random.uniform(-0.005, 0.005);
    const double across = pitch / 16, along = pitch / 8;
    // the tilt, about x and y, after the turn about z
    c.poses.insert(c.poses.end(),
                   {random.uniform(-across, across), random.uniform(-across, across),
                    height + random.uniform(-along, along), std::cos(half), x * std::cos(half) + y * std::sin(half),
                    y * std::cos(half) - x * std::sin(half), std::sin(half)});
    const auto& bolt = description.bodies[1].pose;
    c.poses.insert(c.poses.end(), bolt.begin(), bolt.end());
    for (int body = 0; body < 2; ++body) append_motion(scene, random, c);
  }
  return c;
}

/// The shapes of the comparison; meshes are read from `data_dir`.
inline Geometry shape(const std::string& name, const std::string& data_dir) {
  if (name == "sphere") return make_sphere(name, 0.05, 2);
  if (name == "box") return make_box(name, {0.12, 0.08, 0.1});
  if (name == "half_space") return make_half_space(name, 0.05);
  const std::string file = name == "pepper" ? "yellow_bell_pepper_no_stem_low"
                           : name == "bowl" ? "evo_bowl_coarse3k"
                                            : name;
  return make_tet_mesh(name, read_vtk(data_dir + "/" + file + ".vtk"));
}

/// A pepper between two bubbles.
inline SceneDescription squeeze_scene(const std::string& data_dir, ContactOptions contact = {}) {
  SceneDescription scene = two_bodies(shape("pepper", data_dir), shape("bubble", data_dir), contact);
  scene.bodies.push_back(scene.bodies[1]);
  scene.bodies[2].name = "c";
  scene.pairs = {{0, 1, {}, {}}, {0, 2, {}, {}}};
  return scene;
}

/// Every pair of {sphere, box, half space, bubble, torus} but two half spaces.
inline std::vector<std::pair<std::string, std::string>> shape_pairs() {
  const std::array<std::string, 5> names = {"sphere", "box", "bubble", "torus", "half_space"};
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t k = i; k < names.size(); ++k) {
      if (i < 4) pairs.emplace_back(names[i], names[k]);
    }
  }
  return pairs;
}

/// The rules that take turns.
enum class Rules {
  kFans,  // for comparisons with the reference, where the exact rule's own error would hide the others
  kAll    // every other time the exact one
};

/// Both dissipation laws take turns, and the rules.
inline ContactOptions contact_options(std::size_t pair_index, Rules rules) {
  constexpr std::array<Quadrature, 6> kAll = {Quadrature::kExact, Quadrature::kFan3,  Quadrature::kExact,
                                              Quadrature::kFan6,  Quadrature::kExact, Quadrature::kCentroid};
  ContactOptions contact;
  contact.quadrature = rules == Rules::kAll  ? kAll[pair_index % kAll.size()]
                       : pair_index % 2 == 0 ? Quadrature::kFan3
                                             : Quadrature::kFan6;
  contact.dissipation_model = pair_index % 3 == 2 ? DissipationModel::kPfc : DissipationModel::kHuntCrossley;
  return contact;
}

}  // namespace isopatch::random_contacts
