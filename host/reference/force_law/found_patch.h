// SPDX-License-Identifier: Apache-2.0
//
// What a model finds in common of two parts.
#pragma once

#include "host/reference/force_law/force_law.h"
#include "host/reference/scene/environment.h"

namespace isopatch::reference {

/// Two parts and where they are: from the origin of body a, in world axes, so that they keep their digits far from the
/// world's origin.
struct PosedParts {
  const SceneDescription& scene;
  const Pair& pair;
  const PartState &a, &b;
  Transform X_A, X_B;  // of the bodies

  bool a_is_ball() const { return a.geometry->primitive.kind == PrimitiveKind::kSphere; }
  const PartState& ball() const { return a_is_ball() ? a : b; }
  const PartState& other() const { return a_is_ball() ? b : a; }
  const Transform& pose_of_ball_body() const { return a_is_ball() ? X_A : X_B; }
  const Transform& pose_of_other_body() const { return a_is_ball() ? X_B : X_A; }
  Vector3 center() const { return pose_of_ball_body() * ball().X_BG.translation; }
  Transform pose_of_other() const { return pose_of_other_body() * other().X_BG; }

  /// By how much each part gives way to a pressure: 1/Pa, 0 of a rigid one.
  static Real softness(const PartState& part) { return part.rigid ? 0 : 1 / Real(part.modulus); }
};

/// From the origin of body a, in world axes. No contact unless the patch's metric is positive.
struct FoundPatch {
  ContactPatch patch;
  Real area = 0;                     // |a|, of a point 0
  Matrix3 second = Matrix3::Zero();  // C
  Real energy_depth = 0;             // of an overlap: the depth of its centroid under the plane
  bool is_enclosed = false;          // they overlap without a force
  bool is_ball = false;              // an exact one, which rolls without its patch
};

/// Finds the patch, and completes the law by what follows from the parts.
using FindPatch = FoundPatch (*)(const PosedParts& parts, ContactForceLaw& law);

}  // namespace isopatch::reference
