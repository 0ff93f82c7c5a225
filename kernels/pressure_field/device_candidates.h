// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/evaluation/candidate_memory.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// The candidates of a batch: for each environment, a list for each part pair.
class DeviceCandidates final : public CandidateCache::Implementation {
 public:
  /// On the current device, which is `device`. Throws Error if it has too little memory.
  DeviceCandidates(const Evaluator::Implementation& owner, int device, std::int64_t num_environments,
                   std::int32_t num_part_pairs, double margin);
  ~DeviceCandidates() override;

  std::size_t bytes() const override { return lists_.size() * sizeof(CandidateList); }
  void reset(const std::uint8_t* mask, void* stream) override;

  /// The lists of the environments from `first` on.
  CandidateList* lists(std::int64_t first) const { return lists_.data() + first * num_part_pairs_; }

 private:
  int device_;
  std::int32_t num_part_pairs_;
  DeviceBuffer<CandidateList> lists_;
};

}  // namespace isopatch::detail
