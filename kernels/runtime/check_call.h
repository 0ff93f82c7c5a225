// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <string>

#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch::detail {

/// Checks the arguments of the calls on a device, from any thread. An array that it has seen lately costs no question
/// to the driver, so one that was freed since and is memory of another kind now can get through.
class CallCheck {
 public:
  explicit CallCheck(int device) : device_(device) {}

  /// Throws Error, before anything is launched, if an array is not memory of the device or `stream` belongs to another
  /// one.
  void check(const State& state, const Results& results, cudaStream_t stream) const;

  /// The same for an array of another call, and for a stream alone.
  void check_array(const void* data, const std::string& object, const char* name) const;
  void check(cudaStream_t stream) const;

 private:
  static constexpr int kSlotBits = 8;

  int device_;
  mutable std::array<std::atomic<const void*>, 1 << kSlotBits> seen_ = {};  // at the hash of the address
};

}  // namespace isopatch::detail
