// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/reference/contact/models.h"

namespace isopatch::reference {

PairResult evaluate_pressure_field(const PairInput& input);

}  // namespace isopatch::reference
