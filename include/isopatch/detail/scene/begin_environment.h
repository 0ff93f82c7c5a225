// SPDX-License-Identifier: Apache-2.0
//
// The first stage of an evaluation, for one environment: validate its state, find the pairs whose bodies are near each
// other, and write zeroes, the results of all others.
#pragma once

#include <type_traits>

#include "isopatch/arrays.h"
#include "isopatch/detail/scene/environment.h"
#include "isopatch/detail/simt/lists.h"

namespace isopatch::detail {

/// A ball about a body, or a half space, in the world.
struct BodyBounds {
  Vec3d origin;   // of the body, or of the half space, m
  Vec3d center;   // of the ball, from the origin, world axes, m
  Vec3d up;       // out of the half space
  double radius;  // m, padded; infinite where a half space is among several parts
  bool half_space;
};

/// Where a body is in a state.
struct PlaceInState {
  const State& state;
  std::int64_t environment;
  int body;

  ISOPATCH_HD Vec3d position() const { return read_vec3(state.poses, environment, body * kPoseSize); }
  ISOPATCH_HD Transform<double> pose() const { return read_pose(state, environment, body); }
};

/// Of a body with the geometries that it has in `state`, at a `place` of its own. With `for_test`, for
/// bounds_may_touch() alone: a ball about its body's origin is not turned, nor that of a half space, which has no size.
template <bool for_test = false, class Place>
ISOPATCH_HD BodyBounds body_bounds(const SceneView& scene, const State& state, std::int64_t environment, int body,
                                   const Place& place) {
  const BodyView& b = scene.bodies[body];
  const PartView& first = scene.parts[b.parts_begin];
  const bool half_space =
      b.has_one_part() && scene.geometries[geometry_of(scene, state, environment, b.parts_begin)].half_space;
  if (for_test && half_space) {
    const Transform<double> X = pose_of(first, true, place.pose());
    return {X.translation, {0, 0, 0}, {X.row[0].z, X.row[1].z, X.row[2].z}, 0, true};
  }
  const Ball ball = mesh_ball(scene, state, environment, body);
  const double radius = has_half_space_part(scene, state, environment, body) ? kInfinity : ball.padded_radius();
  if (for_test && ball.center.x == 0 && ball.center.y == 0 && ball.center.z == 0) {
    return {place.position(), {0, 0, 0}, {0, 0, 0}, radius, false};
  }
  const Transform<double> X = pose_of(first, half_space, place.pose());
  return {X.translation, rotate(X, ball.center), {X.row[0].z, X.row[1].z, X.row[2].z}, radius, half_space};
}

/// At the pose that it has in `state`.
template <bool for_test = false>
ISOPATCH_HD BodyBounds make_body_bounds(const SceneView& scene, const State& state, std::int64_t environment,
                                        int body) {
  return body_bounds<for_test>(scene, state, environment, body, PlaceInState{state, environment, body});
}

/// False if two bodies are certainly apart.
ISOPATCH_HD bool bounds_may_touch(const BodyBounds& a, const BodyBounds& b) {
  const Vec3d apart = (b.origin - a.origin) + (b.center - a.center);
  if (a.half_space) return dot(a.up, apart) <= b.radius;
  if (b.half_space) return -dot(b.up, apart) <= a.radius;
  const double reach = a.radius + b.radius;
  return dot(apart, apart) <= reach * reach;
}

/// The pairs to evaluate, in no particular order: pair p of environment e has the index e * num_pairs + p.
using PairList = SharedList<std::int64_t>;

/// A list of pairs for each contact model, side by side in memory for all pairs of all environments.
struct PairLists {
  std::int64_t* items;
  std::int32_t* counts;  // of each model
  std::int64_t num_environments;

