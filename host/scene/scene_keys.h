// SPDX-License-Identifier: Apache-2.0
//
// The keys of the objects of a scene file, in the order in which messages list them: name, member and the values that
// it may have. Reader, writer and Scene's checks follow from this table; what a key means is at its member in
// include/isopatch/scene and on the pages beside host/scene_file, whose tables a test compares with this one.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "host/scene/enumerator_names.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_rules.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// A name in scene files, and one that is still read.
struct Key {
  Key(const char* now, const char* before = nullptr) : name(now), old_name(before) {}

  const char* name;
  const char* old_name;
};

// What a key's value may be; numbers and vectors of numbers have a Range.

/// An integer.
struct WholeNumbers {
  int low, high;
};
/// An enumerator, by its name.
struct Enumerators {
  const char* type;
  const EnumeratorNames& names;
};
/// True or false.
struct Flag {};
/// A number that is above zero, or at least so much; check_law() knows the largest.
enum class Least { kPositive, kZero, kOne };
/// A number, or several, with a rule.
template <class Value>
struct Checked {
  void (*check)(Value);
};
template <class Value>
Checked(void (*)(Value)) -> Checked<Value>;
/// One number, or rows [time, value].
struct Rows {
  const Range& range;
};
/// A contact model, or a list of them.
struct ModelNames {};
/// An object whose keys are in this table.
struct Object {};
/// What other code reads, writes and checks.
struct ByHand {};

template <class T>
concept IsEnumerator = std::is_enum_v<T>;
template <class T>
concept IsOptional = requires(const T& value) {
  value.has_value();
};
template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

// Each calls visit(key, member, rule) for all keys of an object.

void for_each_key(Is<BristleFriction> auto& bristle, const auto& visit) {
  visit("stiffness", bristle.stiffness, Least::kPositive);
  visit("damping", bristle.damping, Least::kPositive);
  visit("viscous", bristle.viscous, Least::kZero);
  visit("stribeck_velocity", bristle.stribeck_velocity, kSlipToleranceRange);
  visit("dwell_time", bristle.dwell_time, Least::kZero);
  visit("static_ratio", bristle.static_ratio, Least::kOne);
}

void for_each_key(Is<ContactOptions> auto& contact, const auto& visit) {
  visit("dissipation_model", contact.dissipation_model, Enumerators{"DissipationModel", kDissipationModelNames});
  visit("quadrature", contact.quadrature, Enumerators{"Quadrature", kQuadratureNames});
  visit("slip_tolerance", contact.slip_tolerance, kSlipToleranceRange);
  visit("gradient_filter", contact.gradient_filter, Flag{});
  visit("model", contact.model, ModelNames{});
  visit("margin", contact.polytope.margin, kMarginRange);
  visit("tolerance", contact.polytope.tolerance, kGapToleranceRange);
  visit("relations", contact.polytope.relations, Enumerators{"ContactRelations", kContactRelationsNames});
  visit("friction_model", contact.force_law.friction_model, Enumerators{"FrictionModel", kFrictionModelNames});
  visit("bristle", contact.force_law.bristle, Object{});
  visit("bristle_flow", contact.force_law.bristle_flow, Enumerators{"BristleFlow", kBristleFlowNames});
  visit("normal", contact.force_law.normal, Enumerators{"OverlapNormal", kOverlapNormalNames});
  visit("small_speed", contact.force_law.small_speed, kSlipToleranceRange);
  visit("latch", contact.force_law.latch, Enumerators{"ImpactLatch", kImpactLatchNames});
  visit("relaxation_time", contact.force_law.relaxation_time, Least::kZero);
}

void for_each_key(Is<Pair> auto& pair, const auto& visit) {
  visit("bodies", pair.a, ByHand{});
  visit("dissipation", pair.dissipation, kDissipationRange);
  visit("friction", pair.friction, kFrictionRange);
  visit("model", pair.model, ModelNames{});
  visit("friction_model", pair.friction_model, Enumerators{"FrictionModel", kFrictionModelNames});
  visit("bristle", pair.bristle, Object{});
  visit("bristle_flow", pair.bristle_flow, Enumerators{"BristleFlow", kBristleFlowNames});
  visit("stiffness", pair.stiffness, Least::kPositive);
  visit("exponent", pair.exponent, kExponentRange);
  visit("restitution", pair.restitution, Checked{&check_restitution});
  visit("exact_spheres", pair.exact_spheres, Flag{});
  visit("inside", pair.inside, Flag{});
  visit("spin_radius", pair.spin_radius, Least::kZero);
  visit("contact_state", pair.contact_state, ByHand{});
}

/// Of a body or a part.
void for_each_key_of_material(auto& owner, const auto& visit) {
  visit("modulus", owner.modulus, kModulusRange);
  visit("dissipation", owner.dissipation, kDissipationRange);
  visit("friction", owner.friction, kFrictionRange);
  visit("foundation_depth", owner.foundation_depth, kFoundationDepthRange);
  visit("rigid", owner.rigid, Flag{});
}

