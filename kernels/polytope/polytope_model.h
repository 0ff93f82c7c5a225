// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "kernels/contact/contact_model.h"

namespace isopatch::detail {

std::unique_ptr<CudaContactModel> make_cuda_polytope(const Scene& scene);

}  // namespace isopatch::detail
