// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kVolumetric, so far of a ball and a half space: what they have in common in closed form.
#pragma once

#include "isopatch/detail/single_contact/evaluate_single_contacts.h"

namespace isopatch::detail {

/// 1 / k_v, m^3/N: two layers in series.
ISOPATCH_HD double layer_softness(const PartView& part, const GeometryView& geometry, double softness) {
  const double depth = part.foundation_depth > 0 ? part.foundation_depth : geometry.foundation_depth;
  return softness > 0 ? depth * softness : 0;
}

struct VolumetricModel {
  static constexpr bool kRolls = true;
  bool pfc_dissipation;

  ISOPATCH_HD FoundPatch find(const SingleContactParts& part) const {
    constexpr double kPi = 3.1415926535897931;
    constexpr double kNoArea = 1e-6;  // of the boundary of what is in common
    const bool a_is_ball = is_ball(part.geometry_a);
    const PartView &ball = a_is_ball ? part.a : part.b, &plane = a_is_ball ? part.b : part.a;
    Transform<double> X_ball = part.X_B, X_plane = part.X_A;  // copies: a GPU has no addresses of registers
    if (a_is_ball) X_ball = part.X_A, X_plane = part.X_B;
    const double radius = (a_is_ball ? part.geometry_a : part.geometry_b).primitive_radius;

    if (!part.pair_law.has_stiffness) {
      part.law.stiffness = 1 / (layer_softness(part.a, part.geometry_a, part.softness.a) +
                                layer_softness(part.b, part.geometry_b, part.softness.b));
    }
    if (pfc_dissipation) part.law.dissipation *= part.law.stiffness * (part.softness.a + part.softness.b);

    const Vec3d center = apply(X_ball, ball.X_BG.translation);
    const double height = apply_back(plane.X_BG, apply_back(X_plane, center)).z, depth = radius - height;
    FoundPatch found = {};
    found.patch.point = center;
    if (!(depth > 0)) return found;
    const Vec3d up = rotate(X_plane, rotate(plane.X_BG, Vec3d{0, 0, 1}));
    OverlapMoments overlap = ball_overlap(center, radius, up, depth);
    const double area = norm(overlap.area), h = min(depth, 2 * radius);
    if (area <= kNoArea * (2 * kPi * radius * h + area)) {
      found.has_no_force = true;
      return found;
    }
    found.depth = -(dot(up, overlap.centroid - center) + height);
    found.patch = contact_patch(overlap, true);
    if (!a_is_ball) found.patch.normal = -found.patch.normal;
    found.area = area;
    found.second = overlap.second;
    return found;
  }
};

}  // namespace isopatch::detail
