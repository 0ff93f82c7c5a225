// SPDX-License-Identifier: Apache-2.0
//
// What two parts have in common: its volume with its moments, from the surface of each in the other (overlap_sums.h).
// Beside a half space the surface of the other part is enough, as the point of reference lies on the plane.
#pragma once

#include "isopatch/detail/math/symmetric.h"
#include "isopatch/detail/overlap/overlap_sums.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// In world axes; positions from the origin of body a.
struct PartOverlap {
  double volume;      // V, m^3; 0: the parts have nothing in common
  Vec3d centroid;     // p, m
  Symmetric3 second;  // C, the integral of (x - p) (x - p)^T, m^5; 0 where it is rounding
  Vec3d area;         // a, the integral of the normal of B's surface inside A, m^2: from B into A
  double surface;     // of what is in common, m^2
  // 0 unless they are asked for
  double volume_rate;  // m^3/s
  Vec3d velocity;      // of p as seen from B, m/s
  bool overflows;      // sums were too large for their scale
};

/// Two parts whose overlap is looked for.
struct OverlapParts {
  const GeometryView &a, &b;
  const PartView &part_a, &part_b;
  Transform<double> X_A, X_B;  // of the bodies, in world axes from the origin of body a
  Twist twist_a, twist_b;

  ISOPATCH_HD bool has_plane() const { return a.half_space || b.half_space; }

  /// Of body a or of body b: a copy, since a GPU has no addresses of registers.
  ISOPATCH_HD Transform<double> pose_of_body(bool of_a) const {
    Transform<double> X = X_B;
    if (of_a) X = X_A;
    return X;
  }
  /// Of the body whose frame the first pass is in: the mesh beside a plane, else b.
  ISOPATCH_HD Transform<double> first_pose() const { return pose_of_body(b.half_space); }

  /// Of a relative to b: the velocity of a point, and the angular velocity; world axes.
  ISOPATCH_HD Vec3d velocity_at(Vec3d x) const {
    const Vec3d at_a = twist_a.linear + cross(twist_a.angular, x - X_A.translation);
    return at_a - (twist_b.linear + cross(twist_b.angular, x - X_B.translation));
  }
  ISOPATCH_HD Vec3d angular() const { return twist_a.angular - twist_b.angular; }

  /// Of the half space.
  ISOPATCH_HD Vec3d up() const {
    const Vec3d z = {0, 0, 1};
    return a.half_space ? rotate(X_A, rotate(part_a.X_BG, z)) : rotate(X_B, rotate(part_b.X_BG, z));
  }
  ISOPATCH_HD double height_over_plane(Vec3d x) const {
    return a.half_space ? apply_back(part_a.X_BG, apply_back(X_A, x)).z : apply_back(part_b.X_BG, apply_back(X_B, x)).z;
  }
};

/// The point o that both passes take the volume about, in the frame of body b or of the body without the half space:
/// the middle of the overlap of two boxes, or the foot of a part's middle on a plane. False where the boxes are apart.
ISOPATCH_HD bool overlap_origin(const GeometryView& own, const GeometryView& other, const Transform<double>& X_other,
                                double slack, Vec3d& origin) {
  const Vec3d center = apply(X_other, other.center);
  const auto reach = [&](int i) { return dot(abs(X_other.row[i]), other.half); };
  const Vec3d half = {reach(0), reach(1), reach(2)};
  const Vec3d low = max(own.center - own.half, center - half), high = min(own.center + own.half, center + half);
  origin = 0.5 * (low + high);
  return low.x <= high.x + slack && low.y <= high.y + slack && low.z <= high.z + slack;
}

/// The sums of a pass, in its frame about o.
struct PassTotal {
  double volume;
  Vec3d first;
  Symmetric3 second;
  Vec3d area;
  double surface, volume_rate;
  Vec3d first_rate;
  bool overflows;
};

template <bool with_rates, class Sums>
ISOPATCH_HD PassTotal total_of(const OverlapPass& f, const Sums& sums) {
  const auto value = [&](int i) { return sums.sum[i].value({0, 1 / quanta_of(f.scales, i)}); };
  const auto vec = [&](int i) { return Vec3d{value(i), value(i + 1), value(i + 2)}; };
  PassTotal total = {};
  total.volume = value(OverlapNumber::kVolume);
  total.first = vec(OverlapNumber::kFirst);
  const Vec3d diagonal = vec(OverlapNumber::kSecond), beside = vec(OverlapNumber::kSecond + 3);
  total.second = {diagonal.x, diagonal.y, diagonal.z, beside.x, beside.y, beside.z};
  total.area = vec(OverlapNumber::kArea);
  total.surface = value(OverlapNumber::kSurface);
  if constexpr (with_rates) {
    total.volume_rate = value(OverlapNumber::kVolumeRate);
    total.first_rate = vec(OverlapNumber::kFirstRate);
  }
  total.overflows = !sums.bound.template holds<double>();
  return total;
}

