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
  ISOPATCH_HD int list_first(Warp& warp, const StageInput& in, SolvedPair* pairs) const {
    return num_rigid = list_rigid_pairs(warp, in, state, pairs);
  }
};

/// Where bodies go that bear an impulse of rigid contact.
struct RigidMoves {
  const RolloutView& view;
  const RelationMemory& r;
  const SolverMemory& m;
  const double* velocities;
  double step;    // s
  int num_pairs;  // rigid

  ISOPATCH_HD bool has(int body) const { return r.is_borne[body] != 0; }
  ISOPATCH_HD Pose pose(int body) const { return load_pose(r.poses_after, body); }
  ISOPATCH_HD double position(int body) const { return position_by(view.bodies[body], body, step, m, velocities, r); }
  ISOPATCH_HD int num_first_pairs() const { return num_pairs; }

  template <class Warp>
  ISOPATCH_HD_MEMBER void place_trees(Warp& warp, const TreeInput& in) const {
    const TreeMemory& trees = m.trees;
    ISOPATCH_NO_UNROLL
    for (int tree = 0; tree < in.view.num_trees; ++tree) {
      const TreeView& of = in.view.trees[tree];
      if (!has(of.body)) continue;
      for_each_body(warp, in.view, of, [&](int i, const MovingBody& body) {
        TreeBody& to = trees.bodies[i];
        const int index = in.view.tree_bodies[i];
        if (body.is_follower()) {
          const int leader = body.joint.leader;
          to.position = body.joint.following(in.view.bodies[leader].joint.within_stops(position(leader)));
        } else if (body.is_joint()) {
          to.position = body.joint.within_stops(position(index));
        } else {
          to.pose = pose(index);
          to.center = to.pose.position + rotate(transform_of(to.pose), in.mass(index).center);
        }
      });
      end_motion_again(warp, in, of, in.stage.onward, trees);
    }
  }
};

/// A problem without its first pairs, and its memory.
struct FurtherPairs {
  VelocityProblem problem;
  SolverMemory memory;

  ISOPATCH_HD FurtherPairs(const VelocityProblem& p, const SolverMemory& m, int first) : problem(p), memory(m) {
    const std::ptrdiff_t room = 2 * std::ptrdiff_t{m.max_chain};
    problem.num_pairs -= first;
    memory.pairs += first;
    if (room == 0) return;  // nothing is of trees
    memory.mobilities += first;
    memory.tree_dofs += first * (room + 1);
    memory.tree_columns += first * room * 6;
  }
};

