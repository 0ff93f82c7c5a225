// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_bodies.h"

#include <fmt/format.h>

#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene_file/read_keys.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

/// The joint of the body that a joint mimics, whose index is read later.
Mimic parse_mimic(const JsonValue& value, const JointRanges& ranges) {
  value.allow({"body", "ratio", "offset"});
  Mimic mimic;
  value.required("body");
  if (const auto ratio = value.optional("ratio")) mimic.ratio = in_range(*ratio, kRatioRange);
  with_location(value, [&] { check_ratio(mimic.ratio); });
  if (const auto offset = value.optional("offset")) mimic.offset = in_range(*offset, ranges.position);
  return mimic;
}

/// All of a joint but its parent, which may be a body further down in the file.
Motion parse_joint(const JsonValue& value, MotionType type) {
  if (type == MotionType::kPrismatic) {
    if (const auto anchor = value.optional("anchor")) anchor->fail("a prismatic joint needs no anchor; leave it out");
  }
  Motion joint;
  joint.type = type;
  value.allow(key_names(joint));
  value.required("axis");
  if (type == MotionType::kRevolute) value.required("anchor");
  if (const auto mimic = value.optional("mimic")) {
    for_each_key_of_drive_and_stops(joint, [&](const Key& key, const auto& /*member*/, const auto& /*rule*/) {
      for (const char* name : {key.name, key.old_name}) {
        const auto own = name == nullptr ? std::nullopt : value.optional(name);
        if (own) own->fail("the joint follows that of \"mimic\"; leave it out");
      }
    });
    joint.mimic = parse_mimic(*mimic, ranges_of_joint(type));
  }
  read_keys(value, joint);
  if (joint.mimic) return joint;
  if (joint.lower && joint.upper) {
    with_location(value.required("upper"), [&] { check_stops(*joint.lower, *joint.upper); });
  }
  with_location(value, [&] { check_between_stops(joint.position, joint.lower, joint.upper); });
  return joint;
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

}  // namespace

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

}  // namespace isopatch::detail
