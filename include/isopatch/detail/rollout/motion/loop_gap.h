// SPDX-License-Identifier: Apache-2.0
//
// How far bodies are apart that a loop holds together.
#pragma once

#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::detail {

/// What two bodies are apart by at an anchor: A from B, of the anchor and turned by, world, m and rad.
struct LoopGap {
  Vec3d linear, angular;
  Vec3d middle;  // of both anchors, m
  Vec3d axis;    // of a hinge
};

ISOPATCH_HD LoopGap gap_of(const LoopView& loop, const Pose& a, const Pose& b) {
  const Transform<double> X_A = transform_of(a), X_B = transform_of(b);
  const Vec3d at_a = apply(X_A, loop.anchor_a), at_b = apply(X_B, loop.anchor_b);
  LoopGap gap = {at_a - at_b, {0, 0, 0}, 0.5 * (at_a + at_b), {0, 0, 0}};
  if (loop.turns) {
    gap.axis = rotate(X_A, loop.axis_a);
    gap.angular = cross(rotate(X_B, loop.axis_b), gap.axis);
  } else {
    gap.angular = log(product(product(a.orientation, loop.b_in_a), conjugate(b.orientation)));
  }
  return gap;
}

}  // namespace isopatch::detail
