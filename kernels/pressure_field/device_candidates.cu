// SPDX-License-Identifier: Apache-2.0
//
// A thread forgets the candidates of one part pair of one environment.
#include "kernels/pressure_field/device_candidates.h"

#include <string>

#include "isopatch/error.h"
#include "kernels/memory/cuda_check.h"
#include "kernels/memory/working_memory.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;  // memory-bound; any multiple of a warp would do

__global__ void __launch_bounds__(kBlock)
    reset_candidates_kernel(CandidateList* lists, std::int64_t count, std::int32_t num_part_pairs,
                            const std::uint8_t* mask) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (item >= count || (mask != nullptr && mask[item / num_part_pairs] == 0)) return;
  lists[item].state = CandidateList::kNone;
  lists[item].pause = 0;
}

void reset_lists(CandidateList* lists, std::int64_t count, std::int32_t num_part_pairs, const std::uint8_t* mask,
                 cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned>((count + kBlock - 1) / kBlock);
  reset_candidates_kernel<<<blocks, kBlock, 0, stream>>>(lists, count, num_part_pairs, mask);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void load_reset_candidates() { resident_blocks(reset_candidates_kernel, kBlock); }

DeviceCandidates::DeviceCandidates(const Evaluator::Implementation& owner, int device, std::int64_t num_environments,
                                   std::int32_t num_part_pairs, double margin)
    : Implementation(owner, num_environments, margin), device_(device), num_part_pairs_(num_part_pairs) {
  const auto count = static_cast<std::size_t>(num_environments) * static_cast<std::size_t>(num_part_pairs);
  require_device_memory(count * sizeof(CandidateList), "the candidates of " + std::to_string(num_environments) +
                                                           " environments of " + std::to_string(num_part_pairs) +
                                                           " part pairs need");
  lists_ = DeviceBuffer<CandidateList>(count);
  const Stream stream;
  reset_lists(lists_.data(), static_cast<std::int64_t>(count), num_part_pairs, nullptr, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
}

DeviceCandidates::~DeviceCandidates() { free_on(device_, lists_); }

void DeviceCandidates::reset(const std::uint8_t* mask, void* stream) {
  const DeviceGuard guard(device_);
  reset_lists(lists_.data(), static_cast<std::int64_t>(lists_.size()), num_part_pairs_, mask,
              static_cast<cudaStream_t>(stream));
}

}  // namespace isopatch::detail
