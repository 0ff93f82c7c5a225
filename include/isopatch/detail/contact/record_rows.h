// SPDX-License-Identifier: Apache-2.0
//
// What polygons and contacts are appended to. A destination of rows has
//
//   bool is_wanted()                                       whether rows are counted there
//   Record* append(warp, environment, const RowKey&)       counts one more; where to write it, or null
//
// and any lane may call append(). Every polygon goes to two: the rows of its environment, here, and those of all
// environments in one array, which a backend provides as the members `polygons` and `contacts` of one type.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/detail/pressure_field/pair_context.h"

namespace isopatch::detail {

/// What an environment's rows in packed arrays are ordered by. No two rows of an environment have the same.
struct RowKey {
  std::int32_t parts;   // pair, part of body a, part of body b
  std::int32_t cell_M;  // as in its mesh, since hierarchies do not change the order of cells
  std::int32_t cell_S;  // likewise, plus 1; 0 for a half space

  ISOPATCH_HD static RowKey make(const PairContext& f, int pair, std::int32_t m, std::int32_t s) {
    return {(pair * limits::kMaxParts + f.part_a) * limits::kMaxParts + f.part_b, m, s < 0 ? f.layer : s + 1};
  }
  friend ISOPATCH_HD bool operator<(const RowKey& x, const RowKey& y) {
    if (x.parts != y.parts) return x.parts < y.parts;
    return x.cell_M != y.cell_M ? x.cell_M < y.cell_M : x.cell_S < y.cell_S;
  }
  friend ISOPATCH_HD bool operator==(const RowKey& x, const RowKey& y) {
    return x.parts == y.parts && x.cell_M == y.cell_M && x.cell_S == y.cell_S;
  }
};

static_assert(std::int64_t{limits::kMaxPairs} * limits::kMaxParts * limits::kMaxParts <=
                  std::numeric_limits<std::int32_t>::max(),
              "the pair and both parts fit 32 bits");

template <class Warp>
ISOPATCH_HD void set_status(Warp& warp, const Results& results, std::int64_t environment, std::uint32_t bits) {
  if (results.status.data != nullptr) warp.set_bits(&element(results.status, environment), bits);
}

/// A row of records for each environment, in order of arrival.
template <class Record>
struct EnvironmentRows {
  const Results& results;
  const TypedArray<Record>& rows;
  const TypedArray<std::int32_t>& needed;
  std::int32_t capacity;
  std::uint32_t full;  // the bit of the status for records that do not fit

  ISOPATCH_HD bool is_wanted() const { return needed.data != nullptr; }

  template <class Warp>
  ISOPATCH_HD Record* append(Warp& warp, std::int64_t environment, const RowKey& /*key*/) const {
    if (!is_wanted()) return nullptr;
    const int at = warp.reserve(&element(needed, environment), 1);
    if (rows.data == nullptr) return nullptr;
    if (at < capacity) return &element(rows, environment, at);
    set_status(warp, results, environment, full);
    return nullptr;
  }
};

ISOPATCH_HD EnvironmentRows<Polygon> environment_polygons(const Results& r) {
  return {r, r.polygons, r.polygons_needed, r.polygon_capacity, kPolygonCapacity};
}

ISOPATCH_HD EnvironmentRows<DiscreteContact> environment_contacts(const Results& r) {
  return {r, r.contacts, r.contacts_needed, r.contact_capacity, kContactCapacity};
}

/// No packed arrays.
struct NoRows {
  template <class Record>
  struct NoRecords {
    ISOPATCH_HD bool is_wanted() const { return false; }
    template <class Warp>
    ISOPATCH_HD Record* append(Warp& /*warp*/, std::int64_t /*environment*/, const RowKey& /*key*/) const {
      return nullptr;
    }
  };
  NoRecords<Polygon> polygons;
  NoRecords<DiscreteContact> contacts;
};

/// Appends what make(record) writes to both destinations.
template <class Record, class Warp, class Rows, class PackedRows, class Make>
ISOPATCH_HD void append_row(Warp& warp, const Rows& of_environment, const PackedRows& packed, std::int64_t environment,
                            const RowKey& key, const Make& make) {
  Record* const first = of_environment.append(warp, environment, key);
  Record* const second = packed.append(warp, environment, key);
  Record* const to = first != nullptr ? first : second;
  if (to == nullptr) return;
  make(*to);
  if (first != nullptr && second != nullptr) *second = *first;
}

}  // namespace isopatch::detail
