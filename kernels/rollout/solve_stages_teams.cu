// SPDX-License-Identifier: Apache-2.0
//
// Of many small environments without contacts with state.
#include "kernels/rollout/solve_stages.cuh"

namespace isopatch::detail {

template std::int64_t load_solve_stages<SolvedBy::kTeams>(bool);
template void solve_stages<SolvedBy::kTeams>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
