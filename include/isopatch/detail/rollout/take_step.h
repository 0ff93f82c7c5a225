// SPDX-License-Identifier: Apache-2.0
//
// A time step of one environment, between the searches for contact: a step begins, and each of its stages is solved
// once the polygons of its contact are known.
#pragma once

#include "isopatch/detail/rollout/fell_through.h"
#include "isopatch/detail/rollout/joint_wrench.h"
#include "isopatch/detail/rollout/motion/substeps.h"
#include "isopatch/detail/rollout/solver/bounces.h"
#include "isopatch/detail/rollout/solver/solve_stage.h"
#include "isopatch/detail/rollout/step_output.h"
#include "isopatch/detail/rollout/step_view.h"
#include "isopatch/detail/rollout/tree/move_trees.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

inline constexpr double kMinMassScale = 1e-9;
inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

/// Lets the search for contact pass over the environment. Called by all lanes.
template <class Warp>
ISOPATCH_HD void exclude_environment(Warp& warp, const StepView& step, const StepProgress& progress) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.scene.num_bodies * kPoseSize; i += Warp::kSize) progress.poses[i] = kNotANumber;
  warp.sync();
}

/// Whether a velocity has numbers that would be ignored: of a fixed body, or out of its plane of a planar one.
ISOPATCH_HD bool has_ignored_velocity(const MovingBody& body, const double* velocity) {
  const bool is_planar = body.kind == MotionKind::kPlanar;
  if (body.kind != MotionKind::kFixed && !is_planar) return false;
  bool found = false;
  ISOPATCH_NO_UNROLL
  for (int k = is_planar ? 2 : 0; k < (is_planar ? 5 : kVelocitySize); ++k) found = found || velocity[k] != 0;
  return found;
}

/// Returns the faults of a state and of what acts on it, with kFrozen; 0 where there are none. Called by all lanes.
template <class Warp>
ISOPATCH_HD std::uint32_t check_environment(Warp& warp, const StepView& step, std::int64_t environment,
                                            const StepProgress& progress) {
  const EnvironmentState state = step.environment(environment);
  State now;
  now.poses = array_of(state.poses, 0);
  now.velocities = array_of(state.velocities, 0);
  std::uint32_t status = kOk;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.scene.num_bodies; i += Warp::kSize) {
    status |= body_status(now, 0, i);
    const double scale = step.input.mass_scale(environment, i);
    if (!(scale >= kMinMassScale && scale <= 1 / kMinMassScale)) status |= kBadMaterial;
    const bool has_mass = step.input.mass(step.rollout, environment, i).mass > 0;
    const MovingBody& body = step.rollout.bodies[i];
    if (body.kind == MotionKind::kPlanar) status |= tilt_status(PoseRow(now, 0, i));
    if (has_ignored_velocity(body, state.velocities + i * kVelocitySize)) status |= kBadVelocity;
    if (body.num_dofs() > 0 && !has_mass) status |= kBadGeometry;
    if (body.own_dofs() > 0 && body.is_joint() && body.joint.is_beyond_stop(state.joints[2 * body.joint.index])) {
      status |= kBadPose;
    }
  }
  bool drives_hold = true;  // a drive cuts off what is not a number, too
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 2 * step.rollout.num_joints; i += Warp::kSize) {
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): only a scene without joints has no array of them
    if (!(abs(state.joints[i]) <= limits::kMaxPosition)) status |= kBadPose;
    drives_hold = drives_hold && step.input.drive_is_finite(environment, i);
  }
  const int contact_states = num_contact_states(step.scene);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < contact_states; i += Warp::kSize) {
    const double value = step.state.contact_state[environment * contact_states + i];
    if (!is_contact_number(step.scene, i, value)) status |= kBadContactState;
  }
  const std::uint32_t all =
      faults_of_all(warp, status) | (warp.ballot(!drives_hold) != 0u ? std::uint32_t{kDiverged} : kOk);
  if (all == kOk) return kOk;
  exclude_environment(warp, step, progress);
  return all | kFrozen;
}

/// Keeps what a sub-step of sdirk2 begins with, for midpoint to begin with it again. Called by all lanes.
template <class Warp>
ISOPATCH_HD void keep_beginning(Warp& warp, const StepView& step, const StepProgress& progress) {
  const int bodies = step.scene.num_bodies, forces = step.num_forces();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < bodies; i += Warp::kSize) progress.bodies[bodies + i] = progress.bodies[i];
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < forces; i += Warp::kSize) progress.forces[forces + i] = progress.forces[i];
  const int states = num_contact_states(step.scene);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < states; i += Warp::kSize)
    progress.contact_state[states + i] = progress.contact_state[i];
  warp.sync();
}

