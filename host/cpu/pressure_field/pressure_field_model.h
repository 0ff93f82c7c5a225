// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/cpu/contact/contact_model.h"
#include "host/cpu/pressure_field/simd_kernels.h"

namespace isopatch::detail {

/// `kernels` is null for plain arithmetic.
std::unique_ptr<CpuContactModel> make_cpu_pressure_field(const CpuOptions& options,
                                                         const PressureFieldKernels* kernels);

}  // namespace isopatch::detail
