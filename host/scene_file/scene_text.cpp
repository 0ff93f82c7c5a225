// SPDX-License-Identifier: Apache-2.0
//
// A scene as the text of a scene file. Whatever is written reads as the same bits, so nothing is rounded; a default
// that is written changes nothing.
#include <nlohmann/json.hpp>
#include <set>

#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene_file/enumerator_names.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch {

using namespace detail;

namespace {

using Json = nlohmann::ordered_json;

template <class T>
void put_if(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

/// Throws unless a scene file can have these names.
template <class Named>
void check_names(const char* kind, const std::vector<Named>& things) {
  std::set<std::string> seen;
  for (const Named& thing : things) {
    if (!thing.name.empty() && thing.name.find('\0') == std::string::npos && seen.insert(thing.name).second) continue;
    throw_error("to_json: a {} is named {}; give each a name of its own, which is not empty", kind,
                in_quotes(thing.name));
  }
}

class SceneWriter {
 public:
  explicit SceneWriter(const SceneDescription& scene) : scene_(scene) {}

  Json write() const {
    Json geometries = Json::object(), bodies = Json::array(), pairs = Json::array();
    for (const Geometry& geometry : scene_.geometries) geometries[geometry.name] = {{"type", "given"}};
    for (const Body& body : scene_.bodies) bodies.push_back(write(body));
    for (const Pair& pair : *scene_.pairs) pairs.push_back(write(pair));
    return {{"isopatch", 1},  {"geometries", geometries},         {"bodies", bodies},
            {"pairs", pairs}, {"contact", write(scene_.contact)}, {"rollout", write(scene_.rollout)}};
  }

 private:
  Json write(const Body& body) const {
    Json json = {{"name", body.name}};
    if (body.parts.empty()) {
      json["geometry"] = name_of(body.geometry);
      json["offset"] = pose(body.offset);
      json["alternatives"] = names_of(body.alternatives);
    } else {
      for (const Part& part : body.parts) json["geometries"].push_back(write(part));
    }
    json["rigid"] = body.rigid;
    if (body.one_sided) json["one_sided"] = true;
    if (body.fixed) json["fixed"] = true;  // no key of a body with a motion
    // what all parts have of their own, or are too rigid to need, is not checked and may be anything
    put_in_range(json, "modulus", body.modulus, kModulusRange);
    put_in_range(json, "dissipation", body.dissipation, kDissipationRange);
    put_in_range(json, "friction", body.friction, kFrictionRange);
    put_if(json, "foundation_depth", body.foundation_depth);
    json.update(pose(body.pose));
    if (!is_joint(body.motion) && body.motion.path.times.empty()) {
      const auto& v = body.velocity;
      json["linear_velocity"] = {v[0], v[1], v[2]};
      json["angular_velocity"] = {v[3], v[4], v[5]};
    }
    put_if(json, "mass", body.mass);
    put_if(json, "density", body.density);
    put_if(json, "center_of_mass", body.center_of_mass);
    put_if(json, "inertia", body.inertia);
    if (body.motion.type != MotionType::kFree) json["motion"] = write(body.motion);
    return json;
  }

  Json write(const Part& part) const {
    Json json = {{"geometry", name_of(part.geometry)}, {"alternatives", names_of(part.alternatives)}};
    if (!part.name.empty()) json["name"] = part.name;
    json.update(pose(part.pose));
    put_if(json, "rigid", part.rigid);
    if (part.modulus) put_in_range(json, "modulus", *part.modulus, kModulusRange);
    put_if(json, "dissipation", part.dissipation);
    put_if(json, "friction", part.friction);
    put_if(json, "foundation_depth", part.foundation_depth);
    return json;
  }

  Json write(const Motion& motion) const {
    if (motion.type == MotionType::kPlanar) return name_in(kMotionTypeNames, motion.type);
    if (motion.type == MotionType::kPrescribed) {
      if (motion.path.times.empty()) return {{"type", "prescribed"}};
      return {{"type", "prescribed"}, {"times", motion.path.times}, {"poses", motion.path.poses}};
    }
    Json json = {{"type", name_in(kMotionTypeNames, motion.type)}, {"axis", motion.axis}};
    put_if(json, "anchor", motion.anchor);
    if (motion.parent) json["parent"] = scene_.bodies[*motion.parent].name;
    if (motion.mimic) {
      json["mimic"] = {{"body", scene_.bodies[static_cast<std::size_t>(motion.mimic->body)].name},
                       {"ratio", motion.mimic->ratio},
                       {"offset", motion.mimic->offset}};
      return json;
    }
    json["position"] = motion.position;
    json["velocity"] = motion.velocity;
    put_rows(json, "force", motion.drive.force);
    json["stiffness"] = motion.drive.stiffness;
    json["damping"] = motion.drive.damping;
    put_rows(json, "target", motion.drive.target);
    put_if(json, "force_limit", motion.drive.force_limit);
    put_if(json, "lower", motion.lower);
    put_if(json, "upper", motion.upper);
    json["bounce"] = motion.bounce;
    json["joint_friction"] = motion.friction;
    json["joint_damping"] = motion.damping;
    json["armature"] = motion.armature;
    return json;
  }

  static Json write(const ContactModels& models) {
    std::vector<std::string> names;
    for (const ContactModel model : models) names.emplace_back(info_of(model).name);
    return names.size() == 1 ? Json(names[0]) : Json(names);
  }

  Json write(const Pair& pair) const {
    const auto name = [&](int body) { return scene_.bodies[body].name; };
    Json json = {{"bodies", {name(pair.a), name(pair.b)}}};
    put_if(json, "dissipation", pair.dissipation);
    put_if(json, "friction", pair.friction);
    if (pair.model) json["model"] = write(*pair.model);
    if (pair.friction_model) json["friction_model"] = name_in(kFrictionModelNames, *pair.friction_model);
    if (pair.bristle) json["bristle"] = write(*pair.bristle);
    if (pair.bristle_flow) json["bristle_flow"] = name_in(kBristleFlowNames, *pair.bristle_flow);
    put_if(json, "stiffness", pair.stiffness);
    put_if(json, "exponent", pair.exponent);
    put_if(json, "restitution", pair.restitution);
    if (pair.exact_spheres) json["exact_spheres"] = true;
    if (pair.inside) json["inside"] = true;
    if (pair.spin_radius != 1) json["spin_radius"] = pair.spin_radius;
    if (!pair.contact_state.empty()) json["contact_state"] = pair.contact_state;
    return json;
  }

  static Json write(const BristleFriction& bristle) {
    return {{"stiffness", bristle.stiffness},   {"damping", bristle.damping},
            {"viscous", bristle.viscous},       {"stribeck_velocity", bristle.stribeck_velocity},
            {"dwell_time", bristle.dwell_time}, {"static_ratio", bristle.static_ratio}};
  }

  static Json write(const ContactOptions& contact) {
    Json json = {{"dissipation_model", name_in(kDissipationModelNames, contact.dissipation_model)},
                 {"quadrature", name_in(kQuadratureNames, contact.quadrature)},
                 {"gradient_filter", contact.gradient_filter}};
    put_if(json, "slip_tolerance", contact.slip_tolerance);
    put_if(json, "margin", contact.margin);
    put_if(json, "tolerance", contact.tolerance);
    if (contact.relations != ContactRelations::kExact) {
      json["relations"] = name_in(kContactRelationsNames, contact.relations);
    }
    if (contact.model != ContactOptions{}.model) json["model"] = write(contact.model);
    const ContactOptions usual;
    if (contact.friction_model != usual.friction_model) {
      json["friction_model"] = name_in(kFrictionModelNames, contact.friction_model);
    }
    if (contact.bristle != usual.bristle) json["bristle"] = write(contact.bristle);
    if (contact.bristle_flow != usual.bristle_flow) {
      json["bristle_flow"] = name_in(kBristleFlowNames, contact.bristle_flow);
    }
    if (contact.normal != usual.normal) json["normal"] = name_in(kOverlapNormalNames, contact.normal);
    if (contact.small_speed != usual.small_speed) json["small_speed"] = contact.small_speed;
    if (contact.latch != usual.latch) json["latch"] = name_in(kImpactLatchNames, contact.latch);
    if (contact.relaxation_time != usual.relaxation_time) json["relaxation_time"] = contact.relaxation_time;
    return json;
  }

  static Json write(const RolloutOptions& rollout) {
    Json variation = Json::object();
    put_if(variation, "position", rollout.variation.position);
    put_if(variation, "angle", rollout.variation.angle);
    put_if(variation, "speed", rollout.variation.speed);
    Json json = {{"time_step", rollout.time_step},
                 {"duration", rollout.duration},
                 {"integrator", name_in(kIntegratorNames, rollout.integrator)},
                 {"points", name_in(kContactPointsNames, rollout.points)},
                 {"gravity", rollout.gravity},
                 {"tolerance", rollout.tolerance},
                 {"max_iterations", rollout.max_iterations},
                 {"max_substeps", rollout.max_substeps},
                 {"polygon_capacity", rollout.polygon_capacity},
                 {"speed_limit", rollout.speed_limit},
                 {"variation", variation}};
    put_if(json, "friction_passes", rollout.friction_passes);
    return json;
  }

  static Json pose(const std::array<double, 7>& p) {
    return {{"position", {p[0], p[1], p[2]}}, {"orientation", {p[3], p[4], p[5], p[6]}}};
  }

  static void put_in_range(Json& json, const char* key, double value, const Range& range) {
    if (value >= range.low && value <= range.high) json[key] = value;
  }

  static void put_rows(Json& json, const char* key, const std::vector<TimedValue>& rows) {
    for (const auto& [time, value] : rows) json[key].push_back({time, value});
  }

  std::string name_of(int geometry) const { return scene_.geometries[geometry].name; }

  Json names_of(const std::vector<int>& geometries) const {
    Json names = Json::array();
    for (const int geometry : geometries) names.push_back(name_of(geometry));
    return names;
  }

  const SceneDescription& scene_;
};

}  // namespace

std::string to_json(const Scene& scene) {
  check_names("geometry", scene.description().geometries);
  check_names("body", scene.description().bodies);
  try {
    return SceneWriter(scene.description()).write().dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("to_json: a name is not valid UTF-8, which JSON text must be");
  }
}

}  // namespace isopatch
