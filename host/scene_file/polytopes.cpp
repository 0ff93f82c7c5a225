// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/polytopes.h"

#include <algorithm>

#include "host/polytope/convex_shape.h"
#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene_file/scene_geometries.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

// ---- which geometries need tets, before anything is read

/// The key `model` of `owner` names the model polytope.
bool names_polytope(const JsonValue& owner) {
  const auto model = owner.optional("model");
  if (!model) return false;
  const std::vector<JsonValue> names = model->is_array() ? model->elements() : std::vector{*model};
  return std::any_of(names.begin(), names.end(), [](const JsonValue& name) { return name.text() == "polytope"; });
}

bool wants_polytopes(const JsonValue& root) {
  const auto contact = root.optional("contact"), pairs = root.optional("pairs");
  if (contact && names_polytope(*contact)) return true;
  if (!pairs) return false;
  const std::vector<JsonValue> all = pairs->elements();
  return std::any_of(all.begin(), all.end(),
                     [](const JsonValue& pair) { return !pair.is_array() && names_polytope(pair); });
}

/// The names of geometries, by whether a part that has them is rigid.
struct Owners {
  std::set<std::string> rigid, compliant;

  /// The keys of a part, or of a body without a list of parts; what they leave out is as in `body`.
  void add(const JsonValue& part, bool body_is_rigid) {
    const auto own = part.optional("rigid");
    std::set<std::string>& names = (own ? own->boolean() : body_is_rigid) ? rigid : compliant;
    if (const auto geometry = part.optional("geometry")) names.insert(geometry->text());
    const auto others = part.optional("alternatives");
    if (!others) return;
    for (const JsonValue& other : others->elements()) names.insert(other.text());
  }
};

// ---- where polygons are

void check_pose_of(const JsonValue& value, const std::array<double, 7>& pose, const char* what) {
  if (const auto field = value.optional("position")) {
    with_location(*field, [&] { check_position_in_plane(pose, what); });
  }
  if (const auto field = value.optional("orientation")) with_location(*field, [&] { check_upright(pose, what); });
}

/// The keys of a part, or of a body without a list of parts.
void check_geometries_of(const JsonValue& value, const SceneDescription& scene, const Body& body, const Part& part) {
  const auto check = [&](const JsonValue& name, int geometry) {
    with_location(name, [&] { check_kind_in_body(scene, body, scene.geometries[static_cast<std::size_t>(geometry)]); });
  };
  check(value.required("geometry"), part.geometry);
  if (part.alternatives.empty()) return;
  const std::vector<JsonValue> names = value.required("alternatives").elements();
  for (std::size_t i = 0; i < names.size(); ++i) check(names[i], part.alternatives[i]);
}

void check_parts_of(const JsonValue& value, const SceneDescription& scene, const Body& body) {
  const std::vector<Part> parts = parts_of(body);
  const auto list = value.optional("geometries");
  const std::vector<JsonValue> elements = list ? list->elements() : std::vector{value};
  for (std::size_t i = 0; i < parts.size(); ++i) check_geometries_of(elements[i], scene, body, parts[i]);
  if (!has_polygon(scene, body)) return;
  for (std::size_t i = 0; list && i < parts.size(); ++i) check_pose_of(elements[i], parts[i].pose, "a polygon");
  if (const auto offset = value.optional("offset")) check_pose_of(*offset, body.offset, "a polygon");
}

void check_motion_of(const JsonValue& value, const Body& body, const char* what) {
  const auto field = value.optional("motion");
  if (!field) return;
  if (body.motion.type == MotionType::kFree) {
    field->fail("is \"free\"; {} stays in the plane z = 0: say \"planar\", or leave the motion out", what);
  }
  if (is_joint(body.motion)) with_location(field->required("axis"), [&] { check_axis_in_plane(body.motion); });
  if (body.motion.path.poses.empty()) return;
  const std::vector<JsonValue> rows = field->required("poses").elements();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    with_location(rows[i], [&] {
      check_position_in_plane(body.motion.path.poses[i], what);
      check_upright(body.motion.path.poses[i], what);
    });
  }
}

void check_planar_body(const JsonValue& value, const SceneDescription& scene, const Body& body) {
  check_parts_of(value, scene, body);
  const char* what = planar_name(scene, body);
  if (what == nullptr) return;
  if (const auto field = value.optional("orientation")) with_location(*field, [&] { check_upright(body.pose, what); });
  if (const auto field = value.optional("linear_velocity")) {
    with_location(*field, [&] { check_linear_velocity_in_plane(body.velocity, what); });
  }
  if (const auto field = value.optional("angular_velocity")) {
    with_location(*field, [&] { check_angular_velocity_in_plane(body.velocity, what); });
  }
  if (!has_polygon(scene, body)) return;
  check_pose_of(value, body.pose, what);
  if (const auto field = value.optional("center_of_mass")) {
    with_location(*field, [&] { check_center_in_plane(*body.center_of_mass, what); });
  }
  check_motion_of(value, body, what);
}

// ---- faces

/// Where a part of a body names its geometry.
JsonValue geometry_key_of(const JsonValue& body, std::size_t part) {
  const auto list = body.optional("geometries");
  return (list ? list->elements()[part] : body).required("geometry");
}

}  // namespace

std::set<std::string> geometries_of_rigid_parts(const JsonValue& root) {
  if (!wants_polytopes(root)) return {};
  Owners owners;
  for (const JsonValue& body : root.required("bodies").elements()) {
    const auto rigid = body.optional("rigid");
    const bool is_rigid = rigid && rigid->boolean();
    owners.add(body, is_rigid);
    const auto parts = body.optional("geometries");
    if (!parts) continue;
    for (const JsonValue& part : parts->elements()) owners.add(part, is_rigid);
  }
  std::erase_if(owners.rigid, [&](const std::string& name) { return owners.compliant.contains(name); });
  return owners.rigid;
}

void check_planar_bodies(const JsonValue& bodies, const SceneDescription& scene) {
  const std::vector<JsonValue> elements = bodies.elements();
  for (std::size_t i = 0; i < elements.size(); ++i) check_planar_body(elements[i], scene, scene.bodies[i]);
}

void check_shapes_of_parts(const JsonValue& bodies, const SceneDescription& scene) {
  const std::vector<JsonValue> elements = bodies.elements();
  std::set<int> sound;  // geometries that were found to be
  const auto check = [&](int body, std::size_t part) {
    const int geometry = parts_of(scene.bodies[static_cast<std::size_t>(body)])[part].geometry;
    if (!sound.insert(geometry).second) return;
    try {
      convex_shape_of(scene.geometries[static_cast<std::size_t>(geometry)]);
    } catch (const Error& error) {
      geometry_key_of(elements[static_cast<std::size_t>(body)], part)
          .fail(with_location("is in a pair of model polytope: ", error));
    }
  };
  for (const Pair& pair : *scene.pairs) {
    const std::vector<std::optional<ContactModel>> models = part_pair_models(pair, scene);
    const std::size_t num_b = parts_of(scene.bodies[static_cast<std::size_t>(pair.b)]).size();
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (!models[i] || !info_of(*models[i]).touches_faces) continue;
      check(pair.a, i / num_b);
      check(pair.b, i % num_b);
    }
  }
}

}  // namespace isopatch::detail
