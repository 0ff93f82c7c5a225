// SPDX-License-Identifier: Apache-2.0
//
// The device stages of time steps, in order. As those of an evaluation (kernels/scene/call.h), each enqueues on
// `stream`, allocates nothing and does not synchronise.
#pragma once

#include <cstdint>
#include <string>

#include "isopatch/detail/overlap/part_overlap.h"
#include "isopatch/detail/rollout/take_step.h"
#include "kernels/contact/contact_model.h"
#include "kernels/memory/device_arena.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct StepSize {
  std::size_t environments = 0, bodies = 0, pairs = 0, parts = 0;  // of all environments
  std::size_t stage_bodies = 0, forces = 0;                        // with step_copies()
  std::size_t twists = 0;                                          // numbers, if a model asks for them
  std::size_t float_polygons = 0, double_polygons = 0;
  std::size_t contact_states = 0;             // numbers, of all environments
  std::size_t kept_contact_states = 0;        // with step_copies()
  std::size_t plates = 0, overlaps = 0;       // records, of all environments
  std::size_t kept_words = 0;                 // of stages, of all environments
  std::size_t tree_words = 0;                 // of trees, of all environments
  std::size_t sorting = 0, solver_words = 0;  // of all warps that begin and that solve stages

  std::size_t polygons() const { return float_polygons + double_polygons; }
  std::string need() const {
    return "the working memory for steps of " + std::to_string(environments) + " environments with room for " +
           std::to_string(polygons()) + " contact polygons needs";
  }
};

/// A stage of an environment between the kernels that begin, solve and end it.
struct PendingStage {
  StageProblem begun;
  StageSolution solution;
  std::uint32_t status;
  bool is_solved;
};

/// Memory of a batch between the kernels of a step, with a row for each environment.
struct StepArrays : ArraysOf<StepSize> {
  using ArraysOf::ArraysOf;

  StepPlan* plans = array(size().environments);
  StageBody* bodies = array(size().stage_bodies);  // step_copies() rows, as of forces
  double* poses = array(size().bodies * kPoseSize);
  double* twists = array(size().twists);
  double* forces = array(size().forces);
  double* sums = array(size().pairs * 6);                      // null in calls that ask for no mean
  double* contact_states = array(size().kept_contact_states);  // with step_copies() rows
  double* next_contact_states = array(size().contact_states);
  PartOverlap* overlaps = array(size().overlaps);
  StepCounts* counts = array(size().environments);
  ContactLists contacts = {.status = array(size().environments),
                           .found = array(size().environments),  // 0 between stages
                           .entries = array(size().polygons()),
                           .float_contacts = array(size().float_polygons),
                           .double_contacts = array(size().double_polygons),
                           .capacity = 0,
                           .plates = array(size().plates)};
  std::int32_t* continuing = array(size().environments);  // those with further sub-steps, in no particular order

  PendingStage* stages = array(size().environments);
  double* kept = array(size().kept_words);  // SolverSize::kept_words()
  double* trees = array(size().tree_words);

  // a row for each warp that begins and that solves stages
  ContactEntry* sorting = array(size().sorting);  // `capacity`
  double* solver = array(size().solver_words);

  ISOPATCH_HD StepProgress of(const StepView& step, std::int64_t environment) const {
    const std::int64_t copy = environment * step_copies(step.rollout), states = num_contact_states(step.scene);
    return {plans + environment,
            bodies + copy * step.scene.num_bodies,
            poses + environment * step.scene.num_bodies * kPoseSize,
            twists == nullptr ? nullptr : twists + environment * step.scene.num_bodies * kVelocitySize,
            forces + copy * step.num_forces(),
            sums == nullptr ? nullptr : sums + environment * step.scene.num_pairs * 6,
            contact_states + copy * states,
            next_contact_states + environment * states,
            contacts.plates_of(step.scene, environment),
            counts + environment,
            trees_of(step, environment)};
  }
  ISOPATCH_HD TreeMemory trees_of(const StepView& step, std::int64_t environment) const {
    return step.rollout.num_trees > 0 ? tree_memory(step.rollout, trees + environment * tree_words(step.rollout))
                                      : TreeMemory{};
  }
};

/// All working memory of a call.
struct StepMemory : StepArrays {
  using StepArrays::StepArrays;

  std::int64_t* list = array(size().pairs);
  CallCounters* counters = array(1);
  std::int32_t* geometries = array(size().parts);
};

/// The arguments of every kernel, by value. `evaluation` finds near pairs at the poses of a stage.
struct StepCall {
  BatchCall evaluation;
  StepView step;
  RolloutOutput output;
  StepArrays arrays;
  std::int64_t kept_words;     // of an environment
  std::int64_t solver_words;   // of a warp that solves
  std::int32_t begin_warps;    // that begin stages
  std::int32_t warps;          // that solve
  std::int32_t substep_warps;  // that take sub-steps
  int num_steps;               // of the call
  int search = 0;              // of those that every environment has in a step
  bool has_teams = false;      // environments are small, and more than warps

  ISOPATCH_HD bool is_last_search() const { return search + 1 == num_stages(step.rollout.integrator); }
};

/// How many small environments a warp solves at once, and how many polygons they have room for at most.
inline constexpr int kTeamsPerWarp = 8, kMaxTeamPolygons = 256;

/// How a stage is solved: a warp takes an environment, or with kTeams several small ones. Those with contacts with
/// state have friction terms; scenes with trees of bodies may.
enum class SolvedBy : std::uint8_t { kWarps, kTeams, kWarpsWithPlates, kWarpsWithTrees };

/// Load the kernels of the stages below, each in the source that has them. The first two return how many warps begin
/// and solve stages at once.
std::int64_t load_begin_stages(bool has_trees);
template <SolvedBy by>
std::int64_t load_solve_stages(bool in_float);
template <SolvedBy by>
void load_end_stages();
void load_rollout_calls(bool has_trees);

void begin_call(const StepCall& call, cudaStream_t stream);

/// Begins a step before its first search, and places the bodies where a stage finds contact.
void place_for_searches(const StepCall& call, cudaStream_t stream);

/// Begins a stage of every environment, finds its velocities, and moves its bodies on.
void begin_stages(const StepCall& call, cudaStream_t stream);
template <SolvedBy by>
void solve_stages(const StepCall& call, cudaStream_t stream);
template <SolvedBy by>
void end_stages(const StepCall& call, cudaStream_t stream);

/// Takes the rest of the step where it has more sub-steps: a warp takes an environment through all of them. Few have
/// any, so this is one kernel, and not the kernels of the first sub-step again; scenes with plates share the one for
/// scenes with trees. Both are where the contact models are listed: a program that adds a model links others in place
/// of the library's. Loading returns how many warps run at once.
std::int64_t load_substeps(Precision precision, bool has_plates);
void take_substeps(const StepCall& call, Precision precision, bool has_plates, cudaStream_t stream);

/// Writes the outputs. The poses are then those of the state, for evaluated_results().
void end_call(const StepCall& call, cudaStream_t stream);

/// What Simulator::initial_state() and reset() do.
void write_initial_states(const RolloutView& view, int num_bodies, int num_contact_states, const RolloutState& state,
                          cudaStream_t stream);
void copy_environments(int num_bodies, int num_joints, int num_contact_states, const RolloutState& from,
                       const RolloutState& to, const std::uint8_t* mask, cudaStream_t stream);

}  // namespace isopatch::detail
