// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/mesh/primitives/tet_counts.h"
#include "host/mesh/scale.h"
#include "host/scene/enumerator_names.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "isopatch/geometry/screw_thread.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

constexpr std::int64_t kMaxTets = 4'000'000;
constexpr int kDefaultSubdivisions = 2;
constexpr int kDefaultSegments = 32;

int parse_subdivisions(const JsonValue& value, double radius, TetBudget& budget) {
  refuse_both(value, "subdivisions", "edge_length");
  int subdivisions = kDefaultSubdivisions;
  if (const auto field = value.optional("subdivisions")) subdivisions = field->integer(0, limits::kMaxSubdivisions);
  if (const auto edge = value.optional("edge_length")) {
    subdivisions = with_location(*edge, [&] { return sphere_subdivisions(radius, edge->positive()); });
  }
  budget.take(value, sphere_tets(subdivisions));
  return subdivisions;
}

int parse_segments(const JsonValue& value, double radius) {
  refuse_both(value, "segments", "edge_length");
  if (const auto edge = value.optional("edge_length")) {
    return with_location(*edge, [&] { return circle_segments(radius, edge->positive()); });
  }
  const auto field = value.optional("segments");
  if (!field) return kDefaultSegments;
  const int segments = field->integer(limits::kSegmentStep, limits::kMaxSegments);
  if (segments % limits::kSegmentStep != 0) {
    field->fail("must be a multiple of {}, found {}", limits::kSegmentStep, segments);
  }
  return segments;
}

Facets parse_facets(const JsonValue& value) {
  const auto field = value.optional("facets");
  return field ? static_cast<Facets>(field->one_of(kFacetsNames)) : Facets::kInscribed;
}

double parse_diameter(const JsonValue& value) {
  const auto field = value.optional("diameter");
  return field ? field->positive() : ScrewThread().diameter;
}

void parse_length(const JsonValue& value, const char* key, double& length) {
  if (const auto field = value.optional(key)) length = field->positive();
}

int parse_segments(const JsonValue& value, const ScrewThread& thread, int segments) {
  constexpr int kStep = limits::kThreadSegmentStep;
  const auto field = value.optional("segments");
  const auto edge = value.optional("edge_length");
  refuse_both(value, "segments", "edge_length");
  if (field) return field->integer(kStep, limits::kMaxThreadSegments);
  if (!edge) return segments;
  const int needed = with_location(*edge, [&] { return circle_segments(thread.diameter / 2, edge->positive()); });
  return (needed + kStep - 1) / kStep * kStep;
}

/// A bolt or a nut, of which only what both have is left to read.
template <class Fastener, class Surface, class Tets, class Make>
Geometry parse_fastener(const std::string& name, const JsonValue& value, TetBudget& budget, Fastener fastener,
                        Surface make_surface, Tets tets, Make make) {
  parse_length(value, "pitch", fastener.thread.pitch);
  if (const auto field = value.optional("clearance")) fastener.thread.clearance = field->not_negative();
  parse_length(value, "across_flats", fastener.across_flats);
  fastener.segments = parse_segments(value, fastener.thread, fastener.segments);
  const auto surface_only = value.optional("surface_only");
  if (surface_only && surface_only->boolean()) {
    return with_location(value, [&] { return make_surface_mesh(name, make_surface(fastener)); });
  }
  budget.take(value, tets(fastener));
  return with_location(value, [&] { return make(name, fastener); });
}

}  // namespace

void TetBudget::require(const JsonValue& location, std::int64_t tets) const {
  if (taken_ + tets <= kMaxTets) return;
  location.fail("the geometries up to here have {} tets, the limit is {}; make them coarser", taken_ + tets, kMaxTets);
}

void TetBudget::take(const JsonValue& location, std::int64_t tets) {
  require(location, tets);
  taken_ += tets;
}

Geometry parse_sphere(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "radius", "subdivisions", "edge_length", "facets", "refinement", "strain"});
  const double radius = value.required("radius").positive();
  const int subdivisions = parse_subdivisions(value, radius, budget);
  const Facets facets = parse_facets(value);
  return with_location(value, [&] { return make_sphere(name, radius, subdivisions, facets); });
}

Geometry parse_ellipsoid(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "semi_axes", "subdivisions", "edge_length", "facets", "refinement", "strain"});
  const JsonValue axes = value.required("semi_axes");
  const Point3 semi_axes = axes.numbers<3>();
  for (const JsonValue& axis : axes.elements()) axis.positive();
  const double longest = *std::max_element(semi_axes.begin(), semi_axes.end());
  const int subdivisions = parse_subdivisions(value, longest, budget);
  const Facets facets = parse_facets(value);
  return with_location(value, [&] { return make_ellipsoid(name, semi_axes, subdivisions, facets); });
}

Geometry parse_cylinder(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "radius", "height", "segments", "edge_length", "facets", "refinement", "strain"});
  const double radius = value.required("radius").positive();
  const double height = value.required("height").positive();
  const int segments = parse_segments(value, radius);
  budget.take(value, cylinder_tets(segments));
  const Facets facets = parse_facets(value);
  return with_location(value, [&] { return make_cylinder(name, radius, height, segments, facets); });
}

Geometry parse_capsule(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "radius", "length", "segments", "edge_length", "facets", "refinement", "strain"});
  const double radius = value.required("radius").positive();
  const double length = value.required("length").positive();
  const int segments = parse_segments(value, radius);
  budget.take(value, capsule_tets(segments));
  const Facets facets = parse_facets(value);
  return with_location(value, [&] { return make_capsule(name, radius, length, segments, facets); });
}

Geometry parse_convex_hull(const std::string& name, const JsonValue& value, const MeshSource& meshes, bool has_tets) {
  value.allow({"type", "points", "file", "scale", "units", "refinement", "strain"});
  refuse_both(value, "points", "file");
  const FileScale scale = parse_scale(value);
  const auto file = value.optional("file");
  std::vector<Point3> points;
  if (file) {
    points = with_location(*file, [&] { return meshes.points(file->text()); });
  } else {
    for (const JsonValue& point : value.required("points").elements()) points.push_back(point.numbers<3>());
  }
  scale_points(points, scale.factors);
  const auto make = has_tets ? make_convex_hull : make_convex_hull_surface;
  Geometry hull = with_location(value, [&] { return make(name, points); });
  if (file) warn_of_units(hull, meshes.shown(file->text()), scale);
  return hull;
}

Geometry parse_polygon(const std::string& name, const JsonValue& value) {
  value.allow({"type", "points"});
  std::vector<std::array<double, 2>> points;
  for (const JsonValue& point : value.required("points").elements()) points.push_back(point.numbers<2>());
  return with_location(value, [&] { return make_polygon(name, points); });
}

Geometry parse_bolt(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "diameter", "pitch", "clearance", "length", "head_height", "across_flats", "segments",
               "edge_length", "surface_only", "refinement", "strain"});
  Bolt bolt = metric_bolt(parse_diameter(value));
  parse_length(value, "length", bolt.length);
  if (const auto field = value.optional("head_height")) bolt.head_height = field->not_negative();
  return parse_fastener(name, value, budget, bolt, make_bolt_surface, bolt_tets, make_bolt);
}

Geometry parse_nut(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "diameter", "pitch", "clearance", "height", "across_flats", "segments", "edge_length",
               "surface_only", "refinement", "strain"});
  Nut nut = metric_nut(parse_diameter(value));
  parse_length(value, "height", nut.height);
  return parse_fastener(name, value, budget, nut, make_nut_surface, nut_tets, make_nut);
}

}  // namespace isopatch::detail
