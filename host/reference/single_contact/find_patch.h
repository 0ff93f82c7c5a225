// SPDX-License-Identifier: Apache-2.0
//
// The patches of the models ContactModel::kVolumetric and ContactModel::kPoint, of a ball and a shape.
#pragma once

#include "host/reference/force_law/found_patch.h"

namespace isopatch::reference {

FoundPatch find_point(const PosedParts& parts, ContactForceLaw& law);

/// Of two parts; a ball on a half space may be exact.
FoundPatch find_volume(const PosedParts& parts, ContactForceLaw& law);

/// How the overlap of two meshes moves, or of a mesh and a half space.
struct OverlapMotion {
  Vector3 velocity = Vector3::Zero();  // of its centroid, as seen from body b
  Real volume_rate = 0;
};

/// Of an overlap of this size, its least, by central differences: as body a moves relative to body b with the
/// velocity of its origin and an angular velocity, both as seen from b.
OverlapMotion overlap_motion(const PosedParts& parts, Real size, const Vector3& velocity,
                             const Vector3& angular_velocity);

}  // namespace isopatch::reference
