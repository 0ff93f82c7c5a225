// SPDX-License-Identifier: Apache-2.0
#include "isopatch/candidate_cache.h"

#include <utility>

#include "host/evaluation/candidate_memory.h"
#include "isopatch/error.h"

namespace isopatch {

CandidateCache::CandidateCache(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
CandidateCache::~CandidateCache() = default;
CandidateCache::CandidateCache(CandidateCache&&) noexcept = default;
CandidateCache& CandidateCache::operator=(CandidateCache&&) noexcept = default;

CandidateCache::Implementation& CandidateCache::implementation() const {
  if (implementation_ == nullptr) throw Error("candidate cache: it was moved from; use the one that it was moved to");
  return *implementation_;
}

std::int64_t CandidateCache::num_environments() const { return implementation().num_environments(); }
double CandidateCache::margin() const { return implementation().margin(); }
std::size_t CandidateCache::bytes() const { return implementation().bytes(); }
void CandidateCache::reset(const std::uint8_t* mask, void* stream) { implementation().reset(mask, stream); }

}  // namespace isopatch
