// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_bodies.h"

#include <fmt/format.h>

#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene_file/enumerator_names.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

/// One number, which holds at any time, or rows [time, value].
std::vector<TimedValue> parse_rows(const JsonValue& value, const Range& range) {
  if (!value.is_array()) return {{0, in_range(value, range)}};
  std::vector<TimedValue> rows;
  for (const JsonValue& element : value.elements()) {
    const auto [time, number] = element.numbers<2>();
    rows.push_back({time, number});
  }
  if (rows.empty()) value.fail("must be a number or at least one row [time, value], found no rows");
  with_location(value, [&] { check_rows(rows, range); });
  return rows;
}

Drive parse_drive(const JsonValue& value, const JointRanges& ranges) {
  Drive drive;
  if (const auto field = value.optional("force")) drive.force = parse_rows(*field, ranges.force);
  read_number(value, "stiffness", ranges.stiffness, drive.stiffness);
  read_number(value, "damping", ranges.damping, drive.damping);
  if (const auto field = value.optional("target")) drive.target = parse_rows(*field, ranges.position);
  refuse_both(value, "limit", "force_limit");
  read_number(value, "limit", ranges.force_limit, drive.force_limit);  // as it was called before 0.2
  read_number(value, "force_limit", ranges.force_limit, drive.force_limit);
  return drive;
}

/// Reads what a joint has besides its drive. The body of "mimic" may be further down in the file.
void read_stops(const JsonValue& value, const JointRanges& ranges, Motion& motion) {
  read_number(value, "lower", ranges.position, motion.lower);
  read_number(value, "upper", ranges.position, motion.upper);
  if (motion.lower && motion.upper) {
    with_location(value.required("upper"), [&] { check_stops(*motion.lower, *motion.upper); });
  }
  with_location(value, [&] { check_between_stops(motion.position, motion.lower, motion.upper); });
  read_number(value, "bounce", kBounceRange, motion.bounce);
  read_number(value, "joint_friction", ranges.friction, motion.friction);
  read_number(value, "joint_damping", ranges.damping, motion.damping);
  read_number(value, "armature", ranges.armature, motion.armature);
}

/// The joint of the body that a joint mimics, whose index is read later.
Mimic parse_mimic(const JsonValue& value, const JointRanges& ranges) {
  value.allow({"body", "ratio", "offset"});
  Mimic mimic;
  value.required("body");
  read_number(value, "ratio", kRatioRange, mimic.ratio);
  with_location(value, [&] { check_ratio(mimic.ratio); });
  read_number(value, "offset", ranges.position, mimic.offset);
  return mimic;
}

/// All of a joint but its parent, which may be a body further down in the file.
Motion parse_joint(const JsonValue& value, MotionType type) {
  if (type == MotionType::kPrismatic) {
    if (const auto anchor = value.optional("anchor")) anchor->fail("a prismatic joint needs no anchor; leave it out");
    value.allow({"type", "parent", "axis", "position", "velocity", "force", "stiffness", "damping", "target",
                 "force_limit", "limit", "lower", "upper", "bounce", "joint_friction", "joint_damping", "armature",
                 "mimic"});
  } else {
    value.allow({"type", "parent", "axis", "anchor", "position", "velocity", "force", "stiffness", "damping", "target",
                 "force_limit", "limit", "lower", "upper", "bounce", "joint_friction", "joint_damping", "armature",
                 "mimic"});
  }
  Motion motion;
  motion.type = type;
  const JsonValue axis = value.required("axis");
  motion.axis = axis.numbers<3>();
  with_location(axis, [&] { check_axis(motion.axis); });
  if (type == MotionType::kRevolute) {
    read_vector(value.required("anchor"), kPositionRange, motion.anchor.emplace().data());
  }
  const JointRanges& ranges = ranges_of_joint(type);
  if (const auto field = value.optional("mimic")) {
    for (const char* key : {"position", "velocity", "force", "stiffness", "damping", "target", "force_limit", "limit",
                            "lower", "upper", "bounce", "joint_friction", "joint_damping", "armature"}) {
      if (const auto own = value.optional(key)) own->fail("the joint follows that of \"mimic\"; leave it out");
    }
    motion.mimic = parse_mimic(*field, ranges);
    return motion;
  }
  read_number(value, "position", ranges.position, motion.position);
  read_number(value, "velocity", ranges.velocity, motion.velocity);
  motion.drive = parse_drive(value, ranges);
  read_stops(value, ranges, motion);
  return motion;
}

Path parse_path(const JsonValue& value, const std::array<double, 7>& pose) {
  const JsonValue times = value.required("times"), poses = value.required("poses");
  Path path;
  for (const JsonValue& time : times.elements()) path.times.push_back(time.number());
  if (path.times.empty()) times.fail("must have at least one time, found none");
  for (const JsonValue& element : poses.elements()) path.poses.push_back(element.numbers<7>());
  with_location(times, [&] { check_path_times(path.times); });
  with_location(poses, [&] {
    check_path_poses(path);
    check_path_start(path, pose);
  });
  return path;
}

Motion parse_prescribed(const JsonValue& value, const std::array<double, 7>& pose) {
  value.allow({"type", "times", "poses"});
  Motion motion;
  motion.type = MotionType::kPrescribed;
  if (value.optional("times") || value.optional("poses")) motion.path = parse_path(value, pose);
  return motion;
}

