// SPDX-License-Identifier: Apache-2.0
//
// The packed arrays of one kind of rows, polygons or contacts, and what is the same for all backends about them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "isopatch/arrays.h"
#include "isopatch/status.h"

namespace isopatch::detail {

template <class Record>
struct PackedOutput {
  PackedBuffer<Record> rows;
  BatchArray<std::int64_t> offsets;
  BatchArray<std::int32_t> environments;
  std::uint32_t full;  // the bit of Status for rows that do not fit

  bool is_wanted() const { return offsets.data != nullptr; }

  /// Where the rows of an environment begin, and one behind the last that fits. The offsets must be known.
  std::int64_t begin_of(std::int64_t environment) const { return offsets.data[environment]; }
  std::int64_t end_of(std::int64_t environment) const { return std::min(offsets.data[environment + 1], rows.capacity); }

  /// Writes which environment the rows of environments [begin, end) are of, and sets the bit of those whose rows do not
  /// all fit. Their offsets and `status`, of all environments, are in host memory.
  void finish(std::int64_t begin, std::int64_t end, const TypedArray<std::uint32_t>& status) const {
    if (rows.data == nullptr) return;
    for (std::int64_t e = begin; e < end; ++e) {
      const std::int64_t first = begin_of(e), last = end_of(e);
      if (environments.data != nullptr && first < last) {
        std::fill(environments.data + first, environments.data + last, static_cast<std::int32_t>(e));
      }
      const bool fits = offsets.data[e + 1] <= rows.capacity || offsets.data[e + 1] == first;
      if (!fits && status.data != nullptr) status.data[e * status.stride] |= full;
    }
  }

  /// Writes as many of `records`, the rows of environments [begin, end), as fit; then finish().
  void write(std::int64_t begin, std::int64_t end, const Record* records,
             const TypedArray<std::uint32_t>& status) const {
    const std::int64_t first = begin_of(begin), fitting = end_of(end - 1) - first;
    if (fitting > 0) std::copy_n(records, fitting, rows.data + first);
    finish(begin, end, status);
  }

  /// Writes the offsets behind environments [begin, begin + count), which have the offsets `of_part` alone. That of
  /// `begin` is known.
  void join_offsets(std::int64_t begin, std::int64_t count, const std::int64_t* of_part) const {
    for (std::int64_t i = 0; i < count; ++i) offsets.data[begin + i + 1] = offsets.data[begin] + of_part[i + 1];
  }
};

inline PackedOutput<Polygon> packed_polygons(const Results& r) {
  return {r.packed_polygons, r.polygon_offsets, r.polygon_environments, kPolygonCapacity};
}

inline PackedOutput<DiscreteContact> packed_contacts(const Results& r) {
  return {r.packed_contacts, r.contact_offsets, r.contact_environments, kContactCapacity};
}

/// Calls visit(packed output) for both kinds of rows.
template <class Visit>
void for_each_packed_output(const Results& results, const Visit& visit) {
  visit(packed_polygons(results));
  visit(packed_contacts(results));
}

/// Whether any of the outputs that are patches as point contacts is wanted.
inline bool wants_patch_contacts(const Results& results) { return is_wanted(results, OutputGroup::kPatchContacts); }

/// The results without the arrays that fit.
template <class Fits>
Results without(Results results, const Fits& fits) {
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        if (fits(info)) array.data = nullptr;
      },
      results);
  return results;
}

inline Results without_packed(const Results& results) {
  return without(results, [](const ArrayInfo& info) { return info.is_packed(); });
}

}  // namespace isopatch::detail
