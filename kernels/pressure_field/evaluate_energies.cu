// SPDX-License-Identifier: Apache-2.0
//
// Optional stage: a warp integrates the elastic energy of one listed pair, in double.
#include "isopatch/detail/pressure_field/energy.h"
#include "kernels/pressure_field/call.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kWarps = 2;  // 2 workspaces of about 6 KB, and 9 KB of planes for each
constexpr int kBlock = kWarps * CudaWarp::kSize;

__global__ void __launch_bounds__(kBlock) evaluate_energies_kernel(PressureFieldCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kWarps];
  __shared__ double planes[kWarps][4 * kMaxPlanes * CudaWarp::kSize];
  CudaWarp warp;
  const unsigned warp_in_block = threadIdx.x / CudaWarp::kSize;
  Workspace<CudaWarp::kSize>& work = workspaces[warp_in_block];
  const StoredPlanes<CudaWarp::kSize> own_planes = {planes[warp_in_block] + warp.lane()};
  for (std::int32_t at; take_item(warp, call.counter(kNextEnergy), call.num_listed(), at);) {
    const auto [environment, pair] = call.entry(at);
    evaluate_energy(warp, work, call.scene, call.state, call.results, environment, pair, own_planes);
  }
}

}  // namespace

void load_evaluate_energies() { resident_blocks(evaluate_energies_kernel, kBlock); }

void evaluate_energies(const PressureFieldCall& call, cudaStream_t stream) {
  const std::int64_t most = call.num_pairs();
  if (most == 0 || call.results.energy.data == nullptr) return;
  evaluate_energies_kernel<<<blocks_for(evaluate_energies_kernel, kBlock, most), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace isopatch::detail