MotionType parse_type(const JsonValue& value) {
  if (value.text() == "fixed") value.fail("is not said here; instead of \"motion\", give the body \"fixed\": true");
  return static_cast<MotionType>(value.one_of(kMotionTypeNames));
}

Motion parse_motion(const JsonValue& value, const std::array<double, 7>& pose) {
  Motion motion;
  if (value.is_string()) {
    motion.type = parse_type(value);
    if (is_joint(motion)) {
      value.fail("{} needs an axis; write {{\"type\": \"{}\", \"axis\": [x, y, z], ...}}", text_of(motion.type),
                 value.text());
    }
    return motion;
  }
  motion.type = parse_type(value.required("type"));
  if (is_joint(motion)) return parse_joint(value, motion.type);
  if (motion.type == MotionType::kPrescribed) return parse_prescribed(value, pose);
  value.allow({"type"});
  return motion;
}

void refuse_velocity(const JsonValue& body, const char* reason) {
  for (const char* key : {"linear_velocity", "angular_velocity"}) {
    if (const auto field = body.optional(key)) field->fail(reason);
  }
}

Variation parse_variation(const JsonValue& value) {
  value.allow({"position", "angle", "speed"});
  Variation variation;
  read_number(value, "position", kVariationOfPositionRange, variation.position);
  read_number(value, "angle", kVariationOfAngleRange, variation.angle);
  read_number(value, "speed", kVariationOfSpeedRange, variation.speed);
  return variation;
}

}  // namespace

void read_mass(const JsonValue& value, Body& body) {
  refuse_both(value, "mass", "density");
  read_number(value, "mass", kMassRange, body.mass);
  read_number(value, "density", kDensityRange, body.density);
  if (const auto field = value.optional("center_of_mass")) {
    read_vector(*field, kCenterOfMassRange, body.center_of_mass.emplace().data());
  }
  if (const auto field = value.optional("inertia")) {
    body.inertia = field->numbers<6>();
    with_location(*field, [&] { check_inertia(*body.inertia); });
  }
}

void read_motions(const JsonValue& value, SceneDescription& scene) {
  const std::vector<JsonValue> elements = value.elements();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto field = elements[i].optional("motion");
    Body& body = scene.bodies[i];
    if (!field && has_polygon(scene, body) && !body.fixed) body.motion.type = MotionType::kPlanar;
    if (!field) continue;
    refuse_both(elements[i], "fixed", "motion");
    body.motion = parse_motion(*field, body.pose);
    if (is_joint(body.motion)) {
      refuse_velocity(elements[i], "a joint moves the body; leave it out, and give \"velocity\" in \"motion\"");
    }
    if (!body.motion.path.times.empty()) refuse_velocity(elements[i], "the path moves the body; leave it out");
    if (degrees_of_freedom(body) > 0) {
      with_location(*field, [&] { check_no_half_space(scene, body, text_of(body.motion.type)); });
    }
  }

  const Names names = names_of(scene.bodies);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!is_joint(scene.bodies[i].motion)) continue;
    const JsonValue motion = elements[i].required("motion");
    if (const auto parent = motion.optional("parent")) {
      const int index = index_of(*parent, names, "body");
      with_location(*parent, [&] { check_parent(scene, static_cast<int>(i), index); });
      scene.bodies[i].motion.parent = index;
    }
    if (motion.optional("limit")) {
      scene.notes.push_back(
          fmt::format("body {}: motion: \"limit\" is now called \"force_limit\"", in_quotes(scene.bodies[i].name)));
    }
    if (const auto mimic = motion.optional("mimic")) {
      const JsonValue body = mimic->required("body");
      const int index = index_of(body, names, "body");
      with_location(body, [&] { check_mimicked(scene, static_cast<int>(i), index); });
      scene.bodies[i].motion.mimic->body = index;
    }
  }
}

RolloutOptions parse_rollout(const JsonValue& value, RolloutOptions options) {
  value.allow({"time_step", "duration", "integrator", "points", "gravity", "tolerance", "max_iterations",
               "friction_passes", "max_substeps", "polygon_capacity", "speed_limit", "variation"});
  read_number(value, "time_step", kTimeStepRange, options.time_step);
  read_number(value, "duration", kTimeStepRange, options.duration);
  read_name(value, "integrator", kIntegratorNames, options.integrator);
  read_name(value, "points", kContactPointsNames, options.points);
  if (const auto field = value.optional("gravity")) read_vector(*field, kGravityRange, options.gravity.data());
  read_number(value, "tolerance", kToleranceRange, options.tolerance);
  read_integer(value, "max_iterations", 1, limits::kMaxIterations, options.max_iterations);
  if (value.optional("friction_passes")) {
    read_integer(value, "friction_passes", 1, limits::kMaxFrictionPasses, options.friction_passes.emplace());
  }
  read_integer(value, "max_substeps", 1, limits::kMaxSubsteps, options.max_substeps);
  read_integer(value, "polygon_capacity", 0, limits::kMaxPolygonCapacity, options.polygon_capacity);
  read_number(value, "speed_limit", kSpeedLimitRange, options.speed_limit);
  if (const auto field = value.optional("variation")) options.variation = parse_variation(*field);
  return options;
}

}  // namespace isopatch::detail
