// SPDX-License-Identifier: Apache-2.0
//
// What is done to each of many items between calls, by Thrust.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/system_error.h>

#include <cstdint>

#include "kernels/memory/stream.h"

namespace isopatch::detail {

/// Enqueues act(i) for each i below `count`, a thread each. Allocates nothing and does not synchronise, so it can be
/// captured in a graph. Throws Error where CUDA gives an error.
template <class Act>
void for_each_item(std::int64_t count, const Act& act, cudaStream_t stream) {
  try {
    thrust::for_each_n(thrust::cuda::par_nosync.on(stream), thrust::counting_iterator<std::int64_t>(0), count, act);
  } catch (const thrust::system_error& e) {
    check_cuda(static_cast<cudaError_t>(e.code().value()), "thrust::for_each_n()", __FILE__, __LINE__);
  }
}

/// Loads the kernel of for_each_item() on the current device, which a stream capture may refuse: runs Act(), which does
/// nothing.
template <class Act>
void load_for_each_item() {
  for_each_item(1, Act(), Stream());
}

}  // namespace isopatch::detail
