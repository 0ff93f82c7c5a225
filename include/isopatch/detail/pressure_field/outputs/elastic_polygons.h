// SPDX-License-Identifier: Apache-2.0
//
// Elastic polygons in a warp's memory: each of their numbers beside those of 31 others, so that lanes that write or
// read polygons side by side share a few lines of the cache.
#pragma once

#include <cstdint>

#include "isopatch/detail/contact/patch_contacts.h"

namespace isopatch::detail {

struct ElasticPolygons {
  static constexpr int kBlock = 32;
  static constexpr int kNumbers = sizeof(ElasticPolygon) / sizeof(double);

  double* numbers;  // in blocks of kNumbers * kBlock

  /// Of room for so many polygons, which begins at a block.
  static constexpr std::size_t numbers_for(std::size_t polygons) {
    return (polygons + kBlock - 1) / kBlock * kBlock * kNumbers;
  }

  ISOPATCH_HD void put(std::int64_t at, ElasticPolygon polygon) const {
    double* to = first_of(at);
    for_each_number(polygon, [&](double& number) {
      *to = number;
      to += kBlock;
    });
  }

  ISOPATCH_HD ElasticPolygon get(std::int64_t at) const {
    ElasticPolygon polygon;
    const double* from = first_of(at);
    for_each_number(polygon, [&](double& number) {
      number = *from;
      from += kBlock;
    });
    return polygon;
  }

 private:
  ISOPATCH_HD double* first_of(std::int64_t at) const {
    return numbers + (at / kBlock * kNumbers * kBlock + at % kBlock);
  }

  template <class Visit>
  ISOPATCH_HD static void for_each_number(ElasticPolygon& p, const Visit& visit) {
    for (Vec3d* v : {&p.centroid, &p.u, &p.v, &p.normal}) visit(v->x), visit(v->y), visit(v->z);
    for (double* number : {&p.force, &p.stiffness, &p.xx, &p.xy, &p.yy, &p.x, &p.y}) visit(*number);
  }
};

}  // namespace isopatch::detail