/// Extrapolates from what a sub-step of sdirk2 begins with over what its first stage found, for the second one. Called
/// by all lanes.
template <class Warp>
ISOPATCH_HD void extrapolate(Warp& warp, const StepView& step, const StepProgress& progress) {
  constexpr double kBeyond = (1 - kGamma) / kGamma;  // by this multiple of the change
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.scene.num_bodies; i += Warp::kSize) {
    if (step.rollout.bodies[i].num_dofs() == 0) continue;
    StageBody& at = progress.bodies[i];
    const StageBody& begun = progress.bodies[step.scene.num_bodies + i];
    const Momentum from = begun.momentum, found = at.momentum;
    at.momentum = {fma(kBeyond, found.linear - from.linear, from.linear),
                   fma(kBeyond, found.angular - from.angular, from.angular)};
    if (!step.rollout.bodies[i].is_joint()) continue;
    at.velocity[1] = fma(kBeyond, at.velocity[1] - begun.velocity[1], begun.velocity[1]);
  }
  warp.sync();
}

/// Places the bodies where the stage at hand finds contact, after begin_step() or end_stage(). Called by all lanes.
template <class Warp>
ISOPATCH_HD void place_for_search(Warp& warp, const StepView& step, std::int64_t environment,
                                  const StepProgress& progress) {
  const StepPlan plan = *progress.plan;
  const EnvironmentState state = step.environment(environment);
  const SolverStage stage = stage_of(step.rollout, step.state.step_count[environment], plan);
  if constexpr (kTakesTrees<Warp>) {
    const bool is_exact = place_trees(warp, step.rollout, step.input, environment, state, stage, progress.bodies,
                                      progress.trees, progress.poses, progress.twists);
    if (!is_exact && warp.lane() == 0) progress.plan->too_fast = true;
  }
  place_all_for_contact(warp, step.rollout, step.scene.num_bodies, step.input, environment, state, stage,
                        progress.bodies, progress.poses, progress.twists);
  if (plan.integrator != Integrator::kSdirk2) return;
  if (plan.stage == 0) {
    keep_beginning(warp, step, progress);
  } else {
    extrapolate(warp, step, progress);
  }
}

/// Begins a step of an environment that is not frozen, up to place_for_search(). `contact` is the view in which its
/// stages find contact. Returns 0, or why it is to be frozen. Called by all lanes.
template <class Warp>
ISOPATCH_HD std::uint32_t begin_step(Warp& warp, const StepView& step, const State& contact, std::int64_t environment,
                                     const StepProgress& progress) {
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.num_forces(); i += Warp::kSize) progress.forces[i] = 0;
  if (warp.lane() == 0) *progress.counts = {};
  const std::uint32_t status = check_environment(warp, step, environment, progress);
  if (status != kOk) return status;
  const int states = num_contact_states(step.scene);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < states; i += Warp::kSize) {
    progress.contact_state[i] = step.state.contact_state[environment * states + i];
  }
  const EnvironmentState own = step.environment(environment);
  if (step.finds_joint_wrenches) {
    warp.sync();
    add_momenta(warp, step.rollout, step.input, environment, own, -1 / step.rollout.time_step, step.forces(),
                progress.forces);
  }
  const StepPlan plan = plan_step(warp, step.rollout, step.scene, contact, step.input, environment, own);
  if (warp.lane() == 0) *progress.plan = plan;
  begin_step(warp, step.rollout, step.scene.num_bodies, step.input, environment, own, progress.bodies);
  return kOk;
}

/// Ends a step: adds its wrenches to the sums of the call. Called by all lanes.
template <class Warp>
ISOPATCH_HD void add_to_sums(Warp& warp, const StepView& step, const StepProgress& progress) {
  if (progress.sums == nullptr) return;
  warp.sync();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * step.scene.num_pairs; i += Warp::kSize) progress.sums[i] += progress.forces[i];
}

/// Takes the contact state after a sub-step, which is that after its last stage; after the last one into the state.
/// Called by all lanes.
template <class Warp>
ISOPATCH_HD void take_contact_state(Warp& warp, const StepView& step, std::int64_t environment, bool ends_step,
                                    const StepProgress& progress) {
  const int states = num_contact_states(step.scene);
  double* const to = ends_step ? step.state.contact_state + environment * states : progress.contact_state;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < states; i += Warp::kSize) to[i] = progress.next_contact_state[i];
}

