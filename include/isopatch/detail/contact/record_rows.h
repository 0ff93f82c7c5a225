// SPDX-License-Identifier: Apache-2.0
//
// What polygons and contacts are appended to. A destination of rows has
//
//   bool is_wanted()                                       whether rows are counted there
//   Record* append(warp, environment, const ContactKey&)       counts one more; where to write it, or null
//
// and any lane may call append(); where polygons are kept between two kernels, it gives a ListedPolygon. Every polygon
// goes to two: the rows of its environment, here, and those of all environments in one array, which a backend provides
// as the members `polygons` and `contacts` of one type.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/detail/contact/contact_key.h"
#include "isopatch/detail/scene/begin_environment.h"

namespace isopatch::detail {

/// A row of records for each environment, in order of arrival.
template <class Record>
struct EnvironmentRows {
  const Results& results;
  const RowBuffer<Record>& rows;
  const TypedArray<std::int32_t>& needed;
  std::uint32_t full;  // the bit of the status for records that do not fit

  ISOPATCH_HD bool is_wanted() const { return needed.data != nullptr; }

  template <class Warp>
  ISOPATCH_HD Record* append(Warp& warp, std::int64_t environment, const ContactKey& /*key*/) const {
    if (!is_wanted()) return nullptr;
    const int at = warp.reserve(&element(needed, environment), 1);
    if (rows.data == nullptr) return nullptr;
    if (at < rows.capacity) return &element(rows, environment, at);
    set_status(warp, results, environment, full);
    return nullptr;
  }
};

ISOPATCH_HD EnvironmentRows<Polygon> environment_polygons(const Results& r) {
  return {r, r.polygons, r.polygons_needed, kPolygonCapacity};
}

ISOPATCH_HD EnvironmentRows<DiscreteContact> environment_contacts(const Results& r) {
  return {r, r.contacts, r.contacts_needed, kContactCapacity};
}

/// No packed arrays.
struct NoRows {
  template <class Record>
  struct NoRecords {
    ISOPATCH_HD bool is_wanted() const { return false; }
    template <class Warp>
    ISOPATCH_HD Record* append(Warp& /*warp*/, std::int64_t /*environment*/, const ContactKey& /*key*/) const {
      return nullptr;
    }
  };
  NoRecords<Polygon> polygons;
  NoRecords<DiscreteContact> contacts;
};

/// Appends what make(record) writes to both destinations.
template <class Record, class Warp, class Rows, class PackedRows, class Make>
ISOPATCH_HD void append_row(Warp& warp, const Rows& of_environment, const PackedRows& packed, std::int64_t environment,
                            const ContactKey& key, const Make& make) {
  Record* const first = of_environment.append(warp, environment, key);
  Record* const second = packed.append(warp, environment, key);
  Record* const to = first != nullptr ? first : second;
  if (to == nullptr) return;
  make(*to);
  if (first != nullptr && second != nullptr) *second = *first;
}

}  // namespace isopatch::detail
