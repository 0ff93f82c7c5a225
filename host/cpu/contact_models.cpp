// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the cpu backend. A new one is added here.
#include "host/cpu/contact/contact_model.h"
#include "host/cpu/isa/kernels.h"
#include "host/cpu/single_contact/single_contact_models.h"
#include "host/cpu/polytope/polytope_model.h"
#include "host/cpu/pressure_field/pressure_field_model.h"

namespace isopatch::detail {

CpuContactModels make_cpu_contact_models(const CpuOptions& options, const IsaKernels* kernels) {
  CpuContactModels models;
  models.push_back(make_cpu_pressure_field(options, kernels == nullptr ? nullptr : &kernels->pressure_field));
  models.push_back(make_cpu_volumetric());
  models.push_back(make_cpu_point());
  models.push_back(make_cpu_polytope());
  return models;
}

}  // namespace isopatch::detail
