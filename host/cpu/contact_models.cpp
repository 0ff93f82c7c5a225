// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the cpu backend. A program links another file in place of this one to add its own.
#include "host/cpu/contact/models.h"

namespace isopatch::detail {

CpuContactModels make_cpu_contact_models(const CpuOptions& options, const IsaKernels* kernels) {
  return library_cpu_models(options, kernels);
}

}  // namespace isopatch::detail
