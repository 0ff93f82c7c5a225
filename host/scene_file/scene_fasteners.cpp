// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/primitives/tet_counts.h"
#include "host/scene_file/scene_geometries.h"
#include "isopatch/geometry/screw_thread.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

void parse_thread(const JsonValue& value, ScrewThread& thread) {
  if (const auto field = value.optional("pitch")) thread.pitch = field->positive();
  if (const auto field = value.optional("clearance")) thread.clearance = field->not_negative();
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

bool is_surface_only(const JsonValue& value) {
  const auto field = value.optional("surface_only");
  return field && field->boolean();
}

}  // namespace

Geometry parse_bolt(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "diameter", "pitch", "clearance", "length", "head_height", "across_flats", "segments",
               "edge_length", "surface_only", "refinement", "strain"});
  Bolt bolt = metric_bolt(parse_diameter(value));
  parse_thread(value, bolt.thread);
  parse_length(value, "length", bolt.length);
  parse_length(value, "across_flats", bolt.across_flats);
  if (const auto field = value.optional("head_height")) bolt.head_height = field->not_negative();
  bolt.segments = parse_segments(value, bolt.thread, bolt.segments);

  if (is_surface_only(value)) {
    return with_location(value, [&] { return make_surface_mesh(name, make_bolt_surface(bolt)); });
  }
  budget.take(value, bolt_tets(bolt));
  return with_location(value, [&] { return make_bolt(name, bolt); });
}

Geometry parse_nut(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "diameter", "pitch", "clearance", "height", "across_flats", "segments", "edge_length",
               "surface_only", "refinement", "strain"});
  Nut nut = metric_nut(parse_diameter(value));
  parse_thread(value, nut.thread);
  parse_length(value, "height", nut.height);
  parse_length(value, "across_flats", nut.across_flats);
  nut.segments = parse_segments(value, nut.thread, nut.segments);

  if (is_surface_only(value)) {
    return with_location(value, [&] { return make_surface_mesh(name, make_nut_surface(nut)); });
  }
  budget.take(value, nut_tets(nut));
  return with_location(value, [&] { return make_nut(name, nut); });
}

}  // namespace isopatch::detail
