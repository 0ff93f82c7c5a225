// SPDX-License-Identifier: Apache-2.0
//
// The damper of Integrator::kMidpoint for a pair of bodies: see patch_damper.h.
#pragma once

#include "isopatch/detail/rollout/solver/velocity_problem.h"

namespace isopatch::detail {

/// Of one of a pair's bodies (side 0 or 1); of two that move with one joint, the first one has what both have; of
/// bodies of trees the one that is asked for first has it.
ISOPATCH_HD BodyMobility mobility_of(const SolverMemory& m, const SolvedPair& pair, int side) {
  const SolvedBody& body = m.bodies[side == 0 ? pair.a : pair.b];
  const Vec3d point = pair.point;
  BodyMobility mobility = {point - body.center, 0, {0, 0, 0, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0, nullptr};
  if (body.is_in_tree()) {
    mobility.to_point = {0, 0, 0};
    if (side == 0 || !m.bodies[pair.a].is_in_tree()) {
      const PairMobility& of = *columns_of_trees(m, pair).mobility;
      mobility.inverse_inertia = of.angular;
      mobility.of_trees = &of;
    }
    return mobility;
  }
  if (body.num_dofs == 6) {
    mobility.inverse_mass = 1 / body.mass;
    mobility.inverse_inertia = inverse(body.inertia);
  } else if (body.num_dofs == 3) {  // as if z were a joint's axis, which takes away what it gives
    mobility.inverse_mass = 1 / body.mass;
    mobility.inverse_inertia.zz = 1 / body.inertia.zz;
    mobility.linear = {0, 0, 1};
    mobility.inverse_of_joint = -mobility.inverse_mass;
  } else if (body.num_dofs == 1) {
    Twist freedom = body.freedom;
    if (share_joint(m.bodies[pair.a], m.bodies[pair.b])) {
      if (side == 1) return mobility;
      const SolvedBody& other = m.bodies[pair.b];
      const Twist of_body = shifted(body.freedom, point - body.center),
                  of_other = shifted(other.freedom, point - other.center);
      freedom = {of_body.linear - of_other.linear, of_body.angular - of_other.angular};
      mobility.to_point = {0, 0, 0};
    }
    mobility.linear = freedom.linear;
    mobility.angular = freedom.angular;
    mobility.inverse_of_joint = 1 / body.joint_mass;
  }
  return mobility;
}

/// a: how stiff a patch is for a step of h seconds.
ISOPATCH_HD double relative_stiffness(double h, const double (&sums)[DamperSums::kSize]) {
  return h * h * sums[DamperSums::kSoftness];
}

/// How a pair's patch moves, at the known velocities.
ISOPATCH_HD PatchMotion patch_motion(const SolverMemory& m, const SolvedPair& pair, const double* velocities,
                                     const double (&sums)[DamperSums::kSize]) {
  constexpr double kSlowTurn = 1e-4;  // rad^2/s^2, below which masses decide whom the patch goes with
  const SolvedBody &a = m.bodies[pair.a], &b = m.bodies[pair.b];
  const Twist of_a = twist_of_center(m.bodies, pair.a, velocities),
              of_b = twist_of_center(m.bodies, pair.b, velocities);
  const Twist at_a = shifted(of_a, pair.point - a.center), at_b = shifted(of_b, pair.point - b.center);
  PatchMotion motion;
  motion.a = {at_a.linear, at_a.angular};
  motion.b = {at_b.linear, at_b.angular};

  const bool a_is_free = a.moves_freely(), b_is_free = b.moves_freely();
  double with_a = 0;  // lambda
  if (a_is_free && b_is_free) {
    const double turn_a = dot(of_a.angular, of_a.angular), turn_b = dot(of_b.angular, of_b.angular);
    with_a = fma(kSlowTurn, b.mass / (a.mass + b.mass), turn_a) / (turn_a + turn_b + kSlowTurn);
  } else if (a_is_free || (!b_is_free && a.num_dofs > 0)) {
    with_a = 1;
  }
  motion.carried = fma(with_a, of_a.linear - of_b.linear, of_b.linear);

  const Vec3d first = {sums[DamperSums::kFirst], sums[DamperSums::kFirst + 1], sums[DamperSums::kFirst + 2]};
  const Vec3d normals = {sums[DamperSums::kNormal], sums[DamperSums::kNormal + 1], sums[DamperSums::kNormal + 2]};
  const double stiffness = sums[DamperSums::kStiffness], length = norm(normals);
  motion.middle = stiffness > 0 ? (1 / stiffness) * first : Vec3d{0, 0, 0};
  motion.turning = at_a.angular - at_b.angular;
  const Vec3d u = (at_a.linear - at_b.linear) + cross(motion.turning, motion.middle);
  const Vec3d n = length > 0 ? (1 / length) * normals : Vec3d{0, 0, 0};
  // the edge of one falling body that slides along another would gain a little in every step
  motion.slip = a_is_free && b_is_free ? Vec3d{0, 0, 0} : fma(-dot(n, u), n, u);
  return motion;
}

/// beta of patch_damper.h, for a relative stiffness a in one of n sub-steps.
ISOPATCH_HD double damping_factor(double a, double n, bool both_are_free) {
  const double top = both_are_free ? 20 : 3;
  if (!(a < kInfinity)) return top * n;
  const double short_part = max(1 - 1 / (a * n * n), 0.0);
  return fma((top * n - 2) * short_part, short_part, 2 * a / (1 + a));
}

/// With `rolls`, turning leaves the patch whole.
ISOPATCH_HD PatchDamper damper_of(double h, double beta, const PatchMotion& motion,
                                  const double (&sums)[CarrySums::kSize], bool rolls) {
  const auto share = [](double rate, double squared) { return squared > 0 ? max(min(rate / squared, 1.0), 0.0) : 0.0; };
  const double of_turn = rolls ? 1 : share(sums[CarrySums::kTurn], sums[CarrySums::kTurnSquared]),
               of_slip = share(sums[CarrySums::kSlip], sums[CarrySums::kSlipSquared]);
  return {h, beta, motion.middle, of_turn * motion.turning, of_slip * motion.slip};
}

}  // namespace isopatch::detail
