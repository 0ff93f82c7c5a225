// SPDX-License-Identifier: Apache-2.0
//
// What evaluations on the backends cpu and cuda can be told: options, and a count for tests.
#pragma once

#include <atomic>
#include <cstdint>

#include "isopatch/evaluator.h"

namespace isopatch::detail {

/// The vectors that the cpu backend computes with.
enum class Vectors : std::uint8_t {
  kBest,      // the widest below that the machine has
  kNone,      // one number at a time
  kBaseline,  // of the instruction set that the build is for: AVX2 by default on x86-64, NEON on Arm
  kAvx512
};

/// Options of the cpu backend, with those that only tests and benchmarks set; they change no bit. Other backends ignore
/// them.
struct CpuOptions : EvaluatorOptions {
  bool brute_force = false;  // visit all pairs of cells instead of the hierarchy
  Vectors vectors = Vectors::kBest;
};

/// An evaluator with these options. Throws Error as Evaluator(), and for vectors that this machine or build lacks.
Evaluator make_evaluator(Scene scene, const CpuOptions& options);

/// How the cuda backend evaluates wrenches and patches.
enum class PairStages : std::uint8_t {
  kBySize,  // as the sizes of the scene and the batch suggest
  kOne,     // one kernel does all of a pair
  kSeveral  // a kernel for each stage: include/isopatch/detail/pressure_field/stages/begin.h
};

/// Options of the cuda backend, with those that only tests and benchmarks set; they change no bit. Other backends
/// ignore them.
struct CudaOptions : EvaluatorOptions {
  PairStages stages = PairStages::kBySize;
  std::int32_t cells_per_pair = 0;             // room in the list between stages, on average; 0: by the sizes of meshes
  std::int32_t max_listed_cells = 1 << 25;     // in all of that list, 1.1 GB; what does not fit is a round of its own
  std::int32_t max_listed_polygons = 1 << 22;  // of pairs in stages, for patch contacts, 0.8 GB; at most 2^26
  std::int32_t polygons_per_window =
      1 << 15;  // room of a warp for the polygons of a pair, for patch contacts; 2 or more
  std::int64_t min_spare_rows = 1 << 12,
               max_spare_rows = 1 << 16;  // of packed arrays, in lists; as many as fit between
};

/// An evaluator with these options. Throws Error as Evaluator().
Evaluator make_evaluator(Scene scene, const CudaOptions& options);

/// How many pairs the calls of this process have put in stages on CUDA devices, a pair counted in each call: for tests,
/// which could not tell otherwise which kernels gave the bits.
std::atomic<std::int64_t>& pairs_in_stages();

}  // namespace isopatch::detail
