// SPDX-License-Identifier: Apache-2.0
//
// How calls and searches begin, and how calls end: a warp takes an environment, or four small ones. Between calls,
// states are written.
#include "kernels/algorithms/for_each_item.cuh"
#include "kernels/rollout/cuda_team.cuh"
#include "kernels/rollout/step_call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 4;
constexpr int kBlock = kWarps * CudaWarp::kSize;

/// The environment of the thread's warp, or of its team.
template <class Warp = CudaWarp>
__device__ std::int64_t own_environment() {
  return static_cast<std::int64_t>(blockIdx.x) * (kBlock / Warp::kSize) + threadIdx.x / Warp::kSize;
}

__global__ void __launch_bounds__(kBlock) begin_call_kernel(const __grid_constant__ StepCall call) {
  CudaWarp warp;
  const std::int64_t e = own_environment();
  if (e >= call.step.state.num_environments) return;
  const StepProgress memory = call.arrays.of(call.step, e);
  if (warp.lane() == 0) call.arrays.contacts.found[e] = 0;
  begin_call(warp, call.step, e, memory);
  const std::uint32_t before = call.step.state.status[e];
  warp.sync();  // before it changes
  if ((before & kFrozen) != 0) {
    exclude_environment(warp, call.step, memory);
    return;
  }
  const std::uint32_t status = call.num_steps > 0 ? kOk : check_environment(warp, call.step, e, memory);
  if (warp.lane() == 0) call.step.state.status[e] = before | status;
}

template <class Warp>
__global__ void __launch_bounds__(kBlock, 4) place_for_searches_kernel(const __grid_constant__ StepCall call) {
  Warp warp;
  const std::int64_t e = own_environment<Warp>();
  if (e >= call.step.state.num_environments) return;
  const std::uint32_t before = call.step.state.status[e];
  warp.sync();  // before it changes
  if ((before & kFrozen) != 0) return;
  const StepProgress memory = call.arrays.of(call.step, e);
  const std::uint32_t faults = call.search == 0 ? begin_step(warp, call.step, call.evaluation.state, e, memory) : kOk;
  if (faults == kOk) return place_for_search(warp, call.step, e, memory);
  if (warp.lane() == 0) call.step.state.status[e] = before | faults;
}

__global__ void __launch_bounds__(kBlock) end_call_kernel(const __grid_constant__ StepCall call) {
  CudaWarp warp;
  const std::int64_t e = own_environment();
  if (e >= call.step.state.num_environments) return;
  const StepProgress memory = call.arrays.of(call.step, e);
  end_call(warp, call.step, e, memory, call.output, call.num_steps);
  warp.sync();
  if ((call.step.state.status[e] & kFrozen) != 0) {
    exclude_environment(warp, call.step, memory);
    return;
  }
  const double* poses = call.step.environment(e).poses;
  for (int i = warp.lane(); i < call.step.scene.num_bodies * kPoseSize; i += CudaWarp::kSize) {
    memory.poses[i] = poses[i];
  }
}

struct WriteInitialState {
  RolloutView view;
  int num_bodies, num_contact_states;
  RolloutState state;

  __device__ void operator()(std::int64_t e) const {
    SerialWarp thread;
    if (e < state.num_environments) write_initial_state(thread, view, num_bodies, num_contact_states, state, e);
  }
};

/// A lane of 32 that copy an environment.
struct CopyEnvironment {
  struct Lane {
    static constexpr int kSize = CudaWarp::kSize;
    int index;
    __device__ int lane() const { return index; }
  };

  int num_bodies, num_joints, num_contact_states;
  RolloutState from, to;
  const std::uint8_t* mask;

  __device__ void operator()(std::int64_t i) const {
    const std::int64_t e = i / Lane::kSize;
    if (e >= to.num_environments || (mask != nullptr && mask[e] == 0)) return;
    Lane lane = {static_cast<int>(i % Lane::kSize)};
    copy_environment(lane, num_bodies, num_joints, num_contact_states, from, to, e);
  }
};

/// Of a warp for each environment, or of teams.
template <class Warp = CudaWarp>
unsigned blocks_of(std::int64_t environments) {
  constexpr int kOfBlock = kBlock / Warp::kSize;
  return static_cast<unsigned>((environments + kOfBlock - 1) / kOfBlock);
}

template <class Warp>
void place_for_searches_by(const StepCall& call, cudaStream_t stream) {
  const std::int64_t environments = call.step.state.num_environments;
  place_for_searches_kernel<Warp><<<blocks_of<Warp>(environments), kBlock, 0, stream>>>(call);
}

}  // namespace

void load_rollout_calls(bool has_trees) {
  resident_blocks(begin_call_kernel, kBlock);
  resident_blocks(has_trees ? place_for_searches_kernel<CudaTreeWarp> : place_for_searches_kernel<CudaWarp>, kBlock);
  if (!has_trees) resident_blocks(place_for_searches_kernel<OwnTeam>, kBlock);
  resident_blocks(end_call_kernel, kBlock);
  load_for_each_item<WriteInitialState>();
  load_for_each_item<CopyEnvironment>();
}

void begin_call(const StepCall& call, cudaStream_t stream) {
  if (call.step.state.num_environments == 0) return;
  begin_call_kernel<<<blocks_of(call.step.state.num_environments), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

void place_for_searches(const StepCall& call, cudaStream_t stream) {
  if (call.step.state.num_environments == 0) return;
  if (may_have_trees(call.step.rollout)) {
    place_for_searches_by<CudaTreeWarp>(call, stream);
  } else if (call.has_teams) {
    place_for_searches_by<OwnTeam>(call, stream);
  } else {
    place_for_searches_by<CudaWarp>(call, stream);
  }
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

void end_call(const StepCall& call, cudaStream_t stream) {
  if (call.step.state.num_environments == 0) return;
  end_call_kernel<<<blocks_of(call.step.state.num_environments), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

void write_initial_states(const RolloutView& view, int num_bodies, int num_contact_states, const RolloutState& state,
                          cudaStream_t stream) {
  for_each_item(state.num_environments, WriteInitialState{view, num_bodies, num_contact_states, state}, stream);
}

void copy_environments(int num_bodies, int num_joints, int num_contact_states, const RolloutState& from,
                       const RolloutState& to, const std::uint8_t* mask, cudaStream_t stream) {
  const CopyEnvironment copy = {num_bodies, num_joints, num_contact_states, from, to, mask};
  for_each_item(to.num_environments * CopyEnvironment::Lane::kSize, copy, stream);
}

}  // namespace isopatch::detail
