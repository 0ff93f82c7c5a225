// SPDX-License-Identifier: Apache-2.0
//
// A stage of an environment with rigid polytopes: velocities that fulfil the relations of its contacts, with all that
// is compliant in the same solve, and where the bodies go.
//
// With euler, bodies go where their velocities lead, and geometry iterations see to it that they do not overlap there.
// With midpoint, these velocities are those at the end of the step, with gaps as they are where the step begins. Bodies
// move by others: the ones that are nearest to the mean of old and new velocities and fulfil the same relations, as
// bodies that land would be thrown back if the mean itself had to. What a body keeps over that is its momentum.
#pragma once

#include "isopatch/detail/polytope_steps/geometry_iterations.h"
#include "isopatch/detail/rollout/take_step.h"

namespace isopatch::detail {

/// The contacts of a stage, and the state in which its rigid pairs are listed; `num_rigid` says how many these are.
template <class Contacts>
struct ContactsBesideRigid : Contacts {
  const State& state;
  int& num_rigid;

  template <class Warp>
  ISOPATCH_HD int list_more(Warp& warp, const StageInput& in, SolvedPair* pairs) const {
    return num_rigid = list_rigid_pairs(warp, in, state, pairs);
  }
};

/// Where bodies go that bear an impulse of rigid contact.
struct RigidMoves {
  const RelationMemory& r;
  const SolverMemory& m;
  const double* velocities;
  double step;    // s
  int num_pairs;  // rigid

  ISOPATCH_HD bool has(int body) const { return r.is_borne[body] != 0; }
  ISOPATCH_HD Pose pose(int body) const { return load_pose(r.poses_after, body); }
  ISOPATCH_HD double position(int body) const {
    return fma(step, velocities[m.bodies[body].first_dof], r.beginnings[body].position);
  }
  ISOPATCH_HD int num_further_pairs() const { return num_pairs; }
};

/// Marks bodies with degrees of freedom that bear an impulse of a contact in use, and what moves with their joints.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void mark_borne(Warp& warp, const SolverMemory& m, int num_bodies, const SolvedPair* pairs,
                                  const RelationMemory& r, std::int32_t num_contacts, double least_impulse) {
  warp.sync();
  if (warp.lane() == 0) {
    for (std::int32_t i = 0; i < num_contacts; ++i) {
      const StepContact& c = r.contacts[i];
      if (!c.is_chosen || !(c.impulse > least_impulse)) continue;
      for (int side = 0; side < 2; ++side) {
        const int body = (side == 0 ? pairs[c.pair].a : pairs[c.pair].b) - num_bodies;
        if (m.bodies[body].num_dofs == 0) continue;
        for (int k = 0; k < num_bodies; ++k) {
          const bool same = m.bodies[k].num_dofs > 0 && m.bodies[k].first_dof == m.bodies[body].first_dof;
          if (same) r.is_borne[k] = 1;
        }
      }
    }
  }
  warp.sync();
}

/// What a stage with relations has come to.
struct RelationOutcome {
  std::uint32_t status;
  int iterations;  // of Newton's method
  bool friction_agrees = true;
};

/// Finds the velocities of a stage. Called by all lanes.
template <class Warp, class PointSums>
class RelationStep {
 public:
  ISOPATCH_HD RelationStep(Warp& warp, const PointSums& points, const StageInput& in, const SolverStage& stage,
                           const VelocityProblem& problem, int num_rigid, const SolverMemory& m,
                           const RelationMemory& r)
      : warp_(warp), points_(points), in_(in), stage_(stage), p_(problem), num_rigid_(num_rigid), m_(m), r_(r) {}

  /// Before the velocities change.
  ISOPATCH_HD_MEMBER void begin() {
    SolvedPair* const pairs = rigid_pairs();
    for_each_dof([&](int i) { r_.known[i] = m_.vectors.previous[i]; });
    ISOPATCH_NO_UNROLL
    for (int k = warp_.lane(); k < num_rigid_; k += Warp::kSize) {
      pairs[k].a += in_.scene.num_bodies;
      pairs[k].b += in_.scene.num_bodies;
    }
    for (int k = 0; k < p_.num_pairs - num_rigid_; ++k) {
      first_block_ += PolygonColumns::blocks_of(m_.pairs[k].polygons);
    }
    warp_.sync();
  }

