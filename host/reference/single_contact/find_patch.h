// SPDX-License-Identifier: Apache-2.0
//
// The patches of the models ContactModel::kVolumetric, so far of a ball and a half space, and ContactModel::kPoint, of
// a ball and a shape.
#pragma once

#include "host/reference/force_law/found_patch.h"

namespace isopatch::reference {

FoundPatch find_point(const PosedParts& parts, ContactForceLaw& law);

FoundPatch find_ball_overlap(const PosedParts& parts, ContactForceLaw& law);

}  // namespace isopatch::reference