  ISOPATCH_HD PairList of(const SceneView& scene, int model) const {
    const std::int64_t first = model > 0 ? num_environments * scene.pairs_before[model] : 0;
    return {items + first, counts + model, static_cast<std::int32_t>(num_environments * scene.pairs_of_model(model))};
  }
};

/// The fault bits that any lane has. Called by all lanes.
template <class Warp>
ISOPATCH_HD std::uint32_t faults_of_all(Warp& warp, std::uint32_t status) {
  std::uint32_t all = kOk;
  if (warp.ballot(status != kOk) == 0u) return all;
  for (std::uint32_t rest = kFaults; rest != 0; rest &= rest - 1) {
    const std::uint32_t bit = rest & (0 - rest);  // the lowest one
    if (warp.ballot((status & bit) != 0u) != 0u) all |= bit;
  }
  return all;
}

/// The environment's fault bits, found by all lanes together.
template <class Warp>
ISOPATCH_HD std::uint32_t environment_status(Warp& warp, const SceneView& scene, const State& state,
                                             std::int64_t environment) {
  std::uint32_t status = kOk;
  for (int body = warp.lane(); body < scene.num_bodies; body += Warp::kSize) {
    status |= body_status(state, environment, body);
    if (scene.planar_bodies != nullptr && scene.planar_bodies[body] != 0) {
      status |= plane_status(state, environment, body);
    }
  }
  for (int part = warp.lane(); part < scene.num_parts; part += Warp::kSize) {
    status |= part_status(scene, state, environment, part);
  }
  for (int i = warp.lane(); state.geometry_index.data != nullptr && i < scene.num_part_pairs; i += Warp::kSize) {
    status |= part_pair_status(scene, state, environment, i);
  }
  const int size = state.contact_state.data == nullptr ? 0 : num_contact_states(scene);
  for (int i = warp.lane(); i < size; i += Warp::kSize) {
    if (!is_contact_number(scene, i, read(state.contact_state, environment, i))) status |= kBadContactState;
  }
  return faults_of_all(warp, status);
}

/// Adds bits to the status of an environment, if it is wanted.
template <class Warp>
ISOPATCH_HD void set_status(Warp& warp, const Results& results, std::int64_t environment, std::uint32_t bits) {
  if (results.status.data != nullptr) warp.set_bits(&element(results.status, environment), bits);
}

/// Zeroes for the contact states of the part pairs of a pair.
ISOPATCH_HD void write_no_contact_states(const SceneView& scene, const Results& results, std::int64_t environment,
                                         const PairView& pair) {
  const int size = scene.contact.state_size;
  for (int i = size * pair.rows_begin; i < size * pair.rows_end; ++i) {
    write(results.contact_state, environment, i, 0);
  }
}

/// Zeroes for all pairs of an environment, which are replaced for those that are evaluated, and in its counts of
/// records: each array that is asked for is filled at once. Called by all lanes.
template <class Warp>
ISOPATCH_HD void write_no_contact(Warp& warp, const SceneView& scene, const Results& results,
                                  std::int64_t environment) {
  const auto write_zeroes = [&](const ArrayInfo& info, const auto& array) {
    if constexpr (requires { write(array, environment, 0, 0); }) {
      if (array.data == nullptr) return;
      const int rows = info.per == Per::kPair      ? scene.num_pairs
                       : info.per == Per::kCluster ? scene.num_pairs * results.max_clusters
                       : info.per == Per::kEnvironment && info.group != OutputGroup::kWrench ? 1
                       : info.group == OutputGroup::kPartPair || info.group == OutputGroup::kSingleContact
                           ? num_part_pair_rows(scene)
                           : 0;
      for (int i = warp.lane(); i < rows * info.width; i += Warp::kSize) write(array, environment, i, 0);
    }
  };
  for_each_output(write_zeroes, results);
}

/// What else is done with a pair that was listed, or not: nothing.
struct NoAction {
  ISOPATCH_HD void operator()(bool, std::int32_t, int) const {}
};

/// Appends the environment's near pairs to the lists of their models (with `every_pair`, all enabled pairs), writes the
/// status word, and zeroes the counters and the results of all pairs. `bounds` has room for all bodies and is shared by
/// the lanes of `warp`, or is an object whose operator[] makes the bounds of a body. `all` are the lanes that append
/// together: `warp` itself, or the lanes of several environments. They call listed(near, index in the list, pair)
/// together.
template <class Warp, class All, class Bounds, class Listed = NoAction>
ISOPATCH_HD void begin_environment(Warp& warp, All& all, Bounds bounds, const SceneView& scene, const State& state,
                                   const Results& results, std::int64_t environment, const PairLists& lists,
                                   bool every_pair = false, const Listed& listed = {}) {
  const bool exists = environment < state.num_environments;  // the last of `all` may have none
  const std::uint32_t status = exists ? environment_status(warp, scene, state, environment) : 0;
  const bool valid = exists && status == kOk;
  if (exists && warp.lane() == 0) write(results.status, environment, 0, status);
  if (exists) write_no_contact(warp, scene, results, environment);
  if constexpr (std::is_pointer_v<Bounds>) {
    for (int body = warp.lane(); valid && body < scene.num_bodies; body += Warp::kSize) {
      bounds[body] = make_body_bounds<true>(scene, state, environment, body);
    }
    warp.sync();
  }

  for (int base = 0; base < scene.num_pair_views; base += Warp::kSize) {
    const int at = base + warp.lane();
    bool near = false;
    int pair = at;
    if (exists && at < scene.num_pair_views) {
      const PairView& view = scene.pairs[at];
      pair = view.pair;
      near = valid && is_enabled(state, environment, pair) &&
             (every_pair || view.is_endless || bounds_may_touch(bounds[view.a], bounds[view.b]));
      if (results.contact_state.data != nullptr && !(near && view.has_state)) {
        write_no_contact_states(scene, results, environment, view);
      }
    }
    for (int model = 0; model < scene.num_models; ++model) {
      const bool mine = near && (scene.num_models == 1 || scene.pairs[at].model == model);
      const PairList list = lists.of(scene, model);
      const std::int32_t index = list.reserve(all, mine);  // which fits: the list has room for all pairs
      if (mine) list.items[index] = environment * scene.num_pairs + pair;
      listed(mine, index, pair);
    }
  }
  warp.sync();
}

}  // namespace isopatch::detail
