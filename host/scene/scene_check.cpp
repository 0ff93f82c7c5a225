// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "host/mesh/checks/geometry_check.h"
#include "host/text/quote.h"
#include "isopatch/detail/scene/scene_view.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error("scene: " + what); }

void require_range(const std::string& where, double value, double low, double high, const char* unit = "") {
  if (value >= low && value <= high) return;
  fail(fmt::format("{} is {}{}; it must be in [{}, {}]", where, value, unit, low, high));
}

void check_dissipation(const std::string& where, double value) {
  require_range(where + ": dissipation", value, 0, limits::kMaxDissipation);
}

void check_friction(const std::string& where, double value) {
  require_range(where + ": friction", value, 0, limits::kMaxFriction);
}

void check_motion(const std::string& where, const Body& body) {
  double norm2 = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    require_range(where + ": position", body.pose[i], -limits::kMaxPosition, limits::kMaxPosition, " m");
    require_range(where + ": linear velocity", body.velocity[i], -limits::kMaxVelocity, limits::kMaxVelocity, " m/s");
    require_range(where + ": angular velocity", body.velocity[i + 3], -limits::kMaxAngularVelocity,
                  limits::kMaxAngularVelocity, " rad/s");
  }
  for (std::size_t i = 3; i < 7; ++i) norm2 += body.pose[i] * body.pose[i];
  require_range(where + ": the quaternion's norm", std::sqrt(norm2), limits::kMinQuaternion, limits::kMaxQuaternion);
}

void check_body(const SceneDescription& scene, const Body& body) {
  const std::string where = "body " + in_quotes(body.name);
  const Geometry& geometry = geometry_of(scene, body);
  if (!body.rigid && geometry.is_surface_mesh()) {
    fail(
        fmt::format("{} is compliant, but its geometry {} is a surface mesh, without an inside; give it a tet mesh "
                    "or make it rigid",
                    where, in_quotes(geometry.name)));
  }
  if (!body.rigid) {
    require_range(where + ": modulus", body.modulus, limits::kMinModulus, limits::kMaxModulus, " Pa");
  }
  check_dissipation(where, body.dissipation);
  check_friction(where, body.friction);
  check_motion(where, body);
}

void check_pair(const SceneDescription& scene, const Pair& pair) {
  const int count = static_cast<int>(scene.bodies.size());
  if (pair.a < 0 || pair.a >= count || pair.b < 0 || pair.b >= count) {
    fail(fmt::format("pair ({}, {}): body indices must be in [0, {})", pair.a, pair.b, count));
  }
  const Body& a = scene.bodies[static_cast<std::size_t>(pair.a)];
  const Body& b = scene.bodies[static_cast<std::size_t>(pair.b)];
  const std::string where = fmt::format("pair ({}, {})", in_quotes(a.name), in_quotes(b.name));
  if (pair.a == pair.b) fail(where + ": a body cannot be in contact with itself");
  if (a.rigid && b.rigid) fail(where + ": both bodies are rigid; at least one must be compliant");
  const auto is_half_space = [&](const Body& body) {
    return geometry_of(scene, body).kind == GeometryKind::kHalfSpace;
  };
  if (is_half_space(a) && is_half_space(b)) fail(where + ": both bodies are half spaces; their overlap is unbounded");
  if (pair.dissipation) check_dissipation(where, *pair.dissipation);
  if (pair.friction) check_friction(where, *pair.friction);
}

void check_contact(const ContactOptions& contact) {
  require_range("contact: slip_tolerance", contact.slip_tolerance, limits::kMinSlipTolerance, limits::kMaxSlipTolerance,
                " m/s");
  const auto dissipation_model = static_cast<int>(contact.dissipation_model);
  if (dissipation_model > static_cast<int>(DissipationModel::kPfc)) {
    fail(fmt::format("contact: dissipation_model is {}; it must be one of DissipationModel", dissipation_model));
  }
  const auto quadrature = static_cast<int>(contact.quadrature);
  if (quadrature > static_cast<int>(Quadrature::kFan6)) {
    fail(fmt::format("contact: quadrature is {}; it must be one of Quadrature", quadrature));
  }
}

}  // namespace

const Geometry& geometry_of(const SceneDescription& scene, const Body& body) {
  const int count = static_cast<int>(scene.geometries.size());
  if (body.geometry >= 0 && body.geometry < count) return scene.geometries[static_cast<std::size_t>(body.geometry)];
  fail(fmt::format("body {}: geometry index is {}; it must be in [0, {})", in_quotes(body.name), body.geometry, count));
}

void check_scene(const SceneDescription& scene) {
  const std::size_t count = scene.bodies.size();
  if (count == 0 || count > kMaxBodies) fail(fmt::format("has {} bodies; 1 to {} are possible", count, kMaxBodies));
  check_contact(scene.contact);
  for (const Geometry& g : scene.geometries) check_geometry(g, "scene: geometry " + in_quotes(g.name));
  for (const Body& body : scene.bodies) check_body(scene, body);
  std::set<std::pair<int, int>> seen;
  for (const Pair& pair : scene.pairs) {
    check_pair(scene, pair);
    if (!seen.insert(std::minmax(pair.a, pair.b)).second) {
      fail(fmt::format("the pair of bodies {} and {} is listed twice", pair.a, pair.b));
    }
  }
}

}  // namespace isopatch::detail
