// SPDX-License-Identifier: Apache-2.0
//
// Checks of a call, before anything is read or written through its pointers, and what it keeps of its inputs so that
// they stay as they were checked.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/error.h"
#include "isopatch/evaluator.h"
#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"

namespace isopatch::detail {

/// The Error of a call whose state has poses, but no number of environments.
Error no_environments(const char* call);

/// Fills in strides that are kContiguous. Throws Error, naming the array, for a negative number of environments or
/// capacity, poses of 0 environments, missing arrays, a stride shorter than a row (an input may repeat one row by a
/// stride of 0), an unknown type, an address that is not a multiple of the element's size, rows beyond the address
/// space, and outputs that share bytes with an input or with each other. Takes time for a few dozen arrays, however
/// many environments there are.
void check_arguments(const Scene& scene, State& state, Results& results);

/// Throws unless the candidates are of the backend `owner` and have room for the environments.
void check_candidates(const CandidateCache& candidates, const Evaluator::Implementation& owner,
                      std::int64_t num_environments);

/// Throws unless every option has one of its possible values.
void check_options(const EvaluatorOptions& options);

/// A copy of the geometry indices of a call, each read once: which numbers of a geometry are valid
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
