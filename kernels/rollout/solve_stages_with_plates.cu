// SPDX-License-Identifier: Apache-2.0
//
// Of scenes with contacts with state.
#include "kernels/rollout/solve_stages.cuh"

namespace isopatch::detail {

template std::int64_t load_solve_stages<SolvedBy::kWarpsWithPlates>(bool);
template void solve_stages<SolvedBy::kWarpsWithPlates>(const StepCall&, cudaStream_t);

}  // namespace isopatch::detail
