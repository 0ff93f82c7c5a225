// SPDX-License-Identifier: Apache-2.0
//
// The friction of one contact with state in a stage, as a function of the twist of its pair: impulse, matrix,
// potential and slopes, which are added to those of the pair's points (point_sums.h).
#pragma once

#include "isopatch/detail/force_law/evaluate_law.h"
#include "isopatch/detail/rollout/solver/point_sums.h"

namespace isopatch::detail {

struct PlateTerm {
  std::int32_t view;             // of the pair, in the contact's model
  std::int32_t part_pair, row;   // its row in contact states
  std::int32_t first, polygons;  // among the pair's
  bool rebounds;                 // in place of its spring (bounces.h)
  bool rolls;                    // as PlateContact
  PlateMotion motion;
  LawNumbers law;         // of the environment
  Vec3d arm, normal;      // of the plate, from the pair's point, m
  double spin_radius;     // m
  ContactState begun;     // where the stage begins
  FrictionStep friction;  // over the normal impulse; held in a solve, like the rest
  double impulse;         // n0, of all its points, N s
  double found_impulse;   // what a solve made of it, N s
  double parted;          // along the normal before the step, m/s; if it rebounds
  Slip slipped;           // then, m/s

  ISOPATCH_HD PolygonRange range(std::int32_t of_pair) const { return {first, polygons, polygons == of_pair}; }

  ISOPATCH_HD Slip slip_at(const RelativeTwist<double>& twist) const {
    return {tangential(twist.at(arm), normal), spin_radius * dot(normal, twist.angular)};
  }

  /// The share of bristles that sticks in an implicit step of h seconds.
  ISOPATCH_HD double sticking(Slip slip, double h) const {
    return sticking_at(law, slip, friction.bent, begun.dwell, h);
  }
};

/// Adds how the plate moves to what fits the velocity that carries the pair's patch along. `points` are the plate's.
///
/// The plate's centre moves with `motion`, and would move with w if the patch went along with the bodies. Turned by r
/// while it stays where it is in them, its load would shift by P = sum k y r about its centre; it does by that much
/// less K t (velocity - w), K = sum k, along P. As a whole it loses K growth in place of K n.v.
ISOPATCH_HD void add_carried(const PatchMotion& motion, const PlateTerm& term, const PolygonPoints<double>& points,
                             double (&sums)[CarrySums::kSize]) {
  if (!(term.motion.thickness > 0)) return;
  const Vec3d n = term.normal, at_a = motion.a.at(term.arm), at_b = motion.b.at(term.arm);
  Vec3d shift = {0, 0, 0};  // P / k
  double turned = 0;
  ISOPATCH_UNROLL
  for (int i = 0; i < PolygonPoints<double>::kPoints; ++i) {
    const Vec3d y = points.arm[i] - term.arm;
    const double r = dot(n, cross(motion.turning, y));
    shift = fma(r, y, shift);
    turned = fma(r, r, turned);
  }
  const double square = dot(shift, shift), k = points.stiffness, all = PolygonPoints<double>::kPoints * k;
  if (square > 0) {
    const Vec3d beside = term.motion.velocity - (motion.carried - at_b);
    const double stays = PolygonPoints<double>::kPoints * term.motion.thickness * dot(beside, shift) / square;
    sums[CarrySums::kTurn] = fma(k * turned, 1 + stays, sums[CarrySums::kTurn]);
  }
  const double r = dot(n, cross(motion.turning, term.arm - motion.middle));
  sums[CarrySums::kTurn] = fma(all * (term.motion.growth + dot(n, at_a - at_b)), r, sums[CarrySums::kTurn]);
}

ISOPATCH_HD_LARGE void add_impulse(const PlateTerm& term, const RelativeTwist<double>& twist, double* sums) {
  const Slip b = friction_at(term.friction.term, term.slip_at(twist)).total;
  const Vec3d impulse = -term.impulse * b.along;
  add_to(sums + ImpulseSums::kForce, impulse);
  add_to(sums + ImpulseSums::kMoment,
         fma(-term.impulse * term.spin_radius * b.spin, term.normal, cross(term.arm, impulse)));
}

/// S w = (w_t, rho n . omega) of a twist; its transpose takes a slip to a force and a moment about the pair's point.
struct SlipWrench {
  double number[6];

  ISOPATCH_HD SlipWrench(const PlateTerm& term, Slip slip) {
    const Vec3d moment = fma(term.spin_radius * slip.spin, term.normal, cross(term.arm, slip.along));
    number[0] = slip.along.x, number[1] = slip.along.y, number[2] = slip.along.z;
    number[3] = moment.x, number[4] = moment.y, number[5] = moment.z;
  }
};

ISOPATCH_HD_LARGE void add_matrix(const PlateTerm& term, const RelativeTwist<double>& twist, double* sums) {
  const FrictionSlope slope = friction_slope(term.friction.term, term.slip_at(twist));
  const Vec3d n = term.normal, r_n = cross(term.arm, n);
  const double identity = term.impulse * slope.identity;
  const double along_n[6] = {n.x, n.y, n.z, r_n.x, r_n.y, r_n.z};
  const double spin[6] = {0, 0, 0, n.x, n.y, n.z};
  const SlipWrench of_slip(term, slope.slip), of_load(term, slope.load);
  const double scale_spin = identity * term.spin_radius * term.spin_radius;
  const double scale_slip = term.impulse * slope.of_slip, scale_load = term.impulse * slope.of_load;
  const Vec3d scaled = identity * term.arm;
  ISOPATCH_UNROLL
  for (int row = 0; row < 6; ++row) {
    ISOPATCH_UNROLL
    for (int column = 0; column <= row; ++column) {
      double& entry = sums[MatrixSums::at(row, column)];
      entry = add_isotropic(row, column, identity, term.arm, scaled, entry);
      entry = fma(-identity * along_n[row], along_n[column], entry);
      entry = fma(scale_spin * spin[row], spin[column], entry);
      entry = fma(scale_slip * of_slip.number[row], of_slip.number[column], entry);
      entry = fma(scale_load * of_load.number[row], of_load.number[column], entry);
    }
  }
}

/// J
ISOPATCH_HD_LARGE double potential_of(const PlateTerm& term, const RelativeTwist<double>& twist) {
  return term.impulse * friction_potential(term.friction.term, term.slip_at(twist));
}

/// The slope of the potential and its slope in turn, as the twist changes by `change` for each unit.
ISOPATCH_HD_LARGE void add_slopes(const PlateTerm& term, const RelativeTwist<double>& twist,
                                  const RelativeTwist<double>& change, double (&sums)[2]) {
  const Slip slip = term.slip_at(twist), w = term.slip_at(change);
  const FrictionSlope slope = friction_slope(term.friction.term, slip);
  const double along = dot(slope.slip, w), load = dot(slope.load, w);
  sums[0] = fma(term.impulse, dot(friction_at(term.friction.term, slip).total, w), sums[0]);
  sums[1] =
      fma(term.impulse, fma(slope.identity, dot(w, w), fma(slope.of_slip * along, along, slope.of_load * load * load)),
          sums[1]);
}

}  // namespace isopatch::detail
