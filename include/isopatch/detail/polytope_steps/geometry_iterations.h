// SPDX-License-Identifier: Apache-2.0
//
// Gaps are linear in the velocities that a descent finds; bodies turn, so that they may overlap where these lead.
// While they do, contacts are found again there: gaps at the pose of the iterate u are g(u) + h J(u) (v - u), and parts
// that overlap there have their relations there too. The iterate goes to the new velocities by Aitken's relaxation
// (relaxed_share()), without which it swings about them.
#pragma once

#include "isopatch/detail/polytope_steps/descent.h"
#include "isopatch/detail/polytope_steps/find_relations.h"
#include "isopatch/detail/polytope_steps/step_moves.h"

namespace isopatch::detail {

struct StepSolution {
  bool fits = true;            // what was found
  int iterations = 0;          // of Newton's method
  Depths depths = {0, false};  // after the step
};

/// What a search for velocities in a stage works on.
template <class Warp, class PointSums>
struct RelationStage {
  Warp& warp;
  const StageInput& in;
  const SolverStage& stage;
  const SolverMemory& m;  // bodies of rows are behind all others
  const RelationMemory& r;
  Descent<Warp, PointSums>& descent;
  int num_pairs;    // rigid
  bool keeps_sums;  // of these pairs, with the best velocities

  ISOPATCH_HD const SolvedPair* pairs() const { return descent.rigid_pairs(); }

  /// Rows at poses, and gaps that are those at these poses with `velocities`.
  ISOPATCH_HD_MEMBER void move_rows(const double* poses, const double* velocities) {
    place_bodies_of_rows(warp, in, stage, m, poses);
    place_points_of_rows(warp, m, num_pairs);
    move_contacts(warp, in, poses, pairs(), r, descent.counts().contacts);
    descent.for_each_contact([&](StepContact& c) { c.offset = 0; });
    warp.sync();
    descent.find_rates(velocities);
    descent.for_each_contact([&](StepContact& c) {
      const double rate = (c.gap - c.allowed) / stage.step;
      c.offset = rate - c.rate;
      c.rate = rate;
    });
    warp.sync();
  }

  ISOPATCH_HD_MEMBER Depths depths_with(const double* velocities) {
    place_after(warp, in, stage, m, velocities, r);
    return find_depths(warp, in, r.poses_after, pairs(), num_pairs, r);
  }

  /// From the solution in m.vectors.velocity, which descend() found, on; `most` iterations with that one. The
  /// velocities with the smallest depth are there in the end. They are no farther from v* than `farthest` times |v*|,
  /// or twice the first solution.
  ISOPATCH_HD_MEMBER void iterate(int most, double scale, double farthest, StepSolution& solution) {
    const SolverVectors& v = m.vectors;
    Depths depths = depths_with(v.velocity);
    solution.depths = depths;
    if (most <= 1 || !(depths.sum > 0)) return;
    difference(v.velocity, v.free_velocity, r.work);
    // what programs move may push bodies farther
    const double bound =
        max(farthest * farthest * descent.squared_length(v.free_velocity), 4 * descent.squared_length(r.work));
    keep_best();
    descent.copy(v.velocity, r.at);  // u
    double share = 1;
    bool has_change = false;  // r.change has the one before
    ISOPATCH_NO_UNROLL
    for (int k = 1; k < most; ++k) {
      // r.poses_after are where the solution leads; u leads elsewhere from the second time on
      if (!add_relations(depths)) {
        solution.fits = false;
        return;
      }
      place_after(warp, in, stage, m, r.at, r);
      move_rows(r.poses_after, r.at);
      descent.begin_choices_among_chosen();
      const DescentResult result = descent.descend(scale);
      solution.iterations += result.iterations;
      bool is_near = result.found;
      if (is_near) {
        difference(v.velocity, v.free_velocity, r.work);
        is_near = descent.squared_length(r.work) <= bound;
      }
      if (!is_near) {  // near u = 0 there is a solution
        for_each_dof([&](int i) { r.at[i] *= 0.5; });
        descent.forget(r.best);
        has_change = false;
        share = 1;
        depths = {0, false};
        continue;
      }
      depths = depths_with(v.velocity);
      if (depths.sum < solution.depths.sum) {
        solution.depths = depths;
        keep_best();
      }
      if (!(depths.sum > 0)) break;
      relax(share, has_change);
    }
    descent.copy(r.best, v.velocity);
    if (keeps_sums) restore_sums();
  }

  ISOPATCH_HD_MEMBER void keep_sums() {
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < num_pairs; k += Warp::kSize) {
      RigidImpulse& kept = r.impulses[k];
      kept.point = pairs()[k].point;
      for (int i = 0; i < ImpulseSums::kSize; ++i) kept.sums[i] = pairs()[k].sums[i];
    }
    warp.sync();
  }
  ISOPATCH_HD_MEMBER void restore_sums() {
    ISOPATCH_NO_UNROLL
    for (int k = warp.lane(); k < num_pairs; k += Warp::kSize) {
      SolvedPair& pair = descent.rigid_pairs()[k];
      pair.point = r.impulses[k].point;
      for (int i = 0; i < ImpulseSums::kSize; ++i) pair.sums[i] = r.impulses[k].sums[i];
    }
    warp.sync();
  }

 private:
  ISOPATCH_HD void keep_best() {
    descent.copy(m.vectors.velocity, r.best);
    if (keeps_sums) keep_sums();
  }
  template <class Visit>
  ISOPATCH_HD void for_each_dof(const Visit& visit) {
    warp.sync();
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < in.view.num_dofs; i += Warp::kSize) visit(i);
    warp.sync();
  }
  ISOPATCH_HD_MEMBER void difference(const double* a, const double* b, double* to) {
    for_each_dof([&](int i) { to[i] = a[i] - b[i]; });
  }

  ISOPATCH_HD_MEMBER bool add_relations(const Depths& depths) {
    const bool adds = in.scene.polytopes.relations == static_cast<std::int32_t>(RelationMode::kExact) && depths.sum > 0;
    const std::int32_t before = descent.counts().relations;
    if (!adds) return true;
    if (!add_relations_of_overlaps(warp, in, r.poses_after, pairs(), num_pairs, stage.step, r, descent.counts())) {
      return false;
    }
    descent.try_all_again(before);
    return true;
  }

  /// u goes to the velocities at hand by a share that follows from the last two changes.
  ISOPATCH_HD_MEMBER void relax(double& share, bool& has_change) {
    const double* const velocity = m.vectors.velocity;
    if (has_change) {
      for_each_dof([&](int i) { r.work[i] = (velocity[i] - r.at[i]) - r.change[i]; });
      const double length = descent.squared_length(r.work), along = descent.product(r.change, r.work);
      share = relaxed_share(share, along, length);
    }
    difference(velocity, r.at, r.change);
    has_change = true;
    for_each_dof([&](int i) { r.at[i] = fma(share, r.change[i], r.at[i]); });
  }
};

}  // namespace isopatch::detail
