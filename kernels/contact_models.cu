// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the cuda backend. A new one is added here.
#include "kernels/contact/contact_model.h"
#include "kernels/single_contact/single_contact_models.h"
#include "kernels/polytope/polytope_model.h"
#include "kernels/pressure_field/cuda_pressure_field.h"

namespace isopatch::detail {

CudaContactModels make_cuda_contact_models(const Scene& scene, const ContactModelOptions& options) {
  CudaContactModels models;
  models.push_back(make_cuda_pressure_field(scene, options));
  models.push_back(make_cuda_volumetric(scene, options));
  models.push_back(make_cuda_point(scene, options));
  models.push_back(make_cuda_polytope(scene));
  return models;
}

}  // namespace isopatch::detail
