// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a call in host memory, and copies of them on a device, in memory that is kept for the next call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "host/evaluation/strides.h"
#include "isopatch/rollout_state.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/memory/device_memory.h"

namespace isopatch::detail {

class HostRollout {
 public:
  /// Strides are filled in. `memory` is replaced where it is too small; throws Error where the device has too little.
  /// Everything is copied on `stream`.
  HostRollout(const ArrayCounts& counts, const RolloutState& state, const RolloutInput& input,
              const RolloutOutput& output, DeviceBuffer<std::byte>& memory, cudaStream_t stream)
      : stream_(stream), host_state_(state), device_state_(state), device_input_(input), device_output_(output) {
    const std::int64_t n = state.num_environments;
    for_each_rollout_state(
        [&](const ArrayInfo& info, auto*& pointer) {
          add(pointer, n * counts.row(info) * static_cast<std::int64_t>(sizeof(*pointer)), true);
        },
        device_state_);
    for_each_rollout_input(
        [&](const ArrayInfo& info, auto& array) {
          add(array.data, extent_of(array, counts.row(info), n) * element_size(array), false);
        },
        device_input_);
    for_each_rollout_output(
        [&](const ArrayInfo& info, auto& array) {
          add(array.data, extent_of(array, counts.row(info), n) * element_size(array), true);
        },
        device_output_);
    std::size_t size = 0;
    const auto take = [&](std::size_t bytes) {
      return std::exchange(size, size + (bytes + kAlignment - 1) / kAlignment * kAlignment);
    };
    for (Copy& copy : copies_) copy.offset = take(copy.bytes);
    const std::size_t needed = take(static_cast<std::size_t>(n) * sizeof(std::int32_t));
    if (size > memory.size()) {
      memory = DeviceBuffer<std::byte>();
      require_device_memory(size, "the copy of the batch needs");
      memory = DeviceBuffer<std::byte>(size);
    }
    for (Copy& copy : copies_) *copy.pointer = copy.device = memory.data() + copy.offset;
    // how many polygons there were is always asked for
    if (device_output_.polygons_needed.data == nullptr) {
      device_output_.polygons_needed = {reinterpret_cast<std::int32_t*>(memory.data() + needed), 1};
    }
  }

  /// Where a call threw an error, copies may still be on their way.
  ~HostRollout() { cudaStreamSynchronize(stream_); }
  HostRollout(const HostRollout&) = delete;
  HostRollout& operator=(const HostRollout&) = delete;

  RolloutState state() const { return device_state_; }
  RolloutInput input() const { return device_input_; }
  RolloutOutput output() const { return device_output_; }

  /// Of outputs too: what lies between their rows stays as it is. May return before the arrays of the host are read.
  void upload() const {
    for (const Copy& copy : copies_) {
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(copy.device, copy.host, copy.bytes, cudaMemcpyHostToDevice, stream_));
    }
  }
  /// Returns when all is there.
  void download() const {
    for (const Copy& copy : copies_) {
      if (!copy.is_output) continue;
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(copy.host, copy.device, copy.bytes, cudaMemcpyDeviceToHost, stream_));
    }
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
  }

  /// The most polygons that an environment had, also if there was no room for them. Waits for the steps.
  std::int32_t most_polygons() const {
    const auto n = static_cast<std::size_t>(host_state_.num_environments);
    const TypedArray<std::int32_t>& needed = device_output_.polygons_needed;
    const auto stride = static_cast<std::size_t>(needed.stride);
    std::vector<std::int32_t> counts(n == 0 ? 0 : (n - 1) * stride + 1);
    if (!counts.empty()) {
      ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(counts.data(), needed.data, counts.size() * sizeof(std::int32_t),
                                          cudaMemcpyDeviceToHost, stream_));
      ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream_));
    }
    std::int32_t most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, counts[i * stride]);
    return most;
  }

 private:
  static constexpr std::size_t kAlignment = 256;  // of every array

  struct Copy {
    void** pointer;  // of the device's arrays
    void* host;
    std::size_t bytes;
    bool is_output;
    std::size_t offset;
    std::byte* device;
  };

  template <class Pointer>
  void add(Pointer& pointer, std::int64_t bytes, bool is_output) {
    if (pointer == nullptr) return;
    auto** const at =
        reinterpret_cast<void**>(const_cast<std::remove_const_t<std::remove_pointer_t<Pointer>>**>(&pointer));
    copies_.push_back({at, const_cast<void*>(static_cast<const void*>(pointer)), static_cast<std::size_t>(bytes),
                       is_output, 0, nullptr});
  }

  cudaStream_t stream_;
  RolloutState host_state_, device_state_;
  RolloutInput device_input_;
  RolloutOutput device_output_;
  std::vector<Copy> copies_;
};

}  // namespace isopatch::detail
