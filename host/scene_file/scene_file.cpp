// SPDX-License-Identifier: Apache-2.0
//
// Scene files. Everything in the file is either understood or an error that names its location.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "host/files/input_file.h"
#include "host/scene_file/json_value.h"
#include "host/scene_file/scene_geometries.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/limits.h"
#include "isopatch/scene.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kMaxGeometries = 256;

using Names = std::vector<std::string>;

template <std::size_t kCount>
std::array<double, kCount> array_of(const JsonValue& value) {
  const std::vector<double> numbers = value.numbers(kCount);
  std::array<double, kCount> array;
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

// ---- geometries

void scale_points(std::vector<Point3>& points, double factor) {
  for (Point3& point : points)
    for (double& coordinate : point) coordinate *= factor;
}

// Errors and warnings about a mesh name its file; afterwards the scene's name for it is of more use.
Geometry named(const std::string& name, Geometry geometry) {
  geometry.name = name;
  return geometry;
}

Geometry parse_tet_mesh(const std::string& name, const JsonValue& value, const std::filesystem::path& directory) {
  value.allow({"type", "file", "scale", "field", "strain", "all_boundary_tets"});
  const std::filesystem::path file = directory / value.required("file").text();
  const auto scale = value.optional("scale");
  const double factor = scale ? scale->positive() : 1;
  const FieldOptions field = parse_field(value);

  return with_location(value, [&] {
    TetMesh mesh = read_tet_mesh(file.string());
    scale_points(mesh.points, factor);
    return named(name, make_tet_mesh(file.string(), std::move(mesh), field));
  });
}

Geometry parse_surface_mesh(const std::string& name, const JsonValue& value, const std::filesystem::path& directory) {
  value.allow({"type", "file", "scale"});
  const std::filesystem::path file = directory / value.required("file").text();
  const auto scale = value.optional("scale");
  const double factor = scale ? scale->positive() : 1;

  return with_location(value, [&] {
    TriangleMesh mesh = read_triangle_mesh(file.string());
    scale_points(mesh.points, factor);
    return named(name, make_surface_mesh(file.string(), std::move(mesh)));
  });
}

Geometry parse_box(const std::string& name, const JsonValue& value) {
  value.allow({"type", "size"});
  const JsonValue edges = value.required("size");
  const Point3 size = array_of<3>(edges);
  for (const JsonValue& edge : edges.elements()) edge.positive();
  return with_location(value, [&] { return make_box(name, size); });
}

Geometry parse_half_space(const std::string& name, const JsonValue& value) {
  value.allow({"type", "thickness"});
  const auto field = value.optional("thickness");
  const double thickness = field ? field->positive() : 1;  // make_half_space() knows the limits
  return with_location(value, [&] { return make_half_space(name, thickness); });
}

Geometry parse_geometry(const std::string& name, const JsonValue& value, const std::filesystem::path& directory,
                        TetBudget& budget) {
  const JsonValue type = value.required("type");
  const std::string kind = type.one_of({"sphere", "ellipsoid", "box", "cylinder", "capsule", "convex_hull", "bolt",
                                        "nut", "tet_mesh", "surface_mesh", "half_space"});
  if (kind == "sphere") return parse_sphere(name, value, budget);
  if (kind == "ellipsoid") return parse_ellipsoid(name, value, budget);
  if (kind == "cylinder") return parse_cylinder(name, value, budget);
  if (kind == "capsule") return parse_capsule(name, value, budget);
  if (kind == "convex_hull") return parse_convex_hull(name, value, directory);
  if (kind == "bolt") return parse_bolt(name, value, budget);
  if (kind == "nut") return parse_nut(name, value, budget);
  if (kind == "box") return parse_box(name, value);
  if (kind == "half_space") return parse_half_space(name, value);
  if (kind == "surface_mesh") return parse_surface_mesh(name, value, directory);
  return parse_tet_mesh(name, value, directory);
}

std::vector<Geometry> parse_geometries(const JsonValue& value, const std::filesystem::path& directory) {
  const auto members = value.members();
  if (members.empty()) value.fail("a scene needs at least one geometry");
  if (members.size() > kMaxGeometries)
    value.fail(fmt::format("{} geometries, the limit is {}", members.size(), kMaxGeometries));

  std::vector<Geometry> geometries;
  TetBudget budget;
  for (const auto& [name, geometry] : members) {
    if (name.empty()) geometry.fail("a geometry needs a name");
    geometries.push_back(parse_geometry(name, geometry, directory, budget));
  }
  return geometries;
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
  if (found == names.end())
    reference.fail(fmt::format("no {} is named {}{}", kind, in_quotes(name, '"'), suggestion(name, names)));
  return static_cast<int>(found - names.begin());
}

// The limits are Scene's, told with the location in the file.
double in_range(const JsonValue& value, double low, double high) {
  const double number = low > 0 ? value.positive() : low == 0 ? value.not_negative() : value.number();
  if (!(number >= low && number <= high)) {
    value.fail(low < 0 ? fmt::format("is {}; it must be within {}", number, high)
                       : fmt::format("is {}; it must be from {} to {}", number, low, high));
  }
  return number;
}

double friction_of(const JsonValue& value) { return in_range(value, 0, limits::kMaxFriction); }
double dissipation_of(const JsonValue& value) { return in_range(value, 0, limits::kMaxDissipation); }

void read_vector(const JsonValue& value, double most, double* to) {
  const std::array<double, 3> vector = array_of<3>(value);
  for (const JsonValue& element : value.elements()) in_range(element, -most, most);
  std::copy(vector.begin(), vector.end(), to);
}

void check_orientation(const JsonValue& orientation, const std::array<double, 4>& q) {
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(norm >= limits::kMinQuaternion && norm <= limits::kMaxQuaternion))
    orientation.fail(fmt::format("a quaternion [w, x, y, z] of norm {} cannot be normalised", norm));
}

