// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "kernels/evaluation_call.h"
#include "kernels/runtime/device_buffer.h"

namespace isopatch::detail {

/// How much of each kind a call needs.
struct CallSizes {
  std::int64_t pairs;                                                // of all environments
  std::int64_t shared_sums;                                          // of pairs that several warps share
  std::int64_t staged_pairs, staged_sums, staged_part_pairs, cells;  // between the stages of pairs
  std::int64_t kept;  // candidates, of all part pairs of all environments
};

/// Working memory of the calls: the list of near pairs, counters, sums of pairs that several warps share, and what is
/// kept between the stages of pairs. Grows to the largest batch seen.
class CallMemory {
 public:
  /// Throws Error where that would allocate while `stream` is being captured.
  void reserve(const CallSizes& sizes, cudaStream_t stream);

  std::int64_t* list() const { return list_.data(); }
  CallCounters* counters() const { return counters_.data(); }
  SharedSums* sums() const { return sums_.data(); }
  StagedMemory staged(float margin) const {
    const auto count = [](const auto& buffer) { return static_cast<std::int32_t>(buffer.size()); };
    return {staged_pairs_.data(), staged_sums_.data(), part_pairs_.data(), cells_.data(), unfinished_.data(),
            count(staged_pairs_), count(part_pairs_),  count(cells_),      nullptr,       0};
  }

 private:
  std::mutex mutex_;
  DeviceBuffer<std::int64_t> list_;
  DeviceBuffer<CallCounters> counters_;
  DeviceBuffer<SharedSums> sums_;
  DeviceBuffer<StagedPair> staged_pairs_;
  DeviceBuffer<StoredSums> staged_sums_;
  DeviceBuffer<StagedPartPair> part_pairs_;
  DeviceBuffer<ListedCells> cells_;
  DeviceBuffer<UnfinishedPair> unfinished_;
  DeviceBuffer<KeptCandidates> kept_;
};

}  // namespace isopatch::detail
