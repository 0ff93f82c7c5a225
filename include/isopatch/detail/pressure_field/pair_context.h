// SPDX-License-Identifier: Apache-2.0
//
// Everything about one (environment, pair) that its tet pairs share, formed once in double: the relative pose, the
// materials, the relative twist, the tolerances and the scales of the sums.
//
// The two bodies are called M and S. All geometry is in the frame of M, so a scene far from the world's origin loses
// nothing. M always has cells; S may be a half space. Where the pair is stored the other way round, M is body b
// and the wrench is handed back to a in finish().
#pragma once

#include "isopatch/detail/math/reproducible_sum.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {

/// A pair is evaluated once, and where that leaves something open, once more.
enum class Pass : std::uint8_t {
  kFirst,
  kWider,      // on wider scales, because a sum may have wrapped
  kUnfiltered  // without the gradient filter, to see whether there is a polygon: only the status is written
};

struct PairContext {
  // bodies
  const GeometryView* M;
  const GeometryView* S;
  HierarchyView hierarchy_M, hierarchy_S;
  bool swapped;  // M is the pair's body b
  bool rigid_M, rigid_S;
  bool half_space_S;
  double modulus_M, modulus_S;

  // poses
  Transform<double> X_WM, X_MS;
  Vec3d p_WoA;              // body origin of the pair's a in the world
  Transform<float> coarse;  // X_MS for the box tests
  Vec3f absolute_row[3];    // |R| of `coarse`
  float slack;              // m, added to every box test of cells; far above its rounding
  Vec3f foot_S;             // half space S in M: the point of its surface nearest M's origin
  Vec3f slope_S;            // of its extent, 1/m; of the height over it where it is rigid
  float coarse_weight_M, coarse_weight_S, coarse_error;  // of d at a vertex as filter_cells() forms it

  // On the contact surface the extent of M, or of S beside a rigid M, is called u.
  float modulus_ratio, inverse_modulus_ratio;  // extent of S there where u = 1, and the inverse; 0 where S is rigid
  float fall_S;                                // half space S: how far below its surface the pressure of u = 1 is, m
  float unit_slack;                            // added to ranges of u, for what counts as equal pressure

  double snap_M, snap_S;  // |d| at a vertex of M, of S, at or below this is zero (Pa, or m beside a rigid body)
  Vec3d reference_M;      // point torques are summed about

  // contact law
  bool moving;
  Vec3d velocity_M;  // of M relative to S at reference_M, in M, m/s
  Vec3d angular_M;   // of M relative to S, in M, rad/s
  bool pfc_dissipation;
  bool gradient_filter;
  Pass pass;
  int quadrature;
  double dissipation;  // d [s/m], or chi/E [s/Pa]
  double friction;
  double slip_tolerance;

  // powers of two
  double pressure_scale;  // brings the slopes of the pressure on the contact plane below 2
  double force_bound, torque_bound, area_bound, length_bound;  // of one polygon, and of all but folded surfaces

  /// The third axis of S, in M: where S is a half space, its outward normal.
  ISOPATCH_HD Vec3d up_S() const { return {X_MS.row[0].z, X_MS.row[1].z, X_MS.row[2].z}; }

  ISOPATCH_HD void widen_grids(int power) {
    const double factor = static_cast<double>(std::int64_t{1} << power);
    area_bound *= factor;
    force_bound *= factor;
    torque_bound *= factor;
    pass = Pass::kWider;
  }
};

ISOPATCH_HD CellRef cell_of_M(const PairContext& f, std::int32_t m) { return {f.hierarchy_M.cells + m}; }

/// Null for a half space, which has the number -1.
ISOPATCH_HD CellRef cell_of_S(const PairContext& f, std::int32_t s) {
  return {s < 0 ? nullptr : f.hierarchy_S.cells + s};
}

/// A tolerance for pressures that should be equal, 16 times the rounding of an affine value formed from differences of
/// coordinates, in units of its gradient times the reach. At a vertex of one body only the other's value is rounded, so
/// only the other's gradient counts: a stiff body does not blur what a soft one feels.
inline constexpr double kSnap = 0x1p-48;

/// Margin of the box tests relative to the reach of both meshes: 8 times the rounding of a float coordinate.
inline constexpr double kBoxSlack = 0x1p-20;

/// Margin of the tests on extents in float, relative to the largest slopes times the reach and the largest extents: 32
/// times the rounding of one operation.
inline constexpr double kLevelSlack = 0x1p-19;

