// SPDX-License-Identifier: Apache-2.0
//
// The memory of a CandidateCache, which a backend makes.
#pragma once

#include "isopatch/candidate_cache.h"
#include "isopatch/evaluator.h"

namespace isopatch {

class CandidateCache::Implementation {
 public:
  /// `owner` is the evaluator's backend, for whose scene the candidates are.
  Implementation(const Evaluator::Implementation& owner, std::int64_t num_environments, double margin)
      : owner_(&owner), num_environments_(num_environments), margin_(margin) {}
  virtual ~Implementation() = default;

  virtual std::size_t bytes() const { return 0; }

  /// How often lists were found with a margin, all together; 0 if a backend does not count.
  virtual std::int64_t times_found() const { return 0; }

  virtual void reset(const std::uint8_t* /*mask*/, void* /*stream*/) {}

  const Evaluator::Implementation* owner() const { return owner_; }
  std::int64_t num_environments() const { return num_environments_; }
  double margin() const { return margin_; }

 private:
  const Evaluator::Implementation* owner_;
  std::int64_t num_environments_;
  double margin_;
};

}  // namespace isopatch
