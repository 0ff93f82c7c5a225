// SPDX-License-Identifier: Apache-2.0
//
// Steps environments on all cores. A thread takes the next few environments and all steps of a call with each.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "host/cpu/find_contacts.h"
#include "host/cpu/isa/kernels.h"
#include "host/cpu/polytope_steps.h"
#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/rollout/simulator_backend.h"
#include "host/scene/scene_data.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"
#include "isopatch/detail/rollout/take_step.h"

namespace isopatch {

using namespace detail;

namespace {

/// One step. Returns its status; with kFrozen, the state is as it was.
template <class Warp>
std::uint32_t take_step(Warp& warp, const CpuStepCall& call, std::int64_t environment, ContactStepMemory& work) {
  const StepView& step = call.step;
  const StepProgress progress = call.progress(work);
  const State contact = search_state(step, progress.poses, progress.twists, 0, progress.contact_state, 0);
  std::uint32_t status = begin_step(warp, step, contact, environment, progress);
  if (status == kOk) place_for_search(warp, step, environment, progress);
  while ((status & kFrozen) == 0 && !progress.plan->is_done()) {
    status |= work.find(step, contact, environment);
    const ContactList& contacts = work.contacts();
    const int polygons = contacts.size();
    progress.counts->polygons_needed = std::max(progress.counts->polygons_needed, polygons);
    if (call.polygon_capacity > 0 && polygons > call.polygon_capacity) status |= kStepCapacity;
    if ((status & (kFaults | kStepCapacity)) != 0) return status | kFrozen;
    const auto ordered = ordered_contacts(
        polygons, [&](int i) { return contacts.key(i); },
        [&](int i, const PolygonColumns& columns, int k) { contacts.write(i, columns, k); });
    const int before = progress.counts->iterations, expected = std::min(work.iterations[0], work.iterations[1]);
    status |= finish_stage(warp, KernelPointSums{call.points, work.counter, expected}, step, contact, environment,
                           ordered, work.solver(polygons), progress);
    work.iterations[0] = std::exchange(work.iterations[1], progress.counts->iterations - before);
  }
  return status;
}

/// All steps of a call in one environment.
template <class Warp>
void take_steps(const CpuStepCall& call, std::int64_t environment, ContactStepMemory& work,
                RelationWorkspace* relations) {
  Warp warp;
  const StepProgress progress = call.progress(work);
  begin_call(warp, call.step, environment, progress);
  std::uint32_t& status = call.step.state.status[environment];
  if (call.num_steps == 0 && (status & kFrozen) == 0) {
    status |= check_environment(warp, call.step, environment, progress);
  }
  for (int i = 0; i < call.num_steps && (status & kFrozen) == 0; ++i) {
    check_cancelled();
    status |= relations != nullptr ? take_polytope_step(call, environment, work, *relations)
                                   : take_step(warp, call, environment, work);
  }
  end_call(warp, call.step, environment, progress, call.output, call.num_steps);
}

class CpuSimulator final : public Simulator::Implementation {
 public:
  CpuSimulator(Scene scene, const RolloutOptions& rollout, const CpuOptions& options)
      : Implementation(std::move(scene), rollout, options),
        evaluator_(make_cpu_backend(scene_, options, view().slip_tolerance)),
        kernels_(select_kernels(options.vectors)),
        models_(make_cpu_contact_models(options, kernels_)),
        workspaces_([this] { return make_workspace(); }),
        relations_([this] { return std::make_unique<RelationWorkspace>(scene_.data().view, view()); }) {}

  void initial_state(const RolloutState& state, void*) const override {
    const SceneView& scene = scene_.data().view;
    for (std::int64_t e = 0; e < state.num_environments; ++e) {
      SerialWarp warp;
      write_initial_state(warp, view(), scene.num_bodies, num_contact_states(scene), state, e);
    }
  }

  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void*) const override {
    const CpuStepCall call = {{scene_.data().view, view(), state, {input}, output.joint_wrench.data != nullptr},
                              output,
                              num_steps,
                              rollout_.polygon_capacity,
                              rollout_.relation_capacity,
                              kernels_ != nullptr ? kernels_->points : kPlainPointKernels};
    take_all_steps(call);
    evaluate(call);
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
  void take_all_steps(const CpuStepCall& call) const {
    const std::int64_t count = call.step.state.num_environments;
    const std::int64_t threads = count > 1 ? std::min<std::int64_t>(usable_threads(options_.num_threads), count) : 1;
    LoopChunks loop(count, 1);
    const CancellationScope cancellation(options_.is_cancelled);
    const auto take = may_have_trees(view()) ? take_steps<SerialWarp> : take_steps<PlainWarp>;
    run_on_threads(static_cast<int>(threads), [&](int thread) {
      workspaces_.lend([&](ContactStepMemory& work) {
        const auto take_all = [&](RelationWorkspace* relations) {
          loop.take(thread, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t e = begin; e < end; ++e) take(call, e, work, relations);
          });
        };
        if (!call.step.scene.contact.any_faces) return take_all(nullptr);
        relations_.lend([&](RelationWorkspace& relations) { take_all(&relations); });
      });
    });
  }

  /// The outputs that an evaluation of the state writes. A frozen environment has zeroes.
  void evaluate(const CpuStepCall& call) const {
    const StepView& step = call.step;
    const State contact =
        search_state(step, step.state.poses, nullptr, static_cast<std::int64_t>(step.scene.num_bodies) * kPoseSize,
                     step.state.contact_state, num_contact_states(step.scene));
    bool any = false;
    std::vector<double> pairs;
    OutputArray pair_wrench;
    if (call.num_steps == 0 && call.output.body_wrench.data != nullptr) {
      pairs.resize(static_cast<std::size_t>(step.state.num_environments) * step.scene.num_pairs * 6);
      pair_wrench = pairs.data();
    }
    for_each_evaluation(call.output, call.num_steps, step.state, contact, step.scene.num_bodies, pair_wrench,
                        [&](const State& at, const Results& results) {
                          any = true;
                          evaluator_.evaluate(at, results);
                        });
    if (!any) return;
    SerialWarp warp;
    for (std::int64_t e = 0; e < step.state.num_environments; ++e) {
      if ((step.state.status[e] & kFrozen) != 0) write_frozen(warp, step.scene, step.rollout, call.output, e);
    }
  }

  std::unique_ptr<ContactStepMemory> make_workspace() const {
    if (options_.precision == Precision::kFloat) {
      return std::make_unique<ContactStepWorkspace<float>>(scene_.data(), view(), models_);
    }
    return std::make_unique<ContactStepWorkspace<double>>(scene_.data(), view(), models_);
  }

  Evaluator evaluator_;
  const IsaKernels* kernels_;  // null: one number at a time
  const CpuContactModels models_;
  mutable WorkspacePool<ContactStepMemory> workspaces_;
  mutable WorkspacePool<RelationWorkspace> relations_;
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
