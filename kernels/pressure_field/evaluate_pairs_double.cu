// SPDX-License-Identifier: Apache-2.0
#include "kernels/pressure_field/evaluate_pairs.cuh"

template void isopatch::detail::evaluate_pairs<double>(const isopatch::detail::PressureFieldCall&, cudaStream_t);
template std::int64_t isopatch::detail::resident_warps<double>(const isopatch::detail::SceneView&,
                                                               isopatch::detail::Outputs);
