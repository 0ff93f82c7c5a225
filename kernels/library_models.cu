// SPDX-License-Identifier: Apache-2.0
#include "kernels/contact/models.h"

namespace isopatch::detail {

CudaContactModels library_cuda_models(const Scene& scene, const ContactModelOptions& options) {
  CudaContactModels models;
  models.push_back(make_cuda_pressure_field(scene, options));
  models.push_back(make_cuda_volumetric(scene, options));
  models.push_back(make_cuda_point(scene, options));
  models.push_back(make_cuda_polytope(scene));
  return models;
}

}  // namespace isopatch::detail
