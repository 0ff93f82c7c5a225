// SPDX-License-Identifier: Apache-2.0
//
// Of scenes without contacts with state.
#include "kernels/rollout/solve_stages.cuh"

namespace isopatch::detail {

template std::int64_t load_solve_stages<SolvedBy::kWarps>(bool);
template void solve_stages<SolvedBy::kWarps>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
