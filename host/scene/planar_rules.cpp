// SPDX-License-Identifier: Apache-2.0
#include "host/scene/planar_rules.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "host/scene/motion_rules.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

/// Puts where it is before the message that a rule throws.
template <class Rule, class... Arguments>
void check_member(const std::string& location, const Rule& rule, const Arguments&... arguments) {
  try {
    rule(arguments...);
  } catch (const Error& error) {
    throw with_location(location, error);
  }
}

void check_pose_in_plane(const std::string& location, const std::array<double, 7>& pose, const char* what) {
  check_member(location + "position: ", check_position_in_plane, pose, what);
  check_member(location + "orientation: ", check_upright, pose, what);
}

void check_parts_in_plane(const SceneDescription& scene, const Body& body) {
  for (const Part& part : parts_of(body)) {
    const std::string location = body.parts.empty() ? "" : "part " + in_quotes(part.name) + ": ";
    const auto check = [&](const char* key, int geometry) {
      check_member(location + key, check_kind_in_body, scene, body,
                   scene.geometries[static_cast<std::size_t>(geometry)]);
    };
    check("geometry ", part.geometry);
    for (const int index : part.alternatives) check("alternative ", index);
    if (has_polygon(scene, body))
      check_pose_in_plane(body.parts.empty() ? "offset: " : location, part.pose, "a polygon");
  }
}

}  // namespace

bool has_polygon(const SceneDescription& scene, const Body& body) {
  return scene.geometries[static_cast<std::size_t>(parts_of(body)[0].geometry)].polygon;
}

void check_kind_in_body(const SceneDescription& scene, const Body& body, const Geometry& geometry) {
  const bool polygons = has_polygon(scene, body);
  if (geometry.polygon == polygons) return;
  throw_error("{} is a {} in a body of {}; a body has one or the other, so give each a body of its own",
              in_quotes(geometry.name), geometry.polygon ? "polygon" : "solid", polygons ? "polygons" : "solids");
}

const char* planar_name(const SceneDescription& scene, const Body& body) {
  if (has_polygon(scene, body)) return "a body of polygons";
  return !body.fixed && body.motion.type == MotionType::kPlanar ? "a planar body" : nullptr;
}

void check_position_in_plane(const std::array<double, 7>& pose, const char* what) {
  if (std::fabs(pose[2]) <= limits::kMaxOutOfPlane) return;
  throw_error("z is {} m; {} stays in the plane z = 0, so it must be 0", pose[2], what);
}

void check_center_in_plane(const Point3& center, const char* what) {
  check_position_in_plane({center[0], center[1], center[2], 1, 0, 0, 0}, what);
}

void check_upright(const std::array<double, 7>& pose, const char* what) {
  const double norm = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
  if (std::fabs(pose[4]) + std::fabs(pose[5]) <= limits::kMaxOutOfPlane * norm) return;  // as is_in_plane() of states
  throw_error("the quaternion [{}, {}, {}, {}] is tilted; {} turns about z alone, so x and y must be 0", pose[3],
              pose[4], pose[5], pose[6], what);
}

void check_linear_velocity_in_plane(const std::array<double, 6>& velocity, const char* what) {
  if (velocity[2] == 0) return;
  throw_error("z is {} m/s; {} moves along x and y alone, so it must be 0", velocity[2], what);
}

void check_angular_velocity_in_plane(const std::array<double, 6>& velocity, const char* what) {
  if (velocity[3] == 0 && velocity[4] == 0) return;
  throw_error("x and y are {} and {} rad/s; {} turns about z alone, so they must be 0", velocity[3], velocity[4], what);
}

void check_axis_in_plane(const Motion& motion) {
  const auto& [x, y, z] = motion.axis;
  const double length = std::hypot(x, y, z);
  const bool prismatic = motion.type == MotionType::kPrismatic;
  const double off = prismatic ? std::fabs(z) : std::hypot(x, y);
  if (off <= limits::kMaxOutOfPlane * length) return;
  throw_error("is [{}, {}, {}]; a body of polygons {}", x, y, z,
              prismatic ? "slides in the plane z = 0, so z must be 0" : "turns about z, so x and y must be 0");
}

void check_planar(const SceneDescription& scene, const Body& body) {
  check_parts_in_plane(scene, body);
  const char* what = planar_name(scene, body);
  if (what == nullptr) return;
  check_member("orientation: ", check_upright, body.pose, what);
  check_member("linear velocity: ", check_linear_velocity_in_plane, body.velocity, what);
  check_member("angular velocity: ", check_angular_velocity_in_plane, body.velocity, what);
  if (!has_polygon(scene, body)) return;
  check_member("position: ", check_position_in_plane, body.pose, what);
  if (body.center_of_mass) check_member("center_of_mass: ", check_center_in_plane, *body.center_of_mass, what);
  if (is_joint(body.motion)) check_member("motion: axis ", check_axis_in_plane, body.motion);
  for (std::size_t i = 0; i < body.motion.path.poses.size(); ++i) {
    check_pose_in_plane(fmt::format("motion: path: row {}: ", i), body.motion.path.poses[i], what);
  }
}

}  // namespace isopatch::detail
