// SPDX-License-Identifier: Apache-2.0
//
// The size of geometries whose coordinates come from files: `scale`, `units`, and what suggests other units.
#include <fmt/format.h>

#include "host/mesh/scale.h"
#include "host/scene_file/scene_geometries.h"

namespace isopatch::detail {
namespace {

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
