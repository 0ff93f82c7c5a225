// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the cuda backend. A program links another file in place of this one to add its own.
#include "kernels/contact/models.h"

namespace isopatch::detail {

CudaContactModels make_cuda_contact_models(const Scene& scene, const ContactModelOptions& options) {
  return library_cuda_models(scene, options);
}

}  // namespace isopatch::detail
