// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "host/scene_file/scene_geometries.h"
#include "isopatch/error.h"
#include "isopatch/screw_thread.h"

namespace isopatch::detail {
namespace {

// thread.h says how many tets a segment has; those at the ends and of the head are a few more.
constexpr std::int64_t kTetsOfSegment = 80;
constexpr int kSegmentStep = 12;

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
  const auto field = value.optional("segments");
  const auto edge = value.optional("edge_length");
  if (field && edge) value.fail(R"(has "segments" and "edge_length"; give one)");
  if (field) return field->integer(kSegmentStep, 720);
  if (!edge) return segments;
  try {
    const int needed = circle_segments(thread.diameter / 2, edge->positive());
    return (needed + kSegmentStep - 1) / kSegmentStep * kSegmentStep;
  } catch (const Error& error) {
    edge->fail(error.what());
  }
}

void take_tets(const JsonValue& value, const ScrewThread& thread, double length, int segments, TetBudget& budget) {
  const double turns = std::fmin(length / thread.pitch, 1e9);
  budget.take(value, static_cast<std::int64_t>(std::ceil(turns)) * segments * kTetsOfSegment);
}

bool is_surface_only(const JsonValue& value) {
  const auto field = value.optional("surface_only");
  return field && field->boolean();
}

}  // namespace

Geometry parse_bolt(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow({"type", "diameter", "pitch", "clearance", "length", "head_height", "across_flats", "segments",
               "edge_length", "surface_only"});
  Bolt bolt = metric_bolt(parse_diameter(value));
  parse_thread(value, bolt.thread);
  parse_length(value, "length", bolt.length);
  parse_length(value, "across_flats", bolt.across_flats);
  if (const auto field = value.optional("head_height")) bolt.head_height = field->not_negative();
  bolt.segments = parse_segments(value, bolt.thread, bolt.segments);

  if (is_surface_only(value))
    return with_location(value, [&] { return make_surface_mesh(name, make_bolt_surface(bolt)); });
  take_tets(value, bolt.thread, bolt.length, bolt.segments, budget);
  return with_location(value, [&] { return make_bolt(name, bolt); });
}

Geometry parse_nut(const std::string& name, const JsonValue& value, TetBudget& budget) {
  value.allow(
      {"type", "diameter", "pitch", "clearance", "height", "across_flats", "segments", "edge_length", "surface_only"});
  Nut nut = metric_nut(parse_diameter(value));
  parse_thread(value, nut.thread);
  parse_length(value, "height", nut.height);
  parse_length(value, "across_flats", nut.across_flats);
  nut.segments = parse_segments(value, nut.thread, nut.segments);

  if (is_surface_only(value))
    return with_location(value, [&] { return make_surface_mesh(name, make_nut_surface(nut)); });
  take_tets(value, nut.thread, nut.height, nut.segments, budget);
  return with_location(value, [&] { return make_nut(name, nut); });
}

}  // namespace isopatch::detail
