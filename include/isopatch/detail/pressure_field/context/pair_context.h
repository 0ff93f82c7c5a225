// SPDX-License-Identifier: Apache-2.0
//
// Everything about one (environment, part pair) that its pairs of cells share, formed once in double: the parts, the
// relative pose and motion of their bodies, the contact law, and the bounds of tests and sums. M has the mesh in the
// frame of whose body everything is computed, see pair_frame.h.
#pragma once

#include "isopatch/detail/cells/mesh_pair.h"
#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/pair/combined_materials.h"
#include "isopatch/detail/pair/part_pairs.h"

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

struct PairContext : MeshPair {
  using Bounds = PairBounds;

  std::int32_t part_a, part_b;
  std::int32_t layer;  // of a half space S
  SumFrame frame;
  PairMotion motion;
  PairLaw law;
  PairBounds bounds;
  Pass pass;
};

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
  const PairBody a =
      make_pair_body(layer_of(scene, own_a, part_a.rigid, parts.layer), part_a.rigid, material_a.modulus);
  const PairBody b =
      make_pair_body(layer_of(scene, own_b, part_b.rigid, parts.layer), part_b.rigid, material_b.modulus);

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

  set_tests(f);
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
