// SPDX-License-Identifier: Apache-2.0
//
// Everything about one (environment, part pair) that its pairs of cells share, formed once in double: the parts, the
// relative pose and motion of their bodies, the contact law, and the bounds of tests and sums. M has the mesh in the
// frame of whose body everything is computed, see pair_frame.h.
#pragma once

#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/math/reproducible_sum.h"
#include "isopatch/detail/pair/combined_materials.h"
#include "isopatch/detail/pair/part_pairs.h"
#include "isopatch/detail/pressure_field/context/pressure.h"

namespace isopatch::detail {

/// The contact law with the parameters of both bodies combined.
struct PairLaw {
  bool pfc_dissipation;
  bool gradient_filter;
  bool has_plates;              // which have the friction
  bool weigh_by_M, weigh_by_S;  // S or M is one-sided, and the other compliant
  int quadrature;               // that of ContactView
  double dissipation;           // d [s/m], or chi/E [s/Pa]
  double friction;
  double traction_friction;  // of the traction: 0 where plates have the friction
  double slip_tolerance;     // m/s

  ISOPATCH_HD bool is_weighed() const { return weigh_by_M || weigh_by_S; }
};

/// The constants of the conservative tests in float. On the contact surface the extent of M, or of S beside a rigid M,
/// is called u.
struct CoarseTests {
  Transform<float> X_MS;
  Vec3f absolute_row[3];                       // |R| of X_MS
  float slack;                                 // m, added to every box test of cells; far above its rounding
  Vec3f foot_S;                                // half space S in M: the point of its surface nearest M's origin
  Vec3f slope_S;                               // of its extent, 1/m; of the height over it where it is rigid
  float weight_M, weight_S, error;             // of the signed difference at a vertex as filter_cells() forms it
  float modulus_ratio, inverse_modulus_ratio;  // extent of S where u = 1, and the inverse; 0 where S is rigid
  float depth_per_u;                           // half space S: how far below its surface the pressure of u = 1 is, m
  float extent_slack;                          // added to ranges of u, for what counts as equal pressure
};

/// By this power of two the sums of a pair of plates are wider than others', and there is no wider pass: what a pair
/// remembers is written once.
inline constexpr int kPlateWidening = 10;

/// Bounds of the sums of a pair of bodies, powers of two: of one polygon, and of all but folded surfaces.
struct PairBounds {
  double force, torque, area;

  ISOPATCH_HD void widen(int power) {
    const double factor = static_cast<double>(std::int64_t{1} << power);
    area *= factor;
    force *= factor;
    torque *= factor;
  }
};

struct PairContext {
  using Bounds = PairBounds;

  PairBody M, S;
  std::int32_t part_a, part_b;
  std::int32_t layer;  // of a half space S
  SumFrame frame;
  Transform<double> X_MS;
  PairMotion motion;
  PairLaw law;
  CoarseTests coarse;
  double pressure_scale;  // a power of two that brings the slopes of the pressure on the contact plane below 2
  PairBounds bounds;
  Pass pass;