ISOPATCH_HD double combined(double own_a, double own_b, double modulus_a, double modulus_b, bool rigid_a,
                            bool rigid_b) {
  if (rigid_a) return own_b;
  if (rigid_b) return own_a;
  return (modulus_b * own_a + modulus_a * own_b) / (modulus_a + modulus_b);
}

/// Fills in the frame of `pair`; the environment's status must be clean.
ISOPATCH_HD PairContext make_pair_context(const SceneView& scene, const State& state, std::int64_t environment,
                                          int pair) {
  const PairView& view = scene.pairs[pair];
  const Material material_a = read_material(scene, state, environment, view.a);
  const Material material_b = read_material(scene, state, environment, view.b);
  const bool rigid_a = scene.bodies[view.a].rigid, rigid_b = scene.bodies[view.b].rigid;
  const GeometryView& geometry_a = scene.geometries[geometry_of(scene, state, environment, view.a)];
  const GeometryView& geometry_b = scene.geometries[geometry_of(scene, state, environment, view.b)];

  PairContext f;

  // roles: a half space is S; beside it, and otherwise, M is compliant where it can be
  f.swapped = geometry_a.half_space || (rigid_a && !geometry_b.half_space);
  f.M = f.swapped ? &geometry_b : &geometry_a;
  f.S = f.swapped ? &geometry_a : &geometry_b;
  f.rigid_M = f.swapped ? rigid_b : rigid_a;
  f.rigid_S = f.swapped ? rigid_a : rigid_b;
  f.half_space_S = f.S->half_space;
  f.modulus_M = f.rigid_M ? 0.0 : (f.swapped ? material_b.modulus : material_a.modulus);
  f.modulus_S = f.rigid_S ? 0.0 : (f.swapped ? material_a.modulus : material_b.modulus);
  f.hierarchy_M = f.rigid_M ? f.M->surface : f.M->solid;
  f.hierarchy_S = f.rigid_S ? f.S->surface : f.S->solid;

  // poses
  const int body_M = f.swapped ? view.b : view.a, body_S = f.swapped ? view.a : view.b;
  f.X_WM = read_pose(state, environment, body_M);
  const Transform<double> X_WS = read_pose(state, environment, body_S);
  f.p_WoA = read_vec3(state.poses, environment, view.a * kPoseSize);
  f.X_MS = relative(f.X_WM, X_WS);
  f.coarse = float_copy(f.X_MS);
  for (int i = 0; i < 3; ++i) {
    f.absolute_row[i] = {std::fabs(f.coarse.row[i].x), std::fabs(f.coarse.row[i].y), std::fabs(f.coarse.row[i].z)};
  }
  f.reference_M = f.M->center;
  const double reach_M = norm(f.M->center) + f.M->radius, reach_S = norm(f.S->center) + f.S->radius;
  const double reach = reach_M + reach_S;
  f.slack = static_cast<float>(kBoxSlack * reach);
  const double gradient_M = f.modulus_M * f.M->max_gradient, gradient_S = f.modulus_S * f.S->max_gradient;
  f.snap_M = kSnap * reach * (f.rigid_S ? 1.0 : gradient_S);
  f.snap_S = kSnap * reach * (f.rigid_M ? 1.0 : gradient_M);

  constexpr double kFar = 0x1p64;  // beyond it the stiffer body is as good as rigid; float can hold it
  const bool compliant = !f.rigid_M && !f.rigid_S;
  const double ratio = compliant ? min(max(f.modulus_M / f.modulus_S, 1 / kFar), kFar) : 1.0;
  f.modulus_ratio = f.rigid_S ? 0.0f : static_cast<float>(ratio);
  f.inverse_modulus_ratio = f.rigid_S ? 0.0f : static_cast<float>(1 / ratio);
  f.fall_S = f.half_space_S && !f.rigid_S ? static_cast<float>(ratio * f.S->thickness) : 0.0f;
  f.unit_slack = compliant ? static_cast<float>(2 * (f.snap_M + f.snap_S) / f.modulus_M) : 0.0f;

  const Vec3d up = f.up_S();
  const double foot = f.half_space_S ? dot(up, f.X_MS.translation) : 0.0, span = reach + std::fabs(foot);
  f.foot_S = cast<float>(foot * up);
  f.slope_S = cast<float>((!f.half_space_S ? 0.0 : f.rigid_S ? 1.0 : -1.0 / f.S->thickness) * up);
  const double inverse_modulus = 1.0 / max(f.modulus_M, f.modulus_S);
  const double level = span * (gradient_M + gradient_S) + f.modulus_M * f.M->max_extent + f.modulus_S * f.S->max_extent;
  f.coarse_weight_M =
      f.rigid_S
          ? 0.0f
          : static_cast<float>(f.modulus_M * inverse_modulus);  // beside a rigid S, d is the height over its surface
  f.coarse_weight_S = f.rigid_S ? -1.0f : static_cast<float>(f.modulus_S * inverse_modulus);
  f.coarse_error = static_cast<float>(kLevelSlack * (f.rigid_S ? span : level * inverse_modulus));

  // contact law
  const Twist twist_M = read_twist(state, environment, body_M), twist_S = read_twist(state, environment, body_S);
  const Vec3d reference_W = rotate(f.X_WM, f.reference_M);  // from M's origin, world axes
  const Vec3d from_S_W = reference_W + (f.X_WM.translation - X_WS.translation);
  const Vec3d velocity_W =
      (twist_M.linear + cross(twist_M.angular, reference_W)) - (twist_S.linear + cross(twist_S.angular, from_S_W));
  f.velocity_M = rotate_back(f.X_WM, velocity_W);
  f.angular_M = rotate_back(f.X_WM, twist_M.angular - twist_S.angular);
  f.moving = dot(f.velocity_M, f.velocity_M) + dot(f.angular_M, f.angular_M) > 0;
  f.pfc_dissipation = scene.contact.pfc_dissipation;
  f.gradient_filter = scene.contact.gradient_filter;
  f.pass = Pass::kFirst;
  f.quadrature = scene.contact.quadrature;
  f.slip_tolerance = scene.contact.slip_tolerance;

  const bool own_dissipation = view.dissipation < 0 || material_a.overrides_dissipation;
  f.dissipation = own_dissipation ? combined(material_a.dissipation, material_b.dissipation, material_a.modulus,
                                             material_b.modulus, rigid_a, rigid_b)
                                  : view.dissipation;
  if (f.pfc_dissipation) {
    const double softness = (f.rigid_M ? 0.0 : 1.0 / f.modulus_M) + (f.rigid_S ? 0.0 : 1.0 / f.modulus_S);
    f.dissipation = f.dissipation * softness;  // chi / E
  }
  const bool own_friction = view.friction < 0 || material_a.overrides_friction;
  const double friction_sum = material_a.friction + material_b.friction;
  f.friction = !own_friction      ? view.friction
               : friction_sum > 0 ? 2 * material_a.friction * material_b.friction / friction_sum
                                  : 0.0;

  // bounds: pressure of the softer body, area of a surface around M that is not folded more than a few times, traction
  // raised by damping and friction. SumBound tells where they are too narrow.
  const double depth = f.S->half_space ? max(0.0, f.M->radius - apply_back(f.X_MS, f.M->center).z) : 0.0;
  const double extent_S = f.S->half_space ? depth / f.S->thickness : f.S->max_extent;
  const double limit_M = f.modulus_M * f.M->max_extent, limit_S = f.modulus_S * extent_S;
  const double pressure = f.rigid_M ? limit_S : f.rigid_S ? limit_M : min(limit_M, limit_S);
  const double radius = f.S->half_space ? f.M->radius : min(f.M->radius, f.S->radius);
  const double speed = norm(f.velocity_M) + norm(f.angular_M) * f.M->radius;
  const double stiffening = f.pfc_dissipation ? gradient_M + gradient_S : 1.0;
  const double raise = (1 + f.dissipation * stiffening * speed) * (1 + f.friction);
  constexpr double kTiny = 0x1p-500;
  const double steepest = f.rigid_M ? gradient_S : f.rigid_S ? gradient_M : min(gradient_M, gradient_S);
  f.pressure_scale = 1 / next_power_of_two(max(steepest, kTiny));
  f.area_bound = next_power_of_two(64 * radius * radius);
  f.length_bound = next_power_of_two(2 * f.M->radius);
  f.force_bound = next_power_of_two(max(pressure * raise, kTiny)) * f.area_bound;
  f.torque_bound = f.force_bound * f.length_bound;
  return f;
}

}  // namespace isopatch::detail