/// Makes the pass with the surface of `surface` in the tets of `solid`, or below it where that is a half space; in the
/// frame of the body with tets. Poses and twists are of the bodies.
ISOPATCH_HD void make_pass(const GeometryView& surface, const Transform<double>& X_surface, const GeometryView& solid,
                           const PartView& solid_part, const Transform<double>& X_solid, OverlapPass& f) {
  constexpr double kAnyModulus = 1;  // no pressure is asked for
  if (solid.half_space) {
    f.M = make_pair_body(surface, true, 0);
    f.S = make_pair_body(solid, false, kAnyModulus);
    f.X_MS = pose_of(solid_part, true, relative(X_surface, X_solid));
  } else {
    f.M = make_pair_body(solid, false, kAnyModulus);
    f.S = make_pair_body(surface, true, 0);
    f.X_MS = relative(X_solid, X_surface);
  }
  set_tests(f);
}

/// The relative motion of the surface's body, at o. `origin` is o from the origin of body a in world axes.
ISOPATCH_HD void set_motion(const OverlapParts& parts, bool surface_of_a, Vec3d origin, const Transform<double>& X_M,
                            OverlapPass& f) {
  const double sign = surface_of_a ? 1 : -1;
  f.velocity = rotate_back(X_M, sign * parts.velocity_at(origin));
  f.angular = rotate_back(X_M, sign * parts.angular());
}

