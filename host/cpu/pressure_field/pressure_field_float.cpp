// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/pressure_field/pair_evaluation.h"

namespace isopatch::detail {

template void evaluate_pairs<float, Outputs::kWrench, false>(const CpuPressureFieldCall&, std::span<const std::int64_t>,
                                                             PressureFieldWorkspace&, const PackedRows&);
template void evaluate_pairs<float, Outputs::kPatch, false>(const CpuPressureFieldCall&, std::span<const std::int64_t>,
                                                            PressureFieldWorkspace&, const PackedRows&);
template void evaluate_pairs<float, Outputs::kAll, false>(const CpuPressureFieldCall&, std::span<const std::int64_t>,
                                                          PressureFieldWorkspace&, const PackedRows&);
template void evaluate_pairs<float, Outputs::kAll, true>(const CpuPressureFieldCall&, std::span<const std::int64_t>,
                                                         PressureFieldWorkspace&, const PackedRows&);
template std::uint32_t find_contacts(const StepBatch&, std::int64_t, int, const PressureFieldKernels*,
                                     PressureFieldWorkspace&, std::vector<SolverContact<float>>&);

}  // namespace isopatch::detail
