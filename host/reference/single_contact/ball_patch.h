// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kVolumetric, so far of a ball and a half space.
#pragma once

#include "host/reference/force_law/found_patch.h"

namespace isopatch::reference {

FoundPatch find_ball_overlap(const PosedParts& parts, ContactForceLaw& law);

}  // namespace isopatch::reference
