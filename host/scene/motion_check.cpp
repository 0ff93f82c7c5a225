// SPDX-License-Identifier: Apache-2.0
//
// Checks of what a rollout needs, in addition to check_scene().
#include <algorithm>

#include "host/scene/motion_rules.h"
#include "host/scene/scene_check.h"
#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

std::string name_of(const Body& body) { return "body " + in_quotes(body.name); }

bool has_velocity(const Body& body) {
  return std::any_of(body.velocity.begin(), body.velocity.end(), [](double component) { return component != 0; });
}

/// Values of another type of motion are a mistake, such as a path of a body that is not prescribed.
bool has_drive(const Drive& drive) {
  return !drive.force.empty() || !drive.target.empty() || drive.stiffness != 0 || drive.damping != 0 ||
         drive.force_limit.has_value();
}

/// What a follower has from the joint that it follows.
bool has_own_values(const Motion& motion) {
  return has_drive(motion.drive) || motion.lower || motion.upper || motion.bounce != 0 || motion.friction != 0 ||
         motion.damping != 0 || motion.armature != 0 || motion.position != 0 || motion.velocity != 0;
}

bool has_values_of_a_joint(const Motion& motion) {
  const bool has_axis = std::any_of(motion.axis.begin(), motion.axis.end(), [](double x) { return x != 0; });
  return has_axis || has_own_values(motion) || motion.parent || motion.anchor || motion.mimic;
}

void check_kind(const std::string& location, const Motion& motion) {
  const char* kind = text_of(motion.type);
  if (motion.type != MotionType::kPrescribed && !(motion.path.times.empty() && motion.path.poses.empty())) {
    fail_scene("{}path is given, but this is {}; only a prescribed body has a path", location, kind);
  }
  if (motion.mimic && has_own_values(motion)) {
    fail_scene("{}has values of its own, but follows the joint of mimic; leave them out", location);
  }
  if (!is_joint(motion) && has_values_of_a_joint(motion)) {
    fail_scene("{}has values of a joint, but this is {}; choose a prismatic or revolute joint", location, kind);
  }
}

void check_drive(const std::string& location, const Drive& drive, const JointRanges& ranges) {
  check_rule(location + "force ", check_rows, drive.force, ranges.force);
  check_rule(location + "stiffness ", check_range, drive.stiffness, ranges.stiffness);
  check_rule(location + "damping ", check_range, drive.damping, ranges.damping);
  check_rule(location + "target ", check_rows, drive.target, ranges.position);
  if (drive.force_limit) check_rule(location + "force_limit ", check_range, *drive.force_limit, ranges.force_limit);
}

void check_stops_and_friction(const std::string& location, const Motion& motion, const JointRanges& ranges) {
  if (motion.lower) check_rule(location + "lower ", check_range, *motion.lower, ranges.position);
  if (motion.upper) check_rule(location + "upper ", check_range, *motion.upper, ranges.position);
  if (motion.lower && motion.upper) check_rule(location + "upper ", check_stops, *motion.lower, *motion.upper);
  check_rule(location, check_between_stops, motion.position, motion.lower, motion.upper);
  check_rule(location + "bounce ", check_range, motion.bounce, kBounceRange);
  check_rule(location + "friction ", check_range, motion.friction, ranges.friction);
  check_rule(location + "damping ", check_range, motion.damping, ranges.damping);
  check_rule(location + "armature ", check_range, motion.armature, ranges.armature);
}

void check_joint(const std::string& location, const SceneDescription& scene, int index) {
  const Body& body = scene.bodies[index];
  const Motion& motion = body.motion;
  if (has_velocity(body)) fail_scene("{}the body has a velocity, which follows from its joint's; leave it 0", location);
  if (motion.parent) check_rule(location + "parent ", check_parent, scene, index, *motion.parent);
  check_rule(location + "axis ", check_axis, motion.axis);
  if (motion.type == MotionType::kPrismatic && motion.anchor) {
    fail_scene("{}has an anchor, but a prismatic joint needs none; leave it out", location);
  }
  if (motion.type == MotionType::kRevolute && !motion.anchor) {
    fail_scene("{}has no anchor; a revolute joint needs a point of its axis", location);
  }
  if (motion.anchor) {
    for (const double coordinate : *motion.anchor)
      check_rule(location + "anchor ", check_range, coordinate, kPositionRange);
  }
  const JointRanges& ranges = ranges_of_joint(motion.type);
  check_rule(location + "position ", check_range, motion.position, ranges.position);
  check_rule(location + "velocity ", check_range, motion.velocity, ranges.velocity);
  check_drive(location, motion.drive, ranges);
  check_stops_and_friction(location, motion, ranges);
  if (motion.mimic) {
    check_rule(location + "mimic: body ", check_mimicked, scene, index, motion.mimic->body);
    check_rule(location + "mimic: ratio ", check_range, motion.mimic->ratio, kRatioRange);
    check_rule(location + "mimic: ", check_ratio, motion.mimic->ratio);
    check_rule(location + "mimic: offset ", check_range, motion.mimic->offset, ranges.position);
  }
  check_rule(location, check_no_half_space, scene, body, text_of(motion.type));
}

