// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "kernels/memory/cuda_check.h"
#include "kernels/memory/device_buffer.h"
#include "tests/support/rollouts.h"

namespace isopatch::test {

/// A state in device memory.
struct StateOnDevice {
  detail::UploadedArrays arrays;
  RolloutState view;

  explicit StateOnDevice(const RolloutStateArrays& host) {
    view.num_environments = host.num_environments;
    for_each_rollout_state([&](const ArrayInfo&, const auto& from, auto*& to) { to = arrays.upload(from, nullptr); },
                           host, view);
  }
  void expect(const RolloutStateArrays& expected) const {
    const auto compare = [](const ArrayInfo& info, auto wanted, const auto* on_device) {
      auto found = wanted;
      const std::size_t bytes = wanted.size() * sizeof(wanted[0]);
      ISOPATCH_CUDA_CHECK(cudaMemcpy(found.data(), on_device, bytes, cudaMemcpyDeviceToHost));
      EXPECT_TRUE(same_bytes(found.data(), wanted.data(), bytes)) << info.name;
    };
    for_each_rollout_state(compare, expected, view);
  }
};

}  // namespace isopatch::test