/// A sub-step of sdirk2 in which a patch is stiffer than this for its length, in which a joint is stopped, or which
/// gives more than the restitution asked for, is one of midpoint: sdirk2 would gain energy.
inline constexpr double kTooStiff = 1;

/// Begins the sub-step at hand again, as one of midpoint. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_again(Warp& warp, const StepView& step, StepPlan plan, const StepProgress& progress) {
  const int bodies = step.scene.num_bodies, forces = step.num_forces();
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < bodies; i += Warp::kSize) progress.bodies[i] = progress.bodies[bodies + i];
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < forces; i += Warp::kSize) progress.forces[i] = progress.forces[forces + i];
  const int states = num_contact_states(step.scene);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < states; i += Warp::kSize)
    progress.contact_state[i] = progress.contact_state[states + i];
  plan.integrator = Integrator::kMidpoint;
  plan.stage = 0;
  warp.sync();  // before it changes
  if (warp.lane() == 0) *progress.plan = plan;
  warp.sync();
}

/// A stage of an environment, as it is to be solved.
struct StageProblem {
  StepPlan plan;
  SolverStage stage;
  VelocityProblem problem;
  std::int32_t contacts;  // how many it has
};

struct StageSolution {
  SolveResult result;
  bool is_too_stiff;  // for sdirk2: then it is not solved
};

ISOPATCH_HD StageInput stage_input(const StepView& step, const State& contact, std::int64_t environment) {
  return {step.scene, step.rollout, contact, step.input, environment, step.environment(environment)};
}

/// Writes the problem of a stage from its contacts, but for what write_contacts() does. Called by all lanes.
template <class Warp, class Contacts>
ISOPATCH_HD StageProblem begin_stage(Warp& warp, const StepView& step, const State& contact, std::int64_t environment,
                                     const Contacts& contacts, const SolverMemory& solver,
                                     const StepProgress& progress) {
  const StageInput in = stage_input(step, contact, environment);
  StageProblem begun;
  begun.plan = *progress.plan;
  begun.stage = stage_of(step.rollout, step.state.step_count[environment], begun.plan);
  const double* const changes = begun.plan.substep > 0 ? progress.forces + step.forces().of_loops() : nullptr;
  begun.problem = begin_problem(warp, in, begun.stage, progress.bodies, contacts, solver, changes);
  begun.contacts = contacts.count;
  return begun;
}

/// Writes the contacts of a stage that has begun as its solve reads them. Called by all lanes.
template <class Warp, class PointSums, class Contacts>
ISOPATCH_HD void write_contacts(Warp& warp, const PointSums& points, const StepView& step, const State& contact,
                                std::int64_t environment, const Contacts& contacts, const SolverMemory& solver,
                                const StepProgress& progress, StageProblem& begun) {
  write_columns<typename PointSums::Columns>(warp, begun.problem.num_pairs, contacts, solver);
  if constexpr (PointSums::kHasPlates) {
    if (step.scene.laws == nullptr) return;
    begin_terms(warp, points, stage_input(step, contact, environment), begun.stage, contacts, progress.plates,
                begun.problem, solver);
  }
}

/// Finds the velocities of a stage by solve(), if it `is_solved`. Called by all lanes; teams of a warp may have a
/// problem each.
template <class Warp, class PointSums, class Solve>
ISOPATCH_HD StageSolution solve_problem(Warp& warp, const PointSums& points, const StepView& step, const State& contact,
                                        std::int64_t environment, const StageProblem& begun, const SolverMemory& solver,
                                        bool is_solved, const Solve& solve) {
  const StageInput in = stage_input(step, contact, environment);
  if constexpr (kTakesTrees<Warp>) {
    auto&& lanes = lanes_of(warp);
    const int pairs = begun.problem.num_pairs, loops = begun.problem.num_loops;
    if (begun.problem.num_trees > 0) begin_tree_columns(lanes, pairs + loops, solver);
    if (loops > 0) begin_loops(lanes, pairs, loops, begun.stage.step, solver);
  }
  const bool is_sdirk2 = begun.stage.integrator == Integrator::kSdirk2;
  StageSolution solution = {};
  if (any_team(warp, begun.stage.integrator != Integrator::kEuler)) {
    const double h = step.rollout.time_step;  // also of a sub-step: a step before may have let in overlap as a whole
    const double stiffest = stiffest_patch(warp, points, begun.problem, h, solver);
    solution.is_too_stiff = is_sdirk2 && stiffest > kTooStiff;
  }
  is_solved = is_solved && !solution.is_too_stiff;
  if (!any_team(warp, is_solved)) return solution;
  begin_points(warp, points, begun.problem, begun.stage, solver);
  BouncesFound bounces = {false, false};
  if constexpr (PointSums::kHasPlates) {
    if (step.scene.laws != nullptr) bounces = begin_bounces(warp, in, begun.problem, begun.stage, solver);
  }
  while (true) {
    if constexpr (PointSums::kHasPlates) {
      if (bounces.change_points) find_potentials_of_points(warp, points, begun.problem, solver);
    }
    const int before = solution.result.iterations;
    solution.result = solve(is_solved);
    solution.result.iterations += before;
    if (!bounces.rebound || !bounces_gain(warp, begun.problem, solver)) return solution;
    stop_bounces(warp, begun.problem, begun.stage, solver);
    bounces = {false, true};
  }
}

