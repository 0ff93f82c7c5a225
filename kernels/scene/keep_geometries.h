// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "isopatch/results/array_types.h"

namespace isopatch::detail {

/// Loads the kernel on the current device.
void load_keep_geometries();

/// Enqueues a copy of a call's geometry indices to `to`, [environments, parts], and replaces them by it; so that all
/// stages see the same, although work on another stream may write them meanwhile. Nothing happens without indices.
void keep_geometries(TypedArray<const std::int32_t>& indices, std::int64_t environments, int parts, std::int32_t* to,
                     cudaStream_t stream);

}  // namespace isopatch::detail
