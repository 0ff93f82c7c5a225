// SPDX-License-Identifier: Apache-2.0
//
// The cuda backend of Simulator: uploads a scene once, then enqueues the stages of each step.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>

#include "host/rollout/rollout_data.h"
#include "host/rollout/simulator_backend.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/single_contact/volumetric.h"
#include "isopatch/error.h"
#include "isopatch/rollout_state.h"
#include "kernels/memory/working_memory.h"
#include "kernels/polytope/feature_sizes.h"
#include "kernels/polytope_steps.h"
#include "kernels/rollout/device_rollout.h"
#include "kernels/rollout/step_call.h"
#include "kernels/runtime/check_call.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/runtime/host_batch.h"
#include "kernels/runtime/loaded_kernel.h"
#include "kernels/scene/call.h"
#include "kernels/scene/device_scene.h"

namespace isopatch {

namespace {

using namespace detail;

class CudaSimulator final : public Simulator::Implementation {
 public:
  CudaSimulator(Scene scene, const RolloutOptions& rollout, const CudaOptions& options, int device)
      : Implementation(std::move(scene), rollout, options),
        capacity_(polygon_capacity(scene_, rollout)),
        relation_capacity_(relation_capacity(scene_, rollout)),
        device_(device),
        check_(device) {
    const DeviceGuard guard(device_);
    const AllocationInCaptures allowed;
    load_begin_environments();
    load_rollout_calls(has_trees());
    load_keep_geometries();
    CudaContactModels models = make_cuda_contact_models(scene_, {options, device, true});
    const auto in_room = [](std::int64_t resident, std::int64_t bytes) {
      return std::max<std::int64_t>(2, std::min(resident, kMaxSolverBytes / (bytes + 1)) / 2 * 2);
    };
    const std::int64_t sorting = static_cast<std::int64_t>(sizeof(ContactEntry)) * capacity_;
    if (has_relations()) {
      features_ = static_cast<std::int32_t>(memory_of_features(scene_.data().view));
      any_features_ = static_cast<std::int32_t>(memory_of_any_features(scene_.data()));
      warps_ = in_room(load_polytope_steps(options_.precision, has_trees()), sorting + 8 * solver_words(room()));
      begin_warps_ = substep_warps_ = warps_;
    } else {
      const std::int64_t begin = load_begin_stages(has_trees());
      begin_warps_ = in_room(begin, sorting);
      warps_ = in_room(load_solver(), 8 * solver_words(room()));
    }
    if (!has_relations() && may_have_substeps(view())) {
      substep_warps_ =
          std::min({load_substeps(options_.precision, has_plates() || has_trees()), begin_warps_, warps_}) / 2 * 2;
    }
    on_device_ = std::make_unique<OnDevice>(scene_.data(), data_, std::move(models));
  }

  ~CudaSimulator() override { free_on(device_, on_device_); }

  void initial_state(const RolloutState& state, void* stream) const override {
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check(state, "state.", on);
    write_initial_states(on_device_->rollout.view(), scene_.num_bodies(), num_contact_states(scene_.data().view), state,
                         on);
  }

  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void* stream) const override {
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check(state, "state.", on);
    for_each_rollout_input(
        [&](const ArrayInfo& info, const auto& array) { check_.check_array(array.data, "input.", info.name); }, input);
    for_each_rollout_output(
        [&](const ArrayInfo& info, const auto& array) { check_.check_array(array.data, "output.", info.name); },
        output);
    const Room room = this->room();
    on_device_->memory.call(size_of(state.num_environments, room), on, [&](const StepMemory& memory) {
      RolloutInput own = input;
      keep_geometries(own.geometry_index, state.num_environments, scene_.num_parts(), memory.geometries, on);
      enqueue(call_of(state, own, output, memory, room, num_steps), on);
    });
  }

  void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
             void* stream) const override {
    const DeviceGuard guard(device_);
    const auto on = static_cast<cudaStream_t>(stream);
    check(state, "state.", on);
    check(initial, "initial.", on);
    check_.check_array(mask, "", "mask");
    copy_environments(scene_.num_bodies(), view().num_joints, num_contact_states(scene_.data().view), initial, state,
                      mask, on);
  }