Body parse_body(const JsonValue& value, const Names& geometries) {
  value.allow({"name", "geometry", "modulus", "dissipation", "friction", "rigid", "fixed", "position", "orientation",
               "linear_velocity", "angular_velocity"});
  Body body;
  body.name = value.required("name").text();
  body.geometry = index_of(value.required("geometry"), geometries, "geometry");
  if (const auto field = value.optional("rigid")) body.rigid = field->boolean();
  if (const auto field = value.optional("fixed")) body.fixed = field->boolean();
  if (const auto field = value.optional("modulus"))
    body.modulus = in_range(*field, limits::kMinModulus, limits::kMaxModulus);
  if (const auto field = value.optional("dissipation")) body.dissipation = dissipation_of(*field);
  if (const auto field = value.optional("friction")) body.friction = friction_of(*field);

  if (const auto field = value.optional("position")) read_vector(*field, limits::kMaxPosition, body.pose.data());
  if (const auto field = value.optional("orientation")) {
    const std::array<double, 4> quaternion = array_of<4>(*field);
    check_orientation(*field, quaternion);
    std::copy(quaternion.begin(), quaternion.end(), body.pose.data() + 3);
  }
  if (const auto field = value.optional("linear_velocity"))
    read_vector(*field, limits::kMaxVelocity, body.velocity.data());
  if (const auto field = value.optional("angular_velocity"))
    read_vector(*field, limits::kMaxAngularVelocity, body.velocity.data() + 3);
  return body;
}

// The same rule as Scene's, told with the location in the file.
void check_body(const JsonValue& value, const Body& body, const Geometry& geometry) {
  if (!body.rigid && geometry.is_surface_mesh())
    value.required("geometry")
        .fail("a surface mesh has no inside to press on; use a tet mesh, or make " + in_quotes(body.name, '"') +
              " rigid");
}

std::vector<Body> parse_bodies(const JsonValue& value, const std::vector<Geometry>& geometries) {
  const std::vector<JsonValue> elements = value.elements();
  if (elements.empty()) value.fail("a scene needs at least one body");
  if (elements.size() > limits::kMaxBodies)
    value.fail(fmt::format("{} bodies, the limit is {}", elements.size(), limits::kMaxBodies));

  const Names geometry_names = names_of(geometries);
  std::vector<Body> bodies;
  for (const JsonValue& element : elements) {
    Body body = parse_body(element, geometry_names);
    check_body(element, body, geometries[static_cast<std::size_t>(body.geometry)]);
    const auto same_name = [&body](const Body& other) { return other.name == body.name; };
    if (std::any_of(bodies.begin(), bodies.end(), same_name))
      element.required("name").fail("another body is already named " + in_quotes(body.name, '"'));
    bodies.push_back(std::move(body));
  }
  return bodies;
}

