// SPDX-License-Identifier: Apache-2.0
//
// The part pairs of a pair of bodies: which of them are near, and the context of one after another.
//
// A pair of simple bodies has one part pair, which the first stage found near. Of any other, as many part pairs as a
// warp has lanes are tested at once, and those far apart cost no more than that.
#pragma once

#include "isopatch/detail/pressure_field/pair_bounds.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// How often a pair has been evaluated, and what for.
struct PairPass {
  Pass pass;
  int widening;  // power of two by which the scales are wider than in the first pass
};

/// What the lanes of one warp share about a pair.
struct PairMemory {
  PairContext context;  // of the part pair at hand
  PairPass pass;
  PairBounds bounds;       // of several part pairs
  Transform<double> X_AB;  // of bodies of several parts
};

/// Bodies of several parts occur in the scene, or none do. Code for none has no loops over part pairs and needs fewer
/// registers.
enum class Parts : std::uint8_t { kOne, kSeveral };

ISOPATCH_HD int num_part_pairs(const PairView& pair) { return pair.part_pairs_end - pair.part_pairs_begin; }

inline Parts parts_of(const SceneView& scene) {
  return scene.num_part_pairs == scene.num_pairs ? Parts::kOne : Parts::kSeveral;
}

template <Parts parts>
ISOPATCH_HD bool has_one_part_pair(const PairView& pair) {
  return parts == Parts::kOne || num_part_pairs(pair) == 1;
}

/// Whether the geometries that two parts have now have the layer of their part pair.
ISOPATCH_HD bool has_layer(const SceneView& scene, const State& state, std::int64_t environment,
                           const PartPairView& parts) {
  const auto layers_of = [&](std::int32_t part) {
    return scene.parts[part].rigid ? 0 : scene.geometries[geometry_of(scene, state, environment, part)].num_layers;
  };
  return parts.layer == 0 || parts.layer < layers_of(parts.a) || parts.layer < layers_of(parts.b);
}

/// False where two parts are certainly apart.
ISOPATCH_HD bool parts_may_touch(const SceneView& scene, const State& state, std::int64_t environment,
                                 const PartPairView& parts, const Transform<double>& X_AB) {
  const GeometryView& a = scene.geometries[geometry_of(scene, state, environment, parts.a)];
  const GeometryView& b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
  const auto reach = [](const GeometryView& g) { return ball_of(g).padded_radius(); };
  const auto reaches = [&](const GeometryView& half_space, const PartView& part, Vec3d center, double radius) {
    const double height = part.posed ? apply_back(part.X_BG, center).z : center.z;
    const GeometryView& layer = layer_of(scene, half_space, part.rigid, parts.layer);
    const double over_layer = height - layer.zero_height;
    return height <= radius && over_layer - radius <= layer.high && over_layer + radius >= layer.low;
  };
  if (!has_layer(scene, state, environment, parts)) return false;
  if (a.half_space) return reaches(a, scene.parts[parts.a], apply(X_AB, b.center), reach(b));
  if (b.half_space) return reaches(b, scene.parts[parts.b], apply_back(X_AB, a.center), reach(a));
  const Vec3d apart = apply(X_AB, b.center) - a.center;
  const double both = reach(a) + reach(b);
  return dot(apart, apart) <= both * both;
}

/// Whether a part pair is computed in the frame of body b.
ISOPATCH_HD bool is_swapped(const SceneView& scene, const State& state, std::int64_t environment,
                            const PartPairView& parts) {
  return is_swapped(scene.parts[parts.a].rigid,
                    scene.geometries[geometry_of(scene, state, environment, parts.a)].half_space,
                    scene.geometries[geometry_of(scene, state, environment, parts.b)].half_space);
}

/// Makes the context of a pair's only part pair, with its bounds.
ISOPATCH_HD void make_only_context(const SceneView& scene, const State& state, std::int64_t environment, int pair,
                                   PairContext& context) {
  make_context(scene, state, environment, pair, scene.pairs[pair].part_pairs_begin, context);
  context.bounds = make_pair_bounds(maxima_of(context), scene.contact.pfc_dissipation, 1);
}

/// The bounds of a pair of several part pairs.
ISOPATCH_HD PairBounds several_part_pair_bounds(const SceneView& scene, const State& state, std::int64_t environment,
                                                const PairView& pair) {
  return make_pair_bounds(maxima_of(scene, state, environment, pair), scene.contact.pfc_dissipation,
                          num_part_pairs(pair));
}

