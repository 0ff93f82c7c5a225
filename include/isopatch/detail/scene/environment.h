// SPDX-License-Identifier: Apache-2.0
//
// Reading one environment's state, and validating it before anything is computed from it.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/limits.h"
#include "isopatch/results.h"
#include "isopatch/state.h"
#include "isopatch/status.h"

namespace isopatch::detail {

ISOPATCH_HD double read(const InputArray& array, std::int64_t environment, std::int64_t index) {
  const std::int64_t at = environment * array.stride + index;
  return array.type == ScalarType::kFloat64 ? static_cast<const double*>(array.data)[at]
                                            : static_cast<double>(static_cast<const float*>(array.data)[at]);
}

/// The `count` elements from `index` on, for which the type is looked up once.
template <int count>
ISOPATCH_HD void read(const InputArray& array, std::int64_t environment, std::int64_t index, double (&to)[count]) {
  const std::int64_t at = environment * array.stride + index;
  if (array.type == ScalarType::kFloat64) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<const double*>(array.data)[at + i];
  } else {
    for (int i = 0; i < count; ++i) to[i] = static_cast<double>(static_cast<const float*>(array.data)[at + i]);
  }
}

ISOPATCH_HD void write(const OutputArray& array, std::int64_t environment, std::int64_t index, double value) {
  if (array.data == nullptr) return;
  const std::int64_t at = environment * array.stride + index;
  if (array.type == ScalarType::kFloat64) {
    static_cast<double*>(array.data)[at] = value;
  } else {
    static_cast<float*>(array.data)[at] = static_cast<float>(value);
  }
}

ISOPATCH_HD void write(const OutputArray& array, std::int64_t environment, std::int64_t index, Vec3d value) {
  write(array, environment, index, value.x);
  write(array, environment, index + 1, value.y);
  write(array, environment, index + 2, value.z);
}

/// Element `index` of an environment's row.
template <class T>
ISOPATCH_HD T& element(const TypedArray<T>& array, std::int64_t environment, std::int64_t index = 0) {
  return array.data[environment * array.stride + index];
}

template <class T, class Value>
requires std::is_arithmetic_v<T> ISOPATCH_HD void write(const TypedArray<T>& array, std::int64_t environment,
                                                        std::int64_t index, Value value) {
  if (array.data != nullptr) element(array, environment, index) = static_cast<T>(value);
}

ISOPATCH_HD Vec3d read_vec3(const InputArray& array, std::int64_t environment, std::int64_t index) {
  double x[3];
  read(array, environment, index, x);
  return {x[0], x[1], x[2]};
}

ISOPATCH_HD InputArray as_input(const OutputArray& array) {
  InputArray input;
  input.data = array.data;
  input.stride = array.stride;
  input.type = array.type;
  return input;
}

/// Adds to what was written. A null array is skipped.
ISOPATCH_HD void add(const OutputArray& array, std::int64_t environment, std::int64_t index, double value) {
  if (array.data != nullptr) write(array, environment, index, read(as_input(array), environment, index) + value);
}

ISOPATCH_HD void add(const OutputArray& array, std::int64_t environment, std::int64_t index, Vec3d value) {
  add(array, environment, index, value.x);
  add(array, environment, index + 1, value.y);
  add(array, environment, index + 2, value.z);
}

template <class T>
ISOPATCH_HD void add(const TypedArray<T>& array, std::int64_t environment, std::int64_t index, T value) {
  if (array.data != nullptr) element(array, environment, index) += value;
}

struct Material {
  double modulus, dissipation, friction;
  bool overrides_dissipation, overrides_friction;  // given for this environment: replaces a pair's value
};

ISOPATCH_HD Material read_material(const SceneView& scene, const State& state, std::int64_t environment, int part) {
  const PartView& p = scene.parts[part];
  Material m = {p.modulus, p.dissipation, p.friction, state.dissipation.data != nullptr,
                state.friction.data != nullptr};
  if (state.modulus.data != nullptr) m.modulus = read(state.modulus, environment, part);
  if (m.overrides_dissipation) m.dissipation = read(state.dissipation, environment, part);
  if (m.overrides_friction) m.friction = read(state.friction, environment, part);
  return m;
}

/// The index of a part's geometry; -1 where the state names one that the part cannot have.
ISOPATCH_HD int geometry_of(const SceneView& scene, const State& state, std::int64_t environment, int part) {
  const PartView& p = scene.parts[part];
  if (state.geometry_index.data == nullptr) return p.geometry;
  const int index = element(state.geometry_index, environment, part);
  if (index < 0 || index >= scene.num_geometries) return -1;
  return p.placed_begin < 0 ? index : scene.placed_geometries[p.placed_begin + index];
}

