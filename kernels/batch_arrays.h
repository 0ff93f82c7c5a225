// SPDX-License-Identifier: Apache-2.0
//
// The working memory that a call has whatever the contact models.
#pragma once

#include <string>

#include "isopatch/detail/overlap/part_overlap.h"
#include "kernels/contact/packed_rows.h"
#include "kernels/memory/device_arena.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

struct BatchSize {
  std::size_t pairs = 0, geometries = 0, overlaps = 0;  // of all environments
  PackedRowSize packed = {};

  std::string need() const {
    return "the list of " + std::to_string(pairs) + " pairs of bodies (environments times pairs) needs";
  }
};

struct BatchArrays : ArraysOf<BatchSize> {
  using ArraysOf::ArraysOf;

  std::int64_t* list = array(size().pairs);
  CallCounters* counters = array(1);
  std::int32_t* geometries = array(size().geometries);
  PartOverlap* overlaps = array(size().overlaps);
  PackedRowLists packed = {rows<Polygon>(size().packed.polygons), rows<DiscreteContact>(size().packed.contacts)};
  ScanMemory scan = {array(size().packed.scan_bytes()), size().packed.scan_bytes()};

  /// The lists of packed arrays for a call with these outputs.
  PackedRowLists packed_for(const Results& results) const {
    return {list_for(packed.polygons, packed_polygons(results)), list_for(packed.contacts, packed_contacts(results))};
  }

 private:
  /// The counts follow the progress, to be zeroed at once.
  template <class Record>
  PackedRowList<Record> rows(std::size_t room) const {
    const std::size_t counts = size().packed.counts;
    std::byte* const progress = array(counts > 0 ? sizeof(RowProgress) + counts * sizeof(std::int32_t) : 0);
    RowList made = {.room = static_cast<std::int64_t>(room),
                    .rows = array(room),
                    .environments = array(room),
                    .grouped = array(room),
                    .of_digit = zeros(room > 0 ? RowDigits::kValues : 0),
                    .progress = reinterpret_cast<RowProgress*>(progress)};
    made.counts = reinterpret_cast<std::int32_t*>(made.progress + 1);
    return {made, array(room)};
  }

  template <class Record>
  static PackedRowList<Record> list_for(PackedRowList<Record> of_rows, const PackedOutput<Record>& to) {
    if (!to.is_wanted()) return {};
    of_rows.offsets = to.offsets.data;
    of_rows.capacity = to.rows.data != nullptr ? to.rows.capacity : 0;
    return of_rows;
  }
};

}  // namespace isopatch::detail
