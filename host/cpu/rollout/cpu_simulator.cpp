// SPDX-License-Identifier: Apache-2.0
//
// Steps environments on all cores. A thread takes the next few environments and all steps of a call with each.
#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "host/cpu/rollout/step_workspace.h"
#include "host/rollout/simulator_backend.h"
#include "host/scene/scene_data.h"
#include "host/threads/parallel_for.h"
#include "isopatch/detail/rollout/step_output.h"

namespace isopatch {

using namespace detail;

namespace {

/// A call of Simulator::step().
struct StepCall {
  const SceneView& scene;
  const RolloutView& view;
  RolloutState state;
  InputView input;
  RolloutOutput output;
  int num_steps;
  std::int32_t polygon_capacity;  // 0: any number

  EnvironmentState environment(std::int64_t index) const {
    return EnvironmentState::of(state, index, scene.num_bodies, view.num_joints);
  }
};

/// The evaluator's view of what a stage finds contact in. The arrays of poses and of status have one row.
State contact_state(const StepCall& call, std::int64_t environment, const double* poses) {
  State contact;
  contact.num_environments = environment + 1;
  contact.poses = {poses, 0};
  const RolloutInput& input = call.input.input;
  contact.modulus = input.modulus;
  contact.dissipation = input.dissipation;
  contact.friction = input.friction;
  contact.geometry_index = input.geometry_index;
  contact.pair_mask = input.pair_mask;
  return contact;
}

/// Lists the environment's contact polygons in the order of their keys. Returns its status.
template <class T>
std::uint32_t find_contact(const StepCall& call, const State& contact, std::int64_t environment,
                           StepWorkspace<T>& work) {
  work.polygons.clear();
  SerialWarp warp;
  std::uint32_t status = kOk;
  Results results;
  results.status = {&status, 0};
  std::int32_t count = 0;
  begin_environment(warp, warp, work.contact.bounds, call.scene, contact, results, environment,
                    {work.contact.items, &count, kMaxPairs});
  const auto append = [&](const ContactPolygon<T>& polygon) { work.polygons.add(polygon); };
  for (std::int32_t i = 0; i < count; ++i) {
    const int pair = static_cast<int>(work.contact.items[i] - environment * call.scene.num_pairs);
    if (find_contact_polygons<T>(warp, work.contact.pair, call.scene, contact, environment, pair, call.view.points,
                                 append)) {
      status |= kNoContactSurface;
    }
  }
  work.polygons.sort();
  return status;
}

constexpr std::uint32_t kBadInput = kBadPose | kBadVelocity | kBadMaterial | kBadGeometry;

/// One step. Returns its status; with kFrozen, the state is as it was.
template <class T>
std::uint32_t take_step(const StepCall& call, std::int64_t environment, StepWorkspace<T>& work, StepCounts& counts) {
  SerialWarp warp;
  const EnvironmentState state = call.environment(environment);
  std::int64_t& steps = call.state.steps[environment];
  std::uint32_t status = kOk;
  counts = {0, 0, 0};

  for (int body = 0; body < call.scene.num_bodies; ++body) {
    State now;
    now.poses = {state.poses, 0};
    now.velocities = {state.velocities, 0};
    status |= body_status(now, 0, body);
  }
  if (status != kOk) return status | kFrozen;

  std::fill(work.wrenches.begin(), work.wrenches.end(), 0.0);
  begin_step(warp, call.view, call.scene.num_bodies, call.input, environment, state, stage_of(call.view, steps, 0),
             work.stage_bodies.data(), work.poses.data());
  const int stages = num_stages(call.view.integrator);
  for (int index = 0; index < stages; ++index) {
    const Stage stage = stage_of(call.view, steps, index);
    const State contact = contact_state(call, environment, work.poses.data());
    status |= find_contact(call, contact, environment, work);
    const int polygons = work.polygons.size();
    counts.polygons += polygons;
    counts.polygons_needed = std::max(counts.polygons_needed, polygons);
    if (call.polygon_capacity > 0 && polygons > call.polygon_capacity) status |= kStepCapacity;
    if ((status & (kBadInput | kStepCapacity)) != 0) return status | kFrozen;

    const SolverMemory memory = work.solver(polygons);
    const StageInput in = {call.scene, call.view, contact, call.input, environment, state};
    VelocityProblem problem;
    const SolveResult solved = solve_stage(
        warp, WarpPointSums<SerialWarp>{warp}, in, stage, work.stage_bodies.data(), polygons,
        [&](int i) { return work.polygons.key(i); }, [&](int i) -> const auto& { return work.polygons[i]; }, memory,
        problem);
    counts.iterations += solved.iterations;
    if (!velocities_hold(warp, in, memory)) return status | kDiverged | kFrozen;
    if (!solved.converged) status |= kNotConverged;
    if (!solved.friction_agrees) status |= kFrictionLag;
    add_pair_wrenches(warp, in, stage, memory, problem.num_pairs, work.wrenches.data());
    if (stage.last) {
      write_wrenches(warp, call.scene, work.wrenches.data(), work.poses.data(), call.output, environment);
      end_step(warp, in, stage, memory, work.stage_bodies.data());
    } else {
      begin_second_stage(warp, in, stage, stage_of(call.view, steps, index + 1), memory, work.stage_bodies.data(),
                         work.poses.data());
    }
  }
  ++steps;
  return status;
}

/// All steps of a call in one environment.
template <class T>
void take_steps(const StepCall& call, std::int64_t environment, StepWorkspace<T>& work) {
  SerialWarp warp;
  std::uint32_t& status = call.state.status[environment];
  StepCounts counts = {0, 0, 0};
  const EnvironmentState state = call.environment(environment);
  if ((status & kFrozen) == 0) {
    status = kOk;
    place_bodies(warp, call.view, call.scene.num_bodies, state,
                 static_cast<double>(call.state.steps[environment]) * call.view.time_step);
    if (call.num_steps == 0) {
      std::fill(work.wrenches.begin(), work.wrenches.end(), 0.0);
      write_wrenches(warp, call.scene, work.wrenches.data(), state.poses, call.output, environment);
    }
    for (int i = 0; i < call.num_steps && (status & kFrozen) == 0; ++i) {
      status |= take_step(call, environment, work, counts);
    }
  } else {
    counts = {0, 0, 0};
  }
  write_counts(warp, counts, call.output, environment);
  if ((status & kFrozen) != 0) {
    write_frozen(warp, call.scene, call.output, environment);
  } else {
    write_energies(warp, call.view, call.scene.num_bodies, call.input, environment, state, call.output);
  }
}

std::int32_t most_wide_nodes(const Scene& scene) {
  std::size_t most = 0;
  for (const Hierarchy& h : scene.data().geometries.solids) most = std::max(most, h.wide_nodes.size());
  for (const Hierarchy& h : scene.data().geometries.surfaces) most = std::max(most, h.wide_nodes.size());
  return static_cast<std::int32_t>(most);
}

class CpuSimulator final : public Simulator::Implementation {
 public:
  CpuSimulator(Scene scene, const RolloutOptions& rollout, const EvaluatorOptions& options)
      : Implementation(std::move(scene), rollout, options), energies_(scene_, options) {}

