// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isopatch/evaluator.h"

namespace isopatch {

/// The rows of the `count` environments from `begin` on. Throws Error for environments that the state does not have,
/// and rows beyond what can be addressed.
State part_of(const State& state, const Scene& scene, std::int64_t begin, std::int64_t count);

/// The rows of the environments from `begin` on. Throws Error for a negative `begin`, for rows beyond what can be
/// addressed, and for packed arrays unless `begin` is 0. Results do not know how many environments there are.
Results part_of(const Results& results, const Scene& scene, std::int64_t begin);

/// Evaluates from and to host memory. With cuda it divides the environments among all visible devices (or takes the one
/// in `options`), and each has a copy of the scene and, from the first call on, two buffers of 8 MiB, or of an
/// environment's arrays if these are larger; with cpu and reference it uses all cores. The results have the same
/// bits however many devices there are. Every call on a HostEvaluator that was moved from throws Error.
class HostEvaluator {
 public:
  /// Throws Error as Evaluator().
  explicit HostEvaluator(Scene scene, EvaluatorOptions options = {});

  /// Evaluates with this evaluator alone.
  explicit HostEvaluator(Evaluator evaluator);

  /// Computes every array of `results` that is not null and returns when done. May be called from several threads; with
  /// cuda these calls take turns. Throws Error as Evaluator::evaluate().
  void evaluate(const State& state, const Results& results) const;

  /// The same with candidates, as Evaluator::evaluate(). Throws Error also if it uses several devices.
  void evaluate(const State& state, const Results& results, CandidateCache& candidates) const;

  /// As Evaluator::make_candidate_cache(). Throws Error also if it uses several devices.
  CandidateCache make_candidate_cache(std::int64_t num_environments, double margin) const;

  const Scene& scene() const;               ///< the scene it evaluates
  const EvaluatorOptions& options() const;  ///< those it was made with; `device` is 0 where all are used
  int num_devices() const;                  ///< how many devices it uses; 1 without cuda

 private:
  const Evaluator& first() const;
  const Evaluator& only() const;

  std::vector<Evaluator> evaluators_;  ///< one for each device
};

}  // namespace isopatch
