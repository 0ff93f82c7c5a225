// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace isopatch {

/// The pairs of cells that may touch in N environments, kept from one evaluation to the next, as neighbour lists with a
/// skin are in molecular dynamics. They are found with a margin, and found again only for part pairs whose parts have
/// moved relative to each other by more than that, or have another geometry or ratio of moduli. They change no bit.
/// Made by Evaluator::make_candidate_cache(). Move-only.
///
/// They are kept for wrenches and patches. cpu takes a smaller margin than the given one if the parts move slowly, and
/// keeps nothing for part pairs that move too fast or have too many candidates for it to pay; steps of a Simulator keep
/// candidates without a cache, with cuda too. cuda keeps them in large batches of small meshes. With reference a cache
/// is empty.
class CandidateCache {
 public:
  class Implementation;  ///< of a backend

  /// Takes memory that a backend made.
  explicit CandidateCache(std::unique_ptr<Implementation> implementation);

  ~CandidateCache();
  CandidateCache(CandidateCache&&) noexcept;             ///< takes over what the other one holds
  CandidateCache& operator=(CandidateCache&&) noexcept;  ///< the same, and releases what this one held

  std::int64_t num_environments() const;  ///< N: that it has room for
  double margin() const;                  ///< m
  std::size_t bytes() const;              ///< of its memory, on the device with cuda

  /// Forgets the candidates of the environments in which `mask` [N] is not 0; with a null mask of all. That is never
  /// needed for right results, since candidates that no longer hold are found again. With cuda, enqueues on `stream` (a
  /// cudaStream_t), and `mask` is a device pointer.
  void reset(const std::uint8_t* mask = nullptr, void* stream = nullptr);

  Implementation& implementation() const;  ///< for the backends. Throws Error if it was moved from

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace isopatch
