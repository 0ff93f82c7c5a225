// SPDX-License-Identifier: Apache-2.0
//
// The rules of what moves: masses, motions and rollouts. As in scene_rules.h, their Errors say what is wrong but not
// where; most begin with "is", so that the name of the value comes before it.
#pragma once

#include <array>
#include <vector>

#include "host/scene/scene_rules.h"
#include "isopatch/detail/rollout/motion/path.h"
#include "isopatch/scene/motion.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

inline constexpr Range kMassRange = {limits::kMinMass, limits::kMaxMass, " kg"};
inline constexpr Range kDensityRange = {limits::kMinDensity, limits::kMaxDensity, " kg/m^3"};
inline constexpr Range kCenterOfMassRange = {-limits::kMaxCoordinate, limits::kMaxCoordinate, " m"};
inline constexpr Range kInertiaRange = {-limits::kMaxInertia, limits::kMaxInertia, " kg m^2"};
inline constexpr Range kTimeRange = {-limits::kMaxTime, limits::kMaxTime, " s"};

inline constexpr Range kTimeStepRange = {limits::kMinTimeStep, limits::kMaxTime, " s"};
inline constexpr Range kGravityRange = {-limits::kMaxAcceleration, limits::kMaxAcceleration, " m/s^2"};
inline constexpr Range kToleranceRange = {limits::kMinTolerance, limits::kMaxTolerance, ""};
inline constexpr Range kSpeedLimitRange = {limits::kMinSlipTolerance, limits::kMaxAngularVelocity, " m/s"};
inline constexpr Range kVariationOfPositionRange = {0, limits::kMaxPosition, " m"};
inline constexpr Range kVariationOfAngleRange = {0, 3.141592653589794, " rad"};
inline constexpr Range kVariationOfSpeedRange = {0, limits::kMaxVelocity, " m/s"};

/// What the values of a joint may be; the units depend on its type.
struct JointRanges {
  Range position, velocity, force, force_limit, stiffness, damping, friction, armature;
};
inline constexpr Range kBounceRange = {0, 1, ""};
inline constexpr Range kRatioRange = {-limits::kMaxJointRatio, limits::kMaxJointRatio, ""};
const JointRanges& ranges_of_joint(MotionType type);

bool is_joint(const Motion& motion);

/// Whether a body is on a joint of one that has degrees of freedom.
bool is_link(const SceneDescription& scene, const Body& body);

/// Six, of a free body, three, of a planar one, or one, of a joint; none for what is fixed or prescribed.
int degrees_of_freedom(const Body& body);

/// Entries xx, yy, zz, xy, xz, yz: positive definite, and no principal moment above the sum of the others. Solid bodies
/// have such inertias; entries of a flat one may be rounded to six digits.
void check_inertia(const std::array<double, 6>& inertia);

/// A direction that can be normalised.
void check_axis(const std::array<double, 3>& axis);

/// Times ascend, and times and values are in their ranges.
void check_rows(const std::vector<TimedValue>& rows, const Range& range);

/// Times ascend, the first is at most 0.
void check_path_times(const std::vector<double>& times);

/// One valid pose for each time.
void check_path_poses(const Path& path);

/// A checked path is at the body's pose at time 0.
void check_path_start(const Path& path, const std::array<double, 7>& pose);

/// The parent of a joint of body `index` is another body, and none that this one carries.
void check_parent(const SceneDescription& scene, int index, int parent);

/// A joint has room between its stops.
void check_stops(double lower, double upper);

/// A joint begins between its stops, or beyond one by no more than limits::kMaxBeyondStop.
void check_between_stops(double position, const std::optional<double>& lower, const std::optional<double>& upper);

/// A joint that is mimicked moves the one that mimics it.
void check_ratio(double ratio);

/// The body whose joint the joint of body `index` mimics is another one on a joint, which mimics none.
void check_mimicked(const SceneDescription& scene, int index, int mimicked);

/// A body with a half space among its parts, or among their alternatives, has no degrees of freedom. `motion` says how
/// it would move: "a free body".
void check_no_half_space(const SceneDescription& scene, const Body& body, const char* motion);

/// How messages call a type of motion: "a revolute joint".
const char* text_of(MotionType type);

/// A joint or a loop joins the two bodies.
bool are_joined(const SceneDescription& scene, const Pair& pair);

/// A loop holds two bodies; at least one has degrees of freedom and none is planar; a hinge has an axis, and
/// nothing else has one.
void check_loop(const SceneDescription& scene, const Loop& loop);

/// x y z, quaternion w x y z of any length but 0.
Pose pose_from(const std::array<double, 7>& numbers);

/// The rows of a checked path, with the rotation from each to the next.
std::vector<PathRow> path_rows(const Path& path);

}  // namespace isopatch::detail
