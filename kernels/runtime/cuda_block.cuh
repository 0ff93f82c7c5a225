// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace isopatch::detail {

/// The threads of a block as the lanes of a warp, for what needs no more than their number and a barrier.
template <int threads>
struct CudaBlock {
  static constexpr int kSize = threads;
  __device__ int lane() const { return static_cast<int>(threadIdx.x); }
  __device__ void sync() const { __syncthreads(); }
};

}  // namespace isopatch::detail
