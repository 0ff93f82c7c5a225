// SPDX-License-Identifier: Apache-2.0
//
// What a Simulator steps, what acts on it, and what a step tells. All memory belongs to the caller.
#pragma once

#include <cstdint>

#include "isopatch/results.h"
#include "isopatch/state.h"

namespace isopatch {

/// The state of N environments with B bodies and J joints each: read and written by every step, and all that there is
/// of a rollout, so one that goes on from a copy has the same bits. Arrays are contiguous. Pointers are host pointers
/// for the cpu backend, device pointers for cuda.
struct RolloutState {
  std::int64_t num_environments = 0;  ///< N

  /// N x B x 7   x y z [m], quaternion w x y z (normalised on use), body to world. Those of bodies on joints and on
  /// paths follow from the other arrays: they are written at the beginning of every call too.   (required)
  double* poses = nullptr;

  /// N x B x 6   linear [m/s] of the body origin, angular [rad/s], world. That of a prescribed body without a path is
  /// the velocity it moves with; of a body on a path it is written.   (required)
  double* velocities = nullptr;

  /// N x J x 2   position [m or rad] and rate [m/s or rad/s] of each joint, in the order of the bodies   (required
  /// where there are joints)
  double* joints = nullptr;

  /// N   steps since time 0: the time is steps x time_step   (required)
  std::int64_t* steps = nullptr;

  /// N   bits of Status. An environment with kFrozen keeps its state until it is reset.   (required)
  std::uint32_t* status = nullptr;
};

/// What acts on N environments during a call. Null arrays mean the scene's value in every environment.
struct RolloutInput {
  InputArray body_wrench;   ///< N x B x 6   external force [N], torque [N m] about the center of mass, world
  InputArray joint_force;   ///< N x J   of the drives, N or N m
  InputArray joint_target;  ///< N x J x 2   of the drives: position [m or rad], rate [m/s or rad/s]
  InputArray gravity;       ///< N x 3   m/s^2, world
  InputArray mass_scale;    ///< N x B   of mass and inertia, > 0

  // as in State
  InputArray modulus;                             ///< N x C   Pa, > 0
  InputArray dissipation;                         ///< N x C   s/m or s, >= 0
  InputArray friction;                            ///< N x C   >= 0
  TypedArray<const std::int32_t> geometry_index;  ///< N x C   index into the scene's geometries
  TypedArray<const std::uint8_t> pair_mask;       ///< N x P   0 leaves the pair out
};

/// What the last step of a call was like. Null arrays are not computed. In a frozen environment all are 0.
struct RolloutOutput {
  /// N x P x 6   impulse on body a during the step over its length [N], and its torque [N m] about a's origin where the
  /// contact was found; world
  OutputArray pair_wrench;
  OutputArray body_wrench;  ///< N x B x 6   the same of all pairs of a body, about its origin

  // of the bodies with degrees of freedom, after the step
  OutputArray kinetic_energy;    ///< N   J
  OutputArray potential_energy;  ///< N   of gravity, J; 0 at the world's origin
  OutputArray momentum;          ///< N x 6   linear [N s]; angular about the world's origin [N m s]

  OutputArray elastic_energy;  ///< N x P   as Results::energy after the step, J: one more evaluation

  TypedArray<std::int32_t> iterations;       ///< N   of Newton's method, in all solves
  TypedArray<std::int32_t> polygons;         ///< N   of all pairs, as many as the step used
  TypedArray<std::int32_t> polygons_needed;  ///< N   the capacity that would have been enough, also where it was not
};

}  // namespace isopatch
