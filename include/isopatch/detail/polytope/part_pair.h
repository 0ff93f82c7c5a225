// SPDX-License-Identifier: Apache-2.0
//
// A pair of bodies of convex parts. Two bodies are apart just where all of their part pairs are.
#pragma once

#include "isopatch/detail/pair/pair_call.h"
#include "isopatch/detail/polytope/overlap.h"
#include "isopatch/detail/polytope/reach.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// What the lanes that evaluate a pair share: `features` have feature_memory_size() of the largest part pair, and there
/// is no `overlap` where that is not wanted. Both may be the same memory.
struct PolytopeMemory {
  void* features;
  OverlapMemory* overlap;
};

/// Two parts at their poses, and what is near.
struct PosedPolytopes {
  PolytopePair pair;
  Transform<double> X_WA;
  RelationOptions options;
};

/// Both geometries are polytopes.
ISOPATCH_HD PosedPolytopes posed_polytopes(const SceneView& scene, const State& state, std::int64_t environment,
                                           const PairView& view, const PartPairView& parts) {
  const int geometry_a = geometry_of(scene, state, environment, parts.a);
  const int geometry_b = geometry_of(scene, state, environment, parts.b);
  const GeometryView &a = scene.geometries[geometry_a], &b = scene.geometries[geometry_b];
  const Transform<double> X_a = read_pose(state, environment, view.a), X_b = read_pose(state, environment, view.b);
  const Transform<double> X_WA = pose_of(scene.parts[parts.a], a.half_space, X_a);
  return {polytope_pair(*a.shape, *b.shape, X_WA, pose_of(scene.parts[parts.b], b.half_space, X_b)), X_WA,
          relation_options(scene.polytopes, state.time_step, speed_of(scene, state, environment, view.a, X_a),
                           polytope_radius(scene, *a.shape, view.a, parts.a, geometry_a),
                           speed_of(scene, state, environment, view.b, X_b),
                           polytope_radius(scene, *b.shape, view.b, parts.b, geometry_b))};
}

/// False if two parts are certainly farther apart than they reach: told from balls about the origins of their bodies,
/// which do not turn, so that most pairs need no pose. Both geometries are polytopes.
ISOPATCH_HD bool may_reach(const SceneView& scene, const State& state, std::int64_t environment, const PairView& view,
                           const PartPairView& parts) {
  constexpr double kMargin = 1e-9;  // far above the rounding of all that follows
  const int geometry_a = geometry_of(scene, state, environment, parts.a);
  const int geometry_b = geometry_of(scene, state, environment, parts.b);
  const double radius_a = polytope_radius(scene, *scene.geometries[geometry_a].shape, view.a, parts.a, geometry_a);
  const double radius_b = polytope_radius(scene, *scene.geometries[geometry_b].shape, view.b, parts.b, geometry_b);
  const bool moves = state.time_step > 0;
  const BodySpeed still{0, 0};
  const double reach = relation_options(scene.polytopes, state.time_step,
                                        moves ? largest_speed_of(scene, state, environment, view.a) : still, radius_a,
                                        moves ? largest_speed_of(scene, state, environment, view.b) : still, radius_b)
                           .reach;
  const Vec3d from_a = abs(scene.polytopes.centers_of_mass[view.a]),
              from_b = abs(scene.polytopes.centers_of_mass[view.b]);
  const Vec3d from = from_a + from_b;  // the sum of its coordinates is at least both lengths: no root is needed
  const double balls = (from.x + from.y + from.z) + (radius_a + radius_b);
  const double far = (1 + kMargin) * (balls + reach);
  const Vec3d apart =
      read_vec3(state.poses, environment, view.b * kPoseSize) - read_vec3(state.poses, environment, view.a * kPoseSize);
  return !(dot(apart, apart) > far * far);
}

/// An environment's rows of buffers; none of those that are not asked for.
ISOPATCH_HD RelationArrays relation_arrays(const Results& results, std::int64_t environment) {
  RelationArrays arrays{nullptr, nullptr, nullptr, {0, 0, 0}};
  const auto add = [&](const auto& buffer, auto*& rows, std::int32_t& capacity) {
    if (buffer.data == nullptr) return;
    rows = &element(buffer, environment);
    capacity = buffer.capacity;
  };
  add(results.potential_contacts, arrays.contacts, arrays.capacity.contacts);
  add(results.relations, arrays.relations, arrays.capacity.relations);
  add(results.relation_members, arrays.members, arrays.capacity.members);
  return arrays;
}

/// Writes how many contacts, relations and members an environment has, and a bit of its status if a buffer is full.
/// Called by one lane.
template <class Warp>
ISOPATCH_HD void write_relation_counts(Warp& warp, const Results& results, std::int64_t environment,
                                       const RelationCounts& counts) {
  write(results.relations_needed, environment, 0, counts.contacts);
  write(results.relations_needed, environment, 1, counts.relations);
  write(results.relations_needed, environment, 2, counts.members);
  const auto is_full = [](const auto& buffer, std::int32_t count) {
    return buffer.data != nullptr && count > buffer.capacity;
  };
  if (is_full(results.potential_contacts, counts.contacts) || is_full(results.relations, counts.relations) ||
      is_full(results.relation_members, counts.members)) {
    set_status(warp, results, environment, kRelationCapacity);
  }
}

/// Appends the contacts and relations of a pair to those of its environment, and writes its separation and overlap.
/// Parts that are apart by more than their reach are looked at only for a separation. Called by all lanes.
template <class Warp>
ISOPATCH_HD void evaluate_polytopes(Warp& warp, const PolytopeMemory& memory, const PairCall& call,
                                    RelationCounts& counts) {
  const auto& [scene, state, results, environment, index] = call;
  const PairView& view = call.view();
  const RelationArrays arrays = relation_arrays(results, environment);
  const bool wants_relations = results.relations_needed.data != nullptr;
  // of these, the separation says whether there are any: past corners it is less than the distance
  const bool everywhere = scene.polytopes.relations == static_cast<std::int32_t>(RelationMode::kSeparating);
  double separation = kInfinity, overlap = 0;
  bool is_deep = false;
  for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    const bool is_far = !everywhere && !may_reach(scene, state, environment, view, parts);
    if (is_far && results.separation.data == nullptr) continue;
    const auto [pair, X_WA, options] = posed_polytopes(scene, state, environment, view, parts);
    const bool is_near = everywhere || (!is_far && may_touch(pair, options.reach));  // whatever is asked for
    if (!is_near && results.separation.data == nullptr) continue;
    const FeatureMemory features = feature_memory(pair.a, pair.b, memory.features);
    fill(warp, pair, features);
    const Separation found = find_separation(warp, pair, features, options.tolerance);
    if (wants_relations && is_near) {
      find_relations(warp, pair, features, options, found, X_WA, {view.pair, parts.a, parts.b}, arrays, counts);
    }
    separation = min(separation, found.value);
    is_deep = is_deep || found.value < -options.tolerance;
    if (found.value < 0 && results.overlap.data != nullptr) {
      warp.sync();  // nobody reads the features any more
      if (warp.lane() == 0) overlap += overlap_size(pair, *memory.overlap);
    }
    warp.sync();  // the memory may be used again
  }
  if (warp.lane() != 0) return;
  write(results.separation, environment, view.pair, separation);
  write(results.overlap, environment, view.pair, overlap);
  if (is_deep) set_status(warp, results, environment, kOverlap);
}

}  // namespace isopatch::detail
