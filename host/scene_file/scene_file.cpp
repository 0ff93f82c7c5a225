// SPDX-License-Identifier: Apache-2.0
//
// Scene files. Whatever is not understood is an error that names its location.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "host/files/input_file.h"
#include "host/scene/scene_rules.h"
#include "host/scene_file/json_value.h"
#include "host/scene_file/scene_geometries.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"
#include "isopatch/scene.h"

namespace isopatch {

using namespace detail;

namespace {

using Names = std::vector<std::string>;

template <std::size_t kCount>
std::array<double, kCount> array_of(const JsonValue& value) {
  const std::vector<double> numbers = value.numbers(kCount);
  std::array<double, kCount> array;
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

// ---- bodies

template <typename Named>
Names names_of(const std::vector<Named>& things) {
  Names names;
  for (const Named& thing : things) names.push_back(thing.name);
  return names;
}

int index_of(const JsonValue& reference, const Names& names, const std::string& kind) {
  const std::string name = reference.text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    reference.fail(fmt::format("no {} is named {}{}", kind, in_quotes(name, '"'), suggestion(name, names)));
  }
  return static_cast<int>(found - names.begin());
}

/// The rules are those of Scene, which throws them with the object's name instead of the location in the file.
double in_range(const JsonValue& value, const Range& range) {
  const double number = value.number();
  with_location(value, [&] { check_range(number, range); });
  return number;
}

void read_vector(const JsonValue& value, const Range& range, double* to) {
  const std::array<double, 3> vector = array_of<3>(value);
  for (const JsonValue& element : value.elements()) in_range(element, range);
  std::copy(vector.begin(), vector.end(), to);
}

Body parse_body(const JsonValue& value, const Names& geometries) {
  value.allow({"name", "geometry", "modulus", "dissipation", "friction", "rigid", "fixed", "position", "orientation",
               "linear_velocity", "angular_velocity"});
  Body body;
  body.name = value.required("name").text();
  body.geometry = index_of(value.required("geometry"), geometries, "geometry");
  if (const auto field = value.optional("rigid")) body.rigid = field->boolean();
  if (const auto field = value.optional("fixed")) body.fixed = field->boolean();
  if (const auto field = value.optional("modulus")) body.modulus = in_range(*field, kModulusRange);
  if (const auto field = value.optional("dissipation")) body.dissipation = in_range(*field, kDissipationRange);
  if (const auto field = value.optional("friction")) body.friction = in_range(*field, kFrictionRange);

  if (const auto field = value.optional("position")) read_vector(*field, kPositionRange, body.pose.data());
  if (const auto field = value.optional("orientation")) {
    const std::array<double, 4> quaternion = array_of<4>(*field);
    std::copy(quaternion.begin(), quaternion.end(), body.pose.data() + 3);
    with_location(*field, [&] { check_orientation(body.pose); });
  }
  if (const auto field = value.optional("linear_velocity")) read_vector(*field, kVelocityRange, body.velocity.data());
  if (const auto field = value.optional("angular_velocity")) {
    read_vector(*field, kAngularVelocityRange, body.velocity.data() + 3);
  }
  return body;
}

std::vector<Body> parse_bodies(const JsonValue& value, const std::vector<Geometry>& geometries) {
  const std::vector<JsonValue> elements = value.elements();
  with_location(value, [&] { check_num_bodies(elements.size()); });

  const Names geometry_names = names_of(geometries);
  std::vector<Body> bodies;
  for (const JsonValue& element : elements) {
    Body body = parse_body(element, geometry_names);
    with_location(element.required("geometry"),
                  [&] { check_geometry_of(body, geometries[static_cast<std::size_t>(body.geometry)]); });
    const auto same_name = [&body](const Body& other) { return other.name == body.name; };
    if (std::any_of(bodies.begin(), bodies.end(), same_name)) {
      element.required("name").fail("another body is already named " + in_quotes(body.name, '"'));
    }
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// ---- pairs

Pair parse_names(const JsonValue& names, const Names& bodies) {
  const std::vector<JsonValue> ends = names.elements();
  if (ends.size() != 2) names.fail(fmt::format("must be two body names, found {}", ends.size()));
  Pair pair;
  pair.a = index_of(ends[0], bodies, "body");
  pair.b = index_of(ends[1], bodies, "body");
  return pair;
}

Pair parse_pair(const JsonValue& value, const Names& bodies) {
  if (value.is_array()) return parse_names(value, bodies);
  value.allow({"bodies", "dissipation", "friction"});
  Pair pair = parse_names(value.required("bodies"), bodies);
  if (const auto field = value.optional("dissipation")) pair.dissipation = in_range(*field, kDissipationRange);
  if (const auto field = value.optional("friction")) pair.friction = in_range(*field, kFrictionRange);
  return pair;
}

std::vector<Pair> parse_pairs(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  std::vector<Pair> pairs;
  DistinctPairs distinct;
  for (const JsonValue& element : value.elements()) {
    const Pair pair = parse_pair(element, bodies);
    with_location(element, [&] {
      check_bodies_of(pair, scene);
      distinct.add(pair, scene);
    });
    pairs.push_back(pair);
  }
  return pairs;
}

/// The default pairs without the excluded ones; one that is no default pair is as good as excluded.
std::vector<Pair> parse_exclude(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  DistinctPairs excluded;
  for (const JsonValue& element : value.elements()) {
    const Pair pair = parse_names(element, bodies);
    with_location(element, [&] {
      check_two_bodies(pair, scene);
      excluded.add(pair, scene);
    });
  }
  std::vector<Pair> pairs = all_pairs(scene);
  std::erase_if(pairs, [&](const Pair& pair) { return excluded.contains(pair); });
  return pairs;
}

// ---- contact law

ContactOptions parse_contact(const JsonValue& value) {
  value.allow({"dissipation_model", "quadrature", "slip_tolerance", "gradient_filter"});
  ContactOptions contact;
  if (const auto field = value.optional("dissipation_model")) {
    contact.dissipation_model =
        field->one_of({"hunt_crossley", "pfc"}) == "pfc" ? DissipationModel::kPfc : DissipationModel::kHuntCrossley;
  }
  if (const auto field = value.optional("quadrature")) {
    const std::string rule = field->one_of({"centroid", "fan3", "fan6"});
    contact.quadrature = rule == "centroid" ? Quadrature::kCentroid
                         : rule == "fan3"   ? Quadrature::kFan3
                                            : Quadrature::kFan6;
  }
  if (const auto field = value.optional("slip_tolerance")) {
    contact.slip_tolerance = in_range(*field, kSlipToleranceRange);
  }
  if (const auto field = value.optional("gradient_filter")) contact.gradient_filter = field->boolean();
  return contact;
}

}  // namespace

SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source) {
  const StandardArithmetic standard;
  const JsonValue::Document document = JsonValue::parse(json, source);
  const JsonValue root(document, source);
  root.allow({"isopatch", "geometries", "bodies", "pairs", "exclude", "contact"});
  refuse_both(root, "pairs", "exclude");
  root.required("isopatch").integer(1, 1);

  SceneDescription scene;
  if (const auto contact = root.optional("contact")) scene.contact = parse_contact(*contact);
  scene.geometries = parse_geometries(root.required("geometries"), directory);
  scene.bodies = parse_bodies(root.required("bodies"), scene.geometries);
  const auto pairs = root.optional("pairs"), exclude = root.optional("exclude");
  scene.pairs = pairs ? parse_pairs(*pairs, scene) : exclude ? parse_exclude(*exclude, scene) : all_pairs(scene);
  return scene;
}

SceneDescription read_scene(const std::string& path) {
  return parse_scene(read_input_file(path, limits::kMaxSceneBytes), std::filesystem::path(path).parent_path().string(),
                     path);
}

}  // namespace isopatch
