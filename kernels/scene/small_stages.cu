// SPDX-License-Identifier: Apache-2.0
//
// Stages in which a thread has one item. The first keeps a call's geometry indices, the last sums one body's pair
// wrenches in the order of the pairs.
#include "isopatch/detail/scene/body_wrench.h"
#include "isopatch/detail/scene/environment.h"
#include "kernels/runtime/work_loop.cuh"
#include "kernels/scene/call.h"

namespace isopatch::detail {
namespace {

constexpr int kBlock = 128;  // memory-bound; any multiple of a warp would do

__global__ void __launch_bounds__(kBlock) sum_body_wrenches_kernel(BatchCall call) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::int64_t environment = item / call.scene.num_bodies;
  const int body = static_cast<int>(item % call.scene.num_bodies);
  if (environment >= call.state.num_environments) return;

  write_body_wrench(call.scene, call.state, call.results, environment, body);
}

__global__ void __launch_bounds__(kBlock)
    keep_geometries_kernel(TypedArray<const std::int32_t> indices, std::int64_t environments, int parts,
                           std::int32_t* to) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (item < environments * parts) to[item] = element(indices, item / parts, item % parts);
}

}  // namespace

void load_sum_body_wrenches() { resident_blocks(sum_body_wrenches_kernel, kBlock); }

void sum_body_wrenches(const BatchCall& call, cudaStream_t stream) {
  const std::int64_t items = call.state.num_environments * call.scene.num_bodies;
  if (items == 0 || call.results.body_wrench.data == nullptr) return;
  const std::int64_t blocks = (items + kBlock - 1) / kBlock;
  sum_body_wrenches_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

void load_keep_geometries() { resident_blocks(keep_geometries_kernel, kBlock); }

void keep_geometries(TypedArray<const std::int32_t>& indices, std::int64_t environments, int parts, std::int32_t* to,
                     cudaStream_t stream) {
  const std::int64_t items = environments * parts;
  if (indices.data == nullptr || items == 0) return;
  const auto blocks = static_cast<unsigned>((items + kBlock - 1) / kBlock);
  keep_geometries_kernel<<<blocks, kBlock, 0, stream>>>(indices, environments, parts, to);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
  indices = {to, parts};
}

}  // namespace isopatch::detail
