// SPDX-License-Identifier: Apache-2.0
//
// The interface of every backend, and the checks that all of them have in common.
#pragma once

#include <optional>

#include "host/evaluation/backend_options.h"
#include "host/evaluation/candidate_memory.h"
#include "isopatch/evaluator.h"

namespace isopatch {

class Evaluator::Implementation {
 public:
  Implementation(Scene scene, EvaluatorOptions options) : scene_(std::move(scene)), options_(options) {}
  virtual ~Implementation() = default;

  // Arguments are checked and strides filled in (never 0) before this is called.
  // `candidates` may be null; else it is of this backend and has enough environments.
  virtual void evaluate(const State& state, const Results& results, CandidateCache::Implementation* candidates,
                        void* stream) const = 0;

  // The same with arrays in host memory; returns when done.
  virtual void evaluate_from_host(const State& state, const Results& results,
                                  CandidateCache::Implementation* candidates) const {
    evaluate(state, results, candidates, nullptr);
  }

  virtual std::unique_ptr<CandidateCache::Implementation> make_candidates(std::int64_t num_environments,
                                                                          double margin) const {
    return std::make_unique<CandidateCache::Implementation>(*this, num_environments, margin);
  }

  virtual void reserve(std::int64_t /*num_environments*/, std::int64_t /*packed_polygons*/,
                       std::int64_t /*packed_contacts*/, bool /*patch_contacts*/) const {}

  const Scene& scene() const { return scene_; }
  const EvaluatorOptions& options() const { return options_; }

 protected:
  Scene scene_;
  EvaluatorOptions options_;
};

namespace detail {

/// Checks the arguments, copies in which it fills in strides, and evaluates; `from_host` if all arrays are in host
/// memory. Null candidates: none.
void evaluate_checked(const Evaluator::Implementation& backend, State state, Results results,
                      CandidateCache* candidates, void* stream, bool from_host = false);

std::unique_ptr<Evaluator::Implementation> make_cpu_backend(Scene scene, CpuOptions options,
                                                            std::optional<double> slip_tolerance = {});
std::unique_ptr<Evaluator::Implementation> make_reference_backend(Scene scene, EvaluatorOptions options);
std::unique_ptr<Evaluator::Implementation> make_cuda_backend(Scene scene, CudaOptions options);

}  // namespace detail

}  // namespace isopatch