/// Marks bodies with degrees of freedom that bear an impulse of a contact in use, what moves with their joints, and
/// what loops hold to such bodies. Called by all lanes.
template <class Warp>
ISOPATCH_HD_LARGE void mark_borne(Warp& warp, const RolloutView& view, const SolverMemory& m, int num_bodies,
                                  const RelationMemory& r, std::int32_t num_contacts, double least_impulse) {
  const auto mark = [&](std::int32_t body) {
    if (m.bodies[body].num_dofs == 0) return;
    for (int k = 0; k < num_bodies; ++k) {
      const bool same_tree = m.bodies[k].is_in_tree() && m.bodies[k].tree == m.bodies[body].tree;
      const bool same = same_tree || (m.bodies[k].num_dofs > 0 && m.bodies[k].first_dof == m.bodies[body].first_dof);
      if (same) r.is_borne[k] = 1;
    }
  };
  warp.sync();
  if (warp.lane() == 0) {
    for (std::int32_t i = 0; i < num_contacts; ++i) {
      const StepContact& c = r.contacts[i];
      if (!c.is_chosen || !(c.impulse > least_impulse)) continue;
      mark(m.pairs[c.pair].a - num_bodies);
      mark(m.pairs[c.pair].b - num_bodies);
    }
    if constexpr (kTakesTrees<Warp>) {
      for (int pass = 0; pass < view.num_loops; ++pass) {
        for (int i = 0; i < view.num_loops; ++i) {
          const LoopView& loop = view.loops[i];
          if (r.is_borne[loop.a] == r.is_borne[loop.b]) continue;
          mark(loop.a);
          mark(loop.b);
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
  std::int32_t contacts = 0, relations = 0, traps = 0;  // as in StepCounts
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
    SolvedPair* const pairs = m_.pairs;
    for_each_dof([&](int i) { r_.known[i] = m_.vectors.previous[i]; });
    ISOPATCH_NO_UNROLL
    for (int k = warp_.lane(); k < num_rigid_; k += Warp::kSize) {
      pairs[k].a += in_.scene.num_bodies;
      pairs[k].b += in_.scene.num_bodies;
    }
    for (int k = num_rigid_; k < p_.num_pairs; ++k) {
      first_block_ += PolygonColumns::blocks_of(m_.pairs[k].polygons);
    }
    warp_.sync();
  }

  /// The solution is in m.vectors.velocity, and the impulses in the sums of pairs.
  ISOPATCH_HD_MEMBER RelationOutcome find(const State& beginning) {
    const SolverVectors& v = m_.vectors;
    counts_ = find_step_relations(warp_, in_, beginning, m_.pairs, num_rigid_, stage_.step, r_);
    if (!fits(counts_, r_.capacity)) return {kStepCapacity, 0};
    for_each_body([&](int i) { r_.is_borne[i] = 0; });
    place_bodies_of_rows(warp_, in_, stage_, m_, r_.poses);
    place_points_of_rows(warp_, m_, num_rigid_);
    const bool is_euler = stage_.integrator == Integrator::kEuler;
    Descent<Warp, PointSums> descent(warp_, points_, p_, m_, num_rigid_, first_block_, r_, counts_);
    descent.try_all_again(0);
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
    RelationCounts used = {0, 0, 0};
    outcome.friction_agrees = descent.friction_agrees();
    if (is_euler) {
      iterations.iterate(most, scale, 1, solution);
      if (!solution.fits) return {kStepCapacity, outcome.iterations};
      mark(descent);
      const FurtherPairs soft(p_, m_, num_rigid_);
      evaluate(warp_, points_, soft.problem, soft.memory, {false, false});
      velocities_ = v.velocity;
      used = descent.counts();
    } else {
      mark(descent);
      // the displacement: from the mean of the velocities before and after, in the metric of the masses alone
      VelocityProblem problem = p_;
      SolverMemory memory = m_;
      problem.num_pairs = num_rigid_;
      problem.num_joints = problem.num_terms = 0;
      memory.pairs = r_.pairs;
      memory.loops = r_.loops;
      memory.vectors.velocity = r_.velocity;
      memory.vectors.previous = r_.previous;
      memory.vectors.free_velocity = r_.mean;
      memory.vectors.free_momentum = r_.mean_momentum;
      for_each_dof([&](int i) { r_.mean[i] = r_.velocity[i] = 0.5 * (r_.known[i] + v.velocity[i]); });
      multiply_by_mass(warp_, problem, memory, r_.mean, r_.mean_momentum);
      begin_pairs_of_displacement(memory);
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
      used = displacement.counts();
    }
    outcome.iterations += solution.iterations;
    if (solution.depths.are_overlaps) outcome.status |= kOverlap;
    if constexpr (kTakesTrees<Warp>) {
      auto&& lanes = lanes_of(warp_);
      if (p_.num_loops > 0) begin_tree_columns(lanes, p_.num_pairs + p_.num_loops, m_);  // a displacement's were there
    }
    place_after(warp_, in_, stage_, m_, velocities_, r_);
    count_traps(used, outcome);
    return outcome;
  }

  ISOPATCH_HD RigidMoves moves() const { return {in_.view, r_, m_, velocities_, stage_.step, num_rigid_}; }

  /// Makes rigid pairs like others: of bodies where compliant contact is found, to which their arms are moved.
  ISOPATCH_HD_MEMBER void end() {
    SolvedPair* const pairs = m_.pairs;
    for (int k = warp_.lane(); k < num_rigid_; k += Warp::kSize) {
      pairs[k].a -= in_.scene.num_bodies;
      pairs[k].b -= in_.scene.num_bodies;
      const int a = pairs[k].a;
      pairs[k].point = pairs[k].point + (load_pose(in_.poses(), a).position - r_.beginnings[a].pose.position);
    }
    warp_.sync();
    for_each_body([&](int i) {
      bool touched = r_.is_borne[i] != 0;
      for (int k = num_rigid_; k < p_.num_pairs + p_.num_loops; ++k) {
        touched = touched || m_.pairs[k].a == i || m_.pairs[k].b == i;
      }
      m_.bodies[i].is_touched = touched;
    });
  }

 private:
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

  /// Its loops ask for what the mean does with them, so that contact does not part them further.
  ISOPATCH_HD_MEMBER void begin_pairs_of_displacement(const SolverMemory& of) {
    warp_.sync();
    for (int k = warp_.lane(); k < num_rigid_; k += Warp::kSize) of.pairs[k] = m_.pairs[k];
    if constexpr (kTakesTrees<Warp>) {
      if (p_.num_loops > 0) {
        for (int i = warp_.lane(); i < p_.num_loops; i += Warp::kSize) {
          SolvedPair& pair = of.pairs[num_rigid_ + i];
          pair = m_.pairs[p_.num_pairs + i];
          LoopTerm& loop = of.loops[i];
          loop = m_.loops[i];
          const RelativeTwist<double> mean = relative_twist(m_, pair, r_.mean);
          loop.linear = mean.linear;
          loop.angular = mean.angular;
        }
        warp_.sync();
        auto&& lanes = lanes_of(warp_);
        begin_tree_columns(lanes, num_rigid_ + p_.num_loops, of);
      }
    }
    warp_.sync();
  }

  /// Lets no relation that is broken as the step begins come deeper.
  ISOPATCH_HD_MEMBER void hold(Descent<Warp, PointSums>& descent) {
    const auto keep = [&](StepContact& c) {
      c.allowed = min(c.gap, 0.0);
      c.offset = (c.gap - c.allowed) / stage_.step;
    };
    descent.for_each_contact([&](StepContact& c) {
      if (c.touches || c.allowed < 0) keep(c);  // else it may be beside another one that keeps its gap
    });
    warp_.sync();
    ISOPATCH_NO_UNROLL
    for (std::int32_t i = 0; i < counts_.relations; ++i) {
      const Relation& relation = r_.relations[i];
      bool is_kept = false;
      for (std::int32_t k = 0; k < relation.count; ++k) {
        const StepContact& c = r_.contacts[r_.members[relation.first + k]];
        is_kept = is_kept || c.touches || c.allowed < 0;
      }
      warp_.sync();
      for (std::int32_t k = warp_.lane(); k < relation.count && !is_kept; k += Warp::kSize) {
        keep(r_.contacts[r_.members[relation.first + k]]);
      }
      warp_.sync();
    }
    is_held_ = true;
  }

  /// With the contacts that relations begin with.
  ISOPATCH_HD_MEMBER DescentResult begin_descent(Descent<Warp, PointSums>& descent, bool strict, double& scale) {
    const SolverVectors& v = m_.vectors;
    descent.find_rates(v.free_velocity);
    scale = descent.scale_of_rates();
    descent.begin_choices(strict);
    descent.for_each_contact([&](StepContact& c) { c.impulse = 0; });
    double potentials[2] = {0, 0};
    if (p_.num_pairs > num_rigid_ || p_.num_joints > 0) {
      const FurtherPairs soft(p_, m_, num_rigid_);
      descent.copy(r_.known, v.previous);
      find_potentials<Warp, PointSums>(warp_, soft.problem, soft.memory, potentials);
    }
    descent.copy(potentials[0] < potentials[1] ? r_.known : v.free_velocity, v.velocity);
    return descent.descend(scale);
  }

  /// What the stage used, and its traps where it leads: relations that hold there although a contact of theirs does
  /// not.
  ISOPATCH_HD_MEMBER void count_traps(const RelationCounts& used, RelationOutcome& outcome) {
    find_touching(warp_, in_, r_.poses_after, m_.pairs, r_, used.contacts);
    outcome.contacts = used.contacts;
    outcome.relations = used.relations;
    ISOPATCH_NO_UNROLL
    for (std::int32_t base = 0; base < used.relations; base += Warp::kSize) {
      const std::int32_t i = base + warp_.lane();
      const Relation relation = i < used.relations ? r_.relations[i] : Relation{};
      std::int32_t touching = 0;
      for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
        touching += r_.contacts[r_.members[k]].touches;
      }
      outcome.traps += count_bits(warp_.ballot(touching > 0 && touching < relation.count));
    }
  }

  ISOPATCH_HD_MEMBER void mark(Descent<Warp, PointSums>& descent) {
    mark_borne(warp_, in_.view, m_, in_.scene.num_bodies, r_, descent.counts().contacts,
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
  const FurtherPairs others(begun.problem, solver, num_rigid);
  soft.problem = others.problem;
  write_contacts(warp, points, step, contact, environment, contacts, others.memory, progress, soft);
  begun.problem.num_terms = soft.problem.num_terms;
  RelationStep<Warp, PointSums> relations(warp, points, in, begun.stage, begun.problem, num_rigid, solver, r);
  relations.begin();
  RelationOutcome outcome = {kOk, 0};
  const StageSolution solution =
      solve_problem(warp, points, step, contact, environment, soft, others.memory, true, [&](bool) {
        outcome = relations.find(beginning);
        return SolveResult{outcome.iterations, true, outcome.friction_agrees};
      });
  if ((outcome.status & (kNoStep | kStepCapacity)) != 0) return outcome.status | kFrozen;
  relations.end();
  const std::uint32_t status =
      outcome.status | end_stage<PointSums::kHasPlates>(warp, step, contact, environment, begun, solution, solver,
                                                        progress, relations.moves());
  if ((status & kFrozen) != 0) return status;
  if (warp.lane() == 0) {
    progress.counts->contacts += outcome.contacts;
    progress.counts->relations += outcome.relations;
    progress.counts->traps += outcome.traps;
  }
  if (!progress.plan->is_done()) {
    keep_beginnings(warp, step, environment, progress.bodies, progress.plan->substeps, r);
    place_for_search(warp, step, environment, progress);
  }
  return status;
}

}  // namespace isopatch::detail
