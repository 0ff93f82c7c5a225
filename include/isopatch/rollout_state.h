// SPDX-License-Identifier: Apache-2.0
//
// What a Simulator steps, what acts on it, and what a step returns. All memory belongs to the caller.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch {

/// The complete state of N environments with B bodies and J joints each, read and written by every step: resuming from
/// a copy gives identical bits. Arrays are contiguous. Pointers are host pointers for the cpu backend, device pointers
/// for cuda.
template <class Kind>
struct RolloutStates {
  std::int64_t num_environments = 0;  ///< N; 0 is an Error if there are poses, and no work without

  /// N x B x 7   x y z [m], quaternion w x y z (normalised on use), body to world. Those of bodies on joints and on
  /// paths follow from the other arrays: they are written at the beginning of every call too.   (required)
  ArrayOf<Kind, double> poses = {};

  /// N x B x 6   linear [m/s] of the body origin, angular [rad/s], world. That of a prescribed body without a path is
  /// the velocity it moves with; of a body on a path it is written.   (required)
  ArrayOf<Kind, double> velocities = {};

  /// N x J x 2   position [m or rad] and rate [m/s or rad/s] of each joint, in the order of the bodies   (required
  /// where there are joints)
  ArrayOf<Kind, double> joints = {};

  /// N x J   the rate of each joint that the last step left [m/s or rad/s]. What a program has written to `joints`
  /// since then differs from it, and counts as a change of momentum, as do velocities that it has written to prescribed
  /// bodies. Where it is not a number, bodies on joints begin with the velocities that follow from the other
  /// arrays.   (required where there are joints)
  ArrayOf<Kind, double> joint_rates = {};

  /// N x Q x S   of the contact models, S = Scene::contact_state_size()   (required if S is not 0)
  ArrayOf<Kind, double> contact_state = {};

  /// N   steps since time 0: the time is step_count x time_step   (required)
  ArrayOf<Kind, std::int64_t> step_count = {};

  /// N   bits of Status. An environment with kFrozen keeps its state until it is reset.   (required)
  ArrayOf<Kind, std::uint32_t> status = {};
};

/// The arrays of the caller.
struct RolloutState : RolloutStates<Pointers> {};

/// What acts on N environments during a call, and their parameters as in State. Null arrays mean the scene's value in
/// every environment.
struct RolloutInput : ParameterInputs<InputViews> {
  InputArray body_wrench;   ///< N x B x 6   external force [N], torque [N m] about the center of mass, world
  InputArray joint_force;   ///< N x J   of the drives, N or N m
  InputArray joint_target;  ///< N x J x 2   of the drives: position [m or rad], rate [m/s or rad/s]
  InputArray gravity;       ///< N x 3   m/s^2, world
  InputArray mass_scale;    ///< N x B   of mass and inertia, in [1e-9, 1e9]; else kBadMaterial
};

/// Outputs of the last step of a call. Null arrays are not computed. In a frozen environment all are 0.
template <class Kind>
struct RolloutOutputs {
  /// N x P x 6   impulse on body a during the step over its length [N], and its torque [N m] about a's origin where the
  /// contact was found; world.
  ArrayOf<Kind, AnyReal> pair_wrench;
  ArrayOf<Kind, AnyReal> body_wrench;       ///< N x B x 6   the same of all pairs of a body, about its origin
  ArrayOf<Kind, AnyReal> pair_wrench_mean;  ///< N x P x 6   the mean of pair_wrench over all steps of the call

  /// N x J   of the stops of joints, along the joint: the impulse during the step over its length, N or N m; positive
  /// at the lower one. A joint that follows another one has 0.
  ArrayOf<Kind, AnyReal> joint_limit_force;

  /// N x J   -1 if a joint was stopped at its lower end, 1 at the upper one, else 0
  ArrayOf<Kind, std::int32_t> joints_at_limit;

  ArrayOf<Kind, AnyReal> joint_drive_force;  ///< N x J   of the drives, likewise; of a joint that follows another 0

  /// N x J x 6   what a joint bears: force [N] of the parent on the child during the step, in the mean, and its moment
  /// [N m] about the joint's anchor, or the origin of a child that slides, in the middle of the step; world. Along the
  /// joint that is what drive, friction and stops give; of a joint that follows another what that moves it with.
  ArrayOf<Kind, AnyReal> joint_wrench;

