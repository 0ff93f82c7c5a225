// SPDX-License-Identifier: Apache-2.0
//
// A scene as the text of a scene file. Whatever is written reads as the same bits, so nothing is rounded; a default
// that is written changes nothing.
#include <nlohmann/json.hpp>

#include <set>
#include <utility>

#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene/scene_keys.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch {

using namespace detail;

namespace {

using Json = nlohmann::ordered_json;

// ---- the keys of scene_keys.h

template <class Owner>
Json json_of(const Owner& owner);

template <class Value, class Rule>
Json json_of(const Value& value, const Rule& /*any*/) {
  return value;
}
/// What is out of range is not used, such as the modulus of a rigid part, and not checked either.
Json json_of(double value, const Range& range) {
  return value >= range.low && value <= range.high ? Json(value) : Json();
}
template <IsEnumerator Enumerator>
Json json_of(Enumerator value, const Enumerators& known) {
  return name_in(known.names, value);
}
Json json_of(const std::vector<TimedValue>& values, const Rows& /*any*/) {
  Json rows;
  for (const auto& [time, value] : values) rows.push_back({time, value});
  return rows;
}
Json json_of(const ContactModels& models, ModelNames /*known*/) {
  std::vector<std::string> names;
  for (const ContactModel model : models) names.emplace_back(info_of(model).name);
  return names.size() == 1 ? Json(names[0]) : Json(names);
}
template <class Owner>
requires(!IsOptional<Owner>) Json json_of(const Owner& owner, Object /*of keys*/) { return json_of(owner); }
template <class T, class Rule>
Json json_of(const std::optional<T>& value, const Rule& rule) {
  return value ? json_of(*value, rule) : Json();
}

/// A visitor of keys, which adds those that have a value.
auto writer_to(Json& json) {
  return [&json](const Key& key, const auto& member, const auto& rule) {
    if constexpr (!std::same_as<decltype(rule), const ByHand&>) {
      Json value = json_of(member, rule);
      if (!value.is_null()) json[key.name] = std::move(value);
    }
  };
}

template <class Owner>
Json json_of(const Owner& owner) {
  Json json = Json::object();
  for_each_key(owner, writer_to(json));
  return json;
}

/// The keys with other values than in `usual`. The text of a number says its bits, of a zero its sign too.
Json difference(Json json, const Json& usual) {
  for (const auto& [key, value] : usual.items()) {
    if (json.contains(key) && json[key].dump() == value.dump()) json.erase(key);
  }
  return json;
}

// ---- scenes

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
    Json json = {{"isopatch", 1},
                 {"geometries", geometries},
                 {"bodies", bodies},
                 {"pairs", pairs},
                 {"contact", difference(json_of(scene_.contact), json_of(ContactOptions()))},
                 {"rollout", difference(json_of(scene_.rollout), json_of(RolloutOptions()))}};
    for (const Loop& loop : scene_.loops) json["loops"].push_back(write(loop));
    return json;
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
    json.update(difference(json_of(body), json_of(Body())));
    json.update(pose(body.pose));
    if (!is_joint(body.motion) && body.motion.path.times.empty()) {
      const auto& v = body.velocity;
      json["linear_velocity"] = {v[0], v[1], v[2]};
      json["angular_velocity"] = {v[3], v[4], v[5]};
    }
    if (body.motion.type != MotionType::kFree) json["motion"] = write(body.motion);
    return json;
  }

  Json write(const Part& part) const {
    Json json = {{"geometry", name_of(part.geometry)}, {"alternatives", names_of(part.alternatives)}};
    if (!part.name.empty()) json["name"] = part.name;
    json.update(pose(part.pose));
    json.update(json_of(part));
    return json;
  }

  Json write(const Motion& motion) const {
    if (motion.type == MotionType::kPlanar) return name_in(kMotionTypeNames, motion.type);
    if (motion.type == MotionType::kPrescribed) {
      if (motion.path.times.empty()) return {{"type", "prescribed"}};
      return {{"type", "prescribed"}, {"times", motion.path.times}, {"poses", motion.path.poses}};
    }
    Motion usual;
    usual.type = motion.type;
    Json json = {{"type", name_in(kMotionTypeNames, motion.type)}};
    json.update(difference(json_of(motion), json_of(usual)));
    if (motion.parent) json["parent"] = scene_.bodies[*motion.parent].name;
    if (motion.mimic) {
      json["mimic"] = {{"body", scene_.bodies[static_cast<std::size_t>(motion.mimic->body)].name},
                       {"ratio", motion.mimic->ratio},
                       {"offset", motion.mimic->offset}};
    }
    return json;
  }

  Json write(const Pair& pair) const {
    const auto name = [&](int body) { return scene_.bodies[body].name; };
    Json json = {{"bodies", {name(pair.a), name(pair.b)}}};
    json.update(difference(json_of(pair), json_of(Pair())));
    if (!pair.contact_state.empty()) json["contact_state"] = pair.contact_state;
    return json;
  }

  Json write(const Loop& loop) const {
    const auto name = [&](int body) { return scene_.bodies[static_cast<std::size_t>(body)].name; };
    Json json = {{"type", name_in(kLoopTypeNames, loop.type)},
                 {"bodies", {name(loop.a), name(loop.b)}},
                 {"anchor", loop.anchor}};
    if (loop.type == LoopType::kHinge) json["axis"] = loop.axis;
    return json;
  }

  static Json pose(const std::array<double, 7>& p) {
    return {{"position", {p[0], p[1], p[2]}}, {"orientation", {p[3], p[4], p[5], p[6]}}};
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
