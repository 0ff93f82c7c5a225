// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_geometries.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/mesh/files/mesh_files.h"
#include "host/mesh/primitives/tet_counts.h"
#include "host/mesh/scale.h"
#include "host/scene_file/scene_values.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr std::size_t kMaxGeometries = 256;

/// Errors and warnings about a mesh name its file; after that, the geometry has its name in the scene.
template <class Read, class Make>
Geometry parse_mesh(const std::string& name, const JsonValue& value, const MeshSource& meshes, Read read, Make make) {
  const std::string file = value.required("file").text(), shown = meshes.shown(file);
  const FileScale size = parse_scale(value);
  return with_location(value, [&] {
    auto mesh = (meshes.*read)(file);
    scale(mesh, size.factors);
    Geometry geometry = make(shown, std::move(mesh));
    warn_of_units(geometry, shown, size);
    geometry.name = name;
    return geometry;
  });
}

Geometry parse_tet_mesh(const std::string& name, const JsonValue& value, const MeshSource& meshes) {
  value.allow({"type", "file", "scale", "units", "field", "all_boundary_tets", "refinement", "strain"});
  const FieldOptions field = parse_field(value);
  const auto make = [&](const std::string& shown, TetMesh mesh) {
    return make_tet_mesh(shown, std::move(mesh), field);
  };
  return parse_mesh(name, value, meshes, &MeshSource::tet_mesh, make);
}

Geometry parse_surface_mesh(const std::string& name, const JsonValue& value, const MeshSource& meshes) {
  value.allow({"type", "file", "scale", "units"});
  return parse_mesh(name, value, meshes, &MeshSource::surface, make_surface_mesh);
}

Geometry parse_box(const std::string& name, const JsonValue& value) {
  value.allow({"type", "size", "refinement", "strain"});
  const JsonValue edges = value.required("size");
  const Point3 size = edges.numbers<3>();
  for (const JsonValue& edge : edges.elements()) edge.positive();
  return with_location(value, [&] { return make_box(name, size); });
}

Geometry parse_half_space(const std::string& name, const JsonValue& value) {
  refuse_scale_of_half_space(value);
  value.allow({"type", "thickness", "strain"});
  const auto field = value.optional("thickness");
  const double thickness = field ? field->positive() : 1;  // make_half_space() knows the limits
  return with_location(value, [&] { return make_half_space(name, thickness); });
}

Geometry parse_shape(const std::string& name, const JsonValue& value, const MeshSource& meshes, TetBudget& budget,
                     bool hull_has_tets) {
  const JsonValue type = value.required("type");
  if (type.text() == "given") {
    value.allow({"type"});
    return meshes.given(value, name);
  }
  const std::string kind = type.text();
  type.one_of({"sphere", "ellipsoid", "box", "cylinder", "capsule", "convex_hull", "polygon", "bolt", "nut", "tet_mesh",
               "surface_mesh", "half_space"});
  if (kind == "sphere") return parse_sphere(name, value, budget);
  if (kind == "ellipsoid") return parse_ellipsoid(name, value, budget);
  if (kind == "cylinder") return parse_cylinder(name, value, budget);
  if (kind == "capsule") return parse_capsule(name, value, budget);
  if (kind == "convex_hull") return parse_convex_hull(name, value, meshes, hull_has_tets);
  if (kind == "polygon") return parse_polygon(name, value);
  if (kind == "bolt") return parse_bolt(name, value, budget);
  if (kind == "nut") return parse_nut(name, value, budget);
  if (kind == "box") return parse_box(name, value);
  if (kind == "half_space") return parse_half_space(name, value);
  if (kind == "surface_mesh") return parse_surface_mesh(name, value, meshes);
  return parse_tet_mesh(name, value, meshes);
}

Geometry refined(Geometry geometry, int times, const JsonValue& field, TetBudget& budget) {
  const auto tets = std::ssize(geometry.mesh.tets);
  budget.take(field, (tets << 3 * times) - tets);
  return with_location(field, [&] { return refine(std::move(geometry), times); });
}

Geometry strained(Geometry geometry, const StrainMap& map, const JsonValue& field, TetBudget& budget) {
  const auto tets = std::ssize(geometry.mesh.tets);
  budget.require(field, with_location(field, [&] { return least_tets_with_strain(geometry, map); }) - tets);
  geometry = with_location(field, [&] { return with_strain(std::move(geometry), map); });
  budget.take(field, std::ssize(geometry.mesh.tets) - tets);
  return geometry;
}

