// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace isopatch {

/// Bits of an environment's status word; the limits are those of limits.h, as in a Scene. The first five
/// and kBadContactState are faults. An environment with one of kFaults has all its results set to zero; no bit of any
/// other environment's results depends on it.
enum Status : std::uint32_t {
  kOk = 0,
  kBadPose = 1u << 0,      ///< a pose is not finite or beyond 1e12, a quaternion's norm not in [1e-6, 1e6], a joint
                           ///< beyond a stop by more than 1e-3 m or rad, a body of polygons out of the plane z = 0, or,
                           ///< in steps, a planar body tilted
  kBadVelocity = 1u << 1,  ///< a velocity is not finite, beyond 1e9 m/s or beyond 1e6 rad/s; in steps also one that is
                           ///< not 0 of a fixed body, or out of its plane of a planar one
  kBadMaterial = 1u << 2,  ///< a modulus is not in [1e-3, 1e18], a dissipation not in [0, 1e6] or a friction not in
                           ///< [0, 1e4]
  kBadGeometry = 1u << 3,  ///< a geometry index is out of range, gives a compliant body a surface mesh, or makes a pair
                           ///< of two half spaces
  kSumOverflow = 1u << 4,  ///< a polygon's values are too large for any sum, or a pair in double has 2^24 polygons or
                           ///< more: that pair's results are not valid
  kPolygonCapacity = 1u << 5,   ///< more polygons than a buffer holds; counts and offsets say how many; wrenches are
                                ///< right
  kContactCapacity = 1u << 6,   ///< the same for discrete contacts
  kNoContactSurface = 1u << 7,  ///< no fault, all results are right: a pair's wrench is 0 although its bodies overlap:
                                ///< one, or a separate part of it, lies inside the other, too deep for equal pressures

  // Of a step in a rollout. The first two are warnings, of any step of the last call.
  kNotConverged = 1u << 8,   ///< a solve needed more iterations than RolloutOptions::max_iterations; its last was taken
  kFrictionLag = 1u << 9,    ///< friction limits differ from the friction of the normal forces by more than 10 %
  kStepCapacity = 1u << 10,  ///< more contact polygons than RolloutOptions::polygon_capacity, or more contacts or
                             ///< relations of rigid parts than RolloutOptions::relation_capacity
  kDiverged = 1u << 11,      ///< a velocity or a drive is not finite, or the former beyond speed_limit
  kFrozen = 1u << 12,        ///< the state is that before a step with a fault, and stays until it is reset

  // Of an evaluation, or of any step of the last call.
  kFarSide = 1u << 13,  ///< no fault, a warning: over 1 % of a pair's pressure is on the far side of a wall, which is
                        ///< pressed through something soft

  kBadContactState = 1u << 14,  ///< a contact state is not finite; or of a ContactStateRow it has numbers that no step
                                ///< leaves, such as an impact speed between 0 and ForceLawOptions::small_speed

  kThickContact = 1u << 15,  ///< no fault, a warning: a single contact is thicker than its radius, so that the plate in
                             ///< its place is far off

  // Of pairs of rigid convex parts.
  kOverlap = 1u << 16,  ///< no fault, a warning: two parts overlap by more than PolytopeOptions::tolerance
  kHeld = 1u << 17,     ///< no fault, a warning, of any step of the last call: rigid parts that overlap could not part
                        ///< within the step, and did not come deeper
  kNoStep = 1u << 18,   ///< no velocities keep rigid parts apart: something that a program moves crushes a body
  kRelationCapacity = 1u << 19,  ///< more contacts, relations or members than a buffer holds; counts say how many

  // Of an evaluation.
  kNoDerivative = 1u << 20,  ///< no fault, a warning: derivatives that are asked for are not what a pair's wrench
                             ///< changes by or are 0: it is of a contact model without them, or has friction with a
                             ///< memory, a `gradient_filter`, a one-sided body, a field that is not 0 on the surface,
                             ///< or pressures that differ by so little that a stiffness has no bound

  // Of any step of the last call.
  kFellThrough = 1u << 21,  ///< no fault, a warning: the centre of mass of a free body has passed the middle of a solid
                            ///< part that it has a pair with, along gravity, or is below a half space: below the plane
                            ///< of a rigid one, or deeper than the thickness of a compliant one
  kFastBody = 1u << 22,  ///< no fault, a warning: bodies that may meet come nearer in a step by more than the thickness
                         ///< of the thinner one times RolloutOptions::max_substeps, and may pass each other unseen; a
                         ///< body that is no symmetric top turns by more than 1 rad; or a tree's rates change too much
};

/// The faults of what is given: no evaluation or step can begin with them.
inline constexpr std::uint32_t kFaults = kBadPose | kBadVelocity | kBadMaterial | kBadGeometry | kBadContactState;

/// The names of the set bits, separated by '|', or "ok".
std::string status_text(std::uint32_t status);

}  // namespace isopatch
