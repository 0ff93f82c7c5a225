// SPDX-License-Identifier: Apache-2.0
//
// Overlaps of meshes with SIMD, compiled once for each instruction set.
#pragma once

#include "host/cpu/cells/accepted_rows.h"
#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/overlap/part_overlap.h"

namespace isopatch::detail {

/// The memory of a pass.
struct SimdOverlapWorkspace {
  SimdTraversalMemory traversal;
  AcceptedRows accepted = {};  // lanes without work read old values

  /// For hierarchies of at most this many wide nodes.
  explicit SimdOverlapWorkspace(std::int32_t wide_nodes) : traversal(wide_nodes) {}
};

struct OverlapKernels {
  PassTotal (*sum_pass)(const OverlapPass&, SimdOverlapWorkspace&);
  PassTotal (*sum_pass_with_rates)(const OverlapPass&, SimdOverlapWorkspace&);
};

}  // namespace isopatch::detail
