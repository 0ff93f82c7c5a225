// SPDX-License-Identifier: Apache-2.0
//
// What a single contact remembers: kContactStateSize numbers in memory, in this order.
#pragma once

#include "isopatch/detail/force_law/friction.h"
#include "isopatch/detail/force_law/numbers.h"
#include "isopatch/detail/math/exponential.h"

namespace isopatch::detail {

inline constexpr int kContactStateSize = 8;

struct ContactState {
  double impact_speed;  // m/s; 0 without contact
  double offset;        // of the metric, which adds no force: m^3 or m
  Vec3d bend;           // z, of the bristles, in the plane; world, m
  double twist;         // theta, rad
  double dwell;         // s_dw, 0 to 1
  double age;           // s
};

/// The state at the start of a step of a contact with metric > 0 whose bodies separate at `speed`. A contact that
/// begins has the speed at which they meet.
ISOPATCH_HD ContactState touched(const LawNumbers& law, ContactState state, double metric, double speed) {
  const double impact = max(-speed, law.small_speed);
  if (!(state.impact_speed > 0)) return {impact, law.relaxation_time > 0 ? metric : 0, {0, 0, 0}, 0, 0, 0};
  if (law.latches_largest) state.impact_speed = max(state.impact_speed, -speed);
  return state;
}

/// A bend carried with its plate. It loses what is along the normal but not its length, unless the normal has turned
/// by more than 60 degrees; then it turns about the normal by `angle`, twice the arctangent of angle / 2.
ISOPATCH_HD Vec3d carried_bend(Vec3d bend, Vec3d normal, double angle) {
  Vec3d z = tangential(bend, normal);
  const double old = norm(bend), left = norm(z);
  if (left > 0.5 * old) z = (old / left) * z;
  const double c = 0.5 * angle, c2 = c * c;
  return (1 / (1 + c2)) * fma(2 * c, cross(normal, z), (1 - c2) * z);
}

/// How much of the offset is left after a step.
ISOPATCH_HD double next_offset(const LawNumbers& law, double offset, double dt) {
  return law.relaxation_time > 0 ? offset * decay(dt / law.relaxation_time) : 0;
}

}  // namespace isopatch::detail
