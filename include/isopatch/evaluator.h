// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "isopatch/results.h"
#include "isopatch/scene.h"
#include "isopatch/state.h"
#include "isopatch/status.h"

namespace isopatch {

enum class Backend : std::uint8_t {
  kCpu,       // hierarchy, all cores
  kCuda,      // one NVIDIA GPU
  kReference  // double, brute force, independent code: for checking, slow
};

enum class Precision : std::uint8_t { kFloat, kDouble };

struct EvaluatorOptions {
  Backend backend = Backend::kCpu;
  Precision precision = Precision::kFloat;
  int num_threads = 0;       // cpu and reference: 0 means all cores
  bool brute_force = false;  // cpu: visit all tet pairs instead of the hierarchy; same bits, for tests
};

/// True if this build has CUDA code and a usable device is present. Never throws.
bool cuda_available();

/// Evaluates contact for batches of environments. Move-only; evaluate() may be called from several threads.
class Evaluator {
 public:
  /// Uploads the scene where the backend needs it. Throws Error if the backend is not in this build or has no device,
  /// or the scene does not fit.
  explicit Evaluator(Scene scene, EvaluatorOptions options = {});
  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;

  /// Computes every array of `results` that is not null. cpu and reference: returns when done. cuda: enqueues on
  /// `stream` (a cudaStream_t, null for the default stream) without allocation or synchronisation; all pointers must be
  /// device pointers. Throws Error for a negative number of environments, missing poses, or a stride smaller than a
  /// row.
  void evaluate(const State& state, const Results& results, void* stream = nullptr) const;

  const Scene& scene() const;
  const EvaluatorOptions& options() const;

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace isopatch