  /// The third axis of S, in M: where S is a half space, its outward normal.
  ISOPATCH_HD Vec3d up_S() const { return {X_MS.row[0].z, X_MS.row[1].z, X_MS.row[2].z}; }
};

ISOPATCH_HD CellRef cell_of_M(const PairContext& f, std::int32_t m) { return {f.M.hierarchy.cells + m}; }

/// Null for a half space, which has the index -1.
ISOPATCH_HD CellRef cell_of_S(const PairContext& f, std::int32_t s) {
  return {s < 0 ? nullptr : f.S.hierarchy.cells + s};
}

/// The tolerance for equal pressures: 16 times the rounding of an affine value formed from differences of coordinates,
/// in units of its gradient times the coordinate bound. At a vertex of one body only the other's value is rounded, so
/// only the other's gradient counts; a stiff body does not enlarge the tolerance of a soft one.
inline constexpr double kZeroTolerance = 0x1p-48;

/// Margin of the box tests relative to the coordinate bound of both meshes: 8 times the rounding of a float coordinate.
inline constexpr double kBoxSlack = 0x1p-20;

/// Margin of the tests on extents in float, relative to the largest slopes times the coordinate bound and the largest
/// extents: 32 times the rounding of one operation.
inline constexpr double kLevelSlack = 0x1p-19;

/// No coordinate of the body's mesh in its own frame is larger, m.
ISOPATCH_HD double coordinate_bound(const PairBody& body) {
  return norm(body.geometry->center) + body.geometry->radius;
}

/// The largest slope of a compliant body's pressure, Pa/m.
ISOPATCH_HD double steepest_slope(const PairBody& body) { return pressure_at(body, body.field->max_gradient); }

ISOPATCH_HD PairBody make_pair_body(const GeometryView& geometry, bool rigid, const Material& material) {
  const FieldGeometry& field = *geometry.field;
  return {&geometry,
          &field,
          rigid ? field.surface : field.solid,
          rigid,
          geometry.half_space,
          rigid ? 0.0 : material.modulus,
          0.0};
}

ISOPATCH_HD CoarseTests make_coarse_tests(const PairContext& f, double coordinate_bound) {
  const PairBody &M = f.M, &S = f.S;
  CoarseTests c;
  c.X_MS = float_copy(f.X_MS);
  for (int i = 0; i < 3; ++i) {
    c.absolute_row[i] = {std::fabs(c.X_MS.row[i].x), std::fabs(c.X_MS.row[i].y), std::fabs(c.X_MS.row[i].z)};
  }
  c.slack = static_cast<float>(kBoxSlack * coordinate_bound);

  constexpr double kFar = 0x1p64;  // beyond this ratio the stiffer body counts as rigid; float can hold it
  const bool compliant = !M.rigid && !S.rigid;
  const double ratio = compliant ? min(max(M.modulus / S.modulus, 1 / kFar), kFar) : 1.0;
  c.modulus_ratio = S.rigid ? 0.0f : static_cast<float>(ratio);
  c.inverse_modulus_ratio = S.rigid ? 0.0f : static_cast<float>(1 / ratio);
  c.depth_per_u = S.half_space && !S.rigid ? static_cast<float>(ratio * S.field->thickness) : 0.0f;
  c.extent_slack = compliant ? static_cast<float>(2 * (M.zero_tolerance + S.zero_tolerance) / M.modulus) : 0.0f;

  const Vec3d up = f.up_S();
  const double foot = S.half_space ? dot(up, f.X_MS.translation) : 0.0, span = coordinate_bound + std::fabs(foot);
  c.foot_S = cast<float>(foot * up);
  c.slope_S = cast<float>((!S.half_space ? 0.0 : S.rigid ? 1.0 : half_space_extent_slope(S)) * up);

  // d is divided by the larger modulus; beside a rigid S it is the height over its surface
  const double inverse_modulus = 1.0 / max(M.modulus, S.modulus);
  const double level = span * (steepest_slope(M) + steepest_slope(S)) + pressure_at(M, M.field->max_extent) +
                       pressure_at(S, S.field->max_extent);
  c.weight_M = S.rigid ? 0.0f : static_cast<float>(M.modulus * inverse_modulus);
  c.weight_S = S.rigid ? -1.0f : static_cast<float>(S.modulus * inverse_modulus);
  c.error = static_cast<float>(kLevelSlack * (S.rigid ? span : level * inverse_modulus));
  return c;
}

ISOPATCH_HD PairLaw make_pair_law(const SceneView& scene, const PairView& pair, const Material& a, const Material& b,
                                  bool rigid_a, bool rigid_b) {
  PairLaw law;
  law.pfc_dissipation = scene.contact.pfc_dissipation;
  law.gradient_filter = scene.contact.gradient_filter;
  law.quadrature = scene.contact.quadrature;
  law.slip_tolerance = scene.contact.slip_tolerance;

  law.dissipation = dissipation_of(pair, a, b, rigid_a, rigid_b);
  if (law.pfc_dissipation) {
    const double softness = (rigid_a ? 0.0 : 1.0 / a.modulus) + (rigid_b ? 0.0 : 1.0 / b.modulus);
    law.dissipation = law.dissipation * softness;  // chi / E
  }
  law.friction = friction_of(pair, a, b);
  law.has_plates = pair.has_law;
  law.traction_friction = law.has_plates ? 0 : law.friction;
  if (law.has_plates) law.slip_tolerance = 1e9;  // then no polygon needs the closed form of its friction
  return law;
}

/// Makes the context of a part pair of `pair`, without its bounds; the environment's status must be clean.
ISOPATCH_HD_LARGE void make_context(const SceneView& scene, const State& state, std::int64_t environment, int pair,
                                    int part_pair, PairContext& f) {
  const PairView& view = scene.pairs[pair];
  const PartPairView& parts = scene.part_pairs[part_pair];
  const PartView &part_a = scene.parts[parts.a], &part_b = scene.parts[parts.b];
  const Material material_a = read_material(scene, state, environment, parts.a);
  const Material material_b = read_material(scene, state, environment, parts.b);
  const GeometryView& own_a = scene.geometries[geometry_of(scene, state, environment, parts.a)];
  const GeometryView& own_b = scene.geometries[geometry_of(scene, state, environment, parts.b)];
  const PairBody a = make_pair_body(layer_of(scene, own_a, part_a.rigid, parts.layer), part_a.rigid, material_a);
  const PairBody b = make_pair_body(layer_of(scene, own_b, part_b.rigid, parts.layer), part_b.rigid, material_b);

  f.part_a = parts.a;
  f.part_b = parts.b;
  f.layer = parts.layer;
  f.frame.swapped = is_swapped(a.rigid, a.half_space, b.half_space);
  const bool swapped = f.frame.swapped;
  f.M = swapped ? b : a;
  f.S = swapped ? a : b;

  // what is read of the state is used up at once: a GPU has no registers to keep it while the rest is made
  const int index_M = swapped ? view.b : view.a, index_S = swapped ? view.a : view.b;
  f.law = make_pair_law(scene, view, material_a, material_b, a.rigid, b.rigid);
  f.law.weigh_by_M = scene.bodies[index_S].one_sided && !f.M.rigid;
  f.law.weigh_by_S = scene.bodies[index_M].one_sided && !f.S.rigid;

  f.frame.p_WoA = read_vec3(state.poses, environment, view.a * kPoseSize);
  f.frame.reference_M = reference_of(scene.bodies[index_M], *f.M.geometry);
  f.frame.X_WM = read_pose(state, environment, index_M);
  const Transform<double> X_WS = read_pose(state, environment, index_S);
  f.motion = make_pair_motion(f.frame, X_WS.translation, read_twist(state, environment, index_M),
                              read_twist(state, environment, index_S));
  f.X_MS = pose_of(swapped ? part_a : part_b, f.S.half_space, relative(f.frame.X_WM, X_WS));
  if (f.S.geometry->is_layer) f.X_MS.translation = fma(f.S.geometry->zero_height, f.up_S(), f.X_MS.translation);

  const double bound = coordinate_bound(f.M) + coordinate_bound(f.S);
  f.M.zero_tolerance = kZeroTolerance * bound * (f.S.rigid ? 1.0 : steepest_slope(f.S));
  f.S.zero_tolerance = kZeroTolerance * bound * (f.M.rigid ? 1.0 : steepest_slope(f.M));
  f.coarse = make_coarse_tests(f, bound);

  constexpr double kTiny = 0x1p-500;
  const double gradient_M = steepest_slope(f.M), gradient_S = steepest_slope(f.S);
  const double steepest = f.M.rigid ? gradient_S : f.S.rigid ? gradient_M : min(gradient_M, gradient_S);
  f.pressure_scale = 1 / next_power_of_two(max(steepest, kTiny));
  f.pass = Pass::kFirst;
}

/// Makes a context, and the bounds of its sums, ready for a pass.
ISOPATCH_HD void set_pass(PairContext& f, const PairBounds& bounds, const PairPass& pass) {
  f.bounds = bounds;
  f.bounds.widen(pass.widening);
  f.pass = pass.pass;
  if (f.pass == Pass::kUnfiltered) f.law.gradient_filter = false;
}

}  // namespace isopatch::detail
