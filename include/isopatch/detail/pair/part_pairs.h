// SPDX-License-Identifier: Apache-2.0
//
// The part pairs of a pair of bodies, for any contact model: which of them are near, and the context of one after
// another. A model's Context has a type `Bounds` of the bounds of its sums, and these functions:
//
//   void make_only_context(scene, state, environment, pair, Context&)         of the pair's only part pair, with bounds
//   void make_context(scene, state, environment, pair, part_pair, Context&)   of one of several, without bounds
//   void make_bounds(scene, state, environment, const PairView&, Bounds&)    of several part pairs
//   void set_pass(Context&, const Bounds&, const PairPass&)                   as the context is to be in a pass
//
// A pair of simple bodies has one part pair, which the first stage found near. Of any other, as many part pairs as a
// warp has lanes are tested at once, and those far apart cost no more than that.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/macros.h"
#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// A pair of bodies is evaluated in passes: once, and again if that leaves something open.
enum class Pass : std::uint8_t {
  kFirst,
  kWider,      // on wider scales, because a sum may have wrapped
  kUnfiltered  // without the gradient filter, to see whether there is a polygon: only the status is written
};

/// Which pass over a pair this is.
struct PairPass {
  Pass pass;
  int widening;  // power of two by which the scales are wider than in the first pass
};

/// What a pass leaves to do of a pair. It fits the 32 bits that the lanes of a warp exchange at once.
struct Remaining {
  enum Kind : std::int16_t {
    kNothing,
    kEverything,
    kWiderPass,   // sums may have wrapped: all again, on scales that are wider by `widening`
    kOverlapTest  // no polygon was found: do the bodies overlap?
  };
  Kind kind = kNothing;
  std::int16_t widening = 0;  // power of two

  ISOPATCH_HD static Remaining nothing() { return {kNothing, 0}; }
  ISOPATCH_HD static Remaining everything() { return {kEverything, 0}; }
};

/// Lane 0's value, in every lane.
template <class Warp>
ISOPATCH_HD Remaining from_first(Warp& warp, Remaining own) {
  const int word = warp.from_first(static_cast<int>(own.kind) | static_cast<int>(own.widening) << 16);
  return {static_cast<Remaining::Kind>(word & 0xffff), static_cast<std::int16_t>(word >> 16)};
}

