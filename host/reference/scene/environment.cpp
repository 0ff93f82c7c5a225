// SPDX-License-Identifier: Apache-2.0
#include "host/reference/scene/environment.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "host/scene/scene_rules.h"
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

double value_or(const InputArray& array, std::int64_t environment, std::size_t part, double scene_value) {
  return array.data == nullptr ? scene_value : element(array, environment, part);
}

std::uint32_t read_material(const Part& part, const State& state, std::int64_t environment, std::size_t index,
                            PartState& result) {
  result.modulus = value_or(state.modulus, environment, index, *part.modulus);
  result.dissipation = value_or(state.dissipation, environment, index, *part.dissipation);
  result.friction = value_or(state.friction, environment, index, *part.friction);
  const bool modulus_ok =
      *part.rigid || (result.modulus >= limits::kMinModulus && result.modulus <= limits::kMaxModulus);
  const bool dissipation_ok = result.dissipation >= 0 && result.dissipation <= limits::kMaxDissipation;
  const bool friction_ok = result.friction >= 0 && result.friction <= limits::kMaxFriction;
  return modulus_ok && dissipation_ok && friction_ok ? kOk : kBadMaterial;
}

/// Only a part whose frame is the body's may have any geometry; another part may have the scene's or an alternative.
std::uint32_t read_geometry(const SceneDescription& scene, const Part& part, const State& state,
                            std::int64_t environment, std::size_t number, PartState& result) {
  int index = part.geometry;
  if (state.geometry_index.data) {
    index = state.geometry_index.data[environment * state.geometry_index.stride + static_cast<std::int64_t>(number)];
    const auto& list = part.alternatives;
    const bool moved = !result.X_BG.rotation.isIdentity(0) || !result.X_BG.translation.isZero(0);
    const bool allowed = index == part.geometry || std::find(list.begin(), list.end(), index) != list.end();
    if (moved && !allowed) return kBadGeometry;
  }
  if (index < 0 || static_cast<std::size_t>(index) >= scene.geometries.size()) return kBadGeometry;
  result.geometry = &scene.geometries[static_cast<std::size_t>(index)];
  if (result.rigid) return kOk;
  // a half space may have as many layers as the part's own geometries have
  const auto num_rows = [&](int i) { return scene.geometries[static_cast<std::size_t>(i)].strain.size(); };
  std::size_t most = num_rows(part.geometry);
  for (const int alternative : part.alternatives) most = std::max(most, num_rows(alternative));
  return result.geometry->is_surface_mesh() || result.geometry->strain.size() > most ? kBadGeometry : kOk;
}

Transform transform_of(const std::array<double, 7>& pose) {
  const Eigen::Quaternion<Real> rotation(pose[3], pose[4], pose[5], pose[6]);
  return {rotation.normalized().toRotationMatrix(), {pose[0], pose[1], pose[2]}};
}

/// Whether a body of the scene is one of polygons, whatever geometries an environment gives to it.
bool has_polygon(const SceneDescription& scene, const Body& body) {
  const std::vector<Part> parts = parts_of(body);
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
    return scene.geometries[static_cast<std::size_t>(part.geometry)].polygon;
  });
}

/// A pose of the plane z = 0 turns about z alone.
std::uint32_t check_in_plane(const InputArray& poses, std::int64_t environment, std::size_t body) {
  const auto number = [&](std::size_t i) -> Real { return element(poses, environment, 7 * body + i); };
  const Eigen::Quaternion<Real> rotation = Eigen::Quaternion<Real>(number(3), number(4), number(5), number(6));
  const Real tilt = (std::abs(rotation.x()) + std::abs(rotation.y())) / rotation.norm();
  return std::abs(number(2)) <= limits::kMaxOutOfPlane && tilt <= limits::kMaxOutOfPlane ? kOk : kBadPose;
}

bool has_memories(const SceneDescription& scene) {
  for (std::size_t p = 0; p < scene.pairs->size(); ++p) {
    for (const auto& model : detail::part_pair_models((*scene.pairs)[p], scene)) {
      if (model && has_state(scene, p, *model)) return true;
    }
  }
  return false;
}

/// Ten times the bend, m, at which bristles of any pair break away with the largest friction that is accepted.
Real broken_away(const SceneDescription& scene) {
  Real farthest = 0;
  for (const Pair& pair : *scene.pairs) {
    const BristleFriction& bristle = pair.bristle.value_or(scene.contact.force_law.bristle);
    const Real held = Real{limits::kMaxFriction} * bristle.static_ratio / bristle.stiffness;
    farthest = std::max(farthest, 10 * held);
  }
  return farthest;
}

