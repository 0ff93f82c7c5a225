// SPDX-License-Identifier: Apache-2.0
#include "isopatch/host_evaluator.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/evaluation/packed_output.h"
#include "host/evaluation/strides.h"
#include "host/text/throw_error.h"
#include "host/threads/parallel_for.h"
#include "isopatch/arrays.h"

namespace isopatch {

using namespace detail;

namespace {

void check_reach(std::int64_t begin, std::int64_t stride, std::int64_t size) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (stride >= 0 && (stride == 0 || begin <= kMax / size / stride)) return;
  throw_error("part_of: environment {} with a stride of {} elements is beyond what can be addressed", begin, stride);
}

/// Lets the array begin at environment `begin`.
template <class Array>
void skip(const ArrayInfo& info, Array& array, const ArrayCounts& counts, std::int64_t begin) {
  if (array.data == nullptr) return;
  if constexpr (HasRows<Array>) {
    array.stride = resolved_stride(array, counts.row(info));
    check_reach(begin, array.stride, element_size(array));
    advance(array, begin * array.stride);
  } else if (begin > 0) {
    throw_error("part_of: results.{} is of the whole batch; the results from environment {} on have none", info.name,
                begin);
  }
}

/// The packed arrays of one kind for a part of a batch. Where its rows belong is known once the parts before it are
/// evaluated.
template <class Record>
class PartRows {
 public:
  PartRows(const PackedOutput<Record>& whole, std::int64_t begin, std::int64_t count)
      : whole_(whole), begin_(begin), count_(count) {
    if (whole.is_wanted()) offsets_.resize(static_cast<std::size_t>(count + 1));
    // only what is written of these takes memory
    if (whole.rows.data != nullptr) {
      rows_ = std::make_unique_for_overwrite<Record[]>(static_cast<std::size_t>(whole.rows.capacity));
    }
  }

  /// Lets the arrays of a call be here.
  void give(PackedBuffer<Record>& rows, BatchArray<std::int64_t>& offsets) {
    rows = {rows_.get(), whole_.rows.capacity};
    offsets = whole_.is_wanted() ? offsets_.data() : nullptr;
  }

  /// Adds this part to the arrays of the batch. All parts before it have been added.
  void join(const TypedArray<std::uint32_t>& status) const {
    if (!whole_.is_wanted() || count_ == 0) return;
    whole_.join_offsets(begin_, count_, offsets_.data());
    if (rows_ != nullptr) whole_.write(begin_, begin_ + count_, rows_.get(), status);
  }

 private:
  PackedOutput<Record> whole_;
  std::int64_t begin_, count_;
  std::vector<std::int64_t> offsets_;
  std::unique_ptr<Record[]> rows_;
};

/// The environments that one device evaluates.
struct DevicePart {
  std::int64_t begin, count;
  PartRows<Polygon> polygons;
  PartRows<DiscreteContact> contacts;

  DevicePart(const Results& whole, std::int64_t begin_, std::int64_t count_)
      : begin(begin_),
        count(count_),
        polygons(packed_polygons(whole), begin, count),
        contacts(packed_contacts(whole), begin, count) {}

  Results results(const Results& whole, const Scene& scene) {
    Results part = part_of(without_packed(whole), scene, begin);
    polygons.give(part.packed_polygons, part.polygon_offsets);
    contacts.give(part.packed_contacts, part.contact_offsets);
    return part;
  }
};

}  // namespace

State part_of(const State& state, const Scene& scene, std::int64_t begin, std::int64_t count) {
  if (begin < 0 || count < 0 || begin > state.num_environments || count > state.num_environments - begin) {
    throw_error("part_of: {} environments from {} on; the state has {}", count, begin, state.num_environments);
  }
  State part = state;
  part.num_environments = count;
  const ArrayCounts counts = counts_of(scene);
  for_each_input([&](const ArrayInfo& info, auto& array) { skip(info, array, counts, begin); }, part);
  return part;
}

Results part_of(const Results& results, const Scene& scene, std::int64_t begin) {
  if (begin < 0) throw_error("part_of: the results from environment {} on; there are none below 0", begin);
  Results part = results;
  const ArrayCounts counts = counts_of(scene, results);
  for_each_output([&](const ArrayInfo& info, auto& array) { skip(info, array, counts, begin); }, part);
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
  if (evaluators_.empty()) throw Error("evaluator: it was moved from; use the evaluator that it was moved to");
  return evaluators_.front();
}

const Scene& HostEvaluator::scene() const { return first().scene(); }
const EvaluatorOptions& HostEvaluator::options() const { return first().options(); }

int HostEvaluator::num_devices() const {
  first();
  return static_cast<int>(evaluators_.size());
}

const Evaluator& HostEvaluator::only() const {
  if (num_devices() > 1) {
    throw_error("host evaluator: it uses {} devices; candidates are for one: name it by options.device", num_devices());
  }
  return first();
}

CandidateCache HostEvaluator::make_candidate_cache(std::int64_t num_environments, double margin) const {
  return only().make_candidate_cache(num_environments, margin);
}

void HostEvaluator::evaluate(const State& state, const Results& results, CandidateCache& candidates) const {
  evaluate_checked(only().implementation(), state, results, &candidates, nullptr, true);
}

void HostEvaluator::evaluate(const State& state, const Results& results) const {
  if (num_devices() == 1) return evaluate_checked(first().implementation(), state, results, nullptr, nullptr, true);
  State checked_state = state;
  Results checked_results = results;
  check_arguments(scene(), checked_state, checked_results);

  const auto devices = std::ssize(evaluators_);
  std::vector<DevicePart> parts;
  for (std::int64_t i = 0; i < devices; ++i) {
    const std::int64_t begin = i * state.num_environments / devices, end = (i + 1) * state.num_environments / devices;
    parts.emplace_back(checked_results, begin, end - begin);
  }
  LoopChunks chunks(devices, 1);
  run_on_threads(static_cast<int>(devices), [&](int thread) {
    chunks.take(thread, [&](std::int64_t i, std::int64_t) {
      DevicePart& part = parts[i];
      evaluators_[i].implementation().evaluate_from_host(part_of(checked_state, scene(), part.begin, part.count),
                                                         part.results(checked_results, scene()), nullptr);
    });
  });
  for_each_packed_output(checked_results, [](const auto& packed) {
    if (packed.is_wanted()) packed.offsets.data[0] = 0;
  });
  for (const DevicePart& part : parts) {
    part.polygons.join(checked_results.status);
    part.contacts.join(checked_results.status);
  }
}

}  // namespace isopatch
