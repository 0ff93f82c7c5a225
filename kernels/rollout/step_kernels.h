// SPDX-License-Identifier: Apache-2.0
//
// Loading of the kernels of time steps, each in the source that has them.
#pragma once

#include <cstdint>

namespace isopatch::detail {

/// How a stage is solved: a warp takes an environment, or with kTeams four small ones at once. Those with contacts with
/// memory have friction terms.
enum class SolvedBy : std::uint8_t { kWarps, kTeams, kWarpsWithPlates };

/// Returns how many warps begin stages at once.
std::int64_t load_begin_stages();

/// Returns how many warps solve at once.
template <SolvedBy by>
std::int64_t load_solve_stages();

template <bool has_plates>
void load_end_stages();

void load_rollout_calls();

}  // namespace isopatch::detail
