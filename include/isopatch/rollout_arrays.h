// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a rollout, listed once, and owners of them in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"
#include "isopatch/simulator.h"

namespace isopatch {

/// Calls visit(info, pointer) for every array of a RolloutState; given several objects with members of these names,
/// calls visit(info, member of the first, member of the second, ...).
template <class Visit, class... States>
constexpr void for_each_rollout_state(const Visit& visit, States&... s) {
  visit(ArrayInfo{"poses", "float64", Per::kBody, 7, "m; unit quaternion w x y z"}, s.poses...);
  visit(ArrayInfo{"velocities", "float64", Per::kBody, 6, "m/s; rad/s"}, s.velocities...);
  visit(ArrayInfo{"joints", "float64", Per::kJoint, 2, "m or rad; m/s or rad/s"}, s.joints...);
  visit(ArrayInfo{"steps", "int64", Per::kEnvironment, 1, "1"}, s.steps...);
  visit(ArrayInfo{"status", "uint32", Per::kEnvironment, 1, "bits of Status"}, s.status...);
}

/// The same for the arrays of a RolloutInput.
template <class Visit, class... Inputs>
constexpr void for_each_rollout_input(const Visit& visit, Inputs&... i) {
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, i.body_wrench...);
  visit(ArrayInfo{"joint_force", "real", Per::kJoint, 1, "N or N m"}, i.joint_force...);
  visit(ArrayInfo{"joint_target", "real", Per::kJoint, 2, "m or rad; m/s or rad/s"}, i.joint_target...);
  visit(ArrayInfo{"gravity", "real", Per::kEnvironment, 3, "m/s^2"}, i.gravity...);
  visit(ArrayInfo{"mass_scale", "real", Per::kBody, 1, "1"}, i.mass_scale...);
  visit(ArrayInfo{"modulus", "real", Per::kPart, 1, "Pa"}, i.modulus...);
  visit(ArrayInfo{"dissipation", "real", Per::kPart, 1, "s/m or s"}, i.dissipation...);
  visit(ArrayInfo{"friction", "real", Per::kPart, 1, "1"}, i.friction...);
  visit(ArrayInfo{"geometry_index", "int32", Per::kPart, 1, "index"}, i.geometry_index...);
  visit(ArrayInfo{"pair_mask", "uint8", Per::kPair, 1, "0 or 1"}, i.pair_mask...);
}

/// The same for the arrays of a RolloutOutput.
template <class Visit, class... Outputs>
constexpr void for_each_rollout_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"pair_wrench", "real", Per::kPair, 6, "N; N m"}, o.pair_wrench...);
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, o.body_wrench...);
  visit(ArrayInfo{"kinetic_energy", "real", Per::kEnvironment, 1, "J"}, o.kinetic_energy...);
  visit(ArrayInfo{"potential_energy", "real", Per::kEnvironment, 1, "J"}, o.potential_energy...);
  visit(ArrayInfo{"elastic_energy", "real", Per::kPair, 1, "J", OutputGroup::kEnergy}, o.elastic_energy...);
  visit(ArrayInfo{"momentum", "real", Per::kEnvironment, 6, "N s; N m s"}, o.momentum...);
  visit(ArrayInfo{"iterations", "int32", Per::kEnvironment, 1, "1"}, o.iterations...);
  visit(ArrayInfo{"polygons", "int32", Per::kEnvironment, 1, "1"}, o.polygons...);
  visit(ArrayInfo{"polygons_needed", "int32", Per::kEnvironment, 1, "1"}, o.polygons_needed...);
}

/// The counts of a scene, with its joints.
ArrayCounts rollout_counts(const Scene& scene);

/// The RolloutState of N environments, owned, in arrays of the same names.
struct RolloutStateArrays {
  std::int64_t num_environments = 0;  ///< N

  std::vector<double> poses;          ///< N x B x 7   m, unit quaternion
  std::vector<double> velocities;     ///< N x B x 6   m/s, rad/s
  std::vector<double> joints;         ///< N x J x 2   m or rad, m/s or rad/s
  std::vector<std::int64_t> steps;    ///< N
  std::vector<std::uint32_t> status;  ///< N   bits of Status

  RolloutStateArrays() = default;

  /// The scene's own state in every environment. Throws Error for a negative number of environments.
  RolloutStateArrays(const Scene& scene, std::int64_t environments);

  /// Valid until an array changes its size.
  RolloutState view();
};

/// The RolloutOutput of N environments, owned and contiguous, in arrays of the same names; zero until a step.
struct RolloutOutputArrays {
  std::vector<double> pair_wrench;            ///< N x P x 6   N, N m
  std::vector<double> body_wrench;            ///< N x B x 6   N, N m
  std::vector<double> kinetic_energy;         ///< N   J
  std::vector<double> potential_energy;       ///< N   J
  std::vector<double> elastic_energy;         ///< N x P   J; empty unless asked for
  std::vector<double> momentum;               ///< N x 6   N s, N m s
  std::vector<std::int32_t> iterations;       ///< N
  std::vector<std::int32_t> polygons;         ///< N
  std::vector<std::int32_t> polygons_needed;  ///< N

  RolloutOutputArrays() = default;

  /// Throws Error for a negative number of environments.
  RolloutOutputArrays(const Scene& scene, std::int64_t environments, bool elastic_energy_ = false);

  /// Valid until an array changes its size.
  RolloutOutput view();
};

}  // namespace isopatch
