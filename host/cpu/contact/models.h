// SPDX-License-Identifier: Apache-2.0
//
// The library's contact models of the cpu backend, in the order of ContactModel. A new one is a folder, and a line here
// and in library_models.cpp.
#pragma once

#include "host/cpu/contact/contact_model.h"

namespace isopatch::detail {

struct PressureFieldKernels;
struct OverlapKernels;
struct IsaKernels;

std::unique_ptr<CpuContactModel> make_cpu_pressure_field(const CpuOptions& options,
                                                         const PressureFieldKernels* kernels);
std::unique_ptr<CpuContactModel> make_cpu_volumetric(const CpuOptions& options, const OverlapKernels* kernels);
std::unique_ptr<CpuContactModel> make_cpu_point();
std::unique_ptr<CpuContactModel> make_cpu_polytope();

/// All of them. `kernels` is null for plain arithmetic.
CpuContactModels library_cpu_models(const CpuOptions& options, const IsaKernels* kernels);

}  // namespace isopatch::detail
