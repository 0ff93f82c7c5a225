// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/mesh/checks/geometry_check.h"
#include "host/scene/check_keys.h"
#include "host/scene/planar_rules.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

void check_pose(const std::string& location, const std::array<double, 7>& pose) {
  for (std::size_t i = 0; i < 3; ++i) check_rule(location + ": position ", check_range, pose[i], kPositionRange);
  check_rule(location + ": orientation: ", check_orientation, pose);
}

void check_pose_and_velocity(const std::string& location, const Body& body) {
  check_pose(location, body.pose);
  for (std::size_t i = 0; i < 3; ++i) {
    check_rule(location + ": linear velocity ", check_range, body.velocity[i], kVelocityRange);
    check_rule(location + ": angular velocity ", check_range, body.velocity[i + 3], kAngularVelocityRange);
  }
}

void check_part(const SceneDescription& scene, const Body& body, const Part& part) {
  std::string location = "body " + in_quotes(body.name);
  if (!body.parts.empty()) location += ": part " + in_quotes(part.name);
  std::vector<int> geometries = {part.geometry};
  geometries.insert(geometries.end(), part.alternatives.begin(), part.alternatives.end());
  for (const int index : geometries) {
    const Geometry& geometry = scene.geometries[index];
    check_rule(location + ": geometry " + in_quotes(geometry.name) + ": ", check_geometry_of, *part.rigid,
               body.parts.empty() ? body.name : part.name, geometry);
  }
  Part used = part;
  if (*part.rigid) used.modulus.reset();
  check_keys(location + ": ", used);
  check_pose(location + (body.parts.empty() ? ": offset" : ""), part.pose);
}

void check_body(const SceneDescription& scene, const Body& body) {
  const std::string location = "body " + in_quotes(body.name);
  check_rule(location + ": ", check_num_parts, std::max<std::size_t>(body.parts.size(), 1));
  check_geometry_indices(scene, body);
  for (const Part& part : parts_of(body)) check_part(scene, body, part);
  for (std::size_t i = 0; i < body.parts.size(); ++i) {
    check_rule(location + ": ", [&] { check_name(body.parts[i], std::span(body.parts).first(i)); });
  }
  check_pose_and_velocity(location, body);
  check_rule(location + ": ", check_planar, scene, body);
}

void check_bodies(const SceneDescription& scene, int a, int b, const std::string& location) {
  const int count = static_cast<int>(scene.bodies.size());
  if (a < 0 || a >= count || b < 0 || b >= count) {
    fail_scene("{}: the body indices are {} and {}; they must be in [0, {})", location, a, b, count);
  }
}

void check_pair(const SceneDescription& scene, const Pair& pair, const std::string& location) {
  check_bodies(scene, pair.a, pair.b, location);
  check_rule(location + ": ", check_models, models_of(pair, scene));
  check_rule(location + ": ", check_bodies_of, pair, scene);
  check_keys(location + ": ", pair);
  check_rule(location + ": ", [&] { check_law_of(pair, scene); });
}

void check_contact(const ContactOptions& contact) {
  check_keys("contact: ", contact);
  check_rule("contact: ", check_models, contact.model);
  check_rule("contact: ", [&] { check_law_of(contact); });
}

std::string name_of(const Body& body) { return "body " + in_quotes(body.name); }

bool has_velocity(const Body& body) {
  return std::any_of(body.velocity.begin(), body.velocity.end(), [](double component) { return component != 0; });
}

/// Whether the joint has values that one has not which follows another one.
bool has_own_values(const Motion& motion) {
  std::vector<const void*> usual;
  Motion with_none;
  with_none.type = motion.type;
  for_each_key_of_drive_and_stops(with_none,
                                  [&](const Key&, const auto& member, const auto&) { usual.push_back(&member); });
  bool has_any = false;
  std::size_t i = 0;
  for_each_key_of_drive_and_stops(motion, [&]<class T>(const Key&, const T& member, const auto&) {
    has_any = has_any || member != *static_cast<const T*>(usual[i]);
    ++i;
  });
  return has_any;
}

