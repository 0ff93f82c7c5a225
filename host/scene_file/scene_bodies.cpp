// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_bodies.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/scene_file/read_keys.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"

namespace isopatch::detail {
namespace {

/// Reads the bodies of a file one after another.
class BodyReader {
 public:
  explicit BodyReader(const std::vector<Geometry>& geometries)
      : geometries_(geometries), names_(names_of(geometries)) {}

  Body read(const JsonValue& value) const {
    Body body;
    value.allow(key_names(body));
    body.name = value.required("name").text();
    refuse_both(value, "mass", "density");
    read_keys(value, body);
    read_pose(value, body.pose);
    if (const auto field = value.optional("linear_velocity")) read_vector(*field, kVelocityRange, body.velocity.data());
    if (const auto field = value.optional("angular_velocity")) {
      read_vector(*field, kAngularVelocityRange, body.velocity.data() + 3);
    }

    if (const auto parts = value.optional("geometries")) {
      for (const char* other : {"geometry", "offset", "alternatives"}) {
        if (value.optional(other)) parts->fail("excludes \"{}\"; give one of the two", other);
      }
      read_parts(*parts, body);
    } else {
      read_only_part(value, body);
    }
    return body;
  }

 private:
  void read_only_part(const JsonValue& value, Body& body) const {
    const JsonValue geometry = value.required("geometry");
    body.geometry = read_geometry(geometry, body.rigid, body.name);
    if (const auto offset = value.optional("offset")) {
      offset->allow({"position", "orientation"});
      read_pose(*offset, body.offset);
    }
    body.alternatives = read_alternatives(value, body.rigid, body.name);
  }

  void read_parts(const JsonValue& value, Body& body) const {
    const std::vector<JsonValue> elements = value.elements();
    with_location(value, [&] { check_num_parts(elements.size()); });
    for (const JsonValue& element : elements) {
      Part part = read_part(element, body);
      if (!part.name.empty()) with_location(element.required("name"), [&] { check_name(part, body.parts); });
      body.parts.push_back(std::move(part));
    }
    for (Part& part : body.parts) {
      if (part.name.empty()) part.name = free_name(geometry_at(part.geometry).name, body);
    }
  }

  Part read_part(const JsonValue& value, const Body& body) const {
    Part part;
    value.allow(key_names(part));
    if (const auto field = value.optional("name")) part.name = field->text();
    read_keys(value, part);
    read_pose(value, part.pose);
    const bool rigid = part.rigid.value_or(body.rigid);
    part.geometry = read_geometry(value.required("geometry"), rigid, part.name.empty() ? body.name : part.name);
    part.alternatives = read_alternatives(value, rigid, part.name.empty() ? body.name : part.name);
    return part;
  }

  int read_geometry(const JsonValue& value, bool rigid, const std::string& name) const {
    const int index = index_of(value, names_, "geometry");
    with_location(value, [&] { check_geometry_of(rigid, name, geometry_at(index)); });
    return index;
  }

  std::vector<int> read_alternatives(const JsonValue& value, bool rigid, const std::string& name) const {
    std::vector<int> indices;
    if (const auto field = value.optional("alternatives")) {
      for (const JsonValue& element : field->elements()) indices.push_back(read_geometry(element, rigid, name));
    }
    return indices;
  }

  static bool is_taken(const std::string& name, const Body& body) {
    return std::any_of(body.parts.begin(), body.parts.end(), [&](const Part& part) { return part.name == name; });
  }

  /// The name of a geometry, with a number if it is taken.
  static std::string free_name(const std::string& geometry, const Body& body) {
    std::string name = geometry;
    for (int number = 2; is_taken(name, body); ++number) name = fmt::format("{} {}", geometry, number);
    return name;
  }

  const Geometry& geometry_at(int index) const { return geometries_[index]; }

  const std::vector<Geometry>& geometries_;
  const Names names_;
};

}  // namespace

std::vector<Body> parse_bodies(const JsonValue& value, const std::vector<Geometry>& geometries) {
  const std::vector<JsonValue> elements = value.elements();
  with_location(value, [&] { check_num_bodies(elements.size()); });

  const BodyReader reader(geometries);
  std::vector<Body> bodies;
  std::size_t parts = 0;
  for (const JsonValue& element : elements) {
    Body body = reader.read(element);
    with_location(element.required("name"), [&] { check_name(body, bodies); });
    parts += std::max<std::size_t>(body.parts.size(), 1);
    bodies.push_back(std::move(body));
  }
  with_location(value, [&] { check_num_parts_of_all(parts); });
  return bodies;
}

}  // namespace isopatch::detail
