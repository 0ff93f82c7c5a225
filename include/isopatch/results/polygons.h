// SPDX-License-Identifier: Apache-2.0
//
// The polygons of each environment, and the same as point contacts.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"
#include "isopatch/results/records.h"

namespace isopatch {

/// The polygons of N environments in buffers, one for each environment.
template <class Kind>
struct PolygonOutputs {
  // contact polygons, a row for each environment, in no particular order
  BufferOf<Kind, Polygon> polygons;             ///< N x capacity
  ArrayOf<Kind, std::int32_t> polygons_needed;  ///< N   the capacity that would have been enough; required with
                                                ///< polygons, and may be asked for alone

  // the same as point contacts
  BufferOf<Kind, DiscreteContact> contacts;     ///< N x capacity
  ArrayOf<Kind, std::int32_t> contacts_needed;  ///< N   required with contacts, and may be asked for alone
};

/// Calls visit(info, array) for every array of PolygonOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_polygon_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"polygons", "Polygon", Per::kPolygonCapacity, 1, "", OutputGroup::kPolygons}, o.polygons...);
  visit(ArrayInfo{"polygons_needed", "int32", Per::kEnvironment, 1, "1", OutputGroup::kPolygons}, o.polygons_needed...);
  visit(ArrayInfo{"contacts", "DiscreteContact", Per::kContactCapacity, 1, "", OutputGroup::kContacts}, o.contacts...);
  visit(ArrayInfo{"contacts_needed", "int32", Per::kEnvironment, 1, "1", OutputGroup::kContacts}, o.contacts_needed...);
}

}  // namespace isopatch
