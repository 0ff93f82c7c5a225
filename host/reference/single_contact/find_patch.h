// SPDX-License-Identifier: Apache-2.0
//
// The patches of the models ContactModel::kVolumetric and ContactModel::kPoint, of a ball and a shape.
#pragma once

#include "host/reference/force_law/found_patch.h"

namespace isopatch::reference {

FoundPatch find_point(const PosedParts& parts, ContactForceLaw& law);

/// Of two parts; a ball on a half space may be exact.
FoundPatch find_volume(const PosedParts& parts, ContactForceLaw& law);

}  // namespace isopatch::reference
