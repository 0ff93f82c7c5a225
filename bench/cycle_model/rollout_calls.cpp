// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bench/cycle_model/calls.h"
#include "bench/device_arrays.h"
#include "host/rollout/simulator_backend.h"
#include "kernels/memory/cuda_check.h"

namespace isopatch::cycle_model {

namespace {

/// What a step leaves, on one side.
struct Side {
  RolloutStateArrays state;
  RolloutOutputArrays output;
};

Differences compare(const Side& a, const Side& b) {
  Differences differences;
  const auto add = [&](const ArrayInfo& info, const auto& x, const auto& y) { differences.add(info.name, x, y); };
  for_each_rollout_state(add, a.state, b.state);
  for_each_rollout_output(add, a.output, b.output);
  return differences;
}

/// "reset": of every other environment to what `initial` is on this side, behind the scene's state.
void call_on_model(Model& model, const Scene& scene, Side& side, RolloutStateArrays& initial,
                   std::vector<std::uint8_t>& mask, const Call& call) {
  bench::DeviceCopies copies;
  detail::CudaOptions options;
  options.backend = Backend::kCuda;
  options.precision = call.precision;
  options.stages = call.stages;
  const Simulator simulator = detail::make_simulator(scene, options);
  const RolloutState state = copies.add(side.state), from = copies.add(initial);
  const RolloutOutput output = copies.add(side.output);
  const std::uint8_t* const chosen = copies.add(mask);
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  model.forget_launches();
  if (call.name == "reset") {
    simulator.initial_state(state);
    simulator.reset(state, chosen, from);
  } else {
    simulator.step(state, {}, output, call.steps);
  }
  copies.fetch();
}

void call_on_cpu(const Scene& scene, Side& side, RolloutStateArrays& initial, const std::vector<std::uint8_t>& mask,
                 const Call& call) {
  EvaluatorOptions options;
  options.precision = call.precision;
  const Simulator simulator(scene, options);
  if (call.name == "reset") {
    simulator.initial_state(side.state.view());
    simulator.reset(side.state.view(), mask.data(), initial.view());
  } else {
    simulator.step(side.state.view(), {}, side.output.view(), call.steps);
  }
}

}  // namespace

std::vector<std::string> rollout_names() { return {"step", "step_patch", "reset"}; }

Found step(Model& model, const SceneDescription& description, const Call& call) {
  const Scene scene(description);
  RolloutStateArrays initial =
      bench::make_rollout_states(call.scene, scene, call.variety, call.environments, call.steps_before);
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(call.environments));
  for (std::size_t e = 0; e < mask.size(); e += 2) mask[e] = 1;
  const bool with_patch = call.name == "step_patch";
  Side on_cpu = {initial, RolloutOutputArrays(scene, call.environments, with_patch, with_patch)};
  for_each_rollout_output([](const ArrayInfo&, auto& values) { spoil(values); }, on_cpu.output);
  Side on_model = on_cpu;
  call_on_cpu(scene, on_cpu, initial, mask, call);
  call_on_model(model, scene, on_model, initial, mask, call);

  Found found;
  found.values = compare(on_cpu, on_model);
  found.pairs = call.environments * scene.num_pairs();
  const bool steps = call.name != "reset";
  if (steps) {
    for (const std::int32_t polygons : on_cpu.output.num_polygons) found.polygons += polygons;
    for (const std::int32_t iterations : on_cpu.output.solver_iterations) found.iterations += iterations;
  }
  const std::vector<double>& touched = steps ? on_cpu.output.pair_wrench : on_cpu.state.poses;
  found.touching = std::count_if(touched.begin(), touched.end(), [](double x) { return x != 0; });
  return found;
}

}  // namespace isopatch::cycle_model
