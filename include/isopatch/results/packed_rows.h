// SPDX-License-Identifier: Apache-2.0
//
// The polygons of all environments in one array, and the same as point contacts.
#pragma once

#include <cstdint>

#include "isopatch/results/array_info.h"
#include "isopatch/results/array_types.h"
#include "isopatch/results/records.h"

namespace isopatch {

/// The polygons of N environments in one buffer.
template <class Kind>
struct PackedRowOutputs {
  // the polygons of all environments in one array: those of environment 0, then those of environment 1, and so on; in
  // each by pair, part of a, part of b, and the cells of the two parts (INTERFACE.md), the same on every backend
  PackedOf<Kind, Polygon> packed_polygons;      ///< capacity   as many as fit; needs polygon_offsets
  BatchOf<Kind, std::int64_t> polygon_offsets;  ///< N + 1   environment e has the rows from offsets[e] to before
                                                ///< offsets[e + 1], so the last is the number of all rows, those that
                                                ///< do not fit too; may be asked for alone
  BatchOf<Kind, std::int32_t> polygon_environments;  ///< capacity   of each row that is written; may be
                                                     ///< null, else needs packed_polygons

  // the same as point contacts
  PackedOf<Kind, DiscreteContact> packed_contacts;   ///< capacity   needs contact_offsets
  BatchOf<Kind, std::int64_t> contact_offsets;       ///< N + 1   may be asked for alone
  BatchOf<Kind, std::int32_t> contact_environments;  ///< capacity   may be null, else needs packed_contacts
};

/// Calls visit(info, array) for every array of PackedRowOutputs, or of several objects at once as for_each_output().
template <class Visit, class... Outputs>
constexpr void for_each_packed_row_output(const Visit& visit, Outputs&... o) {
  visit(ArrayInfo{"packed_polygons", "Polygon", Per::kPackedPolygonCapacity, 1, "", OutputGroup::kPackedPolygons},
        o.packed_polygons...);
  visit(ArrayInfo{"polygon_offsets", "int64", Per::kOffset, 1, "1", OutputGroup::kPackedPolygons},
        o.polygon_offsets...);
  visit(
      ArrayInfo{"polygon_environments", "int32", Per::kPackedPolygonCapacity, 1, "index", OutputGroup::kPackedPolygons},
      o.polygon_environments...);
  visit(
      ArrayInfo{"packed_contacts", "DiscreteContact", Per::kPackedContactCapacity, 1, "", OutputGroup::kPackedContacts},
      o.packed_contacts...);
  visit(ArrayInfo{"contact_offsets", "int64", Per::kOffset, 1, "1", OutputGroup::kPackedContacts},
        o.contact_offsets...);
  visit(
      ArrayInfo{"contact_environments", "int32", Per::kPackedContactCapacity, 1, "index", OutputGroup::kPackedContacts},
      o.contact_environments...);
}

}  // namespace isopatch
