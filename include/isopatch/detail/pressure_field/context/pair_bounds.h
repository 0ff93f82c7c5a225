// SPDX-License-Identifier: Apache-2.0
//
// The bounds of a pair's sums, which fix their scales: from the largest values of all parts, near or far, so that
// neither the order of the parts nor what the hierarchies leave out changes a bit. SumBound tells where they are too
// narrow.
#pragma once

#include "isopatch/detail/pressure_field/context/pair_context.h"

namespace isopatch::detail {

/// What the traction on a pair's contact surface is bounded by.
struct PairMaxima {
  double pressure;               // of the softer part, Pa
  double gradient;               // of both pressures together, Pa/m
  double radius;                 // of the smaller part, m
  double reach;                  // of the surface from the point of reference, m
  double speed;                  // of one part relative to the other on the surface, m/s
  double dissipation, friction;  // as in PairLaw
};

/// Pressure of the softer part, area of a surface around the smaller one that is not folded more than a few times,
/// traction raised by damping and friction; of all part pairs together.
ISOPATCH_HD PairBounds make_pair_bounds(const PairMaxima& most, bool pfc_dissipation, int part_pairs) {
  constexpr double kTiny = 0x1p-500;
  const double stiffening = pfc_dissipation ? most.gradient : 1.0;
  const double raise = (1 + most.dissipation * stiffening * most.speed) * (1 + most.friction);
  PairBounds bounds;
  bounds.area = next_power_of_two(64 * most.radius * most.radius);
  if (part_pairs > 1) bounds.area = bounds.area * next_power_of_two(part_pairs);
  bounds.force = next_power_of_two(max(most.pressure * raise, kTiny)) * bounds.area;
  bounds.torque = bounds.force * next_power_of_two(2 * most.reach);
  return bounds;
}

ISOPATCH_HD double speed_of(const PairMotion& motion, double reach) {
  return norm(motion.velocity) + norm(motion.angular) * reach;
}

/// Of a pair's only part pair.
ISOPATCH_HD PairMaxima maxima_of(const PairContext& f) {
  const PairBody &M = f.M, &S = f.S;
  const double depth = S.half_space ? max(0.0, M.geometry->radius - apply_back(f.X_MS, M.geometry->center).z) : 0.0;
  const double extent_S = S.half_space ? depth / S.field->thickness : S.field->max_extent;
  const double limit_M = pressure_at(M, M.field->max_extent), limit_S = pressure_at(S, extent_S);
  const double reach = norm(M.geometry->center - f.frame.reference_M) + M.geometry->radius;
  return {M.rigid   ? limit_S
          : S.rigid ? limit_M
                    : min(limit_M, limit_S),
          steepest_slope(M) + steepest_slope(S),
          S.half_space ? M.geometry->radius : min(M.geometry->radius, S.geometry->radius),
          reach,
          speed_of(f.motion, reach),
          f.law.dissipation,
          f.law.traction_friction};
}

/// Of the parts of one body of a pair.
struct PartMaxima {
  double pressure = 0;                                        // of the compliant parts, Pa
  double slope = 0;                                           // of their extents, 1/m
  double radius = 0;                                          // of the meshes, m
  bool rigid = false, compliant = false, half_space = false;  // there is such a part
  Material material;                                          // softest modulus, largest dissipation and friction
};

/// `other` is the ball about the meshes of the other body, in the frame of this one.
ISOPATCH_HD PartMaxima part_maxima(const SceneView& scene, const State& state, std::int64_t environment, int body,
                                   const Ball& other) {
  const BodyView& view = scene.bodies[body];
  PartMaxima most;
  most.material = {kInfinity, 0, 0, state.dissipation.data != nullptr, state.friction.data != nullptr};
  for (std::int32_t i = view.parts_begin; i < view.parts_end; ++i) {
    const PartView& part = scene.parts[i];
    const GeometryView& g = scene.geometries[geometry_of(scene, state, environment, i)];
    const Material material = read_material(scene, state, environment, i);
    most.material.dissipation = max(most.material.dissipation, material.dissipation);
    most.material.friction = max(most.material.friction, material.friction);
    most.half_space = most.half_space || g.half_space;
    if (!g.half_space) most.radius = max(most.radius, g.radius);
    if (part.rigid) {
      most.rigid = true;
      continue;
    }
    double extent = g.field->max_extent;
    if (g.half_space) {
      const Transform<double> identity = rotation_of(1, 0, 0, 0);
      const double height = apply_back(pose_of(part, true, identity), other.center).z;
      extent = max(0.0, other.radius - height) / g.field->thickness;
    }
    most.compliant = true;
    most.pressure = max(most.pressure, material.modulus * extent);
    most.slope = max(most.slope, g.field->max_gradient);
    most.material.modulus = min(most.material.modulus, material.modulus);
  }
  return most;
}

/// Of all part pairs of a pair.
ISOPATCH_HD PairMaxima maxima_of(const SceneView& scene, const State& state, std::int64_t environment,
                                 const PairView& pair) {
  const Transform<double> X_WA = read_pose(state, environment, pair.a), X_WB = read_pose(state, environment, pair.b);
  const Ball ball_A = mesh_ball(scene, state, environment, pair.a),
             ball_B = mesh_ball(scene, state, environment, pair.b);
  const Ball B_in_A = {apply(relative(X_WA, X_WB), ball_B.center), ball_B.radius};
  const Ball A_in_B = {apply(relative(X_WB, X_WA), ball_A.center), ball_A.radius};
  PartMaxima a = part_maxima(scene, state, environment, pair.a, B_in_A);
  PartMaxima b = part_maxima(scene, state, environment, pair.b, A_in_B);

  PairMaxima most;
  most.pressure = min(a.pressure, b.pressure);
  if (a.rigid) most.pressure = max(most.pressure, b.pressure);
  if (b.rigid) most.pressure = max(most.pressure, a.pressure);

  // Damping under the PFC law is chi (g / E) v_n. In a part pair 1/E = 1/E_a + 1/E_b and g <= min(E_a s_a, E_b s_b),
  // so g / E <= 2 max(s_a, s_b), whatever the moduli: the steepest pressure over the softest modulus would be far more
  // than any part pair has. The law's dissipation is chi times the softness, which is divided out here.
  const double softness = (a.compliant ? 1 / a.material.modulus : 0.0) + (b.compliant ? 1 / b.material.modulus : 0.0);
  most.gradient = 2 * max(a.slope, b.slope) / softness;

  most.radius = a.half_space == b.half_space ? (a.half_space ? max(a.radius, b.radius) : min(a.radius, b.radius))
                : a.half_space               ? b.radius
                                             : a.radius;
  most.reach = max(ball_A.radius, ball_B.radius);

  const Twist twist_A = read_twist(state, environment, pair.a), twist_B = read_twist(state, environment, pair.b);
  const SumFrame frame_A = {X_WA, X_WA.translation, ball_A.center, false};
  const SumFrame frame_B = {X_WB, X_WA.translation, ball_B.center, true};
  most.speed = max(speed_of(make_pair_motion(frame_A, X_WB.translation, twist_A, twist_B), ball_A.radius),
                   speed_of(make_pair_motion(frame_B, X_WA.translation, twist_B, twist_A), ball_B.radius));

  a.material.dissipation = b.material.dissipation = max(a.material.dissipation, b.material.dissipation);
  const PairLaw law = make_pair_law(scene, pair, a.material, b.material, !a.compliant, !b.compliant);
  most.dissipation = law.dissipation;
  most.friction = law.traction_friction;
  return most;
}

/// The bounds of a pair whose only part pair has this context.
ISOPATCH_HD PairBounds only_bounds(const SceneView& scene, const PairContext& context) {
  PairBounds bounds = make_pair_bounds(maxima_of(context), scene.contact.pfc_dissipation, 1);
  if (context.law.has_plates) bounds.widen(kPlateWidening);
  return bounds;
}

/// Makes the context of a pair's only part pair, with its bounds.
ISOPATCH_HD_LARGE void make_only_context(const SceneView& scene, const State& state, std::int64_t environment, int pair,
                                         PairContext& context) {
  make_context(scene, state, environment, pair, scene.pairs[pair].part_pairs_begin, context);
  context.bounds = only_bounds(scene, context);
}

/// Makes the bounds of a pair of several part pairs.
ISOPATCH_HD_LARGE void make_bounds(const SceneView& scene, const State& state, std::int64_t environment,
                                   const PairView& pair, PairBounds& bounds) {
  bounds =
      make_pair_bounds(maxima_of(scene, state, environment, pair), scene.contact.pfc_dissipation, num_part_pairs(pair));
  if (pair.has_law) bounds.widen(kPlateWidening);
}

}  // namespace isopatch::detail
