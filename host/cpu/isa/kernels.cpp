// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/isa/kernels.h"

#include <fmt/format.h>

#include "isopatch/error.h"

namespace isopatch::detail {

namespace {

bool machine_has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

const IsaKernels* select_kernels(Vectors vectors) {
  const IsaKernels* avx512 = machine_has_avx512() ? avx512_kernels() : nullptr;
  switch (vectors) {
    case Vectors::kNone:
      return nullptr;
    case Vectors::kAvx512:
      if (avx512 == nullptr) throw Error("vectors: this machine or build does not have avx512");
      return avx512;
    case Vectors::kBaseline:
      return baseline_kernels();
    case Vectors::kBest:
      return avx512 != nullptr ? avx512 : baseline_kernels();
  }
  throw Error(fmt::format("evaluator: vectors is {}; it must be one of Vectors", static_cast<int>(vectors)));
}

}  // namespace isopatch::detail
