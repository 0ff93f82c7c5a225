// SPDX-License-Identifier: Apache-2.0
//
// A pair of bodies of convex parts. Two bodies are apart just where all of their part pairs are.
#pragma once

#include "isopatch/detail/polytope/overlap.h"
#include "isopatch/detail/polytope/separation.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// What the lanes that evaluate a pair share.
struct PolytopeMemory {
  alignas(8) char features[kMaxPairMemory];
  OverlapMemory overlap;
};

/// Two parts at their poses. Both geometries are polytopes.
ISOPATCH_HD PolytopePair posed_polytopes(const SceneView& scene, const State& state, std::int64_t environment,
                                         const PairView& view, const PartPairView& parts) {
  const GeometryView& a = scene.geometries[geometry_of(scene, state, environment, parts.a)];
  const GeometryView& b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
  return polytope_pair(*a.polytope, *b.polytope,
                       pose_of(scene.parts[parts.a], a.half_space, read_pose(state, environment, view.a)),
                       pose_of(scene.parts[parts.b], b.half_space, read_pose(state, environment, view.b)));
}

/// Writes the separation and the overlap of a pair. Called by all lanes.
template <class Warp>
ISOPATCH_HD void evaluate_polytopes(Warp& warp, PolytopeMemory& memory, const SceneView& scene, const State& state,
                                    const Results& results, std::int64_t environment, const PairView& view) {
  double separation = kInfinity, overlap = 0;
  for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
    const PolytopePair pair = posed_polytopes(scene, state, environment, view, scene.part_pairs[i]);
    const PairMemory features = pair_memory(pair.a, pair.b, memory.features);
    fill(warp, pair, features);
    const double value = find_separation(warp, pair, features, 0.0).value;
    separation = min(separation, value);
    if (value < 0 && warp.lane() == 0 && results.overlap.data != nullptr) overlap += overlap_size(pair, memory.overlap);
    warp.sync();  // the memory may be used again
  }
  if (warp.lane() != 0) return;
  write(results.separation, environment, view.pair, separation);
  write(results.overlap, environment, view.pair, overlap);
}

}  // namespace isopatch::detail
