// SPDX-License-Identifier: Apache-2.0
//
// The damper of Integrator::kMidpoint. In the middle of a step the elastic force f is known; over the step it is
//
//   f - beta h k (v_n - v_c)
//
// with a point's stiffness k, the velocity v_n with which the bodies part, and the part v_c of it that carries the
// patch along. a = h^2 times the stiffness of the patch over the mass that it moves, n the number of sub-steps of the
// step, and
//
//   beta = 2 a / (1 + a) + (b n - 2) max(0, 1 - 1 / (a n^2))^2,  b = 3, between two free bodies 20
//
// goes to 0 for contact that lasts many steps, which then neither gains nor loses, and to b n for contact that is
// shorter than a step, which comes to rest: what overlaps because it was found late leaves with f / (beta h k), 1 / b
// of its depth in a whole step, however many sub-steps that step has: a step before may have had fewer. With 3 what
// rolls on the ground keeps its speed; a stack needs more, or it would sway. A patch that rolls or slides stays itself
// though its points do not: what is too much there is less at the other end. v_c = s_r r + s_t y is fitted to the rate
// at which the pressure would change if the patch went along with the bodies, by a turn r about the middle of the patch
// and a slip y, each between nothing and all of it, so that the damper is made weaker, and never turned round.
#pragma once

#include "isopatch/detail/math/symmetric.h"
#include "isopatch/detail/rollout/solver/polygon_columns.h"

namespace isopatch::detail {

/// The velocity of A relative to B, or of one of them: of the pair's point and angular.
template <class T>
struct RelativeTwist {
  Vec3<T> linear, angular;

  ISOPATCH_HD Vec3<T> at(Vec3<T> arm) const { return linear + cross(angular, arm); }
};

template <class T>
ISOPATCH_HD Vec3<T> for_all_lanes(Vec3d v) {
  return {T(v.x), T(v.y), T(v.z)};
}

template <class T>
ISOPATCH_HD RelativeTwist<T> for_all_lanes(const RelativeTwist<double>& twist) {
  return {for_all_lanes<T>(twist.linear), for_all_lanes<T>(twist.angular)};
}

/// What an impulse changes the velocities of bodies of trees by, about a pair's point: of the one relative to the other
/// if it acts on both.
struct PairMobility {
  Symmetric3 linear;   // 1/kg
  Vec3d mixed[3];      // rows: linear velocities by an angular impulse, 1/(kg m)
  Symmetric3 angular;  // 1/(kg m^2)

  /// Of the matrix of six rows, the linear ones first; column >= row.
  ISOPATCH_HD double& at(int row, int column) {
    if (row < 3 && column >= 3) return column == 3 ? mixed[row].x : column == 4 ? mixed[row].y : mixed[row].z;
    return row < 3 ? linear.at(row, column) : angular.at(row - 3, column - 3);
  }
};

/// What an impulse changes a body's velocities by.
struct BodyMobility {
  Vec3d to_point;                // from the center of mass to the pair's point, m
  double inverse_mass;           // of a free body, else 0, 1/kg
  Symmetric3 inverse_inertia;    // likewise, world axes, 1/(kg m^2)
  Vec3d linear, angular;         // of a body on a joint: the twist of its center with a rate of 1
  double inverse_of_joint;       // of its mass along the joint, else 0
  const PairMobility* of_trees;  // beside the inverse inertia; null: it is of none

  /// n . W n: the velocity along n, for each unit of an impulse along n, of the point at `arm` from the pair's point.
  template <class T>
  ISOPATCH_HD T along(Vec3<T> n, Vec3<T> arm) const {
    const auto all = [](Vec3d v) { return for_all_lanes<T>(v); };
    const Symmetric3& w = inverse_inertia;
    const Vec3<T> q = cross(arm + all(to_point), n);
    const Vec3<T> turned = {fma(T(w.xx), q.x, fma(T(w.xy), q.y, T(w.xz) * q.z)),
                            fma(T(w.xy), q.x, fma(T(w.yy), q.y, T(w.yz) * q.z)),
                            fma(T(w.xz), q.x, fma(T(w.yz), q.y, T(w.zz) * q.z))};
    const T of_joint = dot(all(linear), n) + dot(all(angular), q);
    const T sum = fma(T(inverse_of_joint) * of_joint, of_joint, T(inverse_mass) + dot(q, turned));
    return of_trees == nullptr ? sum : sum + of_linear(n, q);
  }

