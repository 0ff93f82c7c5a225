// SPDX-License-Identifier: Apache-2.0
//
// The models of one contact for each part pair.
#include <fmt/format.h>

#include "host/scene/models/models.h"
#include "isopatch/detail/single_contact/distances.h"
#include "isopatch/detail/single_contact/volumetric.h"

namespace isopatch::detail {
namespace {

constexpr Incompatibility kRigid = {"both rigid", "give the pair a stiffness"};

Incompatibility incompatibility_of_volumes(const PartKind& a, const PartKind& b, const PairKind& pair) {
  if (a.polygon || b.polygon) return kPolygonsRefused;
  if (a.half_space && b.half_space) return {"two half spaces", "one must be a mesh"};
  return a.rigid && b.rigid && !pair.has_stiffness ? kRigid : Incompatibility{};
}

Incompatibility incompatibility_of_shape(const PartKind& other, const PairKind& pair) {
  if (other.half_space) {
    return pair.inside ? Incompatibility{"a ball inside a half space",
                                         "only spheres, boxes, cylinders and capsules have an "
                                         "inside"}
                       : Incompatibility{};
  }
  if (other.primitive == PrimitiveKind::kNone) {
    return {"a ball and a shape without a distance",
            "a ball touches half spaces, spheres, boxes, cylinders and "
            "capsules"};
  }
  const bool by_hertz =
      !pair.inside && (other.primitive == PrimitiveKind::kSphere || other.primitive == PrimitiveKind::kBox);
  if (by_hertz || pair.has_stiffness) return {};
  return {"of shapes for which Hertz gives no stiffness", "give the pair a stiffness"};
}

Incompatibility incompatibility_of_points(const PartKind& a, const PartKind& b, const PairKind& pair) {
  if (a.polygon || b.polygon) return kPolygonsRefused;
  const bool a_is_ball = a.primitive == PrimitiveKind::kSphere, b_is_ball = b.primitive == PrimitiveKind::kSphere;
  if (!a_is_ball && !b_is_ball) return {"not balls", "one must be a sphere"};
  const Incompatibility incompatibility = incompatibility_of_shape(a_is_ball ? b : a, pair);
  if (!incompatibility.reason.empty()) return incompatibility;
  return a.rigid && b.rigid && !pair.has_stiffness ? kRigid : Incompatibility{};
}

constexpr ShapeSet kHalfSpace = 1;  // of what a ball can touch

constexpr ShapeSet bit(PrimitiveKind kind) { return static_cast<ShapeSet>(1u << static_cast<int>(kind)); }

ShapeSet shapes_with_points(const Pair& pair) {
  constexpr auto kByHertz = static_cast<ShapeSet>(kHalfSpace | bit(PrimitiveKind::kSphere) | bit(PrimitiveKind::kBox));
  constexpr auto kAll = static_cast<ShapeSet>(kByHertz | bit(PrimitiveKind::kCylinder) | bit(PrimitiveKind::kCapsule));
  if (pair.inside) return static_cast<ShapeSet>(kAll & ~kHalfSpace);
  return pair.stiffness ? kAll : kByHertz;
}

/// The depth of a part's foundation, and where it comes from.
std::string depth_of(const PartView& part, const SceneView& scene) {
  const GeometryView& geometry = scene.geometries[part.geometry];
  if (part.rigid) return "rigid";
  if (part.foundation_depth > 0) return fmt::format("{:.4g} m given", part.foundation_depth);
  return fmt::format("{:.4g} m {}", geometry.foundation_depth, geometry.half_space ? "thick" : "of the mesh");
}

LawStiffness stiffness_of_volume(const SceneView& scene, const PartPairView& parts, const LawNumbers& law,
                                 const Softness& softness, bool is_given) {
  constexpr double kExponent = 3;  // N/m^3
  if (is_given) return {law.stiffness, kExponent, "given"};
  const PartView &a = scene.parts[parts.a], &b = scene.parts[parts.b];
  return {1 / (layer_softness(a, scene.geometries[a.geometry], softness.a) +
               layer_softness(b, scene.geometries[b.geometry], softness.b)),
          kExponent, fmt::format("modulus / depth: {}, {}", depth_of(a, scene), depth_of(b, scene))};
}

LawStiffness stiffness_of_point(const SceneView& scene, const PartPairView& parts, const LawNumbers& law,
                                const Softness& softness, bool is_given) {
  if (is_given) return {law.stiffness, law.exponent, "given"};
  const GeometryView &a = scene.geometries[scene.parts[parts.a].geometry],
                     &b = scene.geometries[scene.parts[parts.b].geometry];
  const double radius = (is_ball(a) ? a : b).primitive_radius;
  const double other = is_ball(a) && is_ball(b) ? b.primitive_radius : 0;
  return {hertz_stiffness(softness.a, softness.b, radius, other), law.exponent, "Hertz"};
}

}  // namespace

ContactModelInfo volumetric_model() {
  return {.name = "volumetric",
          .state_size = kContactStateSize,
          .bristle_size = kContactStateSize,
          .incompatibility = incompatibility_of_volumes,
          .mixed_incompatibilities = "two half spaces, or both rigid in a pair without a stiffness",
          .has_patches = true,
          .has_law = true,
          .has_plates = true,
          .has_foundations = true,
          .is_drawn_as_octagon = true,
          .stiffness_of = stiffness_of_volume,
          .warn = warn_of_foundations};
}

ContactModelInfo point_model() {
  return {
      .name = "point",
      .state_size = kContactStateSize,
      .bristle_size = kContactStateSize,
      .incompatibility = incompatibility_of_points,
      .mixed_incompatibilities = "no ball and a shape that it can touch, or both rigid in a pair without a stiffness",
      .has_patches = true,
      .has_law = true,
      .has_plates = true,
      .has_exponent = true,
      .ball_touches = shapes_with_points,
      .stiffness_of = stiffness_of_point};
}

}  // namespace isopatch::detail
