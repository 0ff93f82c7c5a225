// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kPoint: a ball and a shape.
#pragma once

#include "host/reference/lumped/found_patch.h"

namespace isopatch::reference {

FoundPatch find_point(const PosedParts& parts, LumpedLaw& law);

}  // namespace isopatch::reference