bool can_be_left(const ContactStateRow& state, double small_speed, Real largest_bend) {
  for (std::size_t k = 0; k < state.size(); ++k) {
    if (!(std::abs(state[k]) <= limits::kMaxContactState)) return false;
    if (k >= 2 && k <= 4 && std::abs(state[k]) > largest_bend) return false;
  }
  const Real rounded = small_speed - Real{small_speed} / 10'000'000;  // as a float may be
  if (state[0] > 0 && state[0] < rounded) return false;
  return state[0] >= 0 && state[1] >= 0 && state[6] >= 0 && state[6] <= 1 && state[7] >= 0;
}

/// The contact states of the environment, or those of the scene if it has none.
std::uint32_t read_memories(const SceneDescription& scene, const State& state, std::int64_t index,
                            std::vector<ContactStateRow>& memories) {
  std::uint32_t status = kOk;
  const auto size = static_cast<std::size_t>(detail::contact_state_size_of(scene));
  const auto rows = static_cast<std::size_t>(detail::num_part_pairs_of(scene));
  const bool given = state.contact_state.data != nullptr, have_memories = has_memories(scene);
  for (std::size_t i = 0; given && i < size * rows; ++i) {
    if (!std::isfinite(element(state.contact_state, index, i))) status |= kBadContactState;
  }
  if (!have_memories) return status;
  memories.resize(rows, ContactStateRow{});
  const Real largest_bend = broken_away(scene);
  for (std::size_t row = 0; given && row < rows; ++row) {
    for (std::size_t k = 0; k < 8; ++k) memories[row][k] = element(state.contact_state, index, row * size + k);
    if (!can_be_left(memories[row], scene.contact.force_law.small_speed, largest_bend)) status |= kBadContactState;
  }
  std::size_t first = 0;
  for (const Pair& pair : *scene.pairs) {
    const auto models = detail::part_pair_models(pair, scene);
    const auto count = static_cast<std::size_t>(
        std::count_if(models.begin(), models.end(), [](const auto& model) { return model.has_value(); }));
    const auto& own = pair.contact_state;
    for (std::size_t i = 0; !given && !own.empty() && i < count; ++i) memories[first + i] = own[own.size() > 1 ? i : 0];
    first += count;
  }
  return status;
}

}  // namespace

Environment read_environment(const SceneDescription& scene, const State& state, std::int64_t index) {
  Environment environment;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    BodyState body;
    environment.status |= read_pose(state.poses, index, b, body.X_WB);
    if (has_polygon(scene, scene.bodies[b])) environment.status |= check_in_plane(state.poses, index, b);
    environment.status |= read_velocity(state.velocities, index, b, body);
    for (const Part& part : parts_of(scene.bodies[b])) {
      PartState part_state;
      const std::size_t number = environment.parts.size();
      part_state.X_BG = transform_of(part.pose);
      part_state.rigid = *part.rigid;
      part_state.foundation_depth = part.foundation_depth.value_or(0);
      environment.status |= read_material(part, state, index, number, part_state);
      environment.status |= read_geometry(scene, part, state, index, number, part_state);
      environment.parts.push_back(part_state);
      body.parts.push_back(number);
    }
    environment.bodies.push_back(body);
  }

  for (std::size_t p = 0; p < scene.pairs->size(); ++p) {
    environment.enabled.push_back(!state.pair_mask.data ||
                                  state.pair_mask.data[index * state.pair_mask.stride + static_cast<std::int64_t>(p)] !=
                                      0);
  }
  // also of models that a pair does not name: a part pair with a compliant part is a pressure field beside rigid ones
  for_each_row(scene, environment, [&](std::size_t p, ContactModel model, const PartIndices& parts) {
    const Geometry *a = environment.parts[parts.a].geometry, *b = environment.parts[parts.b].geometry;
    if (a && b && !can_touch(*a, *b, (*scene.pairs)[p], model)) environment.status |= kBadGeometry;
  });
  environment.status |= read_memories(scene, state, index, environment.memories);
  return environment;
}

std::vector<PartIndices> part_pairs(const SceneDescription& scene, const Environment& environment, std::size_t pair,
                                    ContactModel model) {
  const std::vector<std::optional<ContactModel>> models = detail::part_pair_models((*scene.pairs)[pair], scene);
  std::vector<PartIndices> pairs;
  auto of_part_pair = models.begin();
  for (const std::size_t a : environment.bodies[static_cast<std::size_t>((*scene.pairs)[pair].a)].parts) {
    for (const std::size_t b : environment.bodies[static_cast<std::size_t>((*scene.pairs)[pair].b)].parts) {
      if (*of_part_pair++ == model) pairs.push_back({a, b});
    }
  }
  return pairs;
}

}  // namespace isopatch::reference