void for_each_key(Is<Part> auto& part, const auto& visit) {
  visit("name", part.name, ByHand{});
  visit("geometry", part.geometry, ByHand{});
  visit("alternatives", part.alternatives, ByHand{});
  visit("position", part.pose, ByHand{});
  visit("orientation", part.pose, ByHand{});
  for_each_key_of_material(part, visit);
}

void for_each_key_of_mass(Is<Body> auto& body, const auto& visit) {
  visit("mass", body.mass, kMassRange);
  visit("density", body.density, kDensityRange);
  visit("center_of_mass", body.center_of_mass, kCenterOfMassRange);
  visit("inertia", body.inertia, Checked{&check_inertia});
}

void for_each_key(Is<Body> auto& body, const auto& visit) {
  visit("name", body.name, ByHand{});
  visit("geometry", body.geometry, ByHand{});
  visit("offset", body.offset, ByHand{});
  visit("alternatives", body.alternatives, ByHand{});
  visit("geometries", body.parts, ByHand{});
  for_each_key_of_material(body, visit);
  visit("one_sided", body.one_sided, Flag{});
  visit("fixed", body.fixed, Flag{});
  visit("position", body.pose, ByHand{});
  visit("orientation", body.pose, ByHand{});
  visit("linear_velocity", body.velocity, ByHand{});
  visit("angular_velocity", body.velocity, ByHand{});
  for_each_key_of_mass(body, visit);
  visit("motion", body.motion, ByHand{});
}

/// From the position on: what a joint that mimics another one has not.
void for_each_key_of_drive_and_stops(Is<Motion> auto& joint, const auto& visit) {
  const JointRanges& ranges = ranges_of_joint(joint.type);
  visit("position", joint.position, ranges.position);
  visit("velocity", joint.velocity, ranges.velocity);
  visit("force", joint.drive.force, Rows{ranges.force});
  visit("stiffness", joint.drive.stiffness, ranges.stiffness);
  visit("damping", joint.drive.damping, ranges.damping);
  visit("target", joint.drive.target, Rows{ranges.position});
  visit({"force_limit", "limit"}, joint.drive.force_limit, ranges.force_limit);
  visit("lower", joint.lower, ranges.position);
  visit("upper", joint.upper, ranges.position);
  visit("bounce", joint.bounce, kBounceRange);
  visit("joint_friction", joint.friction, ranges.friction);
  visit("joint_damping", joint.damping, ranges.damping);
  visit("armature", joint.armature, ranges.armature);
}

/// Of a joint; its type says whether it has an anchor, and the units.
void for_each_key(Is<Motion> auto& joint, const auto& visit) {
  visit("type", joint.type, ByHand{});
  visit("parent", joint.parent, ByHand{});
  visit("axis", joint.axis, Checked{&check_axis});
  if (joint.type == MotionType::kRevolute) visit("anchor", joint.anchor, kPositionRange);
  for_each_key_of_drive_and_stops(joint, visit);
  visit("mimic", joint.mimic, ByHand{});
}

void for_each_key(Is<Variation> auto& variation, const auto& visit) {
  visit("position", variation.position, kVariationOfPositionRange);
  visit("angle", variation.angle, kVariationOfAngleRange);
  visit("speed", variation.speed, kVariationOfSpeedRange);
}

void for_each_key(Is<RolloutOptions> auto& rollout, const auto& visit) {
  visit("time_step", rollout.time_step, kTimeStepRange);
  visit("duration", rollout.duration, kTimeStepRange);
  visit("integrator", rollout.integrator, Enumerators{"Integrator", kIntegratorNames});
  visit("points", rollout.points, Enumerators{"ContactPoints", kContactPointsNames});
  visit("gravity", rollout.gravity, kGravityRange);
  visit("tolerance", rollout.tolerance, kToleranceRange);
  visit("max_iterations", rollout.max_iterations, WholeNumbers{1, limits::kMaxIterations});
  visit("friction_passes", rollout.friction_passes, WholeNumbers{1, limits::kMaxFrictionPasses});
  visit("max_substeps", rollout.max_substeps, WholeNumbers{1, limits::kMaxSubsteps});
  visit("polygon_capacity", rollout.polygon_capacity, WholeNumbers{0, limits::kMaxPolygonCapacity});
  visit("geometry_iterations", rollout.geometry_iterations, WholeNumbers{1, limits::kMaxGeometryIterations});
  visit("relation_capacity", rollout.relation_capacity, WholeNumbers{0, limits::kMaxRelationCapacity});
  visit("speed_limit", rollout.speed_limit, kSpeedLimitRange);
  visit("variation", rollout.variation, Object{});
}

/// The names of an object's keys, with those that are still read.
template <class Owner>
std::vector<std::string> key_names(const Owner& owner) {
  std::vector<std::string> names;
  for_each_key(owner, [&](const Key& key, const auto& /*member*/, const auto& /*rule*/) {
    names.emplace_back(key.name);
    if (key.old_name != nullptr) names.emplace_back(key.old_name);
  });
  return names;
}

}  // namespace isopatch::detail
