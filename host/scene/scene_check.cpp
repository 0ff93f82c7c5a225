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
  DistinctPairs pairs;
  for (std::size_t i = 0; scene.pairs && i < scene.pairs->size(); ++i) {
    const std::string location = fmt::format("pair {}", i);
    check_pair(scene, (*scene.pairs)[i], location);
    check_rule(location + ": ", [&] { pairs.add((*scene.pairs)[i], scene); });
  }
}

}  // namespace isopatch::detail
