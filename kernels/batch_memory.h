// SPDX-License-Identifier: Apache-2.0
//
// The working memory that a call has whatever the contact models.
#pragma once

#include <algorithm>

#include "kernels/memory/device_buffer.h"
#include "kernels/memory/device_memory.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

struct BatchSize {
  std::size_t pairs = 0, geometries = 0;  // of all environments

  bool fits(const BatchSize& room) const { return pairs <= room.pairs && geometries <= room.geometries; }
  BatchSize joined(const BatchSize& other) const {
    return {std::max(pairs, other.pairs), std::max(geometries, other.geometries)};
  }
};

struct BatchMemory {
  using Size = BatchSize;

  DeviceBuffer<std::int64_t> list;
  DeviceBuffer<CallCounters> counters;
  DeviceBuffer<std::int32_t> geometries;

  /// Throws Error if the device has too little memory.
  BatchMemory(const BatchSize& size, cudaStream_t /*stream*/) {
    require_device_memory(
        bytes(size), "the list of " + std::to_string(size.pairs) + " pairs of bodies (environments times pairs) needs");
    list = DeviceBuffer<std::int64_t>(size.pairs);
    counters = DeviceBuffer<CallCounters>(1);
    geometries = DeviceBuffer<std::int32_t>(size.geometries);
  }

  /// What the constructor allocates for this size.
  static std::size_t bytes(const BatchSize& size) {
    return size.pairs * sizeof(std::int64_t) + size.geometries * sizeof(std::int32_t) + sizeof(CallCounters);
  }
};

}  // namespace isopatch::detail
