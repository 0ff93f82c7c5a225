// SPDX-License-Identifier: Apache-2.0
//
// Which pairs of rigid polytopes may touch in a step, their relations, and the contacts of these at other poses.
#pragma once

#include "isopatch/detail/pair/combined_materials.h"
#include "isopatch/detail/polytope/part_pair.h"
#include "isopatch/detail/polytope_steps/step_contacts.h"
#include "isopatch/detail/rollout/solver/stage_input.h"

namespace isopatch::detail {

/// A depth that no turn goes on for, m; far away from the origin what positions are rounded to.
inline constexpr double kNoDepth = 1e-13;

/// The state in which a step finds relations: `poses` and `twists` are one environment's, and reach follows from
/// a duration of h seconds.
ISOPATCH_HD State relation_state(const StageInput& in, const double* poses, const double* twists, double h) {
  State state = in.contact;
  state.poses = {};
  state.poses.data = poses;
  state.poses.stride = 0;
  state.velocities = {};
  state.velocities.data = twists;
  state.velocities.stride = 0;
  state.time_step = h;
  return state;
}

ISOPATCH_HD bool finds_everywhere(const SceneView& scene) {
  return scene.polytopes.relations == static_cast<std::int32_t>(RelationMode::kSeparating);
}

ISOPATCH_HD bool is_unilateral(const SceneView& scene) {
  return scene.polytopes.relations == static_cast<std::int32_t>(RelationMode::kUnilateral);
}

/// Appends the pairs whose rigid parts may touch in a step to a stage's pairs, from `pairs` on; none
/// of two bodies without degrees of freedom. Returns how many. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE int list_rigid_pairs(Warp& warp, const StageInput& in, const State& state, SolvedPair* pairs) {
  int listed = 0;
  ISOPATCH_NO_UNROLL
  for (int base = 0; base < in.scene.num_pairs; base += Warp::kSize) {
    const int pair = base + warp.lane();
    bool has = false;
    if (pair < in.scene.num_pairs && is_enabled(state, in.environment, pair)) {
      const std::int32_t at = polytope_view(in.scene, pair);
      const PairView& of = in.scene.pairs[max(at, 0)];
      const bool yields = in.view.bodies[of.a].num_dofs() > 0 || in.view.bodies[of.b].num_dofs() > 0;
      for (std::int32_t i = of.part_pairs_begin; at >= 0 && yields && !has && i < of.part_pairs_end; ++i) {
        has = finds_everywhere(in.scene) || may_reach(in.scene, state, in.environment, of, in.scene.part_pairs[i]);
      }
    }
    const std::uint32_t found = warp.ballot(has);
    if (has) {
      SolvedPair& to = pairs[listed + rank_in(found, warp.lane())];
      to.set_empty();
      to.pair = pair;
      to.a = in.scene.pairs[pair].a;
      to.b = in.scene.pairs[pair].b;
    }
    listed += count_bits(found);
  }
  warp.sync();
  return listed;
}

/// How near features of two parts must be on top of what motion covers, m.
ISOPATCH_HD double margin_of(const SceneView& scene, const State& state, std::int64_t environment, const PairView& view,
                             const PartPairView& parts) {
  const auto radius = [&](int body, int part) {
    const int geometry = geometry_of(scene, state, environment, part);
    return polytope_radius(scene, *scene.geometries[geometry].shape, body, part, geometry);
  };
  return relation_options(scene.polytopes, 0, {0, 0}, radius(view.a, parts.a), {0, 0}, radius(view.b, parts.b)).reach;
}

/// What all contacts of a part pair have in common.
struct PartContacts {
  std::int32_t pair, part_pair;  // as in StepContact
  double undone;                 // of an overlap at most, m
  double tolerance;              // m
};

/// Completes the contacts first ... end, which a part pair has appended. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void complete_contacts(Warp& warp, const StageInput& in, const PairView& view, const PartContacts& of,
                                         double h, const RelationMemory& r, std::int32_t first, std::int32_t end) {
  const PartPairView& parts = in.scene.part_pairs[of.part_pair];
  const double friction = friction_of(view, read_material(in.scene, in.contact, in.environment, parts.a),
                                      read_material(in.scene, in.contact, in.environment, parts.b));
  ISOPATCH_NO_UNROLL
  for (std::int32_t i = first + warp.lane(); i < min(end, r.capacity.contacts); i += Warp::kSize) {
    StepContact& contact = r.contacts[i];
    contact.allowed = min(contact.gap + of.undone, 0.0);
    contact.offset = (contact.gap - contact.allowed) / h;
    contact.friction = friction;
    contact.pair = of.pair;
    contact.part_pair = of.part_pair;
    contact.touches = contact.gap >= -of.tolerance;
  }
  warp.sync();
}

ISOPATCH_HD_LARGE PosedPolytopes posed_parts(const SceneView& scene, const State& state, std::int64_t environment,
                                             const PairView& view, const PartPairView& parts) {
  return posed_polytopes(scene, state, environment, view, parts);
}