ISOPATCH_HD bool is_enabled(const State& state, std::int64_t environment, int pair) {
  return state.pair_mask.data == nullptr || element(state.pair_mask, environment, pair) != 0;
}

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr int kPoseSize = 7;
inline constexpr int kVelocitySize = 6;

/// A body's row of State::poses.
struct PoseRow {
  double x[kPoseSize];

  ISOPATCH_HD PoseRow(const State& state, std::int64_t environment, int body) {
    read(state.poses, environment, body * kPoseSize, x);
  }

  ISOPATCH_HD double quaternion_norm() const {
    return std::sqrt(std::fma(x[6], x[6], std::fma(x[5], x[5], std::fma(x[4], x[4], x[3] * x[3]))));
  }
};

/// The fault bits a body's pose and velocity give its environment.
ISOPATCH_HD std::uint32_t body_status(const State& state, std::int64_t environment, int body) {
  std::uint32_t status = kOk;
  const PoseRow pose(state, environment, body);
  for (const double x : pose.x) {
    if (!(std::fabs(x) <= limits::kMaxPosition)) status |= kBadPose;
  }
  const double norm = pose.quaternion_norm();
  if (!(norm >= limits::kMinQuaternion && norm <= limits::kMaxQuaternion)) status |= kBadPose;

  if (state.velocities.data == nullptr) return status;
  double velocity[kVelocitySize];
  read(state.velocities, environment, body * kVelocitySize, velocity);
  for (int i = 0; i < kVelocitySize; ++i) {
    const double most = i < 3 ? limits::kMaxVelocity : limits::kMaxAngularVelocity;
    if (!(std::fabs(velocity[i]) <= most)) status |= kBadVelocity;
  }
  return status;
}

/// kBadPose of a body that is turned about another axis than z.
ISOPATCH_HD std::uint32_t tilt_status(const PoseRow& pose) {
  const double tilt = std::fabs(pose.x[4]) + std::fabs(pose.x[5]);
  return tilt <= limits::kMaxOutOfPlane * pose.quaternion_norm() ? std::uint32_t{kOk} : std::uint32_t{kBadPose};
}

/// The fault bit of a body of polygons whose pose is out of their plane.
ISOPATCH_HD std::uint32_t plane_status(const State& state, std::int64_t environment, int body) {
  const PoseRow pose(state, environment, body);
  return std::fabs(pose.x[2]) <= limits::kMaxOutOfPlane ? tilt_status(pose) : std::uint32_t{kBadPose};
}

/// The fault bits one part gives its environment.
ISOPATCH_HD std::uint32_t part_status(const SceneView& scene, const State& state, std::int64_t environment, int part) {
  std::uint32_t status = kOk;
  const bool rigid = scene.parts[part].rigid;
  const Material m = read_material(scene, state, environment, part);
  const bool modulus_ok = rigid || (m.modulus >= limits::kMinModulus && m.modulus <= limits::kMaxModulus);
  const bool dissipation_ok = m.dissipation >= 0 && m.dissipation <= limits::kMaxDissipation;
  const bool friction_ok = m.friction >= 0 && m.friction <= limits::kMaxFriction;
  if (!(modulus_ok && dissipation_ok && friction_ok)) status |= kBadMaterial;

  const int geometry = geometry_of(scene, state, environment, part);
  if (geometry < 0) return status | kBadGeometry;
  const GeometryView& view = scene.geometries[geometry];
  if (view.surface_only && !rigid) status |= kBadGeometry;
  if (!rigid && view.num_layers > scene.parts[part].num_layers) status |= kBadGeometry;
  return status;
}

ISOPATCH_HD bool is_ball(const GeometryView& geometry) { return geometry.primitive == PrimitiveKind::kSphere; }

/// Whether a pair's model has a contact for parts of these geometries, which an environment may have chosen.
ISOPATCH_HD bool can_touch(const PairView& pair, const GeometryView& a, const GeometryView& b) {
  const bool half_spaces = a.half_space && b.half_space;
  if (pair.touches_faces) return a.shape != nullptr && b.shape != nullptr && a.polygon == b.polygon && !half_spaces;
  if (a.polygon || b.polygon) return false;
  if (pair.ball_touches == 0) return !half_spaces || pair.half_spaces_touch;
  return (is_ball(a) && (pair.ball_touches & shape_of(b)) != 0) ||
         (is_ball(b) && (pair.ball_touches & shape_of(a)) != 0);
}

/// The fault bit of a part pair, whose parts may have a fault of their own.
ISOPATCH_HD std::uint32_t part_pair_status(const SceneView& scene, const State& state, std::int64_t environment,
                                           int part_pair) {
  const int index_a = geometry_of(scene, state, environment, scene.part_pairs[part_pair].a);
  const int index_b = geometry_of(scene, state, environment, scene.part_pairs[part_pair].b);
  if (index_a < 0 || index_b < 0) return kOk;
  const GeometryView &a = scene.geometries[index_a], &b = scene.geometries[index_b];
  const bool is_simple = scene.laws == nullptr && !scene.contact.any_faces;
  if (is_simple && !(a.half_space && b.half_space) && !a.polygon && !b.polygon) return kOk;
  const PairView* pair = scene.pairs;
  while (part_pair < pair->part_pairs_begin || pair->part_pairs_end <= part_pair) ++pair;
  return can_touch(*pair, a, b) ? kOk : kBadGeometry;
}

