// SPDX-License-Identifier: Apache-2.0
//
// The list of contact models: this file alone names them for scenes.
#include "host/scene/contact_models.h"

#include "isopatch/detail/lumped/contact_memory.h"

namespace isopatch::detail {
namespace {

constexpr Refusal kPolygons = {"of polygons, which have no pressure", "polygons touch in model polytope alone"};

/// A rigid part has no pressure, and a half space no end.
Refusal refusal_of_pressure_fields(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.polygon || b.polygon) return kPolygons;
  if (a.rigid && b.rigid) return {"both rigid", "one must be compliant"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a mesh"};
  return {};
}

constexpr Refusal kRigid = {"both rigid", "give the pair a stiffness"};

/// So far only the overlap of a ball and a half space is known.
Refusal refusal_of_volumes(const PartKind& a, const PartKind& b, const PairKind& pair) {
  if (a.polygon || b.polygon) return kPolygons;
  const auto is_ball = [](const PartKind& part) { return part.primitive == PrimitiveKind::kSphere; };
  const bool ball_on_half_space = (is_ball(a) && b.half_space) || (a.half_space && is_ball(b));
  if (!ball_on_half_space) {
    return {"not a sphere and a half space",
            "other overlaps have no volumetric contact yet; take model point or "
            "pressure_field"};
  }
  if (!pair.exact_spheres) {
    return {"a sphere and a half space without exact_spheres",
            "set exact_spheres of the pair: the overlap of a mesh "
            "has no volumetric contact yet"};
  }
  return a.rigid && b.rigid && !pair.has_stiffness ? kRigid : Refusal{};
}

Refusal refusal_of_shape(const PartKind& other, const PairKind& pair) {
  if (other.half_space) {
    return pair.inside ? Refusal{"a ball inside a half space",
                                 "only spheres, boxes, cylinders and capsules have an "
                                 "inside"}
                       : Refusal{};
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

Refusal refusal_of_points(const PartKind& a, const PartKind& b, const PairKind& pair) {
  if (a.polygon || b.polygon) return kPolygons;
  const bool a_is_ball = a.primitive == PrimitiveKind::kSphere, b_is_ball = b.primitive == PrimitiveKind::kSphere;
  if (!a_is_ball && !b_is_ball) return {"not balls", "one must be a sphere"};
  const Refusal refusal = refusal_of_shape(a_is_ball ? b : a, pair);
  if (!refusal.reason.empty()) return refusal;
  return a.rigid && b.rigid && !pair.has_stiffness ? kRigid : Refusal{};
}

Refusal refusal_of_polytopes(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.polygon != b.polygon) return {"a polygon and a solid", "polygons touch polygons alone"};
  if (!a.rigid || !b.rigid) return {"not both rigid", "model polytope is for rigid parts"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a box, a convex_hull or a cylinder"};
  constexpr std::string_view kRemedy = "take a box, a convex_hull, a cylinder, a polygon or a half_space";
  if (!a.polytope && !b.polytope) return {"of shapes that are no polytopes", kRemedy};
  if (!a.polytope) return {"of shapes of which the first is no polytope", kRemedy};
  if (!b.polytope) return {"of shapes of which the second is no polytope", kRemedy};
  return {};
}

constexpr ContactModelInfo kModels[] = {
    {"pressure_field", 0, kContactMemorySize, refusal_of_pressure_fields,
     "both rigid or both half spaces; one must have a compliant mesh", true, false, true},
    {"volumetric", kContactMemorySize, kContactMemorySize, refusal_of_volumes,
     "no sphere and half space; other overlaps have no volumetric contact yet", true, false, true, true},
    {"point", kContactMemorySize, kContactMemorySize, refusal_of_points,
     "no ball and a shape that it can touch, or both rigid in a pair without a stiffness", true, false, true, true},
    {"polytope", 0, 0, refusal_of_polytopes,
     "not both rigid, or no polytopes; take rigid boxes, convex hulls, cylinders, polygons or half spaces", false,
     true}};

}  // namespace

std::span<const ContactModelInfo> contact_models() { return kModels; }

}  // namespace isopatch::detail