  void initial_state_from_host(const RolloutState& state) const override {
    SerialWarp warp;
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      write_initial_state(warp, view(), scene_.num_bodies(), num_contact_states(scene_.data().view), state, e);
    }
  }

  /// Copies the state anew where it has to step again with a larger capacity: a step whose polygons or relations do not
  /// fit keeps the state before it, but the caller asked for all of them.
  void step_from_host(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output,
                      int num_steps) const override {
    const DeviceGuard guard(device_);
    const AllocationInCaptures allowed;
    const auto take_steps = [&](const RolloutState& s, const RolloutInput& i, const RolloutOutput& o,
                                cudaStream_t stream) { step(s, i, o, num_steps, stream); };
    on_device_->host_batch.step(counts_, state, input, output, take_steps,
                                [&](std::span<const std::int32_t> polygons, std::span<const std::uint32_t> status) {
                                  const Room room = this->room();
                                  make_room(polygons, status, state.status);
                                  return this->room() == room;
                                });
  }

  void reserve(std::int64_t num_environments) const override {
    const DeviceGuard guard(device_);
    on_device_->memory.reserve(size_of(num_environments, room()));
    for (int model = 0; model < num_models(); ++model) model_at(model).reserve(num_environments, false);
  }

 private:
  /// Fewer warps solve at once where each needs a lot of memory.
  static constexpr std::int64_t kMaxSolverBytes = std::int64_t{2} << 30;
  static constexpr std::int32_t kMaxTeamDofs = 48;

  /// How much of contact an environment has room for.
  struct Room {
    std::int32_t polygons, relations;

    bool operator==(const Room&) const = default;
  };

  /// What a simulator has on its device.
  struct OnDevice {
    DeviceScene scene;
    DeviceRollout rollout;
    CudaContactModels models;
    WorkingMemory<StepMemory> memory;
    HostBatch host_batch;

    OnDevice(const SceneData& scene_data, const RolloutData& rollout_data, CudaContactModels of)
        : scene(scene_data, Stream()),
          rollout(rollout_data, scene.view().contact_states, Stream()),
          models(std::move(of)) {}
  };

  void check(const RolloutState& state, const std::string& name, cudaStream_t stream) const {
    check_.check(stream);
    for_each_rollout_state(
        [&](const ArrayInfo& info, const auto* array) { check_.check_array(array, name, info.name); }, state);
  }

  /// Calls from the host may change it meanwhile, so that a call of steps asks once.
  Room room() const { return {capacity_, relation_capacity_}; }

  /// Raises what the options leave open where environments, with their status before and after a call, needed more.
  void make_room(std::span<const std::int32_t> polygons, std::span<const std::uint32_t> status,
                 const std::uint32_t* before) const {
    const std::int32_t capacity = capacity_, relations = relation_capacity_,
                       needed = *std::max_element(polygons.begin(), polygons.end());
    if (rollout_.polygon_capacity == 0 && needed > capacity) {
      capacity_ = std::min(needed + needed / 2, limits::kMaxPolygonCapacity);
    }
    if (!has_relations() || rollout_.relation_capacity > 0) return;
    bool is_full = false;
    for (std::size_t e = 0; e < status.size(); ++e) {
      const bool stopped = (status[e] & kStepCapacity) != 0 && (before[e] & kFrozen) == 0;
      is_full = is_full || (stopped && polygons[e] <= capacity);
    }
    if (is_full) relation_capacity_ = std::min(2 * relations, limits::kMaxRelationCapacity);
  }

  SolverSize solver_size(const Room& room) const {
    return {scene_.num_bodies(), view().num_joints, view().num_dofs,
            scene_.num_pairs(),  room.polygons,     num_state_rows(scene_.data().view),
            view().max_chain,    view().num_loops};
  }

  /// Whether a warp may solve several environments at once: where they are small. By default there is room for four
  /// times the polygons that a scene begins with, and for 256.
  bool may_have_teams(const Room& room) const {
    return !has_plates() && !has_trees() && !has_relations() && view().num_dofs <= kMaxTeamDofs &&
           room.polygons <= kMaxTeamPolygons;
  }

  /// Of a warp: a team may need a copy of what an environment keeps.
  std::int64_t solver_words(const Room& room) const {
    const SolverSize size = solver_size(room);
    if (has_relations()) return PolytopeStepSize{size, room.relations}.words();
    return may_have_teams(room) ? kTeamsPerWarp * (size.finding_words() + size.kept_words()) : size.finding_words();
  }

  /// Of an environment, from kernel to kernel.
  std::int64_t kept_words(const Room& room) const { return has_relations() ? 0 : solver_size(room).kept_words(); }

  StepSize size_of(std::int64_t num_environments, const Room& room) const {
    const auto n = static_cast<std::size_t>(num_environments), warps = static_cast<std::size_t>(warps_);
    StepSize size;
    size.environments = n;
    size.bodies = n * static_cast<std::size_t>(scene_.num_bodies());
    size.parts = n * static_cast<std::size_t>(scene_.num_parts());
    size.pairs = n * scene_.data().pairs.size();
    const auto copies = static_cast<std::size_t>(step_copies(view()));
    size.stage_bodies = copies * size.bodies;
    const ForceLayout forces = {static_cast<int>(scene_.data().pairs.size()), view().num_joints, scene_.num_bodies(),
                                view().num_loops};
    size.forces = copies * n * static_cast<std::size_t>(forces.size());
    if (size.pairs > std::size_t{1} << 30) {
      throw Error("step: " + std::to_string(n) + " environments of " + std::to_string(scene_.num_pairs()) +
                  " pairs are too many for one call; split the batch");
    }
    size.contact_states = n * static_cast<std::size_t>(num_contact_states(scene_.data().view));
    size.kept_contact_states = copies * size.contact_states;
    size.plates = n * static_cast<std::size_t>(num_state_rows(scene_.data().view));
    size.overlaps = room_for_overlaps(num_environments).size();
    if (asks_for_twists(scene_.data().view)) size.twists = size.bodies * kVelocitySize;
    (in_float() ? size.float_polygons : size.double_polygons) = n * static_cast<std::size_t>(room.polygons);
    size.kept_words = n * static_cast<std::size_t>(kept_words(room));
    size.tree_words = n * static_cast<std::size_t>(tree_words(view()));
    size.sorting = static_cast<std::size_t>(begin_warps_) * static_cast<std::size_t>(room.polygons);
    size.solver_words = warps * static_cast<std::size_t>(solver_words(room));
    return size;
  }

  PolytopeStepCall call_of(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output,
                           const StepMemory& memory, const Room& room, int num_steps) const {
    StepCall call = {.evaluation = {},
                     .step = {on_device_->scene.view(),
                              on_device_->rollout.view(),
                              state,
                              {input},
                              output.joint_wrench.data != nullptr},
                     .output = output,
                     .arrays = memory,
                     .kept_words = kept_words(room),
                     .solver_words = solver_words(room),
                     .begin_warps = static_cast<std::int32_t>(begin_warps_),
                     .warps = static_cast<std::int32_t>(warps_),
                     .substep_warps = static_cast<std::int32_t>(substep_warps_),
                     .num_steps = num_steps,
                     // beside idle warps, a team would take longer than a warp
                     .has_teams = may_have_teams(room) && state.num_environments > warps_};
    call.arrays.contacts.capacity = room.polygons;
    if (output.pair_wrench_mean.data == nullptr) call.arrays.sums = nullptr;
    BatchCall& evaluation = call.evaluation;
    evaluation.scene = call.step.scene;
    const int states = num_contact_states(scene_.data().view);
    evaluation.state =
        search_state(call.step, memory.poses, memory.twists, static_cast<std::int64_t>(scene_.num_bodies()) * kPoseSize,
                     memory.contact_states, std::int64_t{step_copies(view())} * states);
    evaluation.results.status = {memory.contacts.status, 1};
    if (states > 0) evaluation.results.contact_state = {memory.next_contact_states, states};
    evaluation.list = memory.list;
    evaluation.counters = memory.counters;
    evaluation.overlaps = room_for_overlaps(state.num_environments);
    evaluation.overlaps.rows = memory.overlaps;
    return {call, room.relations, input.geometry_index.data == nullptr ? features_ : any_features_};
  }

  OverlapRows room_for_overlaps(std::int64_t num_environments) const {
    const SceneView& scene = scene_.data().view;
    return OverlapRows::room(num_volumetric_pairs(scene, num_environments), most_overlaps_of_pair(scene),
                             substep_warps_);
  }

  bool in_float() const { return options_.precision == Precision::kFloat; }
  bool has_plates() const { return scene_.data().view.laws != nullptr; }
  bool has_trees() const { return may_have_trees(view()); }
  bool has_relations() const { return scene_.data().view.contact.any_faces; }

  template <SolvedBy by>
  std::int64_t load_stages() const {
    load_end_stages<by>();
    return load_solve_stages<by>(in_float());
  }

  std::int64_t load_solver() const {
    if (has_trees()) return load_stages<SolvedBy::kWarpsWithTrees>();
    if (has_plates()) return load_stages<SolvedBy::kWarpsWithPlates>();
    load_end_stages<SolvedBy::kWarps>();
    load_end_stages<SolvedBy::kTeams>();
    return std::min(load_solve_stages<SolvedBy::kWarps>(in_float()), load_solve_stages<SolvedBy::kTeams>(in_float()));
  }

  void solve_stages(const StepCall& call, cudaStream_t stream) const {
    if (has_trees()) return detail::solve_stages<SolvedBy::kWarpsWithTrees>(call, stream);
    if (has_plates()) return detail::solve_stages<SolvedBy::kWarpsWithPlates>(call, stream);
    call.has_teams ? detail::solve_stages<SolvedBy::kTeams>(call, stream)
                   : detail::solve_stages<SolvedBy::kWarps>(call, stream);
  }

  void end_stages(const StepCall& call, cudaStream_t stream) const {
    if (has_trees()) return detail::end_stages<SolvedBy::kWarpsWithTrees>(call, stream);
    if (has_plates()) return detail::end_stages<SolvedBy::kWarpsWithPlates>(call, stream);
    call.has_teams ? detail::end_stages<SolvedBy::kTeams>(call, stream)
                   : detail::end_stages<SolvedBy::kWarps>(call, stream);
  }

  int num_models() const { return scene_.data().view.num_models; }
  CudaContactModel& model_at(int model) const { return *on_device_->models[static_cast<std::size_t>(model)]; }

  void take_steps(StepCall call, cudaStream_t stream) const {
    const int searches = num_stages(view().integrator);
    const bool begins = num_models() == 1;
    for (int step = 0; step < call.num_steps; ++step) {
      for (call.search = 0; call.search < searches; ++call.search) {
        place_for_searches(call, stream);
        if (!begins) begin_environments(call.evaluation, stream);
        for (int model = 0; model < num_models(); ++model) {
          model_at(model).find_contacts(call.evaluation, begins, call.step.rollout.points, call.arrays.contacts,
                                        stream);
        }
        begin_stages(call, stream);
        solve_stages(call, stream);
        end_stages(call, stream);
      }
      if (may_have_substeps(view())) take_substeps(call, options_.precision, has_plates() || has_trees(), stream);
    }
  }

  void enqueue(const PolytopeStepCall& call, cudaStream_t stream) const {
    begin_call(call, stream);
    has_relations() ? take_polytope_steps(call, options_.precision, has_trees(), stream) : take_steps(call, stream);
    end_call(call, stream);
    BatchCall evaluation = call.evaluation;
    evaluation.scene.contact.slip_tolerance = call.step.rollout.slip_tolerance;
    evaluation.state.velocities = {};
    evaluation.state.contact_state = array_of(call.step.state.contact_state, num_contact_states(call.step.scene));
    const State contact = evaluation.state;
    const bool alone = num_models() == 1;
    const OutputArray pairs(call.arrays.forces, std::int64_t{step_copies(view())} * call.step.num_forces());
    for_each_evaluation(call.output, call.num_steps, call.step.state, contact, call.step.scene.num_bodies, pairs,
                        [&](const State& state, const Results& results) {
                          evaluation.state = state;
                          evaluation.results = results;
                          if (!alone) begin_environments(evaluation, stream);
                          for (int model = 0; model < num_models(); ++model) {
                            model_at(model).evaluate(evaluation, alone, nullptr, 0, stream);
                          }
                          sum_body_wrenches(evaluation, stream);
                        });
  }

  // grow in calls from the host where the options leave them open
  mutable std::atomic<std::int32_t> capacity_, relation_capacity_;
  int device_;
  CallCheck check_;
  std::int32_t features_ = 0, any_features_ = 0;                  // bytes, with the scene's geometries and with any
  std::int64_t begin_warps_ = 0, warps_ = 0, substep_warps_ = 0;  // that begin and solve stages, and take sub-steps
  std::unique_ptr<OnDevice> on_device_;
};

}  // namespace

std::unique_ptr<Simulator::Implementation> detail::make_cuda_simulator(Scene scene, const RolloutOptions& rollout,
                                                                       const CudaOptions& options) {
  return std::make_unique<CudaSimulator>(std::move(scene), rollout, options, require_device(options.device));
}

Simulator detail::make_simulator(Scene scene, const CudaOptions& options) {
  const RolloutOptions rollout(scene.description().rollout);
  return Simulator(make_cuda_simulator(std::move(scene), rollout, options));
}

}  // namespace isopatch
