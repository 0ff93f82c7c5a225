// SPDX-License-Identifier: Apache-2.0
//
// The records that polygons and point contacts are written as.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace isopatch {

/// One polygon of a contact patch, world frame.
struct Polygon {
  std::int32_t pair;          ///< index into SceneDescription::pairs
  std::int32_t num_vertices;  ///< 3 to 8
  float vertices[8][3];       ///< m, counter-clockwise seen from the side the normal points to
  float pressures[8];         ///< Pa at the vertices
  float normal[3];            ///< unit, from body b into body a
  float area;                 ///< m^2
  std::int32_t part_a;        ///< the part of body a, numbered through the scene
  std::int32_t part_b;        ///< the part of body b
};

/// One polygon as a spring and damper at a point, world frame (VL eqs. 12, 15, 16 and 23), for solvers that take point
/// contacts: at rest its normal force is stiffness * -distance = area * pressure. A polygon across which the pressure
/// does not rise into each compliant body has none.
struct DiscreteContact {
  std::int32_t pair;  ///< index into SceneDescription::pairs
  float point[3];     ///< centroid of the polygon, m
  float normal[3];    ///< unit, from body b into body a
  float area;         ///< m^2
  float pressure;     ///< p0 at the point, Pa
  float stiffness;    ///< k = area * g, N/m
  float distance;     ///< phi0 = -p0 / g, m, negative
  float dissipation;  ///< d, s/m, also under the pfc law
  float friction;     ///< coefficient of the pair

  std::int32_t part_a;  ///< the part of body a, numbered through the scene
  std::int32_t part_b;  ///< the part of body b
};

/// A member of a record. An array of K records is an array of K rows of `sizeof(Record) / 4` words of 4 bytes, and a
/// member is the elements from word `offset / 4` on of every row: a view with a stride, without a copy.
struct RecordField {
  const char* name;    ///< of the member
  const char* type;    ///< of an element, which has 4 bytes: "float32" or "int32"
  int rows;            ///< 8 of what has one for each vertex, else 1
  int width;           ///< elements of a row
  std::size_t offset;  ///< bytes from the beginning of the record
  const char* unit;    ///< of the elements
};

/// The members of a record in their order; none of what is no record.
template <class Record>
inline constexpr std::array<RecordField, 0> kRecordFields = {};

/// The members of Polygon in their order. Of `vertices` and `pressures` the first `num_vertices` rows count.
template <>
inline constexpr std::array<RecordField, 8> kRecordFields<Polygon> = {{
    {"pair", "int32", 1, 1, offsetof(Polygon, pair), "index"},
    {"num_vertices", "int32", 1, 1, offsetof(Polygon, num_vertices), "1"},
    {"vertices", "float32", 8, 3, offsetof(Polygon, vertices), "m"},
    {"pressures", "float32", 8, 1, offsetof(Polygon, pressures), "Pa"},
    {"normal", "float32", 1, 3, offsetof(Polygon, normal), "1"},
    {"area", "float32", 1, 1, offsetof(Polygon, area), "m^2"},
    {"part_a", "int32", 1, 1, offsetof(Polygon, part_a), "index"},
    {"part_b", "int32", 1, 1, offsetof(Polygon, part_b), "index"},
}};

/// The members of DiscreteContact in their order.
template <>
inline constexpr std::array<RecordField, 11> kRecordFields<DiscreteContact> = {{
    {"pair", "int32", 1, 1, offsetof(DiscreteContact, pair), "index"},
    {"point", "float32", 1, 3, offsetof(DiscreteContact, point), "m"},
    {"normal", "float32", 1, 3, offsetof(DiscreteContact, normal), "1"},
    {"area", "float32", 1, 1, offsetof(DiscreteContact, area), "m^2"},
    {"pressure", "float32", 1, 1, offsetof(DiscreteContact, pressure), "Pa"},
    {"stiffness", "float32", 1, 1, offsetof(DiscreteContact, stiffness), "N/m"},
    {"distance", "float32", 1, 1, offsetof(DiscreteContact, distance), "m"},
    {"dissipation", "float32", 1, 1, offsetof(DiscreteContact, dissipation), "s/m"},
    {"friction", "float32", 1, 1, offsetof(DiscreteContact, friction), "1"},
    {"part_a", "int32", 1, 1, offsetof(DiscreteContact, part_a), "index"},
    {"part_b", "int32", 1, 1, offsetof(DiscreteContact, part_b), "index"},
}};

}  // namespace isopatch
