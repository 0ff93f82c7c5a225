// SPDX-License-Identifier: Apache-2.0
#include "host/reference/single_contact/single_contact_models.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "host/reference/contact/contact_law.h"
#include "host/reference/single_contact/find_patch.h"
#include "host/scene/contact_models.h"
#include "isopatch/status.h"

namespace isopatch::reference {
namespace {

std::array<double, 3> array_of(const Vector3& x) {
  return {static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])};
}

const BodyState& body(const Environment& environment, int index) {
  return environment.bodies[static_cast<std::size_t>(index)];
}

PosedParts posed(const SceneDescription& scene, const Environment& environment, std::size_t pair_index,
                 const PartIndices& parts) {
  const Pair& pair = (*scene.pairs)[pair_index];
  const Transform &X_WA = body(environment, pair.a).X_WB, &X_WB = body(environment, pair.b).X_WB;
  return {scene,
          pair,
          environment.parts[parts.a],
          environment.parts[parts.b],
          {X_WA.rotation, Vector3::Zero()},
          {X_WB.rotation, X_WB.translation - X_WA.translation}};
}

bool is_thick(const FoundPatch& found) {
  return found.area > 0 && found.patch.metric / found.area > std::sqrt(found.patch.spread.trace());
}

/// The slope of the elastic force by the depth.
Real stiffness_of(const ContactForceLaw& law, const FoundPatch& found, Real offset) {
  if (found.area > 0) return law.stiffness * found.area;
  const Real pressed = found.patch.metric - offset;
  return pressed > 0 ? law.stiffness * law.exponent * std::pow(pressed, Real(law.exponent) - 1) : 0;
}

Real energy_of(const ContactForceLaw& law, const FoundPatch& found, const SingleContact& contact) {
  if (found.area > 0) return contact.elastic * found.energy_depth;
  const Real pressed = std::max<Real>(found.patch.metric - contact.offset, 0), power = Real(law.exponent) + 1;
  return law.stiffness * std::pow(pressed, power) / power;
}

/// One row of a point; of a patch four, which have its force and its second moments.
void add_rows(const FoundPatch& found, const ContactForceLaw& law, const SingleContact& contact, const Vector3& origin,
              const PairInput& input, const PartIndices& parts, PairResult& result) {
  std::vector<Vector3> arms = {Vector3::Zero()};
  if (found.area > 0) {
    const Eigen::SelfAdjointEigenSolver<Matrix3> axes(found.patch.spread);
    arms.clear();
    for (const Eigen::Index i : {2, 1}) {  // the smallest eigenvalue is that of the normal
      const Vector3 arm = std::sqrt(2 * axes.eigenvalues()[i]) * axes.eigenvectors().col(i);
      arms.insert(arms.end(), {arm, -arm});
    }
  }
  const Real share = Real(1) / static_cast<Real>(arms.size()), stiffness = stiffness_of(law, found, contact.offset);
  for (const Vector3& arm : arms) {
    DiscreteContact row = {};
    const Vector3 point = origin + found.patch.point + arm;
    row.pair = static_cast<std::int32_t>(input.pair);
    for (Eigen::Index i = 0; i < 3; ++i) {
      row.point[i] = static_cast<float>(point[i]);
      row.normal[i] = static_cast<float>(found.patch.normal[i]);
    }
    row.area = static_cast<float>(share * found.area);
    row.pressure = static_cast<float>(found.area > 0 ? contact.elastic / found.area : 0);
    row.stiffness = static_cast<float>(share * stiffness);
    row.distance = static_cast<float>(stiffness > 0 ? -contact.elastic / stiffness : 0);
    row.dissipation = static_cast<float>(contact.damping);
    row.friction = static_cast<float>(law.friction);
    row.part_a = static_cast<std::int32_t>(parts.a);
    row.part_b = static_cast<std::int32_t>(parts.b);
    result.contacts.push_back(row);
  }
}