/// What the lanes of one warp share about a pair.
template <class Context>
struct PairMemory {
  Context context;  // of the part pair at hand
  PairPass pass;
  typename Context::Bounds bounds;  // of several part pairs
  Transform<double> X_AB;           // of bodies of several parts
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

/// The layer of a compliant half space with layers; any other geometry as it is.
ISOPATCH_HD const GeometryView& layer_of(const SceneView& scene, const GeometryView& geometry, bool rigid,
                                         std::int32_t layer) {
  return rigid || geometry.num_layers == 0 ? geometry : scene.geometries[geometry.layers_begin + layer];
}

/// False where two parts are certainly apart.
ISOPATCH_HD bool parts_may_touch(const SceneView& scene, const State& state, std::int64_t environment,
                                 const PartPairView& parts, const Transform<double>& X_AB) {
  const GeometryView& a = scene.geometries[geometry_of(scene, state, environment, parts.a)];
  const GeometryView& b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
  const auto radius_of = [](const GeometryView& g) { return ball_of(g).padded_radius(); };
  const auto is_near = [&](const GeometryView& half_space, const PartView& part, Vec3d center, double radius) {
    const double height = part.posed ? apply_back(part.X_BG, center).z : center.z;
    const GeometryView& layer = layer_of(scene, half_space, part.rigid, parts.layer);
    const double over_layer = height - layer.zero_height;
    return height <= radius && over_layer - radius <= layer.high && over_layer + radius >= layer.low;
  };
  if (!has_layer(scene, state, environment, parts)) return false;
  if (a.half_space) return is_near(a, scene.parts[parts.a], apply(X_AB, b.center), radius_of(b));
  if (b.half_space) return is_near(b, scene.parts[parts.b], apply_back(X_AB, a.center), radius_of(a));
  const Vec3d apart = apply(X_AB, b.center) - a.center;
  const double both = radius_of(a) + radius_of(b);
  return dot(apart, apart) <= both * both;
}

/// Makes a pair ready for for_each_part_pair(). Called by all lanes.
template <Parts parts = Parts::kSeveral, class Warp, class Context>
ISOPATCH_HD void begin_pair(Warp& warp, PairMemory<Context>& memory, const SceneView& scene, const State& state,
                            std::int64_t environment, int pair) {
  const PairView& view = scene.pairs[pair];
  if (warp.lane() == 0) {
    memory.pass = {Pass::kFirst, 0};
    if (has_one_part_pair<parts>(view)) {
      make_only_context(scene, state, environment, pair, memory.context);
      memory.bounds = memory.context.bounds;
    } else {
      memory.X_AB = relative(read_pose(state, environment, view.a), read_pose(state, environment, view.b));
      make_bounds(scene, state, environment, view, memory.bounds);
    }
  }
  warp.sync();
}

/// Makes memory.context as it is to be in memory.pass. Called by all lanes.
template <Parts parts, class Warp, class Context>
ISOPATCH_HD void prepare_context(Warp& warp, PairMemory<Context>& memory, const SceneView& scene, const State& state,
                                 std::int64_t environment, int pair, int part_pair) {
  const bool is_new = !has_one_part_pair<parts>(scene.pairs[pair]);
  if (!is_new && memory.pass.pass == Pass::kFirst) return;
  warp.sync();  // the context may be in use
  if (warp.lane() == 0) {
    if (is_new) make_context(scene, state, environment, pair, part_pair, memory.context);
    set_pass(memory.context, memory.bounds, memory.pass);
  }
  warp.sync();
}

/// Calls visit(part_pair) for the near part pairs that are computed in the frame of body a (`frame` 0) or b (1), with
/// memory.context as it is to be in memory.pass; the only part pair of simple bodies counts as computed in frame 0.
/// With `every`, far ones too. Called by all lanes.
template <Parts parts = Parts::kSeveral, bool every = false, class Warp, class Context, class Visit>
ISOPATCH_HD void for_each_part_pair(Warp& warp, PairMemory<Context>& memory, const SceneView& scene, const State& state,
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
template <class Warp, class Context>
ISOPATCH_HD void begin_pass(Warp& warp, PairMemory<Context>& memory, PairPass pass) {
  warp.sync();
  if (warp.lane() == 0) memory.pass = pass;
  warp.sync();
}

/// The frames that the part pairs of a pair are computed in.
template <Parts parts = Parts::kSeveral>
ISOPATCH_HD int num_frames(const PairView& pair) {
  return has_one_part_pair<parts>(pair) ? 1 : 2;
}

/// The frame of sums, `frame` as in for_each_part_pair(). `only` is the frame of the pair's only part pair, if it has
/// no other.
template <Parts parts>
ISOPATCH_HD SumFrame sum_frame(const SumFrame& only, const SceneView& scene, const State& state,
                               std::int64_t environment, const PairView& pair, int frame) {
  // its members one by one: a copy of all would read padding in shared memory
  if (has_one_part_pair<parts>(pair)) return {only.X_WM, only.p_WoA, only.reference_M, only.swapped};
  const int body_M = frame == 1 ? pair.b : pair.a;
  const BodyView& body = scene.bodies[body_M];
  const GeometryView& first = scene.geometries[geometry_of(scene, state, environment, body.parts_begin)];
  return {read_pose(state, environment, body_M), read_vec3(state.poses, environment, pair.a * kPoseSize),
          reference_of(body, first), frame == 1};
}

}  // namespace isopatch::detail
