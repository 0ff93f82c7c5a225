// SPDX-License-Identifier: Apache-2.0
//
// SimdVectors of 16 floats or 8 doubles for x86 with AVX-512. CMakeLists.txt compiles this file for that instruction
// set.
#define ISOPATCH_SIMD  // registers instead of arrays: loops over lines and vertices are unrolled
#include "host/cpu/isa/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#include "host/cpu/pressure_field/simd_evaluation.h"
#include "host/cpu/rollout/simd_points.h"

namespace isopatch::detail {
const IsaKernels* avx512_kernels() {
  static const IsaKernels kKernels = {kPressureFieldKernels, avx512_overlap_kernels(), kPointKernels};
  return &kKernels;
}
}  // namespace isopatch::detail

#else

namespace isopatch::detail {
const IsaKernels* avx512_kernels() { return nullptr; }
}  // namespace isopatch::detail

#endif