// ---- pairs

Pair parse_pair(const JsonValue& value, const Names& bodies) {
  Pair pair;
  JsonValue names = value;
  if (!value.is_array()) {
    value.allow({"bodies", "dissipation", "friction"});
    names = value.required("bodies");
    if (const auto field = value.optional("dissipation")) pair.dissipation = dissipation_of(*field);
    if (const auto field = value.optional("friction")) pair.friction = friction_of(*field);
  }
  const std::vector<JsonValue> ends = names.elements();
  if (ends.size() != 2) names.fail(fmt::format("must be two body names, found {}", ends.size()));
  pair.a = index_of(ends[0], bodies, "body");
  pair.b = index_of(ends[1], bodies, "body");
  return pair;
}

// The same rules as Scene's, told with the location in the file.
void check_pair(const JsonValue& value, const Pair& pair, const SceneDescription& scene) {
  const Body& a = scene.bodies[static_cast<std::size_t>(pair.a)];
  const Body& b = scene.bodies[static_cast<std::size_t>(pair.b)];
  const auto is_half_space = [&scene](const Body& body) {
    return scene.geometries[static_cast<std::size_t>(body.geometry)].kind == GeometryKind::kHalfSpace;
  };
  if (pair.a == pair.b) value.fail("pairs " + in_quotes(a.name, '"') + " with itself");
  if (a.rigid && b.rigid)
    value.fail(in_quotes(a.name, '"') + " and " + in_quotes(b.name, '"') + " are both rigid; one must be compliant");
  if (is_half_space(a) && is_half_space(b))
    value.fail(in_quotes(a.name, '"') + " and " + in_quotes(b.name, '"') + " are both half spaces; one must be a mesh");
}

std::vector<Pair> parse_pairs(const JsonValue& value, const SceneDescription& scene) {
  const Names bodies = names_of(scene.bodies);
  std::vector<Pair> pairs;
  std::set<std::pair<int, int>> seen;
  for (const JsonValue& element : value.elements()) {
    const Pair pair = parse_pair(element, bodies);
    check_pair(element, pair, scene);
    if (!seen.emplace(std::minmax(pair.a, pair.b)).second) element.fail("these two bodies are paired already");
    pairs.push_back(pair);
  }
  return pairs;
}

// ---- contact law

ContactOptions parse_contact(const JsonValue& value) {
  value.allow({"dissipation_model", "quadrature", "slip_tolerance", "gradient_filter"});
  ContactOptions contact;
  if (const auto field = value.optional("dissipation_model"))
    contact.dissipation_model =
        field->one_of({"hunt_crossley", "pfc"}) == "pfc" ? DissipationModel::kPfc : DissipationModel::kHuntCrossley;
  if (const auto field = value.optional("quadrature")) {
    const std::string rule = field->one_of({"centroid", "fan3", "fan6"});
    contact.quadrature = rule == "centroid" ? Quadrature::kCentroid
                         : rule == "fan3"   ? Quadrature::kFan3
                                            : Quadrature::kFan6;
  }
  if (const auto field = value.optional("slip_tolerance"))
    contact.slip_tolerance = in_range(*field, limits::kMinSlipTolerance, limits::kMaxSlipTolerance);
  if (const auto field = value.optional("gradient_filter")) contact.gradient_filter = field->boolean();
  return contact;
}

}  // namespace

SceneDescription parse_scene(const std::string& json, const std::string& directory, const std::string& source) {
  const StandardArithmetic standard;
  const JsonValue::Document document = JsonValue::parse(json, source);
  const JsonValue root(document, source);
  root.allow({"isopatch", "geometries", "bodies", "pairs", "contact"});
  root.required("isopatch").integer(1, 1);

  SceneDescription scene;
  if (const auto contact = root.optional("contact")) scene.contact = parse_contact(*contact);
  scene.geometries = parse_geometries(root.required("geometries"), directory);
  scene.bodies = parse_bodies(root.required("bodies"), scene.geometries);
  const auto pairs = root.optional("pairs");
  scene.pairs = pairs ? parse_pairs(*pairs, scene) : all_pairs(scene);
  return scene;
}

SceneDescription read_scene(const std::string& path) {
  return parse_scene(read_input_file(path, limits::kMaxSceneBytes), std::filesystem::path(path).parent_path().string(),
                     path);
}

}  // namespace isopatch
