// SPDX-License-Identifier: Apache-2.0
//
// Evaluates a batch from and to host memory.
#include "host/evaluator_backend.h"

#include <list>

#include "host/strides.h"
#include "isopatch/arrays.h"
#include "kernels/runtime/device_buffer.h"
#include "kernels/runtime/device_guard.h"

namespace isopatch::detail {

namespace {

/// Device copies of host arrays, and copies back.
class Mirror {
 public:
  explicit Mirror(std::int64_t environments) : environments_(environments) {}

  template <class Array>
  void in(Array& array, std::int64_t row) {
    if (array.data != nullptr) set(array, copy(array.data, bytes(array, row)));
  }
  template <class Array>
  void out(Array& array, std::int64_t row) {
    if (array.data != nullptr) set(array, copy_both_ways(array.data, bytes(array, row)));
  }

  void fetch() const {
    for (const auto& [buffer, host] : fetched_) buffer->download(static_cast<std::byte*>(host), buffer->size());
  }

 private:
  template <class Array>
  std::size_t bytes(const Array& array, std::int64_t row) const {
    return static_cast<std::size_t>(extent_of(array, row, environments_) * element_size(array));
  }
  template <class Array>
  static void set(Array& array, void* data) {
    array.data = static_cast<decltype(array.data)>(data);
  }
  void* copy(const void* host, std::size_t size) {
    DeviceBuffer<std::byte>& buffer = buffers_.emplace_back(size);
    buffer.upload(static_cast<const std::byte*>(host), size);
    return buffer.data();
  }
  // the gaps that a stride leaves between rows come back unchanged
  void* copy_both_ways(void* host, std::size_t size) {
    void* device = copy(host, size);
    fetched_.emplace_back(&buffers_.back(), host);
    return device;
  }

  std::int64_t environments_;
  std::list<DeviceBuffer<std::byte>> buffers_;
  std::vector<std::pair<const DeviceBuffer<std::byte>*, void*>> fetched_;
};

}  // namespace

void evaluate_on_device(const Evaluator& evaluator, const State& host_state, const Results& host_results) {
  int device = evaluator.options().device;
  if (device < 0) ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
  const DeviceGuard guard(device);
  State state = host_state;
  Results results = host_results;
  Mirror mirror(state.num_environments);

  const ArrayCounts counts = counts_of(evaluator.scene(), results);
  for_each_input([&](const ArrayInfo& info, auto& array) { mirror.in(array, counts.row(info)); }, state);
  for_each_output([&](const ArrayInfo& info, auto& array) { mirror.out(array, counts.row(info)); }, results);
  evaluator.evaluate(state, results);
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  mirror.fetch();
}

}  // namespace isopatch::detail
