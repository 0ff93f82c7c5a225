// SPDX-License-Identifier: Apache-2.0
//
// The test's contact model a second time, from its description and in extended precision, with the list of models of
// the reference in place of host/reference/contact_models.cpp.
#include <algorithm>
#include <utility>

#include "host/reference/contact/pair_result.h"
#include "host/reference/pressure_field/evaluate_pair.h"

namespace isopatch::reference {

namespace {

/// The ball about the middle of a mesh's bounding box that holds all of its points.
std::pair<Vector3, Real> ball_about(const Geometry& geometry) {
  Vector3 low = Vector3::Constant(1e30L), high = -low;
  const auto at = [](const Point3& p) { return Vector3(p[0], p[1], p[2]); };
  for (const Point3& p : geometry.mesh.points) low = low.cwiseMin(at(p)), high = high.cwiseMax(at(p));
  const Vector3 middle = (low + high) / 2;
  Real radius = 0;
  for (const Point3& p : geometry.mesh.points) radius = std::max(radius, Real((at(p) - middle).norm()));
  return {middle, radius};
}

Real state_before(const PairInput& input, std::size_t part_pair) {
  const InputArray& array = input.state.contact_state;
  if (array.data == nullptr) return 0;
  const std::size_t at = static_cast<std::size_t>(input.index * array.stride) + part_pair;
  return array.type == ScalarType::kFloat64 ? Real(static_cast<const double*>(array.data)[at])
                                            : Real(static_cast<const float*>(array.data)[at]);
}

/// For scenes in which every number of the state is this model's, one a part pair.
PairResult evaluate_ball_spring(const PairInput& input) {
  constexpr Real kStiffness = 1e4L;
  const Pair& pair = (*input.scene.pairs)[input.pair];
  const BodyState& a = input.environment.bodies[static_cast<std::size_t>(pair.a)];
  const BodyState& b = input.environment.bodies[static_cast<std::size_t>(pair.b)];
  std::size_t row = input.first_row;

  PairResult result;
  for (const PartIndices& parts : input.part_pairs) {
    const PartState &of_a = input.environment.parts[parts.a], &of_b = input.environment.parts[parts.b];
    const auto [middle_a, radius_a] = ball_about(*of_a.geometry);
    const auto [middle_b, radius_b] = ball_about(*of_b.geometry);
    const Vector3 center_a = a.X_WB * (of_a.X_BG * middle_a), center_b = b.X_WB * (of_b.X_BG * middle_b);
    const Vector3 apart = center_a - center_b;
    const Real overlap = radius_a + radius_b - apart.norm();
    Wrench on_a;
    if (overlap > 0) {
      const Vector3 normal = apart.normalized(), point = center_b + radius_b * normal;
      on_a.force = kStiffness * overlap * normal;
      on_a.torque = (point - a.X_WB.translation).cross(on_a.force);
      result.on_b.force -= on_a.force;
      result.on_b.torque -= (point - b.X_WB.translation).cross(on_a.force);
      ++result.polygon_count;
    }
    result.on_a.force += on_a.force;
    result.on_a.torque += on_a.torque;
    result.of_part_pairs.push_back(on_a);
    result.contact_state.push_back(overlap > 0 ? state_before(input, row) + 1 : 0);
    ++row;
  }
  return result;
}

/// For models of which the tests evaluate no pair.
PairResult evaluate_nothing(const PairInput&) { return {}; }

}  // namespace

std::span<const EvaluatePair> contact_models() {
  static constexpr EvaluatePair kModels[] = {evaluate_pressure_field, evaluate_nothing,     evaluate_nothing,
                                             evaluate_nothing,        evaluate_ball_spring, evaluate_nothing};
  return kModels;
}

}  // namespace isopatch::reference