/// The same by solve_stage().
template <class Warp, class PointSums>
ISOPATCH_HD StageSolution solve_problem(Warp& warp, const PointSums& points, const StepView& step, const State& contact,
                                        std::int64_t environment, const StageProblem& begun, const SolverMemory& solver,
                                        bool is_solved) {
  return solve_problem(warp, points, step, contact, environment, begun, solver, is_solved, [&](bool solved) {
    return solve_stage(warp, points, stage_input(step, contact, environment), begun.stage, begun.problem, solver,
                       solved);
  });
}

/// Whether a sub-step of sdirk2 is taken again as one of midpoint. Called by all lanes.
template <bool has_plates, class Warp>
ISOPATCH_HD bool is_taken_again(Warp& warp, const StageInput& in, const StageProblem& begun,
                                const StageSolution& solution, const SolverMemory& solver) {
  if (solution.is_too_stiff || begun.stage.integrator != Integrator::kSdirk2) return solution.is_too_stiff;
  bool again = is_stopped(begun.problem, solver);
  if constexpr (has_plates) again = again || bounces_too_far(warp, in, begun.problem, begun.stage, solver);
  return again;
}

/// Moves on from a stage that was solved: to the next stage or sub-step, up to place_for_search(), or to the end of the
/// step. Returns its status, with kFrozen where the state stays as it was before the step. Called by all lanes.
template <bool has_plates, class Warp, class Moves = OwnMoves>
ISOPATCH_HD std::uint32_t end_stage(Warp& warp, const StepView& step, const State& contact, std::int64_t environment,
                                    const StageProblem& begun, const StageSolution& solution,
                                    const SolverMemory& solver, const StepProgress& progress, const Moves& moves = {}) {
  const StageInput in = stage_input(step, contact, environment);
  const std::int64_t steps = step.state.step_count[environment];
  const SolverStage& stage = begun.stage;
  const VelocityProblem& problem = begun.problem;
  StepPlan plan = begun.plan;
  if (!solution.is_too_stiff && !velocities_hold(warp, in, solver)) {
    exclude_environment(warp, step, progress);
    return kDiverged | kFrozen;
  }
  if (is_taken_again<has_plates>(warp, in, begun, solution, solver)) {
    begin_again(warp, step, plan, progress);
    return kOk;
  }
  if constexpr (kTakesTrees<Warp>) {
    keep_changes(warp, problem.num_loops, solver, progress.forces + step.forces().of_loops());
    take_velocities_of_trees(warp, in, solver, progress.bodies);
    plan.too_fast =
        !move_trees_on(warp, step.rollout, step.input, environment, in.state, stage, progress.bodies, progress.trees) ||
        plan.too_fast;
    moves.place_trees(
        warp, {step.rollout, step.input, environment, in.state, stage, progress.bodies, stage.begin + stage.ahead});
    if (!rates_hold(warp, in, progress.bodies)) {
      exclude_environment(warp, step, progress);
      return kDiverged | kFrozen;
    }
  }
  if constexpr (has_plates) {
    if (step.scene.laws != nullptr) {
      end_terms(warp, in, stage, problem, solver, progress.contact_state, progress.next_contact_state);
    }
  }
  add_forces(warp, in, stage, problem, solver, moves, step.finds_joint_wrenches, step.forces(), progress.forces);
  if (stage.last) {
    ++plan.substep;
    plan.stage = 0;
    plan.integrator = step.rollout.integrator;
    take_contact_state(warp, step, environment, plan.is_done(), progress);
  } else {
    ++plan.stage;
  }
  std::uint32_t warnings = kOk;
  if (plan.is_done()) {
    add_to_sums(warp, step, progress);
    end_step(warp, in, stage, steps, solver, progress.bodies, moves);
    warp.sync();
    if (step.finds_joint_wrenches) {
      add_momenta(warp, step.rollout, step.input, environment, in.state, 1 / step.rollout.time_step, step.forces(),
                  progress.forces);
    }
    warnings = fell_through(warp, step.scene, step.rollout, step.input, contact, environment, in.state) |
               (plan.too_fast ? kFastBody : kOk);
  } else {
    begin_next_stage(warp, in, stage, solver, progress.bodies, moves);
  }
  if (warp.lane() == 0) {
    progress.counts->iterations += solution.result.iterations;
    progress.counts->polygons += begun.contacts;
    *progress.plan = plan;
    if (plan.is_done()) ++step.state.step_count[environment];
  }
  warp.sync();
  return warnings | (solution.result.converged ? 0u : kNotConverged) |
         (solution.result.friction_agrees ? 0u : kFrictionLag);
}

