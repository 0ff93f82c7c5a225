// SPDX-License-Identifier: Apache-2.0
//
// What tests of single contacts evaluate.
#pragma once

#include "isopatch/detail/force_law/contact_patch.h"
#include "isopatch/single_contact.h"

namespace isopatch::test {

/// Of a ball at `center` and the half space z <= 0.
inline Overlap ball_on_plane(const Point3& center, double radius) {
  const detail::OverlapMoments m =
      detail::ball_overlap({center[0], center[1], center[2]}, radius, {0, 0, 1}, radius - center[2]);
  return {m.volume,
          {m.centroid.x, m.centroid.y, m.centroid.z},
          {m.second.xx, m.second.yy, m.second.zz, m.second.xy, m.second.xz, m.second.yz},
          {m.area.x, m.area.y, m.area.z}};
}

/// A with its origin in the world's, seen from B at rest.
inline ContactMotion moving(const Point3& velocity, const Point3& angular_velocity = {}) {
  ContactMotion motion;
  motion.velocity_a = velocity;
  motion.angular_velocity_a = angular_velocity;
  return motion;
}

inline ContactForceLaw bristle_law(double friction, double static_ratio = 1) {
  ContactForceLaw law;
  law.stiffness = 1e6;
  law.exponent = 1;
  law.friction = friction;
  law.friction_model = FrictionModel::kBristle;
  law.bristle.static_ratio = static_ratio;
  return law;
}

}  // namespace isopatch::test
