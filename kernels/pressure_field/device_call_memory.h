// SPDX-License-Identifier: Apache-2.0
//
// The working memory of an evaluation.
#pragma once

#include <algorithm>

#include "kernels/evaluation_call.h"
#include "kernels/memory/device_buffer.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct CallSize {
  std::size_t pairs = 0;         // all pairs of the batch
  std::size_t shared_pairs = 0;  // at most so many of them are shared by several warps
  std::size_t staged_pairs = 0, staged_sums = 0, staged_part_pairs = 0, cells = 0;  // between the stages of pairs
  std::size_t kept = 0;    // candidates of all part pairs of all environments
  std::size_t counts = 0;  // of rows of packed arrays: one more than there are environments; 0: none
  std::size_t packed_polygons = 0, packed_contacts = 0;  // rows that there is room for
  std::size_t windows = 0, window_polygons = 0;          // for patch contacts, and polygons of all of them

  /// What a call can do without, where a device has little memory.
  CallSize without_kept() const {
    CallSize smaller = *this;
    smaller.kept = 0;
    return smaller;
  }
  CallSize without_stages() const {
    CallSize smaller = without_kept();
    smaller.staged_pairs = smaller.staged_sums = smaller.staged_part_pairs = smaller.cells = 0;
    return smaller;
  }

  /// Calls visit(member) for every size.
  template <class Visit>
  static void for_each_member(const Visit& visit) {
    for (const auto member :
         {&CallSize::pairs, &CallSize::shared_pairs, &CallSize::staged_pairs, &CallSize::staged_sums,
          &CallSize::staged_part_pairs, &CallSize::cells, &CallSize::kept, &CallSize::counts,
          &CallSize::packed_polygons, &CallSize::packed_contacts, &CallSize::windows, &CallSize::window_polygons}) {
      visit(member);
    }
  }

  bool fits(const CallSize& room) const {
    bool fits = true;
    for_each_member([&](auto member) { fits = fits && this->*member <= room.*member; });
    return fits;
  }

  /// Room for this and for another.
  CallSize joined(const CallSize& other) const {
    CallSize both = *this;
    for_each_member([&](auto member) { both.*member = std::max(both.*member, other.*member); });
    return both;
  }
};

/// Working memory for the packed arrays of one kind.
template <class Record>
struct RowArrays {
  DeviceBuffer<std::int32_t> counts;
  DeviceBuffer<PackedRowEntry> rows, grouped;
  DeviceBuffer<std::int32_t> environments;
  DeviceBuffer<Record> records;
  DeviceBuffer<std::int32_t> of_digit;
  DeviceBuffer<RowProgress> progress;

  RowArrays() = default;
  RowArrays(std::size_t num_counts, std::size_t num_rows, cudaStream_t stream);

  /// What the constructor allocates.
  static std::size_t bytes(std::size_t num_counts, std::size_t num_rows);

  /// For a call with these outputs.
  PackedRowList<Record> list(const PackedOutput<Record>& to) const;
};

/// The working memory of one call at a time. A new array is added here, to its size and the list of sizes above, and to
/// the constructor and bytes() in device_call_memory.cu.
struct CallArrays {
  using Size = CallSize;

  DeviceBuffer<std::int64_t> list;
  DeviceBuffer<CallCounters> counters;
  DeviceBuffer<SharedSums> sums;
  DeviceBuffer<StagedPair> staged_pairs;
  DeviceBuffer<StoredSums> staged_sums;
  DeviceBuffer<StagedPartPair> part_pairs;
  DeviceBuffer<CellWork> cells;
  DeviceBuffer<UnfinishedPair> unfinished;
  DeviceBuffer<CandidateList> kept;
  RowArrays<Polygon> polygons;
  RowArrays<DiscreteContact> contacts;
  DeviceBuffer<std::byte> scan;
  DeviceBuffer<std::int64_t> window_counts;
  DeviceBuffer<PackedRowEntry> window_rows, window_others;
  DeviceBuffer<ElasticPolygon> window_records;

  /// Has no room for kept candidates, or for stages, where the device has too little memory for them. Throws Error
  /// where it has too little for the rest.
  CallArrays(const CallSize& size, cudaStream_t stream);

  /// What the constructor allocates for this size.
  static std::size_t bytes(const CallSize& size);

  bool have_stages() const { return staged_pairs.size() > 0; }

  /// For the stages of pairs; `margin` is of the kept candidates, m.
  StagedMemory staged(float margin) const;

  /// For patch contacts by so many warps: they share all of the room.
  PatchMemory patches(std::size_t num_windows) const;
};

}  // namespace isopatch::detail
