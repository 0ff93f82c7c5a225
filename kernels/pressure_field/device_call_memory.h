// SPDX-License-Identifier: Apache-2.0
//
// The working memory of an evaluation.
#pragma once

#include <algorithm>

#include "isopatch/detail/pressure_field/stages/list_for_solver.h"
#include "isopatch/detail/pressure_field/stages/polygon_list.h"
#include "kernels/memory/device_buffer.h"
#include "kernels/pressure_field/call.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct PressureFieldSize {
  std::size_t pairs = 0;         // all pairs of the batch that are of this model
  std::size_t shared_pairs = 0;  // at most so many of them are shared by several warps
  std::size_t staged_pairs = 0, staged_sums = 0, staged_part_pairs = 0, cells = 0;  // between the stages of pairs
  std::size_t counts = 0;  // of rows of packed arrays: one more than there are environments; 0: none
  std::size_t packed_polygons = 0, packed_contacts = 0;  // rows that their lists have room for
  std::size_t listed_polygons = 0;                       // of staged pairs, for patch contacts
  std::size_t windows = 0, window_polygons = 0;          // for patch contacts, and polygons of all of them
  std::size_t contact_pairs = 0;                         // staged pairs of a step
  std::size_t candidates = 0;  // of steps: lists that are kept, one for each part pair of each environment

  /// What a call can do without, where a device has little memory; first candidates and the polygons of staged pairs.
  PressureFieldSize without_list() const {
    PressureFieldSize smaller = *this;
    smaller.listed_polygons = smaller.candidates = 0;
    return smaller;
  }
  PressureFieldSize without_stages() const {
    PressureFieldSize smaller = without_list();
    smaller.staged_pairs = smaller.staged_sums = smaller.staged_part_pairs = smaller.cells = 0;
    smaller.contact_pairs = 0;
    return smaller;
  }

  /// Calls visit(member) for every size.
  template <class Visit>
  static void for_each_member(const Visit& visit) {
    for (const auto member :
         {&PressureFieldSize::pairs, &PressureFieldSize::shared_pairs, &PressureFieldSize::staged_pairs,
          &PressureFieldSize::staged_sums, &PressureFieldSize::staged_part_pairs, &PressureFieldSize::cells,
          &PressureFieldSize::counts, &PressureFieldSize::packed_polygons, &PressureFieldSize::packed_contacts,
          &PressureFieldSize::listed_polygons, &PressureFieldSize::windows, &PressureFieldSize::window_polygons,
          &PressureFieldSize::contact_pairs, &PressureFieldSize::candidates}) {
      visit(member);
    }
  }

  bool fits(const PressureFieldSize& room) const {
    bool fits = true;
    for_each_member([&](auto member) { fits = fits && this->*member <= room.*member; });
    return fits;
  }

  /// Room for this and for another.
  PressureFieldSize joined(const PressureFieldSize& other) const {
    PressureFieldSize both = *this;
    for_each_member([&](auto member) { both.*member = std::max(both.*member, other.*member); });
    return both;
  }
};

/// Working memory for the packed arrays of one kind.
template <class Record>
struct RowArrays {
  DeviceBuffer<std::byte> progress_and_counts;  // beside one another, to be zeroed at once
  DeviceBuffer<PackedRowEntry> rows, grouped;
  DeviceBuffer<std::int32_t> environments;
  DeviceBuffer<ListedRecord<Record>> records;
  DeviceBuffer<std::int32_t> of_digit;

  RowArrays() = default;
  RowArrays(std::size_t num_counts, std::size_t num_rows, cudaStream_t stream);

  /// What the constructor allocates.
  static std::size_t bytes(std::size_t num_counts, std::size_t num_rows);

  /// For a call with these outputs.
  PackedRowList<Record> list(const PackedOutput<Record>& to) const;
};

/// The working memory of one call at a time. A new array is added here, to its size and the list of sizes above, and to
/// the constructor and bytes() in device_call_memory.cu.
struct PressureFieldMemory {
  using Size = PressureFieldSize;

  DeviceBuffer<SharedWrenchSums> sums;
  DeviceBuffer<StagedPair> staged_pairs;
  DeviceBuffer<StoredWrenchSums> staged_sums;
  DeviceBuffer<StagedPartPair> part_pairs;
  DeviceBuffer<CellWork> cells;
  DeviceBuffer<UnfinishedPair> unfinished;
  RowArrays<Polygon> polygons;
  RowArrays<DiscreteContact> contacts;
  DeviceBuffer<std::byte> scan;
  DeviceBuffer<PackedRowEntry> window_rows, window_others;
  DeviceBuffer<double> window_records;  // as ElasticPolygons
  DeviceBuffer<PolygonsOfPair> polygons_of_pairs;
  DeviceBuffer<PolygonEntry> listed_rows, listed_sorted, listed_others;
  DeviceBuffer<double> listed_records;
  DeviceBuffer<std::int32_t> left_patches;
  DeviceBuffer<ContactsOfPair> contacts_of_pairs;
  DeviceBuffer<CandidateList> candidates;

  /// Has no room for stages if the device has too little memory for them. Throws Error if it has too little for the
  /// rest.
  PressureFieldMemory(const PressureFieldSize& size, cudaStream_t stream);

  /// What the constructor allocates for this size.
  static std::size_t bytes(const PressureFieldSize& size);

  bool have_stages() const { return staged_pairs.size() > 0; }
  bool have_list() const { return listed_rows.size() > 0; }
  bool have_candidates() const { return candidates.size() > 0; }

  /// For the stages of pairs, without candidates.
  StagedMemory staged() const;

  /// For the polygons of staged pairs.
  ListedPolygonMemory listed() const;

  /// For patch contacts by so many warps: they share all of the room.
  PatchMemory patches(std::size_t num_windows) const;
};

}  // namespace isopatch::detail