Geometry parse_geometry(const std::string& name, const JsonValue& value, const MeshSource& meshes, TetBudget& budget,
                        bool has_tets) {
  const auto refinement = value.optional("refinement"), strain = value.optional("strain");
  const int times = refinement ? refinement->integer(0, limits::kMaxRefinements) : 0;
  const StrainMap map = strain ? parse_strain(*strain) : StrainMap{};
  Geometry geometry = parse_shape(name, value, meshes, budget, has_tets || refinement || strain);
  if (refinement) geometry = refined(std::move(geometry), times, *refinement, budget);
  if (strain) geometry = strained(std::move(geometry), map, *strain, budget);
  return geometry;
}

struct Unit {
  const char* name;
  double metres;
};
constexpr Unit kUnits[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};

Point3 parse_units(const JsonValue& value) {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) names.emplace_back(unit.name);
  const Unit& unit = kUnits[value.one_of(names)];
  return {unit.metres, unit.metres, unit.metres};
}

Point3 parse_factors(const JsonValue& value) {
  if (!value.is_array()) {
    const double factor = value.number();
    if (factor < 0) {
      value.fail("one factor must be greater than 0, found {}; three numbers mirror, e.g. [{}, {}, {}]", factor, factor,
                 -factor, -factor);
    }
    value.positive();
    return {factor, factor, factor};
  }
  if (const std::size_t count = value.elements().size(); count != 3) {
    value.fail("must be one number or three, found {}", count);
  }
  const Point3 factors = value.numbers<3>();
  with_location(value, [&] { check_factors(factors); });
  return factors;
}

}  // namespace

void refuse_both(const JsonValue& value, const char* a, const char* b) {
  if (value.optional(a) && value.optional(b)) value.fail("has \"{}\" and \"{}\"; give one", a, b);
}

std::vector<Geometry> parse_geometries(const JsonValue& value, const MeshSource& meshes,
                                       const std::set<std::string>& without_tets) {
  const auto members = value.members();
  if (members.empty()) value.fail("a scene needs at least one geometry");
  if (members.size() > kMaxGeometries) value.fail("{} geometries, the limit is {}", members.size(), kMaxGeometries);

  std::vector<Geometry> geometries;
  TetBudget budget;
  for (const auto& [name, geometry] : members) {
    if (name.empty()) geometry.fail("a geometry needs a name");
    geometries.push_back(parse_geometry(name, geometry, meshes, budget, !without_tets.contains(name)));
  }
  return geometries;
}

std::string MeshSource::shown(const std::string& file) const {
  const bool in_memory = meshes_.tet_meshes.contains(file) || meshes_.surfaces.contains(file);
  return in_memory ? file : (directory_ / file).string();
}

TetMesh MeshSource::tet_mesh(const std::string& file) const {
  const auto found = meshes_.tet_meshes.find(file);
  return found == meshes_.tet_meshes.end() ? read_tet_mesh((directory_ / file).string()) : found->second;
}

TriangleMesh MeshSource::surface(const std::string& file) const {
  const auto found = meshes_.surfaces.find(file);
  return found == meshes_.surfaces.end() ? read_triangle_mesh((directory_ / file).string()) : found->second;
}

std::vector<Point3> MeshSource::points(const std::string& file) const {
  if (meshes_.tet_meshes.contains(file)) return tet_mesh(file).points;
  if (meshes_.surfaces.contains(file) || is_surface_file(file)) return surface(file).points;
  return tet_mesh(file).points;
}

Geometry MeshSource::given(const JsonValue& location, const std::string& name) const {
  const Names names = names_of(meshes_.geometries);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    location.fail(
        fmt::format("is \"given\", but no geometry of this name was given with the text{}", suggestion(name, names)),
        {.wanted = "a given geometry " + in_quotes(name, '"')});
  }
  if (std::count(names.begin(), names.end(), name) > 1) location.fail("is given more than once; give one of each name");
  return meshes_.geometries[found - names.begin()];
}

FileScale parse_scale(const JsonValue& geometry) {
  refuse_both(geometry, "scale", "units");
  if (const auto field = geometry.optional("scale")) return {parse_factors(*field), true};
  if (const auto field = geometry.optional("units")) return {parse_units(*field), true};
  return {};
}

void refuse_scale_of_half_space(const JsonValue& geometry) {
  for (const char* key : {"scale", "units"}) {
    const auto field = geometry.optional(key);
    if (field) field->fail("a half space is the same at every scale; give its \"thickness\" in metres");
  }
}

void warn_of_units(Geometry& geometry, const std::string& file, const FileScale& scale) {
  geometry.size_is_known = true;
  if (scale.is_stated) return;
  if (const auto doubt = doubt_of_units(file, longest_side(geometry))) {
    geometry.warnings.push_back(
        fmt::format(R"({} Say {}; "units": "m" silences this)", doubt->question, doubt->remedy));
  }
}

}  // namespace isopatch::detail