  /// N x L x 6   by how much the bodies of each loop are apart after the step, a from b: of the anchor [m], and turned
  /// by [rad], without the turn of a hinge about its axis; world
  ArrayOf<Kind, AnyReal> loop_gap;

  // of the bodies with degrees of freedom, after the step
  ArrayOf<Kind, AnyReal> kinetic_energy;    ///< N   J
  ArrayOf<Kind, AnyReal> potential_energy;  ///< N   of gravity, J; 0 at the world's origin
  ArrayOf<Kind, AnyReal> momentum;          ///< N x 6   linear [N s]; angular about the world's origin [N m s]

  // as in Results, of the state after the step; for all of them together, one more evaluation
  ArrayOf<Kind, AnyReal> elastic_energy;      ///< N x P   Results::energy, J
  ArrayOf<Kind, AnyReal> area;                ///< N x P   m^2
  ArrayOf<Kind, AnyReal> center_of_pressure;  ///< N x P x 3   m, world; 0 without contact
  ArrayOf<Kind, AnyReal> mean_normal;         ///< N x P x 3   from b into a, world; 0 without contact
  ArrayOf<Kind, AnyReal> max_pressure;        ///< N x P   Pa
  ArrayOf<Kind, std::int32_t> polygon_count;  ///< N x P   polygons of non-zero area
  ArrayOf<Kind, AnyReal> separation;          ///< N x P   of rigid convex parts, m
  ArrayOf<Kind, AnyReal> overlap;             ///< N x P   of rigid convex parts, m^3; of polygons m^2

  ArrayOf<Kind, std::int32_t> solver_iterations;  ///< N   of Newton's method, in all solves
  ArrayOf<Kind, std::int32_t> num_polygons;       ///< N   of all pairs, as many as the step used
  ArrayOf<Kind, std::int32_t> polygons_needed;    ///< N   the capacity that would have sufficed, also where it did not

  // of rigid convex parts, as many as the step used; 0 where there are none
  ArrayOf<Kind, std::int32_t> num_potential_contacts;  ///< N
  ArrayOf<Kind, std::int32_t> num_relations;           ///< N
  ArrayOf<Kind, std::int32_t> num_traps;               ///< N   relations that hold after the step although one of their
                                                       ///< contacts does not
};

/// The arrays of the caller.
struct RolloutOutput : RolloutOutputs<OutputViews> {};

// --- the arrays, listed once, and owners of them in host memory ------------------------------------------------------

/// Calls visit(info, pointer) for every array of a RolloutState; given several objects with members of these names,
/// calls visit(info, member of the first, member of the second, ...).
template <class Visit, class... States>
constexpr void for_each_rollout_state(const Visit& visit, States&... s) {
  visit(ArrayInfo{"poses", "float64", Per::kBody, 7, "m; unit quaternion w x y z"}, s.poses...);
  visit(ArrayInfo{"velocities", "float64", Per::kBody, 6, "m/s; rad/s"}, s.velocities...);
  visit(ArrayInfo{"joints", "float64", Per::kJoint, 2, "m or rad; m/s or rad/s"}, s.joints...);
  visit(ArrayInfo{"step_count", "int64", Per::kEnvironment, 1, "1"}, s.step_count...);
  visit(ArrayInfo{"status", "uint32", Per::kEnvironment, 1, "bits of Status"}, s.status...);
  visit(ArrayInfo{"contact_state", "float64", Per::kPartPair, 0, ""}, s.contact_state...);
  visit(ArrayInfo{"joint_rates", "float64", Per::kJoint, 1, "m/s or rad/s"}, s.joint_rates...);
}

/// The same for the arrays of a RolloutInput.
template <class Visit, class... Inputs>
constexpr void for_each_rollout_input(const Visit& visit, Inputs&... i) {
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, i.body_wrench...);
  visit(ArrayInfo{"joint_force", "real", Per::kJoint, 1, "N or N m"}, i.joint_force...);
  visit(ArrayInfo{"joint_target", "real", Per::kJoint, 2, "m or rad; m/s or rad/s"}, i.joint_target...);
  visit(ArrayInfo{"gravity", "real", Per::kEnvironment, 3, "m/s^2"}, i.gravity...);
  visit(ArrayInfo{"mass_scale", "real", Per::kBody, 1, "1"}, i.mass_scale...);
  for_each_parameter_input(visit, i...);
}