bool has_values_of_a_joint(const Motion& motion) {
  return motion.axis != Motion().axis || has_own_values(motion) || motion.parent || motion.anchor || motion.mimic;
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

void check_joint(const std::string& location, const SceneDescription& scene, int index) {
  const Body& body = scene.bodies[index];
  const Motion& motion = body.motion;
  if (has_velocity(body)) fail_scene("{}the body has a velocity, which follows from its joint's; leave it 0", location);
  if (motion.parent) check_rule(location + "parent ", check_parent, scene, index, *motion.parent);
  if (motion.type == MotionType::kPrismatic && motion.anchor) {
    fail_scene("{}has an anchor, but a prismatic joint needs none; leave it out", location);
  }
  if (motion.type == MotionType::kRevolute && !motion.anchor) {
    fail_scene("{}has no anchor; a revolute joint needs a point of its axis", location);
  }
  check_keys(location, motion);
  if (motion.lower && motion.upper) check_rule(location + "upper ", check_stops, *motion.lower, *motion.upper);
  check_rule(location, check_between_stops, motion.position, motion.lower, motion.upper);
  if (motion.mimic) {
    check_rule(location + "mimic: body ", check_mimicked, scene, index, motion.mimic->body);
    check_rule(location + "mimic: ratio ", check_range, motion.mimic->ratio, kRatioRange);
    check_rule(location + "mimic: ", check_ratio, motion.mimic->ratio);
    check_rule(location + "mimic: offset ", check_range, motion.mimic->offset, ranges_of_joint(motion.type).position);
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

void check_geometry_indices(const SceneDescription& scene, const Body& body) {
  const int count = static_cast<int>(scene.geometries.size());
  for (const Part& part : parts_of(body)) {
    const std::string location =
        "body " + in_quotes(body.name) + (body.parts.empty() ? "" : ": part " + in_quotes(part.name));
    const auto check_index = [&](const char* what, int index) {
      if (index >= 0 && index < count) return;
      fail_scene("{}: {} index is {}; it must be in [0, {})", location, what, index, count);
    };
    check_index("geometry", part.geometry);
    for (const int index : part.alternatives) check_index("alternative", index);
  }
}

void check_scene(const SceneDescription& scene) {
  check_rule("", check_num_bodies, scene.bodies.size());
  check_contact(scene.contact);
  for (const Geometry& g : scene.geometries) check_geometry(g, "scene: geometry " + in_quotes(g.name));
  std::size_t parts = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    check_rule(fmt::format("body {}: ", i), [&] { check_name(body, std::span(scene.bodies).first(i)); });
    check_body(scene, body);
    parts += std::max<std::size_t>(body.parts.size(), 1);
  }
  check_rule("", check_num_parts_of_all, parts);
  check_motions(scene);
  check_rollout_options(scene.rollout);
  for (std::size_t i = 0; i < scene.exclude.size(); ++i) {
    const auto [a, b] = scene.exclude[i];
    check_bodies(scene, a, b, fmt::format("excluded pair {}", i));
    if (a == b) fail_scene("excluded pair {}: body {} with itself; a pair needs two bodies", i, a);
  }
  for (std::size_t i = 0; i < scene.loops.size(); ++i) {
    if (scene.loops[i].type > LoopType::kHinge) {
      fail_scene("loop {}: type is {}; it must be one of LoopType", i, static_cast<int>(scene.loops[i].type));
    }
    check_rule(fmt::format("loop {}: ", i), check_loop, scene, scene.loops[i]);
  }
  DistinctPairs pairs;
  for (std::size_t i = 0; scene.pairs && i < scene.pairs->size(); ++i) {
    const std::string location = fmt::format("pair {}", i);
    check_pair(scene, (*scene.pairs)[i], location);
    check_rule(location + ": ", [&] { pairs.add((*scene.pairs)[i], scene); });
  }
}

void check_mass(const Body& body) {
  const std::string location = name_of(body) + ": ";
  if (body.mass && body.density) {
    fail_scene("{}has a mass of {} kg and a density of {} kg/m^3; give one", location, *body.mass, *body.density);
  }
  for_each_key_of_mass(body, checker_at(location));
}

void check_motions(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) check_mass(body);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) check_motion(scene, static_cast<int>(i));
}

void check_rollout_options(const RolloutOptions& options) { check_keys("rollout: ", options); }

void check_movable(const SceneDescription& scene) {
  for (const Body& body : scene.bodies) {
    if (degrees_of_freedom(body) == 0) continue;
    check_rule(name_of(body) + ": motion: ", check_no_half_space, scene, body, text_of(body.motion.type));
  }
}

}  // namespace isopatch::detail
