// SPDX-License-Identifier: Apache-2.0
#include "host/reference/environment.h"

#include <array>
#include <cmath>

#include "isopatch/limits.h"
#include "isopatch/status.h"

namespace isopatch::reference {
namespace {

double element(const InputArray& array, std::int64_t environment, std::size_t index) {
  const std::int64_t offset = environment * array.stride + static_cast<std::int64_t>(index);
  return array.type == ScalarType::kFloat32 ? static_cast<double>(static_cast<const float*>(array.data)[offset])
                                            : static_cast<const double*>(array.data)[offset];
}

std::uint32_t read_pose(const InputArray& poses, std::int64_t environment, std::size_t body, Transform& X) {
  std::array<Real, 7> pose;
  for (std::size_t i = 0; i < 7; ++i) {
    pose[i] = element(poses, environment, 7 * body + i);
    if (!(std::fabs(pose[i]) <= limits::kMaxPosition)) return kBadPose;
  }

  Eigen::Quaternion<Real> rotation(pose[3], pose[4], pose[5], pose[6]);
  const Real norm = rotation.norm();
  if (!(norm >= limits::kMinQuaternion && norm <= limits::kMaxQuaternion)) return kBadPose;
  X.rotation = rotation.normalized().toRotationMatrix();
  X.translation = {pose[0], pose[1], pose[2]};
  return kOk;
}

std::uint32_t read_velocity(const InputArray& velocities, std::int64_t environment, std::size_t body,
                            BodyState& state) {
  if (velocities.data == nullptr) return kOk;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto axis = static_cast<Eigen::Index>(i);
    state.velocity[axis] = element(velocities, environment, 6 * body + i);
    state.angular_velocity[axis] = element(velocities, environment, 6 * body + 3 + i);
  }
  const auto within = [](const Vector3& v, Real most) { return v.allFinite() && v.cwiseAbs().maxCoeff() <= most; };
  const bool ok =
      within(state.velocity, limits::kMaxVelocity) && within(state.angular_velocity, limits::kMaxAngularVelocity);
  return ok ? kOk : kBadVelocity;
}

double value_or(const InputArray& array, std::int64_t environment, std::size_t body, double scene_value) {
  return array.data == nullptr ? scene_value : element(array, environment, body);
}

std::uint32_t read_material(const Body& body, const State& state, std::int64_t environment, std::size_t index,
                            BodyState& result) {
  result.modulus = value_or(state.modulus, environment, index, body.modulus);
  result.dissipation = value_or(state.dissipation, environment, index, body.dissipation);
  result.friction = value_or(state.friction, environment, index, body.friction);
  const bool modulus_ok =
      body.rigid || (result.modulus >= limits::kMinModulus && result.modulus <= limits::kMaxModulus);
  const bool dissipation_ok = result.dissipation >= 0 && result.dissipation <= limits::kMaxDissipation;
  const bool friction_ok = result.friction >= 0 && result.friction <= limits::kMaxFriction;
  return modulus_ok && dissipation_ok && friction_ok ? kOk : kBadMaterial;
}

bool two_half_spaces(const Environment& environment, const Pair& pair) {
  const Geometry* a = environment.bodies[static_cast<std::size_t>(pair.a)].geometry;
  const Geometry* b = environment.bodies[static_cast<std::size_t>(pair.b)].geometry;
  return a && b && a->kind == GeometryKind::kHalfSpace && b->kind == GeometryKind::kHalfSpace;
}

/// The softer body is compressed more and dissipates more.
Real combined_dissipation(const Body& a, const Body& b, const BodyState& state_a, const BodyState& state_b) {
  if (a.rigid) return state_b.dissipation;
  if (b.rigid) return state_a.dissipation;
  const Real modulus_a = state_a.modulus;
  const Real modulus_b = state_b.modulus;
  return (modulus_b * state_a.dissipation + modulus_a * state_b.dissipation) / (modulus_a + modulus_b);
}

Real combined_friction(const BodyState& a, const BodyState& b) {
  const Real sum = Real{a.friction} + b.friction;
  return sum > 0 ? 2 * Real{a.friction} * b.friction / sum : 0;
}

Real combined_modulus(const Body& a, const Body& b, const BodyState& state_a, const BodyState& state_b) {
  if (a.rigid) return state_b.modulus;
  if (b.rigid) return state_a.modulus;
  return Real{state_a.modulus} * state_b.modulus / (Real{state_a.modulus} + state_b.modulus);
}

}  // namespace

Environment read_environment(const SceneDescription& scene, const State& state, std::int64_t index) {
  Environment environment;
  const std::size_t num_bodies = scene.bodies.size();
  const std::size_t num_pairs = scene.pairs.size();

  for (std::size_t b = 0; b < num_bodies; ++b) {
    const Body& body = scene.bodies[b];
    BodyState body_state;
    environment.status |= read_pose(state.poses, index, b, body_state.X_WB);
    environment.status |= read_velocity(state.velocities, index, b, body_state);
    environment.status |= read_material(body, state, index, b, body_state);

    const int geometry =
        state.geometry_index.data
            ? state.geometry_index.data[index * state.geometry_index.stride + static_cast<std::int64_t>(b)]
            : body.geometry;
    if (geometry >= 0 && static_cast<std::size_t>(geometry) < scene.geometries.size()) {
      body_state.geometry = &scene.geometries[static_cast<std::size_t>(geometry)];
      if (!body.rigid && body_state.geometry->is_surface_mesh()) environment.status |= kBadGeometry;
    } else {
      environment.status |= kBadGeometry;
    }
    environment.bodies.push_back(body_state);
  }

  for (std::size_t p = 0; p < num_pairs; ++p) {
    environment.enabled.push_back(!state.pair_mask.data ||
                                  state.pair_mask.data[index * state.pair_mask.stride + static_cast<std::int64_t>(p)] !=
                                      0);
    if (two_half_spaces(environment, scene.pairs[p])) environment.status |= kBadGeometry;
  }
  return environment;
}

ContactLaw contact_law(const SceneDescription& scene, const State& state, const Environment& environment,
                       std::size_t pair_index) {
  const Pair& pair = scene.pairs[pair_index];
  const Body& body_a = scene.bodies[static_cast<std::size_t>(pair.a)];
  const Body& body_b = scene.bodies[static_cast<std::size_t>(pair.b)];
  const BodyState& a = environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& b = environment.bodies[static_cast<std::size_t>(pair.b)];

  ContactLaw law;
  law.model = scene.contact.dissipation_model;
  law.quadrature = scene.contact.quadrature;
  law.slip_tolerance = scene.contact.slip_tolerance;
  law.modulus = combined_modulus(body_a, body_b, a, b);
  law.dissipation = pair.dissipation && !state.dissipation.data ? Real{*pair.dissipation}
                                                                : combined_dissipation(body_a, body_b, a, b);
  law.friction = pair.friction && !state.friction.data ? Real{*pair.friction} : combined_friction(a, b);

  const Matrix3 R_AW = a.X_WB.rotation.transpose();
  const Vector3 p_BA_W = a.X_WB.translation - b.X_WB.translation;
  law.velocity = R_AW * (a.velocity - b.velocity - b.angular_velocity.cross(p_BA_W));
  law.angular_velocity = R_AW * (a.angular_velocity - b.angular_velocity);
  return law;
}

}  // namespace isopatch::reference