/// Q: the rows of an environment's part pairs.
ISOPATCH_HD int num_part_pair_rows(const SceneView& scene) {
  return scene.num_part_pairs == 0 ? 0 : scene.part_pairs[scene.num_part_pairs - 1].row + 1;
}

/// Q x S: the numbers of an environment's contact state.
ISOPATCH_HD int num_contact_states(const SceneView& scene) {
  return scene.contact.state_size == 0 ? 0 : scene.contact.state_size * num_part_pair_rows(scene);
}

/// Whether number `index` of an environment's contact state can be one that a model left. ContactStateRow says what
/// numbers mean where there are laws, and host/force_law/law_numbers.h what they can be.
ISOPATCH_HD bool is_contact_number(const SceneView& scene, int index, double value) {
  if (!(std::fabs(value) < kInfinity)) return false;
  if (scene.laws == nullptr) return true;
  const int place = index % scene.contact.state_size;
  const bool is_amount = place == 0 || place == 1 || place == 6 || place == 7;
  const bool is_bend = place >= 2 && place <= 4;
  const double most = place == 6 ? 1 : is_bend ? scene.contact.largest_bend : limits::kMaxContactState;
  return std::fabs(value) <= most && (!is_amount || value >= 0) &&
         (place != 0 || value == 0 || value >= scene.contact.least_impact_speed);
}

/// Body to world, with the quaternion normalised.
ISOPATCH_HD Transform<double> read_pose(const State& state, std::int64_t environment, int body) {
  const PoseRow pose(state, environment, body);
  const double scale = 1.0 / pose.quaternion_norm();
  Transform<double> X = rotation_of(scale * pose.x[3], scale * pose.x[4], scale * pose.x[5], scale * pose.x[6]);
  X.translation = {pose.x[0], pose.x[1], pose.x[2]};
  return X;
}

/// Coordinates in the frame of a part's geometry to those that X_B leads to from its body's: a mesh has its body's
/// frame, a half space its own.
ISOPATCH_HD Transform<double> pose_of(const PartView& part, bool half_space, const Transform<double>& X_B) {
  return half_space && part.posed ? product(X_B, part.X_BG) : X_B;
}

/// A ball about a mesh or several, in the frame of their body.
struct Ball {
  Vec3d center;   // m
  double radius;  // m

  /// With a margin far above the rounding of all tests that follow.
  ISOPATCH_HD double padded_radius() const {
    constexpr double kMargin = 1e-5;
    return std::fma(kMargin, norm(center) + radius, radius);
  }
};

ISOPATCH_HD Ball ball_of(const GeometryView& geometry) { return {geometry.center, geometry.radius}; }

/// About the meshes of a body. That of one part is its geometry's; that of several is about the body's point of
/// reference.
ISOPATCH_HD Ball mesh_ball(const SceneView& scene, const State& state, std::int64_t environment, int body) {
  const BodyView& b = scene.bodies[body];
  if (b.has_one_part()) return ball_of(scene.geometries[geometry_of(scene, state, environment, b.parts_begin)]);
  Ball ball = {b.reference, 0};
  for (std::int32_t part = b.parts_begin; part < b.parts_end; ++part) {
    const GeometryView& g = scene.geometries[geometry_of(scene, state, environment, part)];
    if (!g.half_space) ball.radius = max(ball.radius, norm(g.center - b.reference) + g.radius);
  }
  return ball;
}

/// A half space is among several parts of a body.
ISOPATCH_HD bool has_half_space_part(const SceneView& scene, const State& state, std::int64_t environment, int body) {
  const BodyView& b = scene.bodies[body];
  bool found = false;
  for (std::int32_t part = b.parts_begin; part < b.parts_end && !b.has_one_part(); ++part) {
    found = found || scene.geometries[geometry_of(scene, state, environment, part)].half_space;
  }
  return found;
}

struct Twist {
  Vec3d linear;   // m/s, of the body origin, world
  Vec3d angular;  // rad/s, world
};

ISOPATCH_HD Twist read_twist(const State& state, std::int64_t environment, int body) {
  if (state.velocities.data == nullptr) return {{0, 0, 0}, {0, 0, 0}};
  const std::int64_t at = body * kVelocitySize;
  return {read_vec3(state.velocities, environment, at), read_vec3(state.velocities, environment, at + 3)};
}

}  // namespace isopatch::detail
