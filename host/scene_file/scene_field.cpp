// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"
#include "isopatch/error.h"

namespace isopatch::detail {
namespace {

FieldCore parse_core(const JsonValue& value) {
  value.allow({"depth", "ball", "vertices"});
  const auto depth = value.optional("depth");
  const auto ball = value.optional("ball");
  const auto vertices = value.optional("vertices");
  if (int{depth.has_value()} + int{ball.has_value()} + int{vertices.has_value()} > 1) {
    value.fail(R"(has more than one of "depth", "ball" and "vertices"; give one)");
  }

  FieldCore core;
  if (depth) {
    core.kind = FieldCore::Kind::kDepth;
    core.depth = depth->positive();
  } else if (ball) {
    ball->allow({"center", "radius"});
    core.kind = FieldCore::Kind::kBall;
    core.center = ball->required("center").numbers<3>();
    core.radius = ball->required("radius").positive();
  } else if (vertices) {
    core.kind = FieldCore::Kind::kVertices;
    for (const JsonValue& vertex : vertices->elements()) core.vertices.push_back(vertex.integer(0, 2147483647));
  }
  return core;
}

}  // namespace

FieldOptions parse_field(const JsonValue& geometry) {
  FieldOptions options;
  if (const auto field = geometry.optional("field")) {
    if (field->is_string()) {
      const bool laplace = field->one_of({"distance", "laplace"}) == 1;
      options.kind = laplace ? FieldOptions::Kind::kLaplace : FieldOptions::Kind::kDistance;
    } else {
      field->allow({"point_data", "laplace"});
      const auto core = field->optional("laplace");
      if (core && field->optional("point_data")) field->fail(R"(has "point_data" and "laplace"; give one)");
      options.kind = core ? FieldOptions::Kind::kLaplace : FieldOptions::Kind::kPointData;
      if (core) {
        options.core = parse_core(*core);
      } else {
        options.point_data = field->required("point_data").text();
      }
    }
  }
  if (const auto tets = geometry.optional("all_boundary_tets")) {
    options.all_boundary_tets = static_cast<AllBoundaryTets>(tets->one_of({"split", "refuse"}));
  }
  return options;
}

StrainMap parse_strain(const JsonValue& value) {
  StrainMap map;
  if (value.is_string()) {
    value.one_of({"linear"});
    return map;
  }
  value.allow({"true", "power", "table", "tolerance"});
  const auto tolerance = value.optional("tolerance");
  if (value.members().size() != (tolerance ? 2U : 1U)) {
    value.fail(R"(must be "linear" or have one of "true", "power" and "table")");
  }
  if (const auto strain = value.optional("true")) {
    map.kind = StrainMap::Kind::kTrue;
    map.parameter = strain->positive();
    if (map.parameter >= 1) strain->fail("must be less than 1: the strain where the extent is 1");
  } else if (const auto power = value.optional("power")) {
    map.kind = StrainMap::Kind::kPower;
    map.parameter = power->positive();
  } else if (const auto table = value.optional("table")) {
    if (tolerance) tolerance->fail("a table needs none: the pressure is linear between its rows");
    map.kind = StrainMap::Kind::kTable;
    for (const JsonValue& row : table->elements()) map.table.push_back(row.numbers<2>());
    with_location(*table, [&] { check_strain_map(map); });
  }
  if (tolerance) {
    map.tolerance = tolerance->number();
    with_location(*tolerance, [&] { check_strain_map(map); });
  }
  return map;
}

}  // namespace isopatch::detail