/// Appends the relations of a part pair. Returns its separation. Called by all lanes.
template <class Warp>
ISOPATCH_HD_APART double append_relations(Warp& warp, const PosedPolytopes& posed, const PartPairNames& names,
                                          const RelationMemory& r, RelationCounts& counts) {
  return find_relations(warp, posed.pair, feature_memory(posed.pair.a, posed.pair.b, r.features), posed.options,
                        posed.X_WA, names, r.arrays(), counts)
      .value;
}

/// Calls visit(k, i, the pair's view, its parts) for part pair i of each pair k, in order.
template <class Visit>
ISOPATCH_HD void for_each_part_pair(const StageInput& in, const SolvedPair* pairs, int num_pairs, const Visit& visit) {
  ISOPATCH_NO_UNROLL
  for (int k = 0; k < num_pairs; ++k) {
    const PairView& view = in.scene.pairs[polytope_view(in.scene, pairs[k].pair)];
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = view.part_pairs_begin; i < view.part_pairs_end; ++i) {
      visit(k, i, view, in.scene.part_pairs[i]);
    }
  }
}

/// Finds the relations of all pairs that were listed. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE RelationCounts find_step_relations(Warp& warp, const StageInput& in, const State& state,
                                                     const SolvedPair* pairs, int num_pairs, double h,
                                                     const RelationMemory& r) {
  RelationCounts counts = {0, 0, 0};
  const bool everywhere = finds_everywhere(in.scene);
  for_each_part_pair(in, pairs, num_pairs, [&](int k, std::int32_t i, const PairView& view, const PartPairView& parts) {
    if (!everywhere && !may_reach(in.scene, state, in.environment, view, parts)) return;
    const PosedPolytopes posed = posed_parts(in.scene, state, in.environment, view, parts);
    if (!everywhere && !may_touch(posed.pair, posed.options.reach)) return;
    const std::int32_t before = counts.contacts;
    const double separation = append_relations(warp, posed, {view.pair, parts.a, parts.b}, r, counts);
    // an overlap is undone by at most the margin in a step
    const bool recovers = !is_unilateral(in.scene) && separation < -posed.options.tolerance;
    const double undone = recovers ? margin_of(in.scene, state, in.environment, view, parts) : kInfinity;
    complete_contacts(warp, in, view, {k, i, undone, posed.options.tolerance}, h, r, before, counts.contacts);
  });
  return counts;
}

/// How deep a part pair overlaps, m; 0 if it does not.
template <class Warp>
ISOPATCH_HD_APART double depth_of(Warp& warp, const PosedPolytopes& posed, void* memory) {
  if (!may_touch(posed.pair, 0)) return 0;
  const FeatureMemory features = feature_memory(posed.pair.a, posed.pair.b, memory);
  fill(warp, posed.pair, features);
  const double found = -find_separation(warp, posed.pair, features, posed.options.tolerance).value;
  warp.sync();
  return found > fma(kPositionRounding, farthest(posed.X_WA.translation), kNoDepth) ? found : 0;
}

/// How deep part pairs overlap.
struct Depths {
  double sum;         // m
  bool are_overlaps;  // one is deeper than the tolerance
};

/// Of all part pairs at `poses`. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE Depths find_depths(Warp& warp, const StageInput& in, const double* poses, const SolvedPair* pairs,
                                     int num_pairs, const RelationMemory& r) {
  const State state = relation_state(in, poses, nullptr, 0);
  Depths found = {0, false};
  for_each_part_pair(in, pairs, num_pairs, [&](int, std::int32_t, const PairView& view, const PartPairView& parts) {
    if (!may_reach(in.scene, state, in.environment, view, parts)) return;
    const PosedPolytopes posed = posed_parts(in.scene, state, in.environment, view, parts);
    const double depth = depth_of(warp, posed, r.features);
    found.sum += depth;
    found.are_overlaps = found.are_overlaps || depth > posed.options.tolerance;
  });
  return found;
}

ISOPATCH_HD bool fits(const RelationCounts& counts, const RelationCounts& capacity) {
  return counts.contacts <= capacity.contacts && counts.relations <= capacity.relations &&
         counts.members <= capacity.members;
}

