// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact: one force and torque for the whole patch, with a memory.
#pragma once

#include <cstdint>
#include <optional>

namespace isopatch {

/// How a contact holds against sliding.
enum class FrictionModel : std::uint8_t {
  kCoulomb,  ///< smooth at zero speed: whatever is held creeps
  kBristle   ///< bristles that bend and keep their bend: what is held rests
};

/// When bristles give way to slip, while they bend along with it.
enum class BristleFlow : std::uint8_t {
  kNearLimit,  ///< from .7 of their limit on: what is shaken by less than that stays where it is
  kAlways      ///< at any bend, the more the faster they slip: what is shaken walks
};

/// Which approach speed sets the damping of a contact with restitution.
enum class ImpactLatch : std::uint8_t {
  kFirst,   ///< of the first touch
  kLargest  ///< the largest since the first touch
};

/// Where the normal of an overlap comes from.
enum class OverlapNormal : std::uint8_t {
  kInertia,  ///< the principal axis of the overlap that is nearest to the vector area
  kArea      ///< the vector area
};

/// Friction by bristles, for each newton of normal force. `stiffness`, `damping` and `viscous` are per load.
struct BristleFriction {
  double stiffness = 1e5;           ///< sigma_0, 1/m, > 0: static friction breaks at a bend of friction / sigma_0
  double damping = 200;             ///< sigma_1, s/m, > 0
  double viscous = 0;               ///< sigma_2, s/m, >= 0
  double stribeck_velocity = 1e-3;  ///< v_S, m/s, > 0: faster slip takes the bristles along
  double dwell_time = 0.1;          ///< tau_dw, s, >= 0: in which a resting contact gains its static friction
  double static_ratio = 1;          ///< static over sliding friction, >= 1

  /// Compares all members.
  friend bool operator==(const BristleFriction&, const BristleFriction&) = default;
};

/// The law of one contact.
struct ContactForceLaw {
  double stiffness = 0;    ///< k_v of an overlap, N/m^3, or k of a depth, N/m^exponent; > 0
  double exponent = 1.5;   ///< of a depth, in [1, 64]; an overlap's force is proportional to its volume
  double dissipation = 0;  ///< d, s/m, >= 0; of no use with `restitution`

  /// e in (0, 1]: the speed of separation over the speed of approach, where nothing else acts.
  std::optional<double> restitution = {};
  double small_speed = 1e-3;  ///< m/s, > 0: the least approach speed that sets the damping of `restitution`
  ImpactLatch latch = ImpactLatch::kFirst;  ///< which approach that is
  double relaxation_time = 0;  ///< s, >= 0: what is overlapped at first touch counts more and more; 0: at once
  OverlapNormal normal = OverlapNormal::kInertia;  ///< of an overlap

  double friction = 0;                                     ///< mu of sliding, >= 0
  FrictionModel friction_model = FrictionModel::kCoulomb;  ///< how it holds at rest
  BristleFlow bristle_flow = BristleFlow::kNearLimit;      ///< of kBristle
  double slip_tolerance = 1e-4;                            ///< v_s of kCoulomb, m/s, > 0
  BristleFriction bristle = {};                            ///< of kBristle
  double spin_radius = 1;                                  ///< factor on the radius by which spin slips, >= 0
};

}  // namespace isopatch