/// The same for the arrays of a RolloutOutput.
template <class Visit, class... Outputs>
constexpr void for_each_rollout_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"pair_wrench", "real", Per::kPair, 6, "N; N m"}, o.pair_wrench...);
  visit(ArrayInfo{"body_wrench", "real", Per::kBody, 6, "N; N m"}, o.body_wrench...);
  visit(ArrayInfo{"pair_wrench_mean", "real", Per::kPair, 6, "N; N m"}, o.pair_wrench_mean...);
  visit(ArrayInfo{"joint_limit_force", "real", Per::kJoint, 1, "N or N m"}, o.joint_limit_force...);
  visit(ArrayInfo{"joints_at_limit", "int32", Per::kJoint, 1, "1"}, o.joints_at_limit...);
  visit(ArrayInfo{"joint_drive_force", "real", Per::kJoint, 1, "N or N m"}, o.joint_drive_force...);
  visit(ArrayInfo{"joint_wrench", "real", Per::kJoint, 6, "N; N m"}, o.joint_wrench...);
  visit(ArrayInfo{"loop_gap", "real", Per::kLoop, 6, "m; rad"}, o.loop_gap...);
  visit(ArrayInfo{"kinetic_energy", "real", Per::kEnvironment, 1, "J"}, o.kinetic_energy...);
  visit(ArrayInfo{"potential_energy", "real", Per::kEnvironment, 1, "J"}, o.potential_energy...);
  visit(ArrayInfo{"elastic_energy", "real", Per::kPair, 1, "J", OutputGroup::kEnergy}, o.elastic_energy...);
  visit(ArrayInfo{"area", "real", Per::kPair, 1, "m^2", OutputGroup::kPatch}, o.area...);
  visit(ArrayInfo{"center_of_pressure", "real", Per::kPair, 3, "m", OutputGroup::kPatch}, o.center_of_pressure...);
  visit(ArrayInfo{"mean_normal", "real", Per::kPair, 3, "1", OutputGroup::kPatch}, o.mean_normal...);
  visit(ArrayInfo{"max_pressure", "real", Per::kPair, 1, "Pa", OutputGroup::kPatch}, o.max_pressure...);
  visit(ArrayInfo{"polygon_count", "int32", Per::kPair, 1, "1", OutputGroup::kPatch}, o.polygon_count...);
  visit(ArrayInfo{"separation", "real", Per::kPair, 1, "m", OutputGroup::kDistances}, o.separation...);
  visit(ArrayInfo{"overlap", "real", Per::kPair, 1, "m^3", OutputGroup::kDistances}, o.overlap...);
  visit(ArrayInfo{"momentum", "real", Per::kEnvironment, 6, "N s; N m s"}, o.momentum...);
  visit(ArrayInfo{"solver_iterations", "int32", Per::kEnvironment, 1, "1"}, o.solver_iterations...);
  visit(ArrayInfo{"num_polygons", "int32", Per::kEnvironment, 1, "1"}, o.num_polygons...);
  visit(ArrayInfo{"polygons_needed", "int32", Per::kEnvironment, 1, "1"}, o.polygons_needed...);
  visit(ArrayInfo{"num_potential_contacts", "int32", Per::kEnvironment, 1, "1"}, o.num_potential_contacts...);
  visit(ArrayInfo{"num_relations", "int32", Per::kEnvironment, 1, "1"}, o.num_relations...);
  visit(ArrayInfo{"num_traps", "int32", Per::kEnvironment, 1, "1"}, o.num_traps...);
}

/// The counts of a scene, with its joints and loops.
ArrayCounts rollout_counts(const Scene& scene);

/// The RolloutState of N environments, owned, in arrays of the same names.
struct RolloutStateArrays : RolloutStates<Owners> {
  RolloutStateArrays() = default;

  /// The scene's own state in every environment. Throws Error for a negative number of environments.
  RolloutStateArrays(const Scene& scene, std::int64_t environments);

  /// Valid until an array changes its size.
  RolloutState view();
};

/// The RolloutOutput of N environments, owned and contiguous, in arrays of the same names; zero until a step.
struct RolloutOutputArrays : RolloutOutputs<Owners> {
  RolloutOutputArrays() = default;

  /// With `patch_`, room for area to polygon_count; with `distances_`, for separation and overlap. Throws Error for a
  /// negative number of environments.
  RolloutOutputArrays(const Scene& scene, std::int64_t environments, bool elastic_energy_ = false, bool patch_ = false,
                      bool distances_ = false);

  /// Valid until an array changes its size.
  RolloutOutput view();
};

}  // namespace isopatch