  /// The solution is in m.vectors.velocity, and the impulses in the sums of pairs.
  ISOPATCH_HD_MEMBER RelationOutcome find(const State& beginning) {
    const SolverVectors& v = m_.vectors;
    counts_ = find_step_relations(warp_, in_, beginning, rigid_pairs(), num_rigid_, stage_.step, r_);
    if (!fits(counts_, r_.capacity)) return {kStepCapacity, 0};
    for_each_body([&](int i) { r_.is_borne[i] = 0; });
    place_bodies_of_rows(warp_, in_, stage_, m_, r_.poses);
    place_points_of_rows(warp_, m_, rigid_pairs(), num_rigid_);
    const bool is_euler = stage_.integrator == Integrator::kEuler;
    Descent<Warp, PointSums> descent(warp_, points_, p_, m_, num_rigid_, first_block_, r_, counts_);
    RelationOutcome outcome = {kOk, 0};
    double scale = 1;
    DescentResult found;
    // from contacts that touch within the tolerance; then from such as velocities of 0 keep, unless parts overlap or
    // something is moved by a program; then none comes deeper
    for (int trial = 0; trial < 3; ++trial) {
      if (trial == 2) hold(descent);
      found = begin_descent(descent, trial > 0, scale);
      outcome.iterations += found.iterations;
      if (found.found || is_unilateral(in_.scene)) break;
    }
    if (!found.found) return {kNoStep, outcome.iterations};
    if (is_held_) outcome.status |= kHeld;
    RelationStage<Warp, PointSums> iterations = {warp_, in_, stage_, m_, r_, descent, num_rigid_, true};
    const int most = in_.view.geometry_iterations;
    StepSolution solution;
    outcome.friction_agrees = descent.friction_agrees();
    if (is_euler) {
      iterations.iterate(most, scale, 1, solution);
      if (!solution.fits) return {kStepCapacity, outcome.iterations};
      mark(descent);
      VelocityProblem soft = p_;
      soft.num_pairs = p_.num_pairs - num_rigid_;
      evaluate(warp_, points_, soft, m_, {false, false});
      velocities_ = v.velocity;
    } else {
      mark(descent);
      iterations.keep_sums();
      // the displacement: from the mean of the velocities before and after, in the metric of the masses alone
      VelocityProblem problem = p_;
      problem.num_pairs = num_rigid_;
      problem.num_joints = problem.num_terms = problem.num_loops = 0;
      SolverMemory memory = m_;
      memory.pairs = rigid_pairs();
      memory.vectors.velocity = r_.velocity;
      memory.vectors.previous = r_.previous;
      memory.vectors.free_velocity = r_.mean;
      memory.vectors.free_momentum = r_.mean_momentum;
      for_each_dof([&](int i) { r_.mean[i] = r_.velocity[i] = 0.5 * (r_.known[i] + v.velocity[i]); });
      multiply_by_mass(warp_, problem, memory, r_.mean, r_.mean_momentum);
      Descent<Warp, PointSums> displacement(warp_, points_, problem, memory, num_rigid_, first_block_, r_,
                                            descent.counts());
      displacement.for_each_contact([&](StepContact& c) { c.impulse = 0; });
      warp_.sync();
      found = displacement.descend(scale);
      outcome.iterations += found.iterations;
      if (!found.found) {  // to rounding the new velocities themselves fulfil the relations
        displacement.copy(v.velocity, r_.velocity);
        displacement.settle();
      }
      RelationStage<Warp, PointSums> of_displacement = {warp_, in_,          stage_,     memory,
                                                        r_,    displacement, num_rigid_, false};
      of_displacement.iterate(most, scale, 2, solution);
      if (!solution.fits) return {kStepCapacity, outcome.iterations};
      mark(displacement);
      velocities_ = r_.velocity;
      iterations.restore_sums();
    }
    outcome.iterations += solution.iterations;
    if (solution.depths.are_overlaps) outcome.status |= kOverlap;
    place_after(warp_, in_, stage_, m_, velocities_, r_);
    return outcome;
  }

  ISOPATCH_HD RigidMoves moves() const { return {r_, m_, velocities_, stage_.step, num_rigid_}; }

  /// Makes rigid pairs like others: of bodies where compliant contact is found, to which their arms are moved.
  ISOPATCH_HD_MEMBER void end() {
    SolvedPair* const pairs = rigid_pairs();
    for (int k = warp_.lane(); k < num_rigid_; k += Warp::kSize) {
      pairs[k].a -= in_.scene.num_bodies;
      pairs[k].b -= in_.scene.num_bodies;
      const int a = pairs[k].a;
      pairs[k].point = pairs[k].point + (load_pose(in_.poses(), a).position - r_.beginnings[a].pose.position);
    }
    warp_.sync();
    for_each_body([&](int i) {
      bool touched = r_.is_borne[i] != 0;
      for (int k = 0; k < p_.num_pairs - num_rigid_; ++k) {
        touched = touched || m_.pairs[k].a == i || m_.pairs[k].b == i;
      }
      m_.bodies[i].is_touched = touched;
    });
  }

