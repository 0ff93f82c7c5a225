// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_check.h"

#include <fmt/format.h>

#include "host/mesh/checks/geometry_check.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error("scene: " + what); }

/// Calls a rule; puts the name of the object before the message that it throws.
template <class Rule, class... Arguments>
void check(const std::string& where, const Rule& rule, const Arguments&... arguments) {
  try {
    rule(arguments...);
  } catch (const Error& error) {
    fail(where + error.what());
  }
}

void check_motion(const std::string& where, const Body& body) {
  for (std::size_t i = 0; i < 3; ++i) {
    check(where + ": position ", check_range, body.pose[i], kPositionRange);
    check(where + ": linear velocity ", check_range, body.velocity[i], kVelocityRange);
    check(where + ": angular velocity ", check_range, body.velocity[i + 3], kAngularVelocityRange);
  }
  check(where + ": orientation: ", check_orientation, body.pose);
}

void check_body(const SceneDescription& scene, const Body& body) {
  const std::string where = "body " + in_quotes(body.name);
  const Geometry& geometry = geometry_of(scene, body);
  check(where + ": geometry " + in_quotes(geometry.name) + ": ", check_geometry_of, body, geometry);
  if (!body.rigid) check(where + ": modulus ", check_range, body.modulus, kModulusRange);
  check(where + ": dissipation ", check_range, body.dissipation, kDissipationRange);
  check(where + ": friction ", check_range, body.friction, kFrictionRange);
  check_motion(where, body);
}

void check_pair(const SceneDescription& scene, const Pair& pair, const std::string& where) {
  const int count = static_cast<int>(scene.bodies.size());
  if (pair.a < 0 || pair.a >= count || pair.b < 0 || pair.b >= count) {
    fail(fmt::format("{}: the body indices are {} and {}; they must be in [0, {})", where, pair.a, pair.b, count));
  }
  check(where + ": ", check_bodies_of, pair, scene);
  if (pair.dissipation) check(where + ": dissipation ", check_range, *pair.dissipation, kDissipationRange);
  if (pair.friction) check(where + ": friction ", check_range, *pair.friction, kFrictionRange);
}

void check_contact(const ContactOptions& contact) {
  check("contact: slip_tolerance ", check_range, contact.slip_tolerance, kSlipToleranceRange);
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
  check("", check_num_bodies, scene.bodies.size());
  check_contact(scene.contact);
  for (const Geometry& g : scene.geometries) check_geometry(g, "scene: geometry " + in_quotes(g.name));
  for (const Body& body : scene.bodies) check_body(scene, body);
  DistinctPairs pairs;
  for (std::size_t i = 0; i < scene.pairs.size(); ++i) {
    const std::string where = fmt::format("pair {}", i);
    check_pair(scene, scene.pairs[i], where);
    check(where + ": ", [&] { pairs.add(scene.pairs[i], scene); });
  }
}

}  // namespace isopatch::detail
