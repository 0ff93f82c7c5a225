// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kVolumetric, so far of a ball and a half space.
#pragma once

#include "host/reference/lumped/found_patch.h"

namespace isopatch::reference {

FoundPatch find_ball_overlap(const PosedParts& parts, LumpedLaw& law);

}  // namespace isopatch::reference
