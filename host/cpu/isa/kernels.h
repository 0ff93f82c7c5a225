// SPDX-License-Identifier: Apache-2.0
//
// The functions that are compiled once for each instruction set, with its SIMD vectors: a table for each contact model,
// and one for the solver of time steps.
#pragma once

#include "host/cpu/pressure_field/simd_kernels.h"
#include "host/cpu/rollout/point_kernels.h"
#include "host/cpu/single_contact/overlap_kernels.h"
#include "host/evaluation/backend_options.h"

namespace isopatch::detail {

struct IsaKernels {
  PressureFieldKernels pressure_field;
  OverlapKernels overlap;
  PointKernels points;
};

/// Of a build and a machine that have the tables below.
OverlapKernels baseline_overlap_kernels();
OverlapKernels avx512_overlap_kernels();

/// Null if the build is for a machine without vectors of doubles or without fma.
const IsaKernels* baseline_kernels();

/// Null if the build has none. May be called only on a machine with AVX-512 (F, BW, CD, DQ, VL).
const IsaKernels* avx512_kernels();

/// The ones to use; null for plain arithmetic. Throws Error for a width this machine or build does not have.
const IsaKernels* select_kernels(Vectors vectors);

}  // namespace isopatch::detail