 private:
  ISOPATCH_HD SolvedPair* rigid_pairs() const { return m_.pairs + (p_.num_pairs - num_rigid_); }
  template <class Visit>
  ISOPATCH_HD void for_each_dof(const Visit& visit) {
    warp_.sync();
    ISOPATCH_NO_UNROLL
    for (int i = warp_.lane(); i < in_.view.num_dofs; i += Warp::kSize) visit(i);
    warp_.sync();
  }
  template <class Visit>
  ISOPATCH_HD void for_each_body(const Visit& visit) {
    ISOPATCH_NO_UNROLL
    for (int i = warp_.lane(); i < in_.scene.num_bodies; i += Warp::kSize) visit(i);
    warp_.sync();
  }

  /// Lets no contact that is broken as the step begins come deeper.
  ISOPATCH_HD_MEMBER void hold(Descent<Warp, PointSums>& descent) {
    descent.for_each_contact([&](StepContact& c) {
      if (!c.touches && !(c.allowed < 0)) return;  // beside another one that keeps its gap
      c.allowed = min(c.gap, 0.0);
      c.offset = (c.gap - c.allowed) / stage_.step;
    });
    warp_.sync();
    is_held_ = true;
  }

  /// With the contacts that relations begin with.
  ISOPATCH_HD_MEMBER DescentResult begin_descent(Descent<Warp, PointSums>& descent, bool strict, double& scale) {
    const SolverVectors& v = m_.vectors;
    descent.find_rates(v.free_velocity);
    scale = descent.largest_rate(1);
    descent.begin_choices(strict);
    descent.for_each_contact([&](StepContact& c) { c.impulse = 0; });
    VelocityProblem soft = p_;
    soft.num_pairs = p_.num_pairs - num_rigid_;
    double potentials[2] = {0, 0};
    if (soft.num_pairs > 0 || p_.num_joints > 0) {
      descent.copy(r_.known, v.previous);
      find_potentials<Warp, PointSums>(warp_, soft, m_, potentials);
    }
    descent.copy(potentials[0] < potentials[1] ? r_.known : v.free_velocity, v.velocity);
    return descent.descend(scale);
  }

  ISOPATCH_HD_MEMBER void mark(Descent<Warp, PointSums>& descent) {
    mark_borne(warp_, m_, in_.scene.num_bodies, rigid_pairs(), r_, descent.counts().contacts,
               kNoImpulse * descent.largest_impulse());
  }

  Warp& warp_;
  const PointSums& points_;
  const StageInput& in_;
  const SolverStage& stage_;
  VelocityProblem p_;
  int num_rigid_;
  const SolverMemory& m_;
  const RelationMemory& r_;
  RelationCounts counts_ = {0, 0, 0};
  std::int32_t first_block_ = 0;
  bool is_held_ = false;
  const double* velocities_ = nullptr;  // by which bodies move that bear an impulse
};

/// All of a stage of one environment with rigid polytopes, as finish_stage(), after keep_beginnings(). Called by all
/// lanes.
template <class Warp, class PointSums, class Contacts>
ISOPATCH_HD_LARGE std::uint32_t finish_relation_stage(Warp& warp, const PointSums& points, const StepView& step,
                                                      const State& contact, std::int64_t environment,
                                                      const Contacts& contacts, const SolverMemory& solver,
                                                      const RelationMemory& r, const StepProgress& progress) {
  const StageInput in = stage_input(step, contact, environment);
  const double h = step.rollout.time_step / progress.plan->substeps;
  const State beginning = relation_state(in, r.poses, r.twists, h);
  int num_rigid = 0;
  const ContactsBesideRigid<Contacts> with_rigid{contacts, beginning, num_rigid};
  StageProblem begun = begin_stage(warp, step, contact, environment, with_rigid, solver, progress);
  StageProblem soft = begun;
  soft.problem.num_pairs -= num_rigid;
  write_contacts(warp, points, step, contact, environment, contacts, solver, progress, soft);
  begun.problem.num_terms = soft.problem.num_terms;
  RelationStep<Warp, PointSums> relations(warp, points, in, begun.stage, begun.problem, num_rigid, solver, r);
  relations.begin();
  RelationOutcome outcome = {kOk, 0};
  const StageSolution solution = solve_problem(warp, points, step, contact, environment, soft, solver, true, [&](bool) {
    outcome = relations.find(beginning);
    return SolveResult{outcome.iterations, true, outcome.friction_agrees};
  });
  if ((outcome.status & (kNoStep | kStepCapacity)) != 0) return outcome.status | kFrozen;
  relations.end();
  const std::uint32_t status =
      outcome.status | end_stage<PointSums::kHasPlates>(warp, step, contact, environment, begun, solution, solver,
                                                        progress, relations.moves());
  if ((status & kFrozen) != 0) return status;
  if (!progress.plan->is_done()) {
    keep_beginnings(warp, step, environment, progress.bodies, progress.plan->substeps, r);
    place_for_search(warp, step, environment, progress);
  }
  return status;
}

}  // namespace isopatch::detail
