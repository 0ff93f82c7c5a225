// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "isopatch/candidate_cache.h"
#include "isopatch/results.h"
#include "isopatch/scene/scene.h"
#include "isopatch/state.h"
#include "isopatch/status.h"

namespace isopatch {

/// What an Evaluator computes on.
enum class Backend : std::uint8_t {
  kCpu,       ///< hierarchy, all cores
  kCuda,      ///< one NVIDIA GPU
  kReference  ///< extended precision, brute force, independent code: for checking, slow
};

/// The precision in which contact patches are integrated. The search for contact is mostly in float with either
/// (limits.h). The types of the arrays of State and Results are independent of it.
enum class Precision : std::uint8_t { kFloat, kDouble };

/// How an Evaluator computes.
struct EvaluatorOptions {
  Backend backend = Backend::kCpu;          ///< where it computes
  Precision precision = Precision::kFloat;  ///< cpu and cuda
  int num_threads = 0;                      ///< cpu and reference: 0 means all cores; never more than the cores or 256,
                                            ///< whichever is more, nor than the system gives; the bits are the same
  int device = -1;                          ///< cuda: index of the device; -1: the current one (HostEvaluator: all)

  /// cpu and reference: whether to give up. The calling thread asks about every 20 ms, in calls that take longer, also
  /// within a pair or a step. If it returns true, the call throws Error of kCancelled; if it throws, its exception
  /// propagates. The call's results are then unspecified; in a rollout, each environment has taken some number of whole
  /// steps, which its state says. An empty function is not asked.
  std::function<bool()> is_cancelled = {};
};

/// The number of CUDA devices this build can use; 0 without CUDA code or without a device. Never throws.
int num_cuda_devices();

/// Whether there is a CUDA device that this build can use. Never throws.
bool cuda_available();

/// Why there is no CUDA device that this build can use, as "the NVIDIA driver offers CUDA 12.8, and this build needs
/// CUDA 13, which drivers from 580 on offer"; empty if cuda_available(). Errors of Backend::kCuda say it too.
std::string cuda_problem();

/// Evaluates contact for batches of environments. Move-only; every call on an evaluator that was moved from throws
/// Error. cpu and reference: evaluate() may be called from several threads, and in a child made by fork(); cpu keeps
/// the workspaces of its threads for the next call. The caller's rounding mode and treatment of subnormal numbers
/// change nothing, and are kept. cuda: evaluate() and reserve() may be called from several threads, on any streams.
/// Calls share working memory and take turns on the device: each waits for the one before. Calls that are captured in a
/// graph do not: each stream of a capture has working memory of its own, which is used again when the graph and all
/// that was made of it are destroyed. So graphs may be replayed beside calls and other graphs; only two executable
/// graphs made of one graph must not run at the same time. The evaluator must exist as long as its graphs are replayed.
class Evaluator {
 public:
  /// Uploads the scene where the backend needs it. Throws Error if the backend is not in this build or has no device,
  /// the scene and the kernels' local variables do not fit on the device, or an option is not one of its possible
  /// values.
  explicit Evaluator(Scene scene, EvaluatorOptions options = {});

  class Implementation;  ///< a backend

  /// Takes a backend that was made elsewhere.
  explicit Evaluator(std::unique_ptr<Implementation> implementation);

  ~Evaluator();
  Evaluator(Evaluator&&) noexcept;             ///< takes over what the other one holds
  Evaluator& operator=(Evaluator&&) noexcept;  ///< the same, and releases what this one held

  /// Computes every array of `results` that is not null. cpu and reference: returns when done. cuda: enqueues on
  /// `stream` (a cudaStream_t, null for the default stream) without synchronisation; all pointers must be device
  /// pointers. The first batch of a size larger than before allocates working memory, 8 bytes a pair and what stages,
  /// packed arrays and patch contacts need, and so does the first call on a stream in a capture, unless reserve() has
  /// left some. Throws Error, before anything is computed, for too little device memory, a negative number of
  /// environments or capacity, missing poses, poses of 0 environments, a stride smaller than a row, arrays that are not
  /// as state.h says, and with cuda for an array or a stream of another device than the evaluator's. (Recently checked
  /// pointers are not checked again.)
  void evaluate(const State& state, const Results& results, void* stream = nullptr) const;

  /// The same with candidates for contact that are kept from call to call: those of environment e are the cache's with
  /// the index e. Calls with one cache must follow one another. Throws Error also for a cache that another evaluator
  /// made or that has fewer environments.
  void evaluate(const State& state, const Results& results, CandidateCache& candidates, void* stream = nullptr) const;

  /// Memory for candidates of `num_environments` environments, found with a margin in m, > 0: a larger one finds them
  /// less often and tests more of them; cpu takes as much of it as the speed asks for. For each part pair of each
  /// environment 4 192 bytes with cuda, at most 17 KB with cpu (CandidateCache::bytes()). The evaluator must exist as
  /// long as the cache. Throws Error for a negative number, a margin that is not positive or beyond 1e12,
  /// and too little memory.
  CandidateCache make_candidate_cache(std::int64_t num_environments, double margin) const;

  /// Allocates what batches of up to `num_environments` need, if nothing has yet; with packed arrays of up to these
  /// capacities, and offsets, and with patch contacts only if they are asked for here. Throws Error where the device
  /// has too little memory, then all is as before, and for a negative number.
  void reserve(std::int64_t num_environments, std::int64_t packed_polygons = 0, std::int64_t packed_contacts = 0,
               bool patch_contacts = false) const;

  const Scene& scene() const;               ///< the scene it evaluates; valid as long as the evaluator
  const EvaluatorOptions& options() const;  ///< those it was made with

 private:
  friend class HostEvaluator;
  const Implementation& implementation() const;

  std::unique_ptr<Implementation> implementation_;
};

}  // namespace isopatch