ISOPATCH_HD Symmetric3 sum_of(const Symmetric3& a, const Symmetric3& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// Adds what a pass found to the sums about o in world axes.
ISOPATCH_HD void add_pass(const PassTotal& pass, const Transform<double>& X_M, PassTotal& to) {
  to.volume += pass.volume;
  to.first = to.first + rotate(X_M, pass.first);
  to.second = sum_of(to.second, rotated(X_M, pass.second));
  to.surface += pass.surface;
  to.overflows = to.overflows || pass.overflows;
}

/// What two parts have in common, from the sums about o, which is given from the origin of body a in world axes.
ISOPATCH_HD PartOverlap overlap_of(const PassTotal& sums, Vec3d area, double surface, Vec3d origin, double reach) {
  constexpr double kRounding = 0x1p-44, kNoDigits = 0x1p-30;
  PartOverlap out = {};
  out.overflows = sums.overflows;
  const double volume = sums.volume;
  if (!(volume > kRounding * surface * reach)) return out;
  const Vec3d first = sums.first, arm = (1 / volume) * first;
  out.volume = volume;
  out.centroid = origin + arm;
  out.area = area;
  out.surface = surface;
  const Symmetric3& s = sums.second;
  const Symmetric3 second = {fma(-arm.x, first.x, s.xx), fma(-arm.y, first.y, s.yy), fma(-arm.z, first.z, s.zz),
                             fma(-arm.x, first.y, s.xy), fma(-arm.x, first.z, s.xz), fma(-arm.y, first.z, s.yz)};
  if (second.xx + second.yy + second.zz > kNoDigits * volume * dot(arm, arm)) out.second = second;
  return out;
}

/// Sets the rates as seen from B. The first pass has them as seen from the body without its surface.
ISOPATCH_HD void set_rates(const OverlapParts& parts, const PassTotal& sums, bool seen_from_b, Vec3d origin,
                           PartOverlap& out) {
  Vec3d rate = sums.first_rate;
  if (!seen_from_b) {
    rate = rate + fma(out.volume, parts.velocity_at(origin), cross(parts.angular(), sums.first));
  }
  out.volume_rate = sums.volume_rate;
  out.velocity = (1 / out.volume) * fma(-out.volume_rate, out.centroid - origin, rate);
}

/// Where the first passes take the volume about, in the frame of body b, or of the mesh beside a plane. False where the
/// parts are apart.
ISOPATCH_HD bool first_origin(const OverlapParts& parts, Vec3d& origin) {
  if (!parts.has_plane()) {
    const double size = norm(parts.a.center) + parts.a.radius + norm(parts.b.center) + parts.b.radius;
    return overlap_origin(parts.b, parts.a, relative(parts.X_B, parts.X_A), kZeroTolerance * size, origin);
  }
  const bool plane_a = parts.a.half_space;
  const GeometryView& mesh = plane_a ? parts.b : parts.a;
  const Transform<double> X_plane = pose_of(plane_a ? parts.part_a : parts.part_b, true,
                                            relative(parts.pose_of_body(!plane_a), parts.pose_of_body(plane_a)));
  const double height = apply_back(X_plane, mesh.center).z;
  origin = fma(-height, Vec3d{X_plane.row[0].z, X_plane.row[1].z, X_plane.row[2].z}, mesh.center);
  return height <= mesh.radius;
}

/// Powers of two that no sum of areas and no distance from o exceeds, m^2 and m.
struct OverlapBounds {
  double area, length;
};

/// The passes about o, which is given from the origin of body a in world axes. sum(pass) adds up the pass that `pass`
/// describes and returns its PassTotal; it is called by all lanes, which share `pass`.
template <bool with_rates, class Warp, class Sum>
ISOPATCH_HD PartOverlap overlap_about(Warp& warp, const OverlapParts& parts, Vec3d origin, OverlapBounds bounds,
                                      OverlapPass& pass, const Sum& sum) {
  const bool has_plane = parts.has_plane(), plane_a = parts.a.half_space;
  PassTotal sums = {};
  Vec3d area = {0, 0, 0};
  double reach = 0;
  ISOPATCH_NO_UNROLL
  for (int k = 0; k < (has_plane ? 1 : 2); ++k) {
    const bool of_a = has_plane ? !plane_a : k == 0;  // whose surface it is
    const Transform<double> X_M = k == 0 ? parts.first_pose() : parts.X_A;
    warp.sync();  // the pass may be in use
    if (warp.lane() == 0) {
      if (of_a) {
        make_pass(parts.a, parts.X_A, parts.b, parts.part_b, parts.X_B, pass);
      } else {
        make_pass(parts.b, parts.X_B, parts.a, parts.part_a, parts.X_A, pass);
      }
      pass.origin = apply_back(X_M, origin);
      set_motion(parts, of_a, origin, X_M, pass);
      const double speed = next_power_of_two(max(norm(pass.velocity) + norm(pass.angular) * bounds.length, 0x1p-500));
      pass.scales = OverlapScales::make(bounds.area, bounds.length, speed);
    }
    warp.sync();
    const PassTotal total = sum(pass);
    add_pass(total, X_M, sums);
    const Vec3d own = rotate(X_M, total.area);
    if (!of_a) {
      area = own;
    } else if (has_plane) {
      area = -own;
    }
    reach = max(reach, coordinate_bound(pass.M) + coordinate_bound(pass.S));
    if constexpr (with_rates) {
      if (k > 0) continue;
      sums.volume_rate = total.volume_rate;
      sums.first_rate = rotate(X_M, total.first_rate);
    }
  }
  const double surface = sums.surface + (has_plane ? norm(area) : 0);
  PartOverlap out = overlap_of(sums, area, surface, origin, reach);
  if constexpr (with_rates) {
    if (out.volume > 0) set_rates(parts, sums, !(has_plane && plane_a), origin, out);
  }
  return out;
}

/// The overlap of two parts. Where it is so small beside its distance from o that digits are lost, it is found once
/// more about its centroid, with bounds as small as it.
template <bool with_rates, class Warp, class Sum>
ISOPATCH_HD PartOverlap find_overlap(Warp& warp, const OverlapParts& parts, OverlapPass& pass, const Sum& sum) {
  constexpr double kFar = 0x1p16;  // leaves second moments 2^-35
  const double radius = !parts.has_plane()   ? min(parts.a.radius, parts.b.radius)
                        : parts.a.half_space ? parts.b.radius
                                             : parts.a.radius;
  Vec3d origin;
  if (!first_origin(parts, origin)) return {};
  const double depth = parts.has_plane() ? norm(origin - (parts.a.half_space ? parts.b : parts.a).center) : 0;
  OverlapBounds bounds = {next_power_of_two(0x1p16 * radius * radius), next_power_of_two(4 * radius + 2 * depth)};
  origin = apply(parts.first_pose(), origin);
  PartOverlap out = {};
  ISOPATCH_NO_UNROLL
  for (int attempt = 0; attempt < 2; ++attempt) {
    const PartOverlap found = overlap_about<with_rates>(warp, parts, origin, bounds, pass, sum);
    if (attempt > 0 && found.overflows) break;  // it is longer than its area says
    out = found;
    const double trace = out.second.xx + out.second.yy + out.second.zz;
    const double away = max(norm(out.centroid - origin), 0x1p-10 * bounds.length);
    if (!(out.volume > 0) || !(out.surface * away * away * away > kFar * trace)) break;
    origin = out.centroid;
    // beside a plane o stays on it
    if (parts.has_plane()) origin = fma(-parts.height_over_plane(origin), parts.up(), origin);
    bounds = {next_power_of_two(64 * out.surface), min(next_power_of_two(64 * sqrt(out.surface)), bounds.length)};
  }
  return out;
}

}  // namespace isopatch::detail
