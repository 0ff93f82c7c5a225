// SPDX-License-Identifier: Apache-2.0
#include "host/scene/planar_rules.h"

#include <algorithm>
#include <cmath>

#include "host/scene/motion_rules.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

bool is_polygon(const SceneDescription& scene, const Part& part) {
  return scene.geometries[static_cast<std::size_t>(part.geometry)].polygon;
}

/// `what` is the pose of: "a body of polygons".
void check_in_plane(const std::array<double, 7>& pose, const char* what) {
  if (std::fabs(pose[2]) <= limits::kMaxOutOfPlane) return;
  throw_error("position: z is {} m; {} stays in the plane z = 0", pose[2], what);
}

void check_upright(const std::array<double, 7>& pose, const char* what) {
  const double norm = std::hypot(std::hypot(pose[3], pose[4]), std::hypot(pose[5], pose[6]));
  const double tilt = std::hypot(pose[4], pose[5]);
  if (tilt <= limits::kMaxOutOfPlane * norm) return;
  throw_error("orientation: the quaternion [{}, {}, {}, {}] is tilted; {} turns about z alone, so x and y must be 0",
              pose[3], pose[4], pose[5], pose[6], what);
}

void check_velocity(const std::array<double, 6>& velocity, const char* what) {
  constexpr const char* kNames[] = {"", "", "linear velocity: z", "angular velocity: x", "angular velocity: y"};
  for (const std::size_t i : {2U, 3U, 4U}) {
    if (velocity[i] == 0) continue;
    throw_error("{} is {}; {} moves along x and y and turns about z, so it must be 0", kNames[i], velocity[i], what);
  }
}

void check_axis_in_plane(const Motion& motion) {
  const auto& [x, y, z] = motion.axis;
  const double length = std::hypot(x, y, z);
  const bool prismatic = motion.type == MotionType::kPrismatic;
  const double off = prismatic ? std::fabs(z) : std::hypot(x, y);
  if (off <= limits::kMaxOutOfPlane * length) return;
  throw_error("motion: axis is [{}, {}, {}]; a body of polygons {}", x, y, z,
              prismatic ? "slides in the plane, so z must be 0" : "turns about z, so x and y must be 0");
}

}  // namespace

bool has_polygon(const SceneDescription& scene, const Body& body) {
  const std::vector<Part> parts = parts_of(body);
  return std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return is_polygon(scene, part); });
}

void check_polygon_parts(const SceneDescription& scene, const Body& body) {
  if (!has_polygon(scene, body)) return;
  for (const Part& part : parts_of(body)) {
    const std::string name = body.parts.empty() ? "" : "part " + in_quotes(part.name) + ": ";
    if (!is_polygon(scene, part)) {
      throw Error(name + "a body has polygons or solids, not both; give each a body of its own");
    }
    try {
      check_in_plane(part.pose, "a polygon");
      check_upright(part.pose, "a polygon");
    } catch (const Error& error) {
      throw with_location(body.parts.empty() ? "offset: " : name, error);
    }
  }
}

void check_planar(const SceneDescription& scene, const Body& body) {
  const bool polygons = has_polygon(scene, body);
  if (!polygons && (body.fixed || body.motion.type != MotionType::kPlanar)) return;
  const char* what = polygons ? "a body of polygons" : "a planar body";
  if (polygons) check_in_plane(body.pose, what);
  check_upright(body.pose, what);
  check_velocity(body.velocity, what);
  if (!polygons) return;
  if (is_joint(body.motion)) check_axis_in_plane(body.motion);
  for (std::size_t i = 0; i < body.motion.path.poses.size(); ++i) {
    try {
      check_in_plane(body.motion.path.poses[i], what);
      check_upright(body.motion.path.poses[i], what);
    } catch (const Error& error) {
      throw with_location("motion: path: row " + std::to_string(i) + ": ", error);
    }
  }
}

}  // namespace isopatch::detail
