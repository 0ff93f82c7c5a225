// SPDX-License-Identifier: Apache-2.0
//
// Overlaps with SimdVectors for the instruction set of the whole build: in a source of their own, since beside them the
// compiler inlines less of the pressure fields.
#define ISOPATCH_SIMD  // registers instead of arrays: loops over lines and vertices are unrolled
#include "host/cpu/isa/kernels.h"
#include "host/cpu/simd/simd.h"

#if HWY_HAVE_FLOAT64 && HWY_NATIVE_FMA
#include "host/cpu/single_contact/simd_overlap.h"

namespace isopatch::detail {
OverlapKernels baseline_overlap_kernels() { return kOverlapKernels; }
}  // namespace isopatch::detail

#endif
