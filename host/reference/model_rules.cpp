// SPDX-License-Identifier: Apache-2.0
//
// What the reference knows of the models beside their arithmetic.
#include "host/reference/scene/environment.h"
#include "host/scene/contact_models.h"

namespace isopatch::reference {
namespace {

bool is_half_space(const Geometry& geometry) { return geometry.kind == GeometryKind::kHalfSpace; }

/// Whether a ball of a pair of points can touch a part of this geometry.
bool ball_can_touch(const Geometry& other, const Pair& pair) {
  if (is_half_space(other)) return !pair.inside;
  switch (other.primitive.kind) {
    case PrimitiveKind::kSphere:
    case PrimitiveKind::kBox:
      return true;
    case PrimitiveKind::kCylinder:
    case PrimitiveKind::kCapsule:
      return pair.inside || pair.stiffness.has_value();  // for which Hertz has no formula
    default:
      return false;
  }
}

}  // namespace

bool can_touch(const Geometry& a, const Geometry& b, const Pair& pair, ContactModel model) {
  if (a.polygon != b.polygon || (a.polygon && model != ContactModel::kPolytope)) return false;
  if (model == ContactModel::kPolytope) {
    const auto is_polytope = [](const Geometry& geometry) { return is_half_space(geometry) || geometry.convex; };
    return is_polytope(a) && is_polytope(b) && !(is_half_space(a) && is_half_space(b));
  }
  if (model != ContactModel::kPoint) {
    return !is_half_space(a) || !is_half_space(b) || detail::model_of(model, {false, true}, {false, true}, {});
  }
  const auto is_ball = [](const Geometry& geometry) { return geometry.primitive.kind == PrimitiveKind::kSphere; };
  return (is_ball(a) && ball_can_touch(b, pair)) || (is_ball(b) && ball_can_touch(a, pair));
}

bool has_state(const SceneDescription& scene, std::size_t pair, ContactModel model) {
  if (model == ContactModel::kVolumetric || model == ContactModel::kPoint) return true;
  const auto& own = (*scene.pairs)[pair].friction_model;
  return model == ContactModel::kPressureField &&
         own.value_or(scene.contact.force_law.friction_model) == FrictionModel::kBristle;
}

bool is_stepped(ContactModel model) { return model <= ContactModel::kPoint; }

}  // namespace isopatch::reference
