// SPDX-License-Identifier: Apache-2.0
//
// A batch from and to host memory, for callers that are not on the device themselves.
#include "host/evaluator_backend.h"

#include <list>

#include "host/arrays.h"
#include "kernels/runtime/device_buffer.h"
#include "kernels/runtime/device_guard.h"

namespace isopatch {

namespace {

/// Device copies of host arrays, and the way back.
class Mirror {
 public:
  explicit Mirror(std::int64_t environments) : environments_(environments) {}

  template <class Array>
  void in(Array& array, std::int64_t row) {
    if (array.data == nullptr) return;
    array.data = copy(array.data, bytes(array, row));
  }
  template <class T>
  void in(const T*& data, std::int64_t row) {
    if (data != nullptr)
      data = static_cast<const T*>(copy(data, static_cast<std::size_t>(environments_ * row) * sizeof(T)));
  }
  void out(OutputArray& array, std::int64_t row) {
    if (array.data != nullptr) array.data = copy_both_ways(array.data, bytes(array, row));
  }
  template <class T>
  void out(T*& data, std::int64_t row) {
    if (data != nullptr) {
      data = static_cast<T*>(copy_both_ways(data, static_cast<std::size_t>(environments_ * row) * sizeof(T)));
    }
  }

  void fetch() const {
    for (const auto& [buffer, host] : fetched_) buffer->download(static_cast<std::byte*>(host), buffer->size());
  }

 private:
  template <class Array>
  std::size_t bytes(const Array& array, std::int64_t row) const {
    const std::size_t scalar = array.type == ScalarType::kFloat64 ? sizeof(double) : sizeof(float);
    const std::int64_t stride = array.stride == 0 ? row : array.stride;
    const std::int64_t elements = environments_ == 0 ? 0 : (environments_ - 1) * stride + row;
    return static_cast<std::size_t>(elements) * scalar;
  }
  void* copy(const void* host, std::size_t size) {
    DeviceBuffer<std::byte>& buffer = buffers_.emplace_back(size);
    buffer.upload(static_cast<const std::byte*>(host), size);
    return buffer.data();
  }
  // what a stride leaves between rows comes back as it was
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

  for_each_input(state, evaluator.scene(), [&](const char*, auto& array, std::int64_t row) { mirror.in(array, row); });
  for_each_output(results, evaluator.scene(),
                  [&](const char*, auto& array, std::int64_t row) { mirror.out(array, row); });
  evaluator.evaluate(state, results);
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  mirror.fetch();
}

}  // namespace isopatch