/// Makes a pair ready for for_each_part_pair(). Called by all lanes.
template <Parts parts = Parts::kSeveral, class Warp>
ISOPATCH_HD void begin_pair(Warp& warp, PairMemory& memory, const SceneView& scene, const State& state,
                            std::int64_t environment, int pair) {
  const PairView& view = scene.pairs[pair];
  if (warp.lane() == 0) {
    memory.pass = {Pass::kFirst, 0};
    if (has_one_part_pair<parts>(view)) {
      make_only_context(scene, state, environment, pair, memory.context);
      memory.bounds = memory.context.bounds;
    } else {
      memory.X_AB = relative(read_pose(state, environment, view.a), read_pose(state, environment, view.b));
      memory.bounds = several_part_pair_bounds(scene, state, environment, view);
    }
  }
  warp.sync();
}

/// Makes memory.context as it is to be in memory.pass. Called by all lanes.
template <Parts parts, class Warp>
ISOPATCH_HD void prepare_context(Warp& warp, PairMemory& memory, const SceneView& scene, const State& state,
                                 std::int64_t environment, int pair, int part_pair) {
  const bool is_new = !has_one_part_pair<parts>(scene.pairs[pair]);
  if (!is_new && memory.pass.pass == Pass::kFirst) return;
  warp.sync();  // the context may be in use
  if (warp.lane() == 0) {
    PairContext& context = memory.context;
    if (is_new) make_context(scene, state, environment, pair, part_pair, context);
    context.bounds = memory.bounds;
    context.bounds.widen(memory.pass.widening);
    context.pass = memory.pass.pass;
    if (context.pass == Pass::kUnfiltered) context.law.gradient_filter = false;
  }
  warp.sync();
}

/// Calls visit(part_pair) for the near part pairs that are computed in the frame of body a (`frame` 0) or b (1), with
/// memory.context as it is to be in memory.pass; the only part pair of simple bodies counts as computed in frame 0.
/// With `every`, far ones too. Called by all lanes.
template <Parts parts = Parts::kSeveral, bool every = false, class Warp, class Visit>
ISOPATCH_HD void for_each_part_pair(Warp& warp, PairMemory& memory, const SceneView& scene, const State& state,
                                    std::int64_t environment, int pair, int frame, const Visit& visit) {
  const PairView& view = scene.pairs[pair];
  if constexpr (parts == Parts::kOne) {
    prepare_context<parts>(warp, memory, scene, state, environment, pair, view.part_pairs_begin);
    visit(view.part_pairs_begin);
  } else {
    const int count = num_part_pairs(view);
    for (int base = 0; base < count; base += Warp::kSize) {
      const int at = base + warp.lane();
      bool near = at < count;
      if (count > 1 && near) {
        const PartPairView& both = scene.part_pairs[view.part_pairs_begin + at];
        near = is_swapped(scene, state, environment, both) == (frame == 1) &&
               (every ? has_layer(scene, state, environment, both)
                      : parts_may_touch(scene, state, environment, both, memory.X_AB));
      }
      for (std::uint32_t left = warp.ballot(near); left != 0u; left &= left - 1) {
        const int part_pair = view.part_pairs_begin + base + count_bits(~left & (left - 1u));
        prepare_context<parts>(warp, memory, scene, state, environment, pair, part_pair);
        visit(part_pair);
      }
    }
  }
}

/// Begins another pass over the pair. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_pass(Warp& warp, PairMemory& memory, PairPass pass) {
  warp.sync();
  if (warp.lane() == 0) memory.pass = pass;
  warp.sync();
}

/// The frames that the part pairs of a pair are computed in.
template <Parts parts = Parts::kSeveral>
ISOPATCH_HD int num_frames(const PairView& pair) {
  return has_one_part_pair<parts>(pair) ? 1 : 2;
}

/// The frame of sums, `frame` as in for_each_part_pair(). `context` is that of the pair's only part pair, where it has
/// no other.
template <Parts parts>
ISOPATCH_HD SumFrame sum_frame(const PairContext& context, const SceneView& scene, const State& state,
                               std::int64_t environment, const PairView& pair, int frame) {
  const SumFrame& own = context.frame;  // its members one by one: a copy of all would read padding in shared memory
  if (has_one_part_pair<parts>(pair)) return {own.X_WM, own.p_WoA, own.reference_M, own.swapped};
  const int body_M = frame == 1 ? pair.b : pair.a;
  const BodyView& body = scene.bodies[body_M];
  const GeometryView& first = scene.geometries[geometry_of(scene, state, environment, body.parts_begin)];
  return {read_pose(state, environment, body_M), read_vec3(state.poses, environment, pair.a * kPoseSize),
          reference_of(body, first), frame == 1};
}

}  // namespace isopatch::detail
