// SPDX-License-Identifier: Apache-2.0
//
// SimdVectors for the instruction set of the whole build: 4 lanes with AVX2, 2 with NEON.
#define ISOPATCH_SIMD  // registers instead of arrays: loops over lines and vertices are unrolled
#include "host/cpu/isa/kernels.h"
#include "host/cpu/simd/simd.h"

#if HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA
#include "host/cpu/pressure_field/simd_evaluation.h"
#include "host/cpu/rollout/simd_points.h"

namespace isopatch::detail {
const IsaKernels* baseline_kernels() {
  static const IsaKernels kKernels = {kPressureFieldKernels, baseline_overlap_kernels(), kPointKernels};
  return &kKernels;
}
}  // namespace isopatch::detail

#else

namespace isopatch::detail {
const IsaKernels* baseline_kernels() { return nullptr; }
}  // namespace isopatch::detail

#endif
