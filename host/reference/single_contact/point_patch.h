// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kPoint: a ball and a shape.
#pragma once

#include "host/reference/force_law/found_patch.h"

namespace isopatch::reference {

FoundPatch find_point(const PosedParts& parts, ContactForceLaw& law);

}  // namespace isopatch::reference
