// SPDX-License-Identifier: Apache-2.0
//
// Loading of the kernels of time steps, each in the source that has them.
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// Returns how many warps solve at once.
template <bool has_terms>
std::int64_t load_finish_stages();

void load_rollout_calls();

}  // namespace isopatch::detail
