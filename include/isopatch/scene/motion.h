// SPDX-License-Identifier: Apache-2.0
//
// How the bodies of a scene move in a rollout. Evaluation of contact reads none of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace isopatch {

/// How a body moves. A body with Body::fixed does not, whatever its type of motion; one of polygons whose type is kFree
/// moves as kPlanar.
enum class MotionType : std::uint8_t {
  kFree,        ///< by forces: six degrees of freedom
  kPrescribed,  ///< along Motion::path, or without one with its own velocity: no degree of freedom
  kPrismatic,   ///< slides along an axis: one
  kRevolute,    ///< turns about an axis: one
  kPlanar       ///< by forces, along x and y and about z: three
};

/// A value and the time from which it holds; of Drive::target, at which it is reached.
struct TimedValue {
  double time = 0;   ///< s
  double value = 0;  ///< N or N m of Drive::force, m or rad of Drive::target

  /// Compares both.
  friend bool operator==(const TimedValue&, const TimedValue&) = default;
};

/// Poses of a body at given times. Between two of them the position is linear in time and the rotation goes the shorter
/// way at a constant rate; before the first and after the last the body is at rest.
struct Path {
  std::vector<double> times;                 ///< s, increasing; the first is at most 0
  std::vector<std::array<double, 7>> poses;  ///< as Body::pose, one for each time; at time 0 the body's own pose
};

/// What drives a joint: force + stiffness (target - position) - damping velocity, at the end of each time step, cut off
/// at +-limit. A number is the same as one row; without rows a value is 0.
struct Drive {
  /// N (prismatic) or N m (revolute). Each row holds from its time, less 1e-9 s, up to the next one; the first holds
  /// before its time too.
  std::vector<TimedValue> force = {};
  double stiffness = 0;                    ///< N/m or N m/rad, >= 0
  double damping = 0;                      ///< N s/m or N m s/rad, >= 0
  std::vector<TimedValue> target = {};     ///< position, m or rad: linear between rows, constant before and after them
  std::optional<double> force_limit = {};  ///< N or N m, > 0; none: unlimited
};

/// A joint that another one moves: its position is ratio x the position of the joint of `body` + offset.
struct Mimic {
  int body = 0;       ///< index into SceneDescription::bodies: on a joint that mimics none
  double ratio = 1;   ///< of the rates, m or rad for each m or rad, not 0
  double offset = 0;  ///< m or rad
};

/// How a body moves. Only the values of its type may be given.
struct Motion {
  MotionType type = MotionType::kFree;  ///< says which of the other members may be given

  /// Prescribed: where the body is. Without times it keeps Body::velocity, and with them that must be 0.
  Path path = {};

  // Of a joint, prismatic or revolute. Body::velocity must be 0: it follows from `velocity` and the parent.

  /// Index into SceneDescription::bodies of the body that carries the axis, any but one that this body carries; none:
  /// the world.
  std::optional<int> parent = {};

  /// Direction of the axis in the world, at the poses of the scene, of a length in [1e-6, 1e6]. With a positive
  /// velocity a revolute joint turns by the right-hand rule about it.
  std::array<double, 3> axis = {0, 0, 0};

  /// Revolute: a point of the axis in the world, at the poses of the scene, m; required.
  std::optional<std::array<double, 3>> anchor = {};

  double position = 0;  ///< at the start, m or rad; Body::pose is the pose at position 0
  double velocity = 0;  ///< at the start, m/s or rad/s
  Drive drive = {};     ///< what moves it besides contact and gravity

  std::optional<double> lower = {};  ///< the joint stops here, m or rad; none: nowhere
  std::optional<double> upper = {};  ///< and here; above `lower`
  double bounce = 0;    ///< of a joint that comes to a stop, the part of its rate that it goes back with, in [0, 1]
  double friction = 0;  ///< N or N m, >= 0: against any rate, and less below ContactOptions::slip_tolerance
  double damping = 0;   ///< N s/m or N m s/rad, >= 0; besides Drive::damping, whose force has a limit
  double armature = 0;  ///< kg or kg m^2, >= 0: inertia of a rotor, added to that along the joint
  std::optional<Mimic> mimic = {};  ///< then the joint has none of the values from `position` on
};

}  // namespace isopatch
