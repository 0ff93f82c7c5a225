// SPDX-License-Identifier: Apache-2.0
//
// Overlaps with SimdVectors with AVX-512: in a source of their own, since beside them the compiler
// inlines less of the pressure fields.
#define ISOPATCH_SIMD  // registers instead of arrays: loops over lines and vertices are unrolled
#include "host/cpu/isa/kernels.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#include "host/cpu/single_contact/simd_overlap.h"

namespace isopatch::detail {
OverlapKernels avx512_overlap_kernels() { return kOverlapKernels; }
}  // namespace isopatch::detail

#endif
