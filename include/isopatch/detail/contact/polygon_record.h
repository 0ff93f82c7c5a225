// SPDX-License-Identifier: Apache-2.0
//
// How a polygon of results is written: its corners one by one, then the rest.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/vec.h"
#include "isopatch/results/records.h"

namespace isopatch::detail {

inline constexpr int kMaxCorners = 8;
static_assert(sizeof(Polygon::pressures) == kMaxCorners * sizeof(float));

/// What a polygon has besides corners.
struct alignas(16) PolygonRest {
  std::int32_t pair, num_vertices;
  Vec3f normal;
  float area;
  std::int32_t part_a, part_b;
};

ISOPATCH_HD void write_corner(Polygon& to, int i, const Vec3f& point, float pressure) {
  to.vertices[i][0] = point.x;
  to.vertices[i][1] = point.y;
  to.vertices[i][2] = point.z;
  to.pressures[i] = pressure;
}

/// What is beyond the corners is zero.
ISOPATCH_HD void write_rest(Polygon& to, const PolygonRest& rest) {
  ISOPATCH_NO_UNROLL
  for (int i = rest.num_vertices; i < kMaxCorners; ++i) write_corner(to, i, {0, 0, 0}, 0);
  to.pair = rest.pair;
  to.num_vertices = rest.num_vertices;
  to.normal[0] = rest.normal.x;
  to.normal[1] = rest.normal.y;
  to.normal[2] = rest.normal.z;
  to.area = rest.area;
  to.part_a = rest.part_a;
  to.part_b = rest.part_b;
}

/// A polygon between two kernels. A thread writes a corner by one instruction, whereas each of the 40 words of a
/// Polygon would take one, in a cache line that no other thread writes.
struct ListedPolygon {
  struct alignas(16) Corner {
    Vec3f point;
    float pressure;
  };
  Corner corners[kMaxCorners];  // not written beyond the corners that there are
  PolygonRest rest;
};

ISOPATCH_HD void write_corner(ListedPolygon& to, int i, const Vec3f& point, float pressure) {
  to.corners[i] = {point, pressure};
}
ISOPATCH_HD void write_rest(ListedPolygon& to, const PolygonRest& rest) { to.rest = rest; }

/// Writes a polygon to one or two places; null is none.
template <class Second>
struct PolygonWriter {
  Polygon* first;
  Second* second;

  ISOPATCH_HD void corner(int i, const Vec3f& point, float pressure) const {
    if (first != nullptr) write_corner(*first, i, point, pressure);
    if (second != nullptr) write_corner(*second, i, point, pressure);
  }
  ISOPATCH_HD void end(const PolygonRest& rest) const {
    if (first != nullptr) write_rest(*first, rest);
    if (second != nullptr) write_rest(*second, rest);
  }
};
template <class Second>
PolygonWriter(Polygon*, Second*) -> PolygonWriter<Second>;  // Clang before 17 does not deduce it

/// A record of results between two kernels.
template <class Record>
struct Listed {
  using Type = Record;
};
template <>
struct Listed<Polygon> {
  using Type = ListedPolygon;
};
template <class Record>
using ListedRecord = typename Listed<Record>::Type;

}  // namespace isopatch::detail
