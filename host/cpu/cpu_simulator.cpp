// SPDX-License-Identifier: Apache-2.0
//
// Steps environments on all cores. A thread takes the next few environments and all steps of a call with each.
#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "host/cpu/find_contacts.h"
#include "host/cpu/isa/kernels.h"
#include "host/evaluation/argument_check.h"
#include "host/rollout/simulator_backend.h"
#include "host/scene/scene_data.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"
#include "isopatch/detail/rollout/take_step.h"

namespace isopatch {

using namespace detail;

namespace {

/// A call of Simulator::step().
struct StepCall {
  StepView step;
  RolloutOutput output;
  int num_steps;
  std::int32_t polygon_capacity;  // 0: any number
  const IsaKernels* kernels;      // null: one number at a time

  template <class T>
  StepProgress progress(ContactStepWorkspace<T>& work) const {
    return work.step(output.pair_wrench_mean.data != nullptr);
  }
};

/// One step. Returns its status; with kFrozen, the state is as it was.
template <class T>
std::uint32_t take_step(const StepCall& call, std::int64_t environment, ContactStepWorkspace<T>& work) {
  SerialWarp warp;
  const StepView& step = call.step;
  const StepProgress progress = call.progress(work);
  std::uint32_t status = begin_step(warp, step, environment, progress);
  while ((status & kFrozen) == 0 && !progress.plan->is_done()) {
    const State contact = search_state(step, progress.poses, 0, progress.contact_state, 0);
    status |= find_contacts(step, contact, environment, work);
    const int polygons = work.polygons.size();
    progress.counts->polygons_needed = std::max(progress.counts->polygons_needed, polygons);
    if (call.polygon_capacity > 0 && polygons > call.polygon_capacity) status |= kStepCapacity;
    if ((status & (kFaults | kStepCapacity)) != 0) return status | kFrozen;
    const auto finish = [&](const auto& points) {
      return finish_stage(
          warp, points, step, contact, environment, polygons,
          [&](int i) { return work.polygons.key(i); }, [&](int i) -> const auto& { return work.polygons[i]; },
          work.solver(polygons), progress);
    };
    status |=
        call.kernels != nullptr ? finish(SimdPointSums{call.kernels->points}) : finish(WarpPointSums<SerialWarp>{warp});
  }
  return status;
}

/// All steps of a call in one environment; check() is called before each.
template <class T, class Check>
void take_steps(const StepCall& call, std::int64_t environment, ContactStepWorkspace<T>& work, const Check& check) {
  SerialWarp warp;
  const StepProgress progress = call.progress(work);
  begin_call(warp, call.step, environment, progress);
  std::uint32_t& status = call.step.state.status[environment];
  if (call.num_steps == 0 && (status & kFrozen) == 0) {
    status |= check_environment(warp, call.step, environment, progress);
  }
  for (int i = 0; i < call.num_steps && (status & kFrozen) == 0; ++i) {
    check();
    status |= take_step(call, environment, work);
  }
  end_call(warp, call.step, environment, progress, call.output, call.num_steps);
}

class CpuSimulator final : public Simulator::Implementation {
 public:
  CpuSimulator(Scene scene, const RolloutOptions& rollout, const CpuOptions& options)
      : Implementation(std::move(scene), rollout, options),
        evaluator_(scene_, options),
        kernels_(select_kernels(options.vectors)),
        models_(make_cpu_contact_models(options, kernels_)),
        workspaces_(make<float>(), make<double>()) {}

  void initial_state(const RolloutState& state, void*) const override {
    const SceneView& scene = scene_.data().view;
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      SerialWarp warp;
      write_initial_state(warp, view(), scene.num_bodies, num_contact_states(scene), state, e);
    }
  }

  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void*) const override {
    const StepCall call = {
        {scene_.data().view, view(), state, {input}}, output, num_steps, rollout_.polygon_capacity, kernels_};
    if (options_.precision == Precision::kFloat) {
      take_all_steps<float>(call);
    } else {
      take_all_steps<double>(call);
    }
    if (wants_evaluation(output)) evaluate(call);
  }

  void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial, void*) const override {
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      SerialWarp warp;
      if (mask == nullptr || mask[e] != 0) {
        copy_environment(warp, scene_.num_bodies(), view().num_joints, num_contact_states(scene_.data().view), initial,
                         state, e);
      }
    }
  }

 private:
  template <class T>
  void take_all_steps(const StepCall& call) const {
    const std::int64_t count = call.step.state.num_environments;
    const std::int64_t threads = count > 1 ? std::min<std::int64_t>(usable_threads(options_.num_threads), count) : 1;
    LoopChunks loop(count, 1);
    Cancellation cancellation(options_.is_cancelled);
    run_on_threads(static_cast<int>(threads), [&](int thread) {
      const typename WorkspacePool<ContactStepWorkspace<T>>::Loan work(workspaces<T>());
      loop.take(thread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e) take_steps(call, e, *work, [&] { cancellation.check(thread); });
      });
    });
  }

  /// The outputs that an evaluation of the state writes. A frozen environment has zeroes.
  void evaluate(const StepCall& call) const {
    const StepView& step = call.step;
    const State contact =
        search_state(step, step.state.poses, static_cast<std::int64_t>(step.scene.num_bodies) * kPoseSize,
                     step.state.contact_state, num_contact_states(step.scene));
    evaluator_.evaluate(contact, evaluated_results(call.output));
    SerialWarp warp;
    for (std::int64_t e = 0; e < step.state.num_environments; ++e) {
      if ((step.state.status[e] & kFrozen) != 0) write_frozen(warp, step.scene, step.rollout.num_joints, call.output, e);
    }
  }

  template <class T>
  WorkspacePool<ContactStepWorkspace<T>>& workspaces() const {
    return std::get<WorkspacePool<ContactStepWorkspace<T>>>(workspaces_);
  }
  template <class T>
  typename WorkspacePool<ContactStepWorkspace<T>>::Make make() const {
    return [this] { return std::make_unique<ContactStepWorkspace<T>>(scene_.data(), view(), models_); };
  }

  Evaluator evaluator_;
  const IsaKernels* kernels_;
  const CpuContactModels models_;
  mutable std::tuple<WorkspacePool<ContactStepWorkspace<float>>, WorkspacePool<ContactStepWorkspace<double>>>
      workspaces_;
};

}  // namespace

std::unique_ptr<Simulator::Implementation> detail::make_cpu_simulator(Scene scene, const RolloutOptions& rollout,
                                                                      const CpuOptions& options) {
  return std::make_unique<CpuSimulator>(std::move(scene), rollout, options);
}

Simulator detail::make_simulator(Scene scene, const CpuOptions& options) {
  check_options(options);
  const RolloutOptions rollout = scene.description().rollout;
  return Simulator(make_cpu_simulator(std::move(scene), rollout, options));
}

}  // namespace isopatch
