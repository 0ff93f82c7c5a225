// SPDX-License-Identifier: Apache-2.0
#include "isopatch/host_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "host/argument_check.h"
#include "host/evaluator_backend.h"
#include "host/strides.h"
#include "host/threads/parallel_for.h"
#include "isopatch/arrays.h"
#include "isopatch/error.h"

namespace isopatch {

using namespace detail;

namespace {

void check_reach(std::int64_t begin, std::int64_t stride, std::int64_t size) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (stride >= 0 && (stride == 0 || begin <= kMost / size / stride)) return;
  throw Error(fmt::format("part_of: environment {} with a stride of {} elements is beyond what can be addressed", begin,
                          stride));
}

/// Lets the array begin at environment `begin`.
template <class Array>
void skip(Array& array, std::int64_t row, std::int64_t begin) {
  if (array.data == nullptr) return;
  array.stride = resolved_stride(array, row);
  check_reach(begin, array.stride, element_size(array));
  advance(array, begin * array.stride);
}

}  // namespace

State part_of(const State& state, const Scene& scene, std::int64_t begin, std::int64_t count) {
  if (begin < 0 || count < 0 || begin > state.num_environments || count > state.num_environments - begin) {
    throw Error(
        fmt::format("part_of: {} environments from {} on; the state has {}", count, begin, state.num_environments));
  }
  State part = state;
  part.num_environments = count;
  const ArrayCounts counts = counts_of(scene);
  for_each_input([&](const ArrayInfo& info, auto& array) { skip(array, counts.row(info), begin); }, part);
  return part;
}

Results part_of(const Results& results, const Scene& scene, std::int64_t begin) {
  if (begin < 0) throw Error(fmt::format("part_of: the results from environment {} on; there are none below 0", begin));
  Results part = results;
  const ArrayCounts counts = counts_of(scene, results);
  for_each_output([&](const ArrayInfo& info, auto& array) { skip(array, counts.row(info), begin); }, part);
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

HostEvaluator::HostEvaluator(Evaluator evaluator) { evaluators_.push_back(std::move(evaluator)); }

const Evaluator& HostEvaluator::first() const {
  if (evaluators_.empty()) {
    throw Error("evaluator: it was moved from; use the evaluator that it was moved to");
  }
  return evaluators_.front();
}

const Scene& HostEvaluator::scene() const { return first().scene(); }
const EvaluatorOptions& HostEvaluator::options() const { return first().options(); }

int HostEvaluator::num_devices() const {
  first();
  return static_cast<int>(evaluators_.size());
}

void HostEvaluator::evaluate(const State& state, const Results& results) const {
  if (options().backend != Backend::kCuda) return first().evaluate(state, results);
  State checked_state = state;
  Results checked_results = results;
  check_arguments(scene(), checked_state, checked_results);
  if (evaluators_.size() == 1) return first().implementation().evaluate_from_host(checked_state, checked_results);

  const auto devices = static_cast<std::int64_t>(evaluators_.size());
  LoopChunks chunks(devices, 1);
  run_on_threads(static_cast<int>(devices), [&](int thread) {
    chunks.take(thread, [&](std::int64_t i, std::int64_t) {
      const std::int64_t begin = i * state.num_environments / devices, end = (i + 1) * state.num_environments / devices;
      evaluators_[static_cast<std::size_t>(i)].implementation().evaluate_from_host(
          part_of(checked_state, scene(), begin, end - begin), part_of(checked_results, scene(), begin));
    });
  });
}

}  // namespace isopatch
