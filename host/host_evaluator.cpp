// SPDX-License-Identifier: Apache-2.0
#include "isopatch/host_evaluator.h"

#include <algorithm>
#include <type_traits>

#include "arrays.h"
#include "device_batch.h"
#include "threads/share_out.h"

namespace isopatch {

namespace {

template <class Array>
void advance(Array& array, std::int64_t row, std::int64_t begin) {
  if (array.data == nullptr) return;
  if (array.stride == 0) array.stride = row;
  const std::int64_t size = array.type == ScalarType::kFloat64 ? sizeof(double) : sizeof(float);
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(array.data)>>, const char, char>;
  array.data = static_cast<Byte*>(array.data) + begin * array.stride * size;
}

template <class T>
void advance(T*& data, std::int64_t row, std::int64_t begin) {
  if (data != nullptr) data += begin * row;
}

}  // namespace

State part_of(const State& state, const Scene& scene, std::int64_t begin, std::int64_t count) {
  State part = state;
  part.num_environments = count;
  for_each_input(part, scene, [&](const char*, auto& array, std::int64_t row) { advance(array, row, begin); });
  return part;
}

Results part_of(const Results& results, const Scene& scene, std::int64_t begin) {
  Results part = results;
  for_each_output(part, scene, [&](const char*, auto& array, std::int64_t row) { advance(array, row, begin); });
  return part;
}

HostEvaluator::HostEvaluator(Scene scene, EvaluatorOptions options) {
  const bool all_devices = options.backend == Backend::kCuda && options.device == -1;
  const int devices = all_devices ? std::max(1, num_cuda_devices()) : 1;  // without one, the backend says so
  for (int device = 0; device < devices; ++device) {
    if (all_devices) options.device = device;
    evaluators_.emplace_back(scene, options);
  }
}

void HostEvaluator::evaluate(const State& state, const Results& results) const {
  if (options().backend != Backend::kCuda) return evaluators_.front().evaluate(state, results);
  if (evaluators_.size() == 1) return evaluate_on_device(evaluators_.front(), state, results);

  const auto devices = static_cast<std::int64_t>(evaluators_.size());
  Turns turns(devices, 1);
  run_on_threads(static_cast<int>(devices), [&](int thread) {
    turns.take(thread, [&](std::int64_t i, std::int64_t) {
      const std::int64_t begin = i * state.num_environments / devices, end = (i + 1) * state.num_environments / devices;
      evaluate_on_device(evaluators_[static_cast<std::size_t>(i)], part_of(state, scene(), begin, end - begin),
                         part_of(results, scene(), begin));
    });
  });
}

}  // namespace isopatch
