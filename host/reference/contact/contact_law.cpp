// SPDX-License-Identifier: Apache-2.0
#include "host/reference/contact/contact_law.h"

namespace isopatch::reference {
namespace {

/// The softer part is compressed more and dissipates more.
Real combined_dissipation(const PartState& a, const PartState& b) {
  if (a.rigid && b.rigid) return (Real{a.dissipation} + b.dissipation) / 2;
  if (a.rigid) return b.dissipation;
  if (b.rigid) return a.dissipation;
  const Real modulus_a = a.modulus;
  const Real modulus_b = b.modulus;
  return (modulus_b * a.dissipation + modulus_a * b.dissipation) / (modulus_a + modulus_b);
}

Real combined_friction(const PartState& a, const PartState& b) {
  const Real sum = Real{a.friction} + b.friction;
  return sum > 0 ? 2 * Real{a.friction} * b.friction / sum : 0;
}

Real combined_modulus(const PartState& a, const PartState& b) {
  if (a.rigid) return b.modulus;
  if (b.rigid) return a.modulus;
  return Real{a.modulus} * b.modulus / (Real{a.modulus} + b.modulus);
}

}  // namespace

ContactLaw contact_law(const SceneDescription& scene, const State& state, const Environment& environment,
                       std::size_t pair_index, const PartIndices& parts) {
  const Pair& pair = (*scene.pairs)[pair_index];
  const BodyState& a = environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& b = environment.bodies[static_cast<std::size_t>(pair.b)];
  const PartState &part_a = environment.parts[parts.a], &part_b = environment.parts[parts.b];

  ContactLaw law;
  law.model = scene.contact.dissipation_model;
  law.quadrature = scene.contact.quadrature;
  law.slip_tolerance = scene.contact.slip_tolerance.value_or(kUsualSlipTolerance);
  law.modulus = combined_modulus(part_a, part_b);
  law.dissipation =
      pair.dissipation && !state.dissipation.data ? Real{*pair.dissipation} : combined_dissipation(part_a, part_b);
  law.friction = pair.friction && !state.friction.data ? Real{*pair.friction} : combined_friction(part_a, part_b);

  const Matrix3 R_AW = a.X_WB.rotation.transpose();
  const Vector3 p_BA_W = a.X_WB.translation - b.X_WB.translation;
  law.velocity = R_AW * (a.velocity - b.velocity - b.angular_velocity.cross(p_BA_W));
  law.angular_velocity = R_AW * (a.angular_velocity - b.angular_velocity);
  return law;
}

ContactForceLaw memory_law(const SceneDescription& scene, const State& state, const Environment& environment,
                           std::size_t pair_index, const PartIndices& parts, double usual_slip_tolerance) {
  const Pair& pair = (*scene.pairs)[pair_index];
  const ContactLaw materials = contact_law(scene, state, environment, pair_index, parts);
  ContactForceLaw law;
  law.stiffness = pair.stiffness.value_or(0);
  law.exponent = pair.exponent.value_or(1.5);
  law.dissipation = static_cast<double>(materials.dissipation);
  law.restitution = pair.restitution;
  law.small_speed = scene.contact.force_law.small_speed;
  law.latch = scene.contact.force_law.latch;
  law.relaxation_time = scene.contact.force_law.relaxation_time;
  law.normal = scene.contact.force_law.normal;
  law.friction = static_cast<double>(materials.friction);
  law.friction_model = pair.friction_model.value_or(scene.contact.force_law.friction_model);
  law.slip_tolerance = scene.contact.slip_tolerance.value_or(usual_slip_tolerance);
  law.bristle = pair.bristle.value_or(scene.contact.force_law.bristle);
  law.bristle_flow = pair.bristle_flow.value_or(scene.contact.force_law.bristle_flow);
  law.spin_radius = pair.spin_radius;
  return law;
}

}  // namespace isopatch::reference
