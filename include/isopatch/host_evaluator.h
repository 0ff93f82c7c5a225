// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isopatch/evaluator.h"

namespace isopatch {

/// The rows of the environments from `begin` on, `count` of them.
State part_of(const State& state, const Scene& scene, std::int64_t begin, std::int64_t count);
Results part_of(const Results& results, const Scene& scene, std::int64_t begin);

/// Evaluates from and to host memory on all there is: with cuda every visible device (or the one in `options`), which
/// share the environments out between them and have the scene each; with cpu and reference all cores. The results have
/// the same bits however many devices there are.
class HostEvaluator {
 public:
  /// Throws Error as Evaluator().
  explicit HostEvaluator(Scene scene, EvaluatorOptions options = {});

  /// Computes every array of `results` that is not null and returns when done. Throws Error as Evaluator::evaluate().
  void evaluate(const State& state, const Results& results) const;

  const Scene& scene() const { return evaluators_.front().scene(); }
  const EvaluatorOptions& options() const { return evaluators_.front().options(); }
  int num_devices() const { return static_cast<int>(evaluators_.size()); }

 private:
  std::vector<Evaluator> evaluators_;  // one for each device
};

}  // namespace isopatch
