// SPDX-License-Identifier: Apache-2.0
//
// Packed arrays of a batch: made beside the rows of each environment, and compared.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "host/evaluation/packed_output.h"
#include "tests/support/same_bits.h"

namespace isopatch::test {

/// Room for packed arrays.
struct PackedRoom {
  std::int64_t polygons = 0, contacts = 0;
};

/// The rows of all environments together.
inline PackedRoom all_rows(const UnwrittenResults& r) {
  return {r.polygon_offsets[static_cast<std::size_t>(r.num_environments)],
          r.contact_offsets[static_cast<std::size_t>(r.num_environments)]};
}

/// Arrays for `batch` with a row of `capacity` for each environment, and packed ones with some rows more than `room`,
/// which nobody may write.
struct PackedResults : UnwrittenResults {
  static constexpr std::int64_t kSpare = 3;
  PackedRoom room;

  PackedResults(const Scene& scene, std::int64_t environments, PackedRoom room_, std::int32_t capacity = 2048)
      : UnwrittenResults(scene, environments, detail::Outputs::kPolygons, capacity), room(room_) {
    give_contacts(capacity);
    give_packed(room.polygons + kSpare, room.contacts + kSpare);
  }

  Results view() {
    Results results = UnwrittenResults::view();
    results.packed_polygons.capacity = room.polygons;
    results.packed_contacts.capacity = room.contacts;
    return results;
  }
};

template <class Record>
std::string bytes_of(const Record& record) {
  return {reinterpret_cast<const char*>(&record), sizeof(Record)};
}

/// Expects of the packed arrays of one kind that they are the first `room` of all rows, `expected`, which are those of
/// another evaluation with room for all, and that nothing else was written.
template <class Record>
void expect_first_rows(const std::vector<Record>& found, const std::vector<std::int32_t>& environments,
                       std::int64_t room, const std::vector<Record>& expected,
                       const std::vector<std::int64_t>& offsets) {
  const std::int64_t written = std::min(room, offsets.back());
  std::size_t environment = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (static_cast<std::int64_t>(i) >= written) {
      ASSERT_EQ(found[i].pair, -7) << "row " << i << " is beyond the " << written << " that there are";
      ASSERT_EQ(environments[i], -7) << i;
      continue;
    }
    while (offsets[environment + 1] <= static_cast<std::int64_t>(i)) ++environment;
    ASSERT_EQ(environments[i], static_cast<std::int32_t>(environment)) << i;
    ASSERT_EQ(bytes_of(found[i]), bytes_of(expected[i])) << "row " << i;
  }
}

/// Expects that an evaluation gave the first rows of `all`, which had room for all, and set the bits of the
/// environments that others belong to; everything else is the same.
inline void expect_first_rows(const PackedResults& found, const PackedResults& all) {
  EXPECT_EQ(found.polygon_offsets, all.polygon_offsets);
  EXPECT_EQ(found.contact_offsets, all.contact_offsets);
  expect_first_rows(found.packed_polygons, found.polygon_environments, found.room.polygons, all.packed_polygons,
                    all.polygon_offsets);
  expect_first_rows(found.packed_contacts, found.contact_environments, found.room.contacts, all.packed_contacts,
                    all.contact_offsets);
  UnwrittenResults but_bits = found;
  for (std::size_t e = 0; e < all.status.size(); ++e) {
    const auto full = [e](const std::vector<std::int64_t>& offsets, std::int64_t room, std::uint32_t bit) {
      return offsets[e + 1] > std::max(room, offsets[e]) ? bit : 0u;
    };
    const std::uint32_t bits = full(all.polygon_offsets, found.room.polygons, kPolygonCapacity) |
                               full(all.contact_offsets, found.room.contacts, kContactCapacity);
    ASSERT_EQ(found.status[e], all.status[e] | bits) << "environment " << e;
    but_bits.status[e] = all.status[e];
  }
  EXPECT_EQ(first_difference(but_bits, all), "");
}

/// Expects that the packed rows of each environment are the rows of its own, and in order.
inline void expect_rows_of_environments(const PackedResults& r) {
  const auto expect_rows = [&](const auto& packed, const auto& offsets, const auto& rows, const auto& needed,
                               std::int64_t capacity) {
    ASSERT_EQ(offsets[0], 0);
    for (std::size_t e = 0; e < needed.size(); ++e) {
      ASSERT_EQ(offsets[e + 1] - offsets[e], needed[e]) << "environment " << e;
      ASSERT_LE(needed[e], capacity);
      const auto* first = packed.data() + offsets[e];
      ASSERT_EQ(sorted_records(first, needed[e]),
                sorted_records(rows.data() + e * static_cast<std::size_t>(capacity), needed[e]))
          << "environment " << e;
      const auto parts = [](const auto& row) { return std::array{row.pair, row.part_a, row.part_b}; };
      EXPECT_TRUE(
          std::is_sorted(first, first + needed[e], [&](const auto& x, const auto& y) { return parts(x) < parts(y); }))
          << "environment " << e;
    }
  };
  expect_rows(r.packed_polygons, r.polygon_offsets, r.polygons, r.polygons_needed, r.counts()[Per::kPolygonCapacity]);
  expect_rows(r.packed_contacts, r.contact_offsets, r.contacts, r.contacts_needed, r.counts()[Per::kContactCapacity]);
}

/// Room for none, one, half, all but one and all rows, and up to the end of an environment and one less or more.
inline std::vector<PackedRoom> rooms(const PackedResults& all) {
  const auto [polygons, contacts] = all_rows(all);
  const std::size_t middle = all.status.size() / 2;
  const std::int64_t p = all.polygon_offsets[middle], c = all.contact_offsets[middle];
  return {{0, 0},
          {1, 1},
          {polygons / 2, contacts / 3},
          {polygons - 1, contacts - 1},
          {polygons, contacts},
          {p, c},
          {p + 1, c - 1},
          {p - 1, c + 1},
          {polygons, contacts / 2},
          {polygons / 2, contacts}};
}

}  // namespace isopatch::test
