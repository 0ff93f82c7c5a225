// SPDX-License-Identifier: Apache-2.0
//
// Random scenes of bodies with several parts, their states, and the same scenes with a body for each part.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "host/scene/part_geometries.h"
#include "tests/support/scenes.h"

namespace isopatch::test {

struct CompoundChoice {
  int most_bodies = 4, most_parts = 8;
  bool coarse = false;  // meshes of few cells
  bool moving = true;
};

inline std::array<double, 4> random_quaternion(Random& random) {
  return {random.uniform(0.2, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

/// Within a cube of edge `spread` [m], turned in any way; the quaternion is not normalised.
inline std::array<double, 7> random_pose(Random& random, double spread) {
  const auto at = [&] { return random.uniform(-spread / 2, spread / 2); };
  const double x = at(), y = at(), z = at();
  const auto q = random_quaternion(random);
  return {x, y, z, q[0], q[1], q[2], q[3]};
}

/// A box, a sphere, a hull, a cylinder, the surface of a ball, and a half space: the last two have special rules.
inline std::vector<Geometry> compound_geometries(Random& random, bool coarse) {
  constexpr int kHullPoints = 7;
  std::vector<Point3> points;
  for (int i = 0; i < kHullPoints; ++i) {
    const auto pose = random_pose(random, 0.08);
    points.push_back({pose[0], pose[1], pose[2]});
  }
  const auto length = [&] { return random.uniform(0.03, 0.08); };
  const Geometry ball = make_sphere("shell", length() / 2, coarse ? 0 : 1);
  return {make_box("box", {length(), length(), length()}),
          make_sphere("ball", length() / 2, coarse ? 0 : 1),
          make_convex_hull("hull", points),
          make_cylinder("cylinder", length() / 2, length(), coarse ? 4 : 8),
          make_surface_mesh("shell", {ball.mesh.points, ball.surface}),
          with_strain(make_half_space("ground", random.uniform(0.05, 0.2)),
                      {StrainMap::Kind::kTable, 0, {{0, 0}, {0.1, 0.05}, {0.3, 0.4}, {1, 1}}})};
}

inline bool is_mesh(const SceneDescription& scene, int geometry) {
  return scene.geometries[static_cast<std::size_t>(geometry)].kind == GeometryKind::kMesh;
}

inline bool needs_rigid(const SceneDescription& scene, int geometry) {
  return scene.geometries[static_cast<std::size_t>(geometry)].is_surface_mesh();
}

/// Any mesh that the part may have.
inline int random_mesh(const SceneDescription& scene, bool rigid, Random& random) {
  for (;;) {
    const int geometry = random.below(static_cast<int>(scene.geometries.size()));
    if (is_mesh(scene, geometry) && (rigid || !needs_rigid(scene, geometry))) return geometry;
  }
}

inline double random_modulus(Random& random) { return std::pow(10, random.uniform(4, 7)); }

/// One part in twenty is a half space, with its surface near the middle of the body.
inline Part random_part(const SceneDescription& scene, Random& random) {
  Part part;
  const bool half_space = random.below(20) == 0;
  part.geometry =
      half_space ? static_cast<int>(scene.geometries.size()) - 1 : random_mesh(scene, random.below(2) == 0, random);
  if (random.below(5) > 0) part.pose = random_pose(random, 0.08);
  if (random.below(3) > 0) part.modulus = random_modulus(random);
  if (random.below(2) == 0) part.dissipation = random.uniform(0, 2);
  if (random.below(2) == 0) part.friction = random.uniform(0, 1);
  part.rigid = needs_rigid(scene, part.geometry) || random.below(5) == 0;
  if (!half_space && random.below(3) == 0) part.alternatives = {random_mesh(scene, *part.rigid, random)};
  return part;
}

/// 2 to 4 bodies in one another, each of 1 to 8 parts; rigid and compliant ones in one body.
inline SceneDescription random_compounds(unsigned seed, const CompoundChoice& choice = {}) {
  for (Random random(seed);;) {
    SceneDescription scene;
    scene.geometries = compound_geometries(random, choice.coarse);
    scene.contact.dissipation_model = random.below(2) == 0 ? DissipationModel::kHuntCrossley : DissipationModel::kPfc;
    scene.contact.gradient_filter = random.below(2) == 0;
    scene.contact.quadrature = static_cast<Quadrature>(random.below(4));
    const int bodies = 2 + random.below(choice.most_bodies - 1);
    for (int i = 0; i < bodies; ++i) {
      Body& body = scene.bodies.emplace_back();
      body.name = "body " + std::to_string(i);
      body.modulus = random_modulus(random);
      body.dissipation = random.uniform(0, 2);
      body.friction = random.uniform(0, 1);
      body.pose = random_pose(random, 0.1);
      const int parts = 1 + random.below(choice.most_parts);
      for (int k = 0; k < parts; ++k) body.parts.push_back(random_part(scene, random));
    }
    scene.pairs = all_pairs(scene);
    for (Pair& pair : *scene.pairs) {
      if (random.below(4) == 0) pair.dissipation = random.uniform(0, 2);
      if (random.below(4) == 0) pair.friction = random.uniform(0, 1);
      if (random.below(2) == 0) std::swap(pair.a, pair.b);
    }
    if (!scene.pairs->empty()) return scene;
  }
}

/// Bodies in one another at other poses in each environment; `full` gives every optional array.
inline Batch compound_states(const Scene& scene, std::int64_t environments, unsigned seed, bool full = false,
                             double spread = 0.1) {
  Random random(seed);
  Batch batch(scene, environments);
  const SceneDescription& description = scene.description();
  for (std::int64_t e = 0; e < environments; ++e) {
    for (const Body& body : description.bodies) {
      const auto pose = random_pose(random, spread);
      batch.poses.insert(batch.poses.end(), pose.begin(), pose.end());
      for (int i = 0; i < 6; ++i) batch.velocities.push_back(random.uniform(-1, 1) * (i < 3 ? 0.3 : 2));
      for (const Part& part : parts_of(body)) {
        if (!full) continue;
        batch.modulus.push_back(random_modulus(random));
        batch.dissipation.push_back(random.uniform(0, 2));
        batch.friction.push_back(random.uniform(0, 1));
        int geometry = part.geometry;
        if (!part.alternatives.empty() && random.below(2) == 0) geometry = part.alternatives[0];
        batch.geometry_index.push_back(geometry);
      }
    }
    for (int p = 0; p < scene.num_pairs() && full; ++p) batch.pair_mask.push_back(random.below(6) > 0 ? 1 : 0);
  }
  return batch;
}

// ---- a body for each part

inline std::array<double, 4> product_of(const double* p, const double* q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

/// The pose of a part in the world.
inline std::array<double, 7> pose_in_world(const double* X_WB, const std::array<double, 7>& X_BG) {
  std::array<double, 7> body;
  std::copy_n(X_WB, 7, body.begin());
  const detail::Vec3d p = apply(detail::transform_of(body), detail::Vec3d{X_BG[0], X_BG[1], X_BG[2]});
  const auto q = product_of(X_WB + 3, X_BG.data() + 3);
  return {p.x, p.y, p.z, q[0], q[1], q[2], q[3]};
}

/// Body i is part i, and pair q is part pair q.
inline SceneDescription taken_apart(const Scene& scene) {
  const SceneDescription& from = scene.description();
  SceneDescription to;
  to.geometries = from.geometries;
  to.contact = from.contact;
  for (const Body& body : from.bodies) {
    for (const Part& part : parts_of(body)) {
      Body& one = to.bodies.emplace_back();
      one.name = "part " + std::to_string(to.bodies.size());
      one.geometry = part.geometry;
      one.rigid = *part.rigid;
      one.modulus = *part.modulus;
      one.dissipation = *part.dissipation;
      one.friction = *part.friction;
    }
  }
  to.pairs.emplace();
  for (const PartPair& parts : scene.part_pairs()) {
    const Pair& pair = scene.pairs()[static_cast<std::size_t>(parts.pair)];
    to.pairs->push_back({parts.part_a, parts.part_b, pair.dissipation, pair.friction});
  }
  return to;
}

inline Batch taken_apart(const Scene& scene, const Batch& from) {
  Batch to = from;
  to.num_bodies = scene.num_parts();
  to.num_pairs = scene.num_part_pairs();
  to.poses.clear();
  to.velocities.clear();
  to.pair_mask.clear();
  const std::vector<PartPair> part_pairs = scene.part_pairs();
  for (std::int64_t e = 0; e < from.num_environments; ++e) {
    const double* pose = from.poses.data() + 7 * from.num_bodies * e;
    const double* twist = from.velocities.data() + 6 * from.num_bodies * e;
    for (const Body& body : scene.description().bodies) {
      for (const Part& part : parts_of(body)) {
        const auto X_WG = pose_in_world(pose, part.pose);
        to.poses.insert(to.poses.end(), X_WG.begin(), X_WG.end());
        const detail::Vec3d angular = {twist[3], twist[4], twist[5]};
        const detail::Vec3d lever = {X_WG[0] - pose[0], X_WG[1] - pose[1], X_WG[2] - pose[2]};
        const detail::Vec3d v = detail::Vec3d{twist[0], twist[1], twist[2]} + cross(angular, lever);
        to.velocities.insert(to.velocities.end(), {v.x, v.y, v.z, angular.x, angular.y, angular.z});
      }
      pose += 7;
      twist += 6;
    }
    for (const PartPair& parts : part_pairs) {
      if (!from.pair_mask.empty()) to.pair_mask.push_back(from.pair_mask[e * from.num_pairs + parts.pair]);
    }
  }
  return to;
}

}  // namespace isopatch::test
