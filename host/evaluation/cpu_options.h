// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace isopatch::detail