/// Gives the members of relations from `first` on the contacts that were there before in place of those that were
/// found again. Called by one lane. Returns how many contacts are left.
ISOPATCH_HD_LARGE std::int32_t join_contacts(const RelationMemory& r, const RelationCounts& before,
                                             const RelationCounts& counts) {
  std::int32_t left = before.contacts;
  ISOPATCH_NO_UNROLL
  for (std::int32_t i = before.contacts; i < counts.contacts; ++i) {
    const StepContact& found = r.contacts[i];
    std::int32_t same = 0;
    while (same < before.contacts &&
           (r.contacts[same].part_pair != found.part_pair || r.contacts[same].code != found.code)) {
      ++same;
    }
    const bool is_new = same == before.contacts;
    const std::int32_t to = is_new ? left++ : same;
    if (is_new) {
      StepContact& added = r.contacts[to];
      added = found;
      for (same = 0; same < before.contacts; ++same) {  // one that is undone little by little stays so
        const StepContact& other = r.contacts[same];
        if (other.part_pair == found.part_pair) added.allowed = min(added.allowed, other.allowed);
      }
    }
    ISOPATCH_NO_UNROLL
    for (std::int32_t k = before.members; k < counts.members; ++k) {
      if (r.members[k] == i) r.members[k] = -1 - to;  // is not taken for another one that moves
    }
  }
  ISOPATCH_NO_UNROLL
  for (std::int32_t k = before.members; k < counts.members; ++k) {
    if (r.members[k] < 0) r.members[k] = -1 - r.members[k];
  }
  return left;
}

/// Appends the relations of all part pairs that overlap at `poses`, as they would be if the parts were apart. Returns
/// false if they do not fit. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE bool add_relations_of_overlaps(Warp& warp, const StageInput& in, const double* poses,
                                                 const SolvedPair* pairs, int num_pairs, double h,
                                                 const RelationMemory& r, RelationCounts& counts) {
  constexpr double kAngle = 0.1;
  const State state = relation_state(in, poses, nullptr, 0);
  const RelationCounts before = counts;
  for_each_part_pair(in, pairs, num_pairs, [&](int k, std::int32_t i, const PairView& view, const PartPairView& parts) {
    if (!may_reach(in.scene, state, in.environment, view, parts)) return;
    PosedPolytopes posed = posed_parts(in.scene, state, in.environment, view, parts);
    const double depth = depth_of(warp, posed, r.features);
    if (!(depth > 0)) return;
    posed.options.reach = fma(2.0, depth, posed.options.reach);
    posed.options.angle = kAngle;
    posed.options.mode = RelationMode::kLocal;
    const std::int32_t first = counts.contacts;
    append_relations(warp, posed, {view.pair, parts.a, parts.b}, r, counts);
    complete_contacts(warp, in, view, {k, i, kInfinity, posed.options.tolerance}, h, r, first, counts.contacts);
  });
  if (!fits(counts, r.capacity)) return false;
  if (warp.lane() == 0) r.chosen[0] = join_contacts(r, before, counts);
  warp.sync();
  counts.contacts = r.chosen[0];
  warp.sync();
  return true;
}

/// Calls visit(contact, its geometry at `poses`, its parts there) for the contacts. Called by all lanes.
template <class Warp, class Visit>
ISOPATCH_HD void for_each_contact_at(Warp& warp, const StageInput& in, const double* poses, const SolvedPair* pairs,
                                     const RelationMemory& r, std::int32_t num_contacts, const Visit& visit) {
  const State state = relation_state(in, poses, nullptr, 0);
  PosedPolytopes posed = {};
  std::int32_t part_pair = -1;
  ISOPATCH_NO_UNROLL
  for (std::int32_t i = warp.lane(); i < num_contacts; i += Warp::kSize) {
    StepContact& contact = r.contacts[i];
    if (contact.part_pair != part_pair) {
      part_pair = contact.part_pair;
      const PairView& view = in.scene.pairs[polytope_view(in.scene, pairs[contact.pair].pair)];
      posed = posed_parts(in.scene, state, in.environment, view, in.scene.part_pairs[part_pair]);
    }
    visit(contact, contact_geometry(posed.pair, contact.code, rotate_back(posed.X_WA, contact.normal)), posed);
  }
  warp.sync();
}

/// The contacts at other poses: normal, point and gap. Edges that have become parallel keep their normal. Called by all
/// lanes.
template <class Warp>
ISOPATCH_HD_LARGE void move_contacts(Warp& warp, const StageInput& in, const double* poses, const SolvedPair* pairs,
                                     const RelationMemory& r, std::int32_t num_contacts) {
  for_each_contact_at(warp, in, poses, pairs, r, num_contacts,
                      [](StepContact& contact, const ContactGeometry& found, const PosedPolytopes& posed) {
                        contact.normal = rotate(posed.X_WA, found.normal);
                        contact.point = apply(posed.X_WA, found.point);
                        contact.gap = found.gap;
                      });
}

/// Which contacts touch or are apart at `poses`. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void find_touching(Warp& warp, const StageInput& in, const double* poses, const SolvedPair* pairs,
                                     const RelationMemory& r, std::int32_t num_contacts) {
  for_each_contact_at(warp, in, poses, pairs, r, num_contacts,
                      [](StepContact& contact, const ContactGeometry& found, const PosedPolytopes& posed) {
                        contact.touches = found.gap >= -posed.options.tolerance;
                      });
}

}  // namespace isopatch::detail
