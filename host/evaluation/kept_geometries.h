// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/evaluator.h"

namespace isopatch::detail {

/// The geometry indices of a call in memory of its own, where each is read once: which numbers of a geometry are valid
/// depends on its kind, so a call must not see two of them although the caller's other threads may write meanwhile.
class KeptGeometries {
 public:
  /// Replaces the indices, if there are any; the cuda backend keeps them on its device.
  KeptGeometries(Backend backend, TypedArray<const std::int32_t>& indices, std::int64_t environments,
                 std::int64_t parts) {
    if (indices.data == nullptr || backend == Backend::kCuda) return;
    rows_.reserve(static_cast<std::size_t>(environments * parts));
    for (std::int64_t e = 0; e < environments; ++e) {
      const std::int32_t* const row = indices.data + e * indices.stride;
      for (std::int64_t part = 0; part < parts; ++part) {
        rows_.push_back(__atomic_load_n(row + part, __ATOMIC_RELAXED));  // std::atomic_ref takes no const before C++26
      }
    }
    indices = {rows_.data(), parts};
  }
  KeptGeometries(const KeptGeometries&) = delete;
  KeptGeometries& operator=(const KeptGeometries&) = delete;

 private:
  std::vector<std::int32_t> rows_;
};

}  // namespace isopatch::detail
