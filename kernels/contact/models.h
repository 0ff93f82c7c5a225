// SPDX-License-Identifier: Apache-2.0
//
// The library's contact models of the cuda backend, in the order of ContactModel. A new one is a folder, and a line
// here and in library_models.cu.
#pragma once

#include "kernels/contact/contact_model.h"

namespace isopatch::detail {

std::unique_ptr<CudaContactModel> make_cuda_pressure_field(const Scene& scene, const ContactModelOptions& options);
std::unique_ptr<CudaContactModel> make_cuda_volumetric(const Scene& scene, const ContactModelOptions& options);
std::unique_ptr<CudaContactModel> make_cuda_point(const Scene& scene, const ContactModelOptions& options);
std::unique_ptr<CudaContactModel> make_cuda_polytope(const Scene& scene);

/// All of them.
CudaContactModels library_cuda_models(const Scene& scene, const ContactModelOptions& options);

}  // namespace isopatch::detail
