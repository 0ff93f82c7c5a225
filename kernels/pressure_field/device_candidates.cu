// SPDX-License-Identifier: Apache-2.0
//
// A thread forgets the candidates of one part pair of one environment.
#include "kernels/pressure_field/device_candidates.h"

#include <string>

#include "isopatch/error.h"
#include "kernels/algorithms/for_each_item.cuh"
#include "kernels/memory/working_memory.h"
#include "kernels/runtime/device_guard.h"

namespace isopatch::detail {

namespace {

struct ResetCandidates {
  CandidateList* lists;
  std::int32_t num_part_pairs;
  const std::uint8_t* mask;

  __device__ void operator()(std::int64_t i) const {
    if (mask != nullptr && mask[i / num_part_pairs] == 0) return;
    lists[i].state = CandidateList::kNone;
    lists[i].pause = 0;
  }
};

}  // namespace

DeviceCandidates::DeviceCandidates(const Evaluator::Implementation& owner, int device, std::int64_t num_environments,
                                   std::int32_t num_part_pairs, double margin)
    : Implementation(owner, num_environments, margin), device_(device), num_part_pairs_(num_part_pairs) {
  const auto count = static_cast<std::size_t>(num_environments) * static_cast<std::size_t>(num_part_pairs);
  require_device_memory(count * sizeof(CandidateList), "the candidates of " + std::to_string(num_environments) +
                                                           " environments of " + std::to_string(num_part_pairs) +
                                                           " part pairs need");
  lists_ = DeviceBuffer<CandidateList>(count);
  const Stream stream;
  DeviceCandidates::reset(nullptr, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

DeviceCandidates::~DeviceCandidates() { free_on(device_, lists_); }

void DeviceCandidates::reset(const std::uint8_t* mask, void* stream) {
  const DeviceGuard guard(device_);
  const auto count = static_cast<std::int64_t>(lists_.size());
  for_each_item(count, ResetCandidates{lists_.data(), num_part_pairs_, mask}, static_cast<cudaStream_t>(stream));
}

}  // namespace isopatch::detail
