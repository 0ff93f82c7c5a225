// SPDX-License-Identifier: Apache-2.0
#include "kernels/pressure_field/evaluate_pairs.cuh"

template void isopatch::evaluate_pairs<float>(const isopatch::EvaluationCall&, cudaStream_t);
template std::int64_t isopatch::resident_warps<float>(isopatch::detail::Outputs);
