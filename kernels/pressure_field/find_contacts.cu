// SPDX-License-Identifier: Apache-2.0
//
// A warp takes a near pair, and appends its contacts to those of its environment, in no particular order.
#include "isopatch/detail/pressure_field/solver_contacts.h"
#include "kernels/pressure_field/find_contacts.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kFindWarps = 4;
constexpr int kFindBlock = kFindWarps * CudaWarp::kSize;

template <class T, Parts parts>
__global__ void __launch_bounds__(kFindBlock, 2) find_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kFindWarps];
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  const PressureFieldCall& evaluation = call.evaluation;
  for (std::int32_t at; take_item(warp, evaluation.counter(kNextPair), evaluation.num_listed(), at);) {
    const auto [environment, pair] = evaluation.entry(at);
    const std::int64_t to = environment;
    const auto append = [&](const SolverContact<T>& contact) { call.to.append(warp, to, contact); };
    const std::uint32_t bits = find_solver_contacts<T, parts>(warp, work, evaluation.scene, evaluation.state,
                                                              environment, pair, call.points, append);
    if (bits != kOk && warp.lane() == 0) warp.set_bits(call.to.status + environment, bits);
    warp.sync();
  }
}

template <class T, class Use>
void with_find_kernel(const SceneView& scene, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return use(find_contacts_kernel<T, Parts::kOne>);
  use(find_contacts_kernel<T, Parts::kSeveral>);
}

}  // namespace

template <class T>
void load_find_contacts(const SceneView& scene) {
  with_find_kernel<T>(scene, [](auto kernel) { resident_blocks(kernel, kFindBlock); });
}

template <class T>
void find_contacts(const ContactSearchCall& call, cudaStream_t stream) {
  const std::int64_t most = call.evaluation.num_pairs();
  if (most == 0) return;
  with_find_kernel<T>(call.evaluation.scene, [&](auto kernel) {
    kernel<<<blocks_for(kernel, kFindBlock, most), kFindBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template void load_find_contacts<float>(const SceneView&);
template void load_find_contacts<double>(const SceneView&);
template void find_contacts<float>(const ContactSearchCall&, cudaStream_t);
template void find_contacts<double>(const ContactSearchCall&, cudaStream_t);

}  // namespace isopatch::detail