PairResult evaluate_law(const PairInput& input, ContactModel model, FindPatch find) {
  const Pair& pair = (*input.scene.pairs)[input.pair];
  const BodyState &a = body(input.environment, pair.a), &b = body(input.environment, pair.b);
  const Vector3 to_b = b.X_WB.translation - a.X_WB.translation;
  ContactMotion motion;
  motion.origin_b = array_of(to_b);
  motion.velocity_a = array_of(a.velocity);
  motion.velocity_b = array_of(b.velocity);
  motion.angular_velocity_a = array_of(a.angular_velocity);
  motion.angular_velocity_b = array_of(b.angular_velocity);

  PairResult result;
  result.X_WA = a.X_WB;
  Vector3 center = Vector3::Zero(), normal = Vector3::Zero();
  Real load = 0, weights = 0;
  std::size_t row = input.first_row;
  const auto state_size = static_cast<std::size_t>(detail::contact_state_size_of(input.scene));
  for (const PartIndices& parts : input.part_pairs) {
    ContactForceLaw law =
        memory_law(input.scene, input.state, input.environment, input.pair, parts, kUsualSlipTolerance);
    const FoundPatch found = find(posed(input.scene, input.environment, input.pair, parts), law);
    const SingleContact contact = single_contact(law, found.patch, model == ContactModel::kPoint, motion,
                                                 input.environment.memories[row++], input.state.time_step);
    result.of_part_pairs.push_back({contact.force, contact.torque});
    result.contact_state.insert(result.contact_state.end(), contact.state.begin(), contact.state.end());
    result.contact_state.resize(result.of_part_pairs.size() * state_size);
    const Matrix3& C = found.second;
    result.single_contact.push_back({found.area > 0 ? found.patch.metric : 0,
                                     {C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(0, 2), C(1, 2)},
                                     contact.damping_matrix});
    if (found.is_enclosed) result.status |= kNoContactSurface;
    if (!(found.patch.metric > 0)) continue;
    if (is_thick(found)) result.status |= kThickContact;
    add_rows(found, law, contact, a.X_WB.translation, input, parts, result);
    result.on_a.force += contact.force;
    result.on_a.torque += contact.torque;
    result.friction_force += contact.friction_force;
    result.area += found.area;
    result.energy += energy_of(law, found, contact);
    ++result.polygon_count;
    const Real weight = found.area > 0 ? found.area : contact.normal_force;
    center += contact.normal_force * found.patch.point;
    load += contact.normal_force;
    normal += weight * found.patch.normal;
    weights += weight;
  }
  result.on_b = {-result.on_a.force, to_b.cross(result.on_a.force) - result.on_a.torque};
  if (load > 0) result.center_of_pressure = a.X_WB.translation + center / load;
  if (weights > 0) result.mean_normal = normal / weights;
  return result;
}

/// Two axes of a plane, the first one across the axis of the world that the normal is farthest from.
std::array<Vector3, 2> axes_of_plane(const Vector3& n) {
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3 first = n.cross(Vector3::Unit(least)).normalized();
  return {first, n.cross(first)};
}

/// Three points with the spread of a patch about its own.
std::array<Vector3, 3> arms_of(const ContactPatch& patch) {
  const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(patch.spread);
  const auto roots = eigen.eigenvalues().cwiseMax(Real{0}).cwiseSqrt();
  const Matrix3 root = eigen.eigenvectors() * roots.asDiagonal() * eigen.eigenvectors().transpose();
  const auto [u, v] = axes_of_plane(patch.normal);
  const Vector3 first = std::sqrt(Real{2}) * root * u, second = std::sqrt(Real{1.5L}) * root * v;
  return {first, -first / 2 + second, -first / 2 - second};
}

}  // namespace

PairResult evaluate_volumetric(const PairInput& input) {
  return evaluate_law(input, ContactModel::kVolumetric, find_volume);
}

PairResult evaluate_point(const PairInput& input) { return evaluate_law(input, ContactModel::kPoint, find_point); }

void find_single_contacts_of_scene(const SceneDescription& scene, const State& state, const Environment& environment,
                                   const std::vector<Memory>& memories, bool with_motion,
                                   std::vector<ContactPoint>& points, std::vector<StatefulContact>& contacts) {
  std::size_t next_row = 0;
  for_each_row(scene, environment, [&](std::size_t pair, ContactModel model, const PartIndices& parts) {
    const std::size_t row = next_row++;
    const bool is_point = model == ContactModel::kPoint;
    if (!environment.enabled[pair] || (!is_point && model != ContactModel::kVolumetric)) return;
    ContactForceLaw law = memory_law(scene, state, environment, pair, parts, kUsualStepSlipTolerance);
    const PosedParts where = posed(scene, environment, pair, parts);
    const FoundPatch found = (is_point ? find_point : find_volume)(where, law);
    const ContactPatch& patch = found.patch;
    if (!(patch.metric > 0)) return;

    StatefulContact contact;
    contact.pair = pair;
    contact.row = row;
    contact.law = law;
    contact.is_single_contact = true;
    contact.is_ball = found.is_ball;
    contact.metric = patch.metric;
    contact.position = body(environment, (*scene.pairs)[pair].a).X_WB.translation + patch.point;
    contact.normal = patch.normal;
    contact.radius = std::sqrt(patch.spread.trace());
    if (with_motion && !is_point && !found.is_ball) {
      const BodyState &a = body(environment, (*scene.pairs)[pair].a), &b = body(environment, (*scene.pairs)[pair].b);
      const Vector3 velocity = a.velocity - b.velocity + b.angular_velocity.cross(where.X_B.translation);
      contact.thickness = patch.metric / found.area;
      const OverlapMotion motion = overlap_motion(where, std::min(contact.thickness, std::cbrt(patch.metric)), velocity,
                                                  a.angular_velocity - b.angular_velocity);
      contact.velocity = motion.velocity;
      contact.growth = motion.volume_rate / found.area;
    }
    contacts.push_back(contact);

    const Real offset = touched(law, memories[row], patch.metric, 0).offset;
    for (const Vector3& arm : arms_of(patch)) {
      ContactPoint point;
      point.pair = pair;
      point.row = row;
      point.position = contact.position + arm;
      point.normal = patch.normal;
      point.force = elastic_force(law, is_point, patch.metric, offset) / 3;
      point.stiffness = stiffness_of(law, found, offset) / 3;
      point.dissipation = law.dissipation;
      points.push_back(point);
    }
  });
}

}  // namespace isopatch::reference