  void initial_state(const RolloutState& state, void*) const override {
    const SceneView& scene = scene_.data().view;
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      SerialWarp warp;
      write_initial_state(warp, view(), scene.num_bodies, state, e);
    }
  }

  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void*) const override {
    const StepCall call = {scene_.data().view, view(), state, {input}, output, num_steps, rollout_.polygon_capacity};
    if (options_.precision == Precision::kFloat) {
      take_all_steps<float>(call);
    } else {
      take_all_steps<double>(call);
    }
    if (output.elastic_energy.data != nullptr) write_elastic_energies(call);
  }

  void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial, void*) const override {
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      SerialWarp warp;
      if (mask == nullptr || mask[e] != 0) {
        copy_environment(warp, scene_.num_bodies(), view().num_joints, initial, state, e);
      }
    }
  }

 private:
  template <class T>
  void take_all_steps(const StepCall& call) const {
    const std::int64_t count = call.state.num_environments;
    const std::int64_t threads = std::min<std::int64_t>(usable_threads(options_.num_threads), count);
    LoopChunks loop(count, 1);
    run_on_threads(static_cast<int>(std::max<std::int64_t>(threads, 1)), [&](int thread) {
      StepWorkspace<T> work(call.scene, call.view, most_wide_nodes(scene_));
      loop.take(thread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e) take_steps(call, e, work);
      });
    });
  }

  /// A frozen environment keeps the zeroes that it has.
  void write_elastic_energies(const StepCall& call) const {
    State contact = contact_state(call, call.state.num_environments - 1, nullptr);
    contact.poses = {call.state.poses, static_cast<std::int64_t>(call.scene.num_bodies) * kPoseSize};
    Results results;
    results.energy = call.output.elastic_energy;
    energies_.evaluate(contact, results);
    SerialWarp warp;
    for (std::int64_t e = 0; e < call.state.num_environments; ++e) {
      if ((call.state.status[e] & kFrozen) != 0) write_frozen(warp, call.scene, call.output, e);
    }
  }

  Evaluator energies_;
};

}  // namespace

std::unique_ptr<Simulator::Implementation> detail::make_cpu_simulator(Scene scene, const RolloutOptions& rollout,
                                                                      const EvaluatorOptions& options) {
  return std::make_unique<CpuSimulator>(std::move(scene), rollout, options);
}

}  // namespace isopatch