/// All of a stage of one environment. Called by all lanes.
template <class Warp, class PointSums, class Contacts>
ISOPATCH_HD std::uint32_t finish_stage(Warp& warp, const PointSums& points, const StepView& step, const State& contact,
                                       std::int64_t environment, const Contacts& contacts, const SolverMemory& solver,
                                       const StepProgress& progress) {
  StageProblem begun = begin_stage(warp, step, contact, environment, contacts, solver, progress);
  write_contacts(warp, points, step, contact, environment, contacts, solver, progress, begun);
  const StageSolution solution = solve_problem(warp, points, step, contact, environment, begun, solver, true);
  const std::uint32_t status =
      end_stage<PointSums::kHasPlates>(warp, step, contact, environment, begun, solution, solver, progress);
  if ((status & kFrozen) == 0 && !progress.plan->is_done()) place_for_search(warp, step, environment, progress);
  return status;
}

/// Begins a call: warnings of the last one are gone, and poses follow from the rest of the state. Called by all lanes.
template <class Warp>
ISOPATCH_HD void begin_call(Warp& warp, const StepView& step, std::int64_t environment, const StepProgress& progress) {
  if (warp.lane() == 0) *progress.counts = {};
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.num_forces(); i += Warp::kSize) progress.forces[i] = 0;
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < 6 * step.scene.num_pairs && progress.sums != nullptr; i += Warp::kSize) {
    progress.sums[i] = 0;
  }
  if ((step.state.status[environment] & kFrozen) != 0) return;
  warp.sync();
  if (warp.lane() == 0) step.state.status[environment] = kOk;
  const EnvironmentState state = step.environment(environment);
  place_bodies(warp, step.rollout, step.scene.num_bodies, state,
               static_cast<double>(step.state.step_count[environment]) * step.rollout.time_step, true);
  ISOPATCH_NO_UNROLL
  for (int i = warp.lane(); i < step.scene.num_bodies * kPoseSize; i += Warp::kSize) progress.poses[i] = state.poses[i];
  warp.sync();
}

/// Ends a call of `num_steps`: writes the outputs, but for those of evaluated_results(). Called by all lanes.
template <class Warp>
ISOPATCH_HD void end_call(Warp& warp, const StepView& step, std::int64_t environment, const StepProgress& progress,
                          const RolloutOutput& output, int num_steps) {
  const bool frozen = (step.state.status[environment] & kFrozen) != 0;
  write_counts(warp, *progress.counts, frozen, output, environment);
  if (frozen) {
    write_frozen(warp, step.scene, step.rollout, output, environment);
  } else {
    write_wrenches(warp, step.scene, progress.forces, progress.poses, output, environment);
    write_joint_forces(warp, step.rollout.num_joints, progress.forces + step.forces().stops(),
                       progress.forces + step.forces().drives(), output, environment);
    write_joint_wrenches(warp, step.rollout, progress.poses, step.forces(), progress.forces, output, environment);
    ISOPATCH_NO_UNROLL
    for (int i = warp.lane(); i < 6 * step.scene.num_pairs && progress.sums != nullptr; i += Warp::kSize) {
      write(output.pair_wrench_mean, environment, i, progress.sums[i] / max(num_steps, 1));
    }
    write_gaps(warp, step.rollout, step.environment(environment), output, environment);
    write_energies(warp, step.rollout, step.scene.num_bodies, step.input, environment, step.environment(environment),
                   output);
  }
}

}  // namespace isopatch::detail
