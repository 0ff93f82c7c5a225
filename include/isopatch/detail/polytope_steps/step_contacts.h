// SPDX-License-Identifier: Apache-2.0
//
// The contacts and relations of rigid polytopes in a step, and the memory of the search for velocities that fulfil
// them.
#pragma once

#include "isopatch/detail/polytope/relation_list.h"
#include "isopatch/detail/rollout/motion/given_memory.h"
#include "isopatch/detail/rollout/solver/solver_memory.h"

namespace isopatch::detail {

/// A potential contact in a step. Its gap at the end of the step is h (offset + J v) to first order, where J v is the
/// rate of its gap with the velocities v.
struct StepContact {
  Vec3d normal;    // unit, from B into A, world
  Vec3d point;     // world, m
  double gap;      // m
  double allowed;  // the gap that it may have at least, never positive, m
  double offset;   // m/s
  double rate;     // offset + J v at the velocities at hand, m/s
  double impulse;  // p: along the normal, N s
  double kept_impulse;
  double borne;       // the impulse by which friction is limited, N s
  double missed;      // what the impulse had more, when friction was limited anew
  double penalty;     // r: by how much the impulse changes with the rate, kg
  double friction;    // mu
  std::int32_t pair;  // its pair among SolverMemory::pairs
  std::int32_t part_pair;
  ContactCode code;
  bool touches;    // or is apart, within the tolerance, where the relation was found; in the end after the step
  bool is_chosen;  // by a relation
};

/// A few times the rounding of positions, relative to how far away from the origin they are.
inline constexpr double kPositionRounding = 4e-16;
ISOPATCH_HD double farthest(Vec3d at) { return max(max(abs(at.x), abs(at.y)), abs(at.z)); }

/// The share of a change that a relaxed iteration goes, from the share before and two changes in turn: `along` is the
/// product of the first with the difference of both, `length` the square of this difference (Kuettler and Wall,
/// "Fixed-point fluid-structure interaction solvers with dynamic relaxation", 2008, by Aitken).
ISOPATCH_HD double relaxed_share(double share, double along, double length) {
  constexpr double kLeast = 0.1, kMost = 2;
  return length > 0 ? min(max(-share * along / length, kLeast), kMost) : share;
}

/// How write_contact() fills one, but for what all contacts of a part pair have in common.
ISOPATCH_HD void write_contact(StepContact& to, const PartPairNames& /*names*/, ContactCode code,
                               const ContactGeometry& contact, const Transform<double>& X_WA) {
  to.normal = rotate(X_WA, contact.normal);
  to.point = apply(X_WA, contact.point);
  to.gap = contact.gap;
  to.code = code;
  to.impulse = to.kept_impulse = to.penalty = to.rate = 0;
  to.is_chosen = false;
}

/// What a rigid pair bears: its sums, about a point.
struct RigidImpulse {
  double sums[ImpulseSums::kSize];
  Vec3d point;
};

/// Where a body begins a sub-step.
struct StepBeginning {
  Pose pose;
  double position;  // of its joint
};

/// How many contacts, relations and members there is room for with a capacity.
ISOPATCH_HD RelationCounts relation_room(std::int32_t capacity) { return {capacity, capacity, 4 * capacity}; }

/// How many polygons more a solve has room for with so many contacts of rigid pairs, a polygon each: the last block of
/// a pair may not be full.
ISOPATCH_HD std::int32_t polygons_of_relations(std::int32_t capacity, std::int32_t num_pairs) {
  return capacity + 2 * num_pairs;
}

/// What an environment keeps of relations while it finds velocities. Arrays of contacts, relations and members have
/// their capacity.
struct RelationMemory {
  StepContact* contacts;
  Relation* relations;
  std::int32_t* members;  // indices into contacts
  std::int32_t* choices;  // of each relation: the contact that keeps its gap
  std::int32_t* kept_choices;
  std::int32_t* in_vain;  // of each relation: the choice whose exchange has brought nothing in the step; negative: none
  std::int32_t* chosen;   // the contacts in use, in the order of their pairs
  RelationCounts capacity;

  // of each body
  StepBeginning* beginnings;
  double* poses;           // at the beginning, as State has them
  double* twists;          // of origins, without contact
  double* poses_after;     // with the velocities at hand
  std::uint8_t* is_borne;  // by an impulse, also through others

  // of each degree of freedom
  double *known, *found, *best, *at, *change, *work;
  double *velocity, *previous, *mean, *mean_momentum;  // of the displacement of a sub-step
  RigidImpulse* impulses;                              // of each rigid pair
  SolvedPair* pairs;                                   // the rigid ones of the displacement, and its loops
  LoopTerm* loops;

  double* features;  // feature_memory_size() of the largest part pair

  ISOPATCH_HD RelationArraysOf<StepContact> arrays() const { return {contacts, relations, members, capacity}; }

  /// Gives memory to all arrays but `features`; returns how many words of eight bytes. Without memory it counts them.
  ISOPATCH_HD std::int64_t divide(double* memory, int num_bodies, int num_pairs, int num_dofs, int num_loops) {
    GivenMemory taken = {memory, 0};
    taken.give(contacts, capacity.contacts);
    taken.give(relations, capacity.relations);
    taken.give(members, capacity.members);
    taken.give(choices, capacity.relations);
    taken.give(kept_choices, capacity.relations);
    taken.give(in_vain, capacity.relations);
    taken.give(chosen, capacity.contacts);
    taken.give(beginnings, num_bodies);
    taken.give(poses, std::int64_t{num_bodies} * kPoseSize);
    taken.give(twists, std::int64_t{num_bodies} * kVelocitySize);
    taken.give(poses_after, std::int64_t{num_bodies} * kPoseSize);
    taken.give(is_borne, num_bodies);
    for (double** vector : {&known, &found, &best, &at, &change, &work, &velocity, &previous, &mean, &mean_momentum}) {
      taken.give(*vector, num_dofs);
    }
    taken.give(impulses, num_pairs);
    taken.give(pairs, std::int64_t{num_pairs} + num_loops);
    taken.give(loops, num_loops);
    return taken.lines();
  }
};

/// The view of a pair in the model of rigid polytopes; negative: it has none.
ISOPATCH_HD std::int32_t polytope_view(const SceneView& scene, std::int32_t pair) {
  if (scene.pairs[pair].model == kPolytopeModel) return pair;
  for (std::int32_t view = scene.pairs[pair].further; view >= scene.num_pairs && view < scene.num_pair_views; ++view) {
    if (scene.pairs[view].pair != pair) return -1;
    if (scene.pairs[view].model == kPolytopeModel) return view;
  }
  return -1;
}

}  // namespace isopatch::detail
