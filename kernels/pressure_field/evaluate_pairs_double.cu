// SPDX-License-Identifier: Apache-2.0
#include "kernels/pressure_field/evaluate_pairs.cuh"

template void isopatch::evaluate_pairs<double>(const isopatch::EvaluationCall&, cudaStream_t);
template std::int64_t isopatch::resident_warps<double>(isopatch::detail::Outputs);
