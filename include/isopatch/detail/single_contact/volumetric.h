// SPDX-License-Identifier: Apache-2.0
//
// The model ContactModel::kVolumetric: a plate in place of what two meshes have in common, which is found before
// (find_overlaps()), or of a ball and a half space, in closed form.
#pragma once

#include "isopatch/detail/overlap/part_overlap.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"

namespace isopatch::detail {

/// 1 / k_v, m^3/N: two layers in series.
ISOPATCH_HD double layer_softness(const PartView& part, const GeometryView& geometry, double softness) {
  const double depth = part.foundation_depth > 0 ? part.foundation_depth : geometry.foundation_depth;
  return softness > 0 ? depth * softness : 0;
}

/// Whether two parts are a ball and a half space whose overlap has a closed form, whatever the meshes.
ISOPATCH_HD bool is_exact_ball(const PairForceLaw& law, const GeometryView& a, const GeometryView& b) {
  return law.exact_spheres && ((is_ball(a) && b.half_space) || (a.half_space && is_ball(b)));
}

struct VolumetricModel {
  bool pfc_dissipation, normal_by_area;
  const PartOverlap* overlaps;  // of the pair's part pairs, by their rows of the contact state, from `first_row` on
  std::int32_t first_row;

  ISOPATCH_HD FoundPatch find(const SingleContactParts& part) const {
    if (!part.pair_law.has_stiffness) {
      part.law.stiffness = 1 / (layer_softness(part.a, part.geometry_a, part.softness.a) +
                                layer_softness(part.b, part.geometry_b, part.softness.b));
    }
    if (pfc_dissipation) part.law.dissipation *= part.law.stiffness * (part.softness.a + part.softness.b);
    return is_exact_ball(part.pair_law, part.geometry_a, part.geometry_b) ? find_ball(part) : find_overlap(part);
  }

 private:
  static constexpr double kNoArea = 1e-6;  // of the boundary of what is in common

  ISOPATCH_HD FoundPatch find_overlap(const SingleContactParts& part) const {
    const PartOverlap& overlap = overlaps[part.row - first_row];
    FoundPatch found = {};
    found.overflows = overlap.overflows;
    if (!(overlap.volume > 0)) return found;
    const double area = norm(overlap.area);
    found.has_no_force = area <= kNoArea * overlap.surface;
    if (found.has_no_force) return found;
    found.patch = contact_patch({overlap.volume, overlap.centroid, overlap.second, overlap.area}, normal_by_area);
    found.area = area;
    found.second = overlap.second;
    found.motion = {overlap.velocity, overlap.volume / area, overlap.volume_rate / area};
    if (part.geometry_a.half_space) found.depth = -height_over(part.a, part.X_A, overlap.centroid);
    if (part.geometry_b.half_space) found.depth = -height_over(part.b, part.X_B, overlap.centroid);
    return found;
  }

  ISOPATCH_HD static double height_over(const PartView& plane, const Transform<double>& X, Vec3d point) {
    return apply_back(plane.X_BG, apply_back(X, point)).z;
  }

  ISOPATCH_HD FoundPatch find_ball(const SingleContactParts& part) const {
    constexpr double kPi = 3.1415926535897931;
    const bool a_is_ball = is_ball(part.geometry_a);
    const PartView &ball = a_is_ball ? part.a : part.b, &plane = a_is_ball ? part.b : part.a;
    Transform<double> X_ball = part.X_B, X_plane = part.X_A;  // copies: a GPU has no addresses of registers
    if (a_is_ball) X_ball = part.X_A, X_plane = part.X_B;
    const double radius = (a_is_ball ? part.geometry_a : part.geometry_b).primitive_radius;

    const Vec3d center = apply(X_ball, ball.X_BG.translation);
    const double height = height_over(plane, X_plane, center), depth = radius - height;
    FoundPatch found = {};
    found.rolls = true;
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

/// Its pairs in so many environments, in a scene in host memory.
inline std::int64_t num_volumetric_pairs(const SceneView& scene, std::int64_t environments) {
  return environments * scene.pairs_of_model(static_cast<int>(ContactModel::kVolumetric));
}

/// The overlaps that a pair has at most, in a scene in host memory.
inline std::int32_t most_overlaps_of_pair(const SceneView& scene) {
  std::int32_t most = 0;
  for (int i = 0; i < scene.num_pair_views; ++i) {
    const PairView& pair = scene.pairs[i];
    if (pair.model == static_cast<int>(ContactModel::kVolumetric)) most = max(most, pair.rows_end - pair.rows_begin);
  }
  return most;
}

/// Finds what the part pairs of a near pair have in common, but for exact balls, and writes it to `overlaps` by their
/// rows of the contact state, from the pair's first one on. sum(pass) as of find_overlap(). Called by all lanes.
template <bool with_rates, class Warp, class Sum>
ISOPATCH_HD void find_overlaps(Warp& warp, OverlapPass& pass, const SceneView& scene, const State& state,
                               std::int64_t environment, int view, const Sum& sum, PartOverlap* overlaps) {
  const PairView& pair = scene.pairs[view];
  Transform<double> X_A = read_pose(state, environment, pair.a), X_B = read_pose(state, environment, pair.b);
  X_B.translation = X_B.translation - X_A.translation;
  X_A.translation = {0, 0, 0};
  const Twist twist_a = read_twist(state, environment, pair.a), twist_b = read_twist(state, environment, pair.b);
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    if (parts.layer > 0) continue;  // layers are of pressure fields
    const GeometryView &a = scene.geometries[geometry_of(scene, state, environment, parts.a)],
                       &b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
    if (is_exact_ball(scene.laws[view], a, b)) continue;
    const PartOverlap found = find_overlap<with_rates>(
        warp, {a, b, scene.parts[parts.a], scene.parts[parts.b], X_A, X_B, twist_a, twist_b}, pass, sum);
    if (warp.lane() == 0) overlaps[parts.row - pair.rows_begin] = found;
  }
}

}  // namespace isopatch::detail
