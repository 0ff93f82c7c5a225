// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/contact/models.h"
#include "host/cpu/isa/kernels.h"

namespace isopatch::detail {

CpuContactModels library_cpu_models(const CpuOptions& options, const IsaKernels* kernels) {
  CpuContactModels models;
  models.push_back(make_cpu_pressure_field(options, kernels == nullptr ? nullptr : &kernels->pressure_field));
  models.push_back(make_cpu_volumetric(options, kernels == nullptr ? nullptr : &kernels->overlap));
  models.push_back(make_cpu_point());
  models.push_back(make_cpu_polytope());
  return models;
}

}  // namespace isopatch::detail