void check_path(const std::string& location, const Body& body) {
  const Path& path = body.motion.path;
  if (path.times.empty() && path.poses.empty()) return;
  if (has_velocity(body)) fail_scene("{}the body has a velocity beside its path; leave it 0", location);
  check_rule(location + "path: ", check_path_times, path.times);
  check_rule(location + "path: ", check_path_poses, path);
  check_rule(location + "path ", check_path_start, path, body.pose);
}

void check_motion(const SceneDescription& scene, int index) {
  const Body& body = scene.bodies[index];
  const MotionType type = body.motion.type;
  const std::string location = name_of(body) + ": motion: ";
  if (type > MotionType::kPlanar) {
    fail_scene("{}type is {}; it must be one of MotionType", location, static_cast<int>(type));
  }
  if (body.fixed && type != MotionType::kFree) {
    fail_scene("{}the body is fixed and {}; give one of the two", location, text_of(type));
  }
  check_kind(location, body.motion);
  if (is_joint(body.motion)) check_joint(location, scene, index);
  if (type == MotionType::kPrescribed) check_path(location, body);
}

}  // namespace

void check_mass(const Body& body) {
  const std::string location = name_of(body) + ": ";
  if (body.mass && body.density) {
    fail_scene("{}has a mass of {} kg and a density of {} kg/m^3; give one", location, *body.mass, *body.density);
  }
  if (body.mass) check_rule(location + "mass ", check_range, *body.mass, kMassRange);
  if (body.density) check_rule(location + "density ", check_range, *body.density, kDensityRange);
  if (body.center_of_mass) {
    for (const double x : *body.center_of_mass)
      check_rule(location + "center_of_mass ", check_range, x, kCenterOfMassRange);
  }
  if (body.inertia) check_rule(location + "inertia ", check_inertia, *body.inertia);
}

void check_motions(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) check_mass(body);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) check_motion(scene, static_cast<int>(i));
}

void check_rollout_options(const RolloutOptions& options) {
  const std::string location = "rollout: ";
  check_rule(location + "time_step ", check_range, options.time_step, kTimeStepRange);
  check_rule(location + "duration ", check_range, options.duration, kTimeStepRange);
  if (options.integrator > Integrator::kCvode) {
    fail_scene("{}integrator is {}; it must be one of Integrator", location, static_cast<int>(options.integrator));
  }
  if (options.points > ContactPoints::kFan6) {
    fail_scene("{}points is {}; it must be one of ContactPoints", location, static_cast<int>(options.points));
  }
  for (const double g : options.gravity) check_rule(location + "gravity ", check_range, g, kGravityRange);
  check_rule(location + "tolerance ", check_range, options.tolerance, kToleranceRange);
  check_rule(location + "max_iterations ", check_range, options.max_iterations, Range{1, limits::kMaxIterations, ""});
  if (options.friction_passes) {
    check_rule(location + "friction_passes ", check_range, *options.friction_passes,
               Range{1, limits::kMaxFrictionPasses, ""});
  }
  check_rule(location + "max_substeps ", check_range, options.max_substeps, Range{1, limits::kMaxSubsteps, ""});
  check_rule(location + "polygon_capacity ", check_range, options.polygon_capacity,
             Range{0, limits::kMaxPolygonCapacity, ""});
  check_rule(location + "speed_limit ", check_range, options.speed_limit, kSpeedLimitRange);
  const auto& [position, angle, speed] = options.variation;
  if (position) check_rule(location + "variation: position ", check_range, *position, kVariationOfPositionRange);
  if (angle) check_rule(location + "variation: angle ", check_range, *angle, kVariationOfAngleRange);
  if (speed) check_rule(location + "variation: speed ", check_range, *speed, kVariationOfSpeedRange);
}

void check_movable(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) {
    if (degrees_of_freedom(body) == 0) continue;
    check_rule(name_of(body) + ": motion: ", check_no_half_space, scene, body, text_of(body.motion.type));
  }
}

}  // namespace isopatch::detail
