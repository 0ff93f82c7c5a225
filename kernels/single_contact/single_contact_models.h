// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/contact/contact_model.h"

namespace isopatch::detail {

std::unique_ptr<CudaContactModel> make_cuda_volumetric(const Scene& scene, const ContactModelOptions& options);
std::unique_ptr<CudaContactModel> make_cuda_point(const Scene& scene, const ContactModelOptions& options);

}  // namespace isopatch::detail
