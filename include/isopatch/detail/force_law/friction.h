// SPDX-License-Identifier: Apache-2.0
//
// Friction per normal force as a function of slip: the gradient of a convex potential, with bristles and without.
#pragma once

#include "isopatch/detail/force_law/numbers.h"
#include "isopatch/detail/math/exponential.h"
#include "isopatch/detail/math/vec.h"

namespace isopatch::detail {

/// Slip of a plate in its plane: four numbers, a vector in the plane and the spin about the normal times the radius of
/// gyration. One limit of friction holds for all four.
struct Slip {
  Vec3d along;  // in the plane
  double spin;
};

ISOPATCH_HD Slip operator*(double s, Slip a) { return {s * a.along, s * a.spin}; }
ISOPATCH_HD double dot(Slip a, Slip b) { return fma(a.spin, b.spin, dot(a.along, b.along)); }
ISOPATCH_HD double norm(Slip a) { return sqrt(dot(a, a)); }
/// s a + b
ISOPATCH_HD Slip fma(double s, Slip a, Slip b) { return {fma(s, a.along, b.along), fma(s, a.spin, b.spin)}; }

/// x without its part along the unit vector n
ISOPATCH_HD Vec3d tangential(Vec3d x, Vec3d n) { return fma(-dot(x, n), n, x); }

/// What depends on how fast the contact slips but is held while a step looks for its velocities.
struct BristleWeights {
  double sticking;  // s: 1 at rest, 0 of what slides faster than the Stribeck velocity
  double dwell;     // s_dw after the step: 1 where static friction has built up
  double limit;     // of friction per normal force
};

/// alpha: how far bristles give way that are bent by `bent`, m, where their friction is at most `limit`: not at all up
/// to .7 of it, or while the slip takes the bend back.
ISOPATCH_HD double flow_at(const BristleNumbers& law, double limit, Slip bent, Slip slip) {
  constexpr double kFrom = 0.7;
  const double along = dot(bent, slip), load = law.stiffness * norm(bent) / limit;
  if (along <= 0 || load <= kFrom) return 0;
  const double q = min((load - kFrom) / (1 - kFrom), 1.0), cosine = along / (norm(bent) * norm(slip));
  return q * q * (3 - 2 * q) * (cosine <= 1 ? cosine : 1.0);  // not a number: beyond all bounds
}

/// s of bristles that are bent by `bent`, m, before a step, and would follow all of the slip in it.
ISOPATCH_HD double sticking_at(const LawNumbers& law, Slip slip, Slip bent, double dwell, double dt) {
  const BristleNumbers& b = law.bristle;
  const double speed = norm(slip) / b.stribeck_velocity, sticking = decay(speed * speed);
  if (law.flows_always) return sticking;
  const double limit = law.friction * fma(b.static_ratio - 1, dwell, 1.0);
  return fma(sticking - 1, flow_at(b, limit, fma(dt, slip, bent), slip), 1.0);
}

/// s_dw after dt, s, of which this share sticks.
ISOPATCH_HD double dwell_after(const BristleNumbers& law, double sticking, double dwell, double dt) {
  const double time = sticking >= dwell ? law.dwell_time : law.damping / law.stiffness;
  return time > 0 ? fma(dwell - sticking, decay(dt / time), sticking) : sticking;
}

ISOPATCH_HD BristleWeights bristle_weights(const LawNumbers& law, double sticking, double dwell, double dt) {
  const double next = dwell_after(law.bristle, sticking, dwell, dt);
  return {sticking, next, law.friction * fma(law.bristle.static_ratio - 1, next, 1.0)};
}

/// Friction per normal force at given weights, as a function of slip alone.
struct FrictionTerm {
  bool has_bristles;
  double coulomb;  // beta: friction of sliding; without bristles all of it
  double speed;    // below which it is reduced: v_epsilon, or the slip tolerance; m/s
  double bend;     // alpha: what the bristles carry for each speed, s/m
  double limit;    // of what the bristles carry
  double viscous;  // s/m
  Slip carried;    // what the bristles carry at rest
};

ISOPATCH_HD FrictionTerm coulomb_term(const LawNumbers& law) {
  return {false, law.friction, law.slip_tolerance, 0, 0, 0, {{0, 0, 0}, 0}};
}

/// The bristles take one backward Euler step from `bent`, m, in slip that is yet to be found.
ISOPATCH_HD FrictionTerm bristle_term(const LawNumbers& law, const BristleWeights& weights, Slip bent, double dt) {
  const BristleNumbers& b = law.bristle;
  const double s = weights.sticking, slide = 1 - s;
  const double damped = 1 / fma(dt, slide * b.stiffness / b.damping, 1.0);
  const double stiffness = dt * b.stiffness * damped;
  const double coulomb = min(slide * law.friction * fma(s, stiffness / b.damping, 1.0), law.friction);
  return {true,
          coulomb,
          b.stribeck_velocity / 100,
          s * fma(s, stiffness, b.damping),
          max(weights.limit - coulomb, 0.0),
          b.viscous,
          (s * b.stiffness * damped) * bent};
}

/// Friction over normal force, against the motion of A.
struct Friction {
  Slip bristles;  // what bends them: all but the viscous part
  Slip total;
};

ISOPATCH_HD Friction friction_at(const FrictionTerm& term, Slip slip) {
  const double square = dot(slip, slip);
  if (!term.has_bristles) {
    const Slip b = (term.coulomb / sqrt(fma(term.speed, term.speed, square))) * slip;
    return {b, b};
  }
  Slip y = fma(term.bend, slip, term.carried);
  const double size = norm(y);
  if (size > term.limit) y = (term.limit / size) * y;
  const double speed = sqrt(square), fraction = speed / term.speed;
  const double slope = fraction >= 1 ? 1 / speed : (1.5 - 0.5 * fraction * fraction) / term.speed;
  const Slip b = fma(term.coulomb * slope, slip, y);
  return {b, fma(term.viscous, slip, b)};
}

/// The bend after the step, m.
ISOPATCH_HD Slip next_bend(const BristleNumbers& law, Slip friction, Slip bent, double dt) {
  return (1 / fma(dt, law.stiffness, law.damping)) * fma(dt, friction, law.damping * bent);
}

/// The convex function of slip whose gradient is the total friction, m/s. Only differences count.
ISOPATCH_HD double friction_potential(const FrictionTerm& term, Slip slip) {
  const double square = dot(slip, slip);
  if (!term.has_bristles) return term.coulomb * sqrt(fma(term.speed, term.speed, square));
  double potential = 0.5 * term.viscous * square;
  if (term.bend > 0) {  // else sticking is 0, and with it all that they carry
    const double size = norm(fma(term.bend, slip, term.carried));
    potential +=
        size > term.limit ? term.limit * (size - 0.5 * term.limit) / term.bend : 0.5 * size * (size / term.bend);
  }
  const double speed = sqrt(square), fraction = speed / term.speed, f2 = fraction * fraction;
  const double integral = fraction >= 1 ? speed - 0.375 * term.speed : term.speed * f2 * fma(-0.125, f2, 0.75);
  return fma(term.coulomb, integral, potential);
}

/// How friction changes with slip, s/m: identity I + of_slip u u^T + of_load y y^T. Symmetric, never negative.
struct FrictionSlope {
  double identity;
  double of_slip;
  Slip slip;
  double of_load;
  Slip load;  // y before it is cut
};

ISOPATCH_HD FrictionSlope friction_slope(const FrictionTerm& term, Slip slip) {
  const double square = dot(slip, slip);
  if (!term.has_bristles) {
    const double q2 = fma(term.speed, term.speed, square), slope = term.coulomb / sqrt(q2);
    return {slope, -(slope / q2), slip, 0, {{0, 0, 0}, 0}};
  }
  const Slip y = fma(term.bend, slip, term.carried);
  const double size = norm(y);
  const bool is_cut = size > term.limit;
  const double bend = is_cut ? term.bend * (term.limit / size) : term.bend;
  const double speed = sqrt(square), fraction = speed / term.speed;
  const bool slides = fraction >= 1;
  const double slope = term.coulomb * (slides ? 1 / speed : (1.5 - 0.5 * fraction * fraction) / term.speed);
  const double turn = slides ? -(slope / square) : -(term.coulomb / (term.speed * term.speed * term.speed));
  return {slope + bend + term.viscous, turn, slip, is_cut ? -(bend / size / size) : 0.0, y};
}

}  // namespace isopatch::detail
