// SPDX-License-Identifier: Apache-2.0
//
// A contact model for tests alone: two parts that are not half spaces push each other apart where the balls about their
// meshes overlap, by a linear spring on the line of their centres. It keeps one number for each part pair: how many
// evaluations, or steps, it has been in contact without a break. Two rigid parts touch too.
#pragma once

#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/pair/combined_materials.h"
#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// Behind the models of the library.
inline constexpr int kBallSpring = 4;

struct BallSpring {
  static constexpr double kStiffness = 1e4;  // N/m
  static constexpr int kStateSize = 1;
};

/// The contact of two parts; of no use without an overlap.
struct SpringContact {
  double overlap;  // m
  Vec3d point;     // between the balls, world, m
  Vec3d normal;    // from b into a
};

ISOPATCH_HD SpringContact find_ball_contact(const SceneView& scene, const State& state, std::int64_t environment,
                                            const PairView& pair, const PartPairView& parts) {
  const GeometryView& a = scene.geometries[geometry_of(scene, state, environment, parts.a)];
  const GeometryView& b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
  const Vec3d center_a = apply(read_pose(state, environment, pair.a), a.center);
  const Vec3d center_b = apply(read_pose(state, environment, pair.b), b.center);
  const Vec3d apart = center_a - center_b;
  const double distance = norm(apart);
  if (!(distance > 0)) return {0, center_a, {0, 0, 1}};
  const Vec3d normal = (1 / distance) * apart;
  return {a.radius + b.radius - distance, fma(b.radius, normal, center_b), normal};
}

/// Counts how long each part pair has been in contact, and calls use(part_pair, contact) for those that are. Null
/// arrays of states are zeros.
template <class Use>
ISOPATCH_HD void for_each_ball_contact(const SceneView& scene, const State& state, const Results& results,
                                       std::int64_t environment, const PairView& pair, const Use& use) {
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    const SpringContact contact = find_ball_contact(scene, state, environment, pair, parts);
    const bool touches = contact.overlap > 0;
    const std::int64_t at = static_cast<std::int64_t>(parts.row) * scene.contact.state_size;
    const double before = state.contact_state.data == nullptr ? 0 : read(state.contact_state, environment, at);
    write(results.contact_state, environment, at, touches ? before + 1 : 0);
    if (touches) use(i, contact);
  }
}

/// Writes the results of one near pair. Called by one thread.
ISOPATCH_HD void evaluate_ball_springs(const SceneView& scene, const State& state, const Results& results,
                                       std::int64_t environment, int pair) {
  const std::int32_t own = scene.view_in(kBallSpring, pair);
  const PairView& view = scene.pairs[own];
  const Vec3d p_WoA = read_vec3(state.poses, environment, view.a * kPoseSize);
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0};
  std::int32_t contacts = 0;
  for_each_ball_contact(scene, state, results, environment, view, [&](std::int32_t i, const SpringContact& contact) {
    const std::int32_t row = scene.part_pairs[i].row;
    const Vec3d push = (BallSpring::kStiffness * contact.overlap) * contact.normal;
    const Vec3d moment = cross(contact.point - p_WoA, push);
    write(results.part_pair_wrench, environment, 6 * row, push);
    write(results.part_pair_wrench, environment, 6 * row + 3, moment);
    force = force + push;
    torque = torque + moment;
    ++contacts;
  });
  add(results.pair_wrench, environment, 6 * pair, force);
  add(results.pair_wrench, environment, 6 * pair + 3, torque);
  add(results.polygon_count, environment, pair, contacts);
}

/// Hands a record for each part pair in contact to append(record). Called by one thread.
template <class Append>
ISOPATCH_HD void find_ball_springs(const SceneView& scene, const State& state, const Results& results,
                                   std::int64_t environment, int pair, const Append& append) {
  const PairView& view = scene.pairs[scene.view_in(kBallSpring, pair)];
  const Vec3d origin_W = pair_origin(make_body_bounds(scene, state, environment, view.a),
                                     make_body_bounds(scene, state, environment, view.b));
  for_each_ball_contact(scene, state, results, environment, view, [&](std::int32_t i, const SpringContact& contact) {
    const PartPairView& parts = scene.part_pairs[i];
    SolverContact<double> record = {};
    record.centroid = contact.point - origin_W;
    record.normal = contact.normal;
    record.force = BallSpring::kStiffness * contact.overlap / 3;
    record.stiffness = BallSpring::kStiffness / 3;
    record.friction = friction_of(view, read_material(scene, state, environment, parts.a),
                                  read_material(scene, state, environment, parts.b));
    record.key = ContactKey::of_part_pair(i).word();
    append(record);
  });
}

}  // namespace isopatch::detail
