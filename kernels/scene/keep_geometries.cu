// SPDX-License-Identifier: Apache-2.0
#include "kernels/scene/keep_geometries.h"

#include "isopatch/detail/scene/environment.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;

__global__ void __launch_bounds__(kBlock)
    keep_geometries_kernel(TypedArray<const std::int32_t> indices, std::int64_t environments, int parts,
                           std::int32_t* to) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (item < environments * parts) to[item] = element(indices, item / parts, item % parts);
}

}  // namespace

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
