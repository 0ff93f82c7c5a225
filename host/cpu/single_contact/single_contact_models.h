// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/cpu/contact/contact_model.h"

namespace isopatch::detail {

std::unique_ptr<CpuContactModel> make_cpu_volumetric();
std::unique_ptr<CpuContactModel> make_cpu_point();

}  // namespace isopatch::detail