 private:
  template <class T>
  ISOPATCH_HD T of_linear(Vec3<T> n, Vec3<T> q) const {
    const auto all = [](Vec3d v) { return for_all_lanes<T>(v); };
    const Symmetric3& w = of_trees->linear;
    const Vec3<T> moved = {fma(T(w.xx), n.x, fma(T(w.xy), n.y, T(w.xz) * n.z)),
                           fma(T(w.xy), n.x, fma(T(w.yy), n.y, T(w.yz) * n.z)),
                           fma(T(w.xz), n.x, fma(T(w.yz), n.y, T(w.zz) * n.z))};
    const Vec3<T> mixed = {dot(all(of_trees->mixed[0]), q), dot(all(of_trees->mixed[1]), q),
                           dot(all(of_trees->mixed[2]), q)};
    return dot(n, fma(T(2.0), mixed, moved));
  }
};

/// What the points of a patch add up to.
struct DamperSums {
  enum : int {
    kStiffness = 0,  // K, of the stiffnesses k, N/m
    kFirst = 1,      // 3, of k times the arms, N
    kNormal = 4,     // 3, of k n, N/m
    kSoftness = 7,   // of k n . W n, 1/s^2
    kSize = 8
  };
};

template <class T>
ISOPATCH_HD void add_patch(const BodyMobility& a, const BodyMobility& b, const PolygonPoints<T>& points,
                           T (&sums)[DamperSums::kSize]) {
  const T k = points.stiffness;
  ISOPATCH_UNROLL
  for (int i = 0; i < PolygonPoints<T>::kPoints; ++i) {
    sums[DamperSums::kStiffness] = sums[DamperSums::kStiffness] + k;
    add_to(sums + DamperSums::kFirst, k * points.arm[i]);
    add_to(sums + DamperSums::kNormal, k * points.normal);
    const T softness = a.along(points.normal, points.arm[i]) + b.along(points.normal, points.arm[i]);
    sums[DamperSums::kSoftness] = fma(k, softness, sums[DamperSums::kSoftness]);
  }
}

/// How a patch moves with velocities that are known, about the pair's point.
struct PatchMotion {
  RelativeTwist<double> a, b;  // of the bodies, world
  Vec3d carried;               // w: the velocity that the patch goes along with, m/s
  Vec3d middle;                // weighted by stiffness, from the pair's point, m
  Vec3d turning;               // omega, of a relative to b, rad/s
  Vec3d slip;                  // u_t, of a relative to b in the middle, m/s
};

/// What fits the velocity that carries a patch along.
struct CarrySums {
  enum : int {
    kTurn = 0,         // of c r: c is the rate of a point's force, r the part of v_n that is a turn, N m/s^2
    kTurnSquared = 1,  // of k r^2
    kSlip = 2,         // of c y: y is the part of v_n that is a slip
    kSlipSquared = 3,  // of k y^2
    kSize = 4
  };
};

template <class T>
ISOPATCH_HD void add_carried(const PatchMotion& motion, const FieldSlope<T>& field, const PolygonPoints<T>& points,
                             T (&sums)[CarrySums::kSize]) {
  const auto all = [](Vec3d v) { return for_all_lanes<T>(v); };
  const RelativeTwist<T> a = for_all_lanes<T>(motion.a), b = for_all_lanes<T>(motion.b);
  const T k = points.stiffness, y = dot(points.normal, all(motion.slip));
  ISOPATCH_UNROLL
  for (int i = 0; i < PolygonPoints<T>::kPoints; ++i) {
    const Vec3<T> of_a = a.at(points.arm[i]), of_b = b.at(points.arm[i]);
    const Vec3<T> relative = fma(field.share_b, of_b - of_a, of_a) - all(motion.carried);
    const T c = -dot(field.slope, relative);
    const T r = dot(points.normal, cross(all(motion.turning), points.arm[i] - all(motion.middle)));
    sums[CarrySums::kTurn] = fma(c, r, sums[CarrySums::kTurn]);
    sums[CarrySums::kTurnSquared] = fma(k * r, r, sums[CarrySums::kTurnSquared]);
    sums[CarrySums::kSlip] = fma(c, y, sums[CarrySums::kSlip]);
    sums[CarrySums::kSlipSquared] = fma(k * y, y, sums[CarrySums::kSlipSquared]);
  }
}

/// The damper of a patch.
struct PatchDamper {
  double step, beta;            // h, s
  Vec3d middle, turning, slip;  // of PatchMotion; velocities times s_r and s_t
};

/// Replaces stiffnesses and elastic forces by those whose linear law has the damper.
template <class T>
ISOPATCH_HD void apply_damper(const PatchDamper& damper, PolygonPoints<T>& points) {
  const auto all = [](Vec3d v) { return for_all_lanes<T>(v); };
  points.stiffness = T(damper.beta) * points.stiffness;
  const T slope = T(damper.step) * points.stiffness;
  ISOPATCH_UNROLL
  for (int i = 0; i < PolygonPoints<T>::kPoints; ++i) {
    const Vec3<T> along = all(damper.slip) + cross(all(damper.turning), points.arm[i] - all(damper.middle));
    points.force[i] = fma(slope, dot(points.normal, along), points.force[i]);
  }
}

}  // namespace isopatch::detail
