// SPDX-License-Identifier: Apache-2.0
//
// The working memory of an evaluation.
#pragma once

#include <algorithm>
#include <string>

#include "isopatch/detail/pressure_field/stages/polygon_list.h"
#include "kernels/memory/device_arena.h"
#include "kernels/pressure_field/call.h"

namespace isopatch::detail {

/// How much working memory a call needs.
struct PressureFieldSize {
  std::size_t pairs = 0;         // all pairs of the batch that are of this model
  std::size_t shared_pairs = 0;  // at most so many of them are shared by several warps
  std::size_t staged_pairs = 0, staged_sums = 0, staged_part_pairs = 0, cells = 0;  // between the stages of pairs
  std::size_t listed_polygons = 0;               // of staged pairs, for patch contacts
  std::size_t windows = 0, window_polygons = 0;  // for patch contacts, and polygons of all of them
  std::size_t contact_pairs = 0;                 // staged pairs of a step
  std::size_t candidates = 0;  // of steps: lists that are kept, one for each part pair of each environment

  std::string need() const {
    return "the working memory for " + std::to_string(pairs) + " pairs of bodies (environments times pairs) needs";
  }

  /// First candidates and the polygons of staged pairs, then all that the stages need.
  bool shrink() {
    if (listed_polygons > 0 || candidates > 0) {
      listed_polygons = candidates = 0;
      return true;
    }
    if (staged_pairs == 0) return false;
    staged_pairs = staged_sums = staged_part_pairs = cells = contact_pairs = 0;
    return true;
  }

  // Any pair of the batch may be left unfinished, and its polygons may be.
  std::size_t unfinished_pairs() const { return staged_pairs > 0 ? pairs : 0; }
  std::size_t left_patches() const { return listed_polygons > 0 ? pairs : 0; }
  std::size_t pairs_with_list() const { return listed_polygons > 0 ? staged_pairs : 0; }

  // Windows are used after the list of polygons, in the same memory.
  std::size_t patch_rows() const { return std::max(listed_polygons, window_polygons); }
  /// With what is left over of a block of records in each window.
  std::size_t patch_numbers() const {
    const std::size_t of_windows = ElasticPolygons::numbers_for(window_polygons + windows * ElasticPolygons::kBlock);
    return std::max(ElasticPolygons::numbers_for(listed_polygons), of_windows);
  }
};

/// The working memory of one call at a time.
struct PressureFieldArrays : ArraysOf<PressureFieldSize> {
  using ArraysOf::ArraysOf;

  SharedWrenchSums* sums = zeros(size().shared_pairs);
  StagedMemory staged = {.pairs = array(size().staged_pairs),
                         .sums = zeros(size().staged_sums),
                         .part_pairs = zeros(size().staged_part_pairs),  // copied with the gaps between their members
                         .cells = array(size().cells),
                         .unfinished = array(size().unfinished_pairs()),
                         .num_pairs = static_cast<std::int32_t>(size().staged_pairs),
                         .num_part_pairs = static_cast<std::int32_t>(size().staged_part_pairs),
                         .num_cells = static_cast<std::int32_t>(size().cells),
                         .full_cells = static_cast<std::int32_t>(size().cells),
                         .rounds = 1,
                         .slices = 1,
                         .candidates = nullptr,
                         .margin = {},
                         .contacts = nullptr};
  ListedPolygonMemory listed = {.of_pairs = zeros(size().pairs_with_list()),
                                .rows = array(size().patch_rows()),
                                .sorted = array(size().listed_polygons),
                                .other = array(size().patch_rows()),
                                .records = {array(size().patch_numbers())},
                                .capacity = static_cast<std::int32_t>(size().listed_polygons)};
  static_assert(sizeof(PolygonEntry) == sizeof(PackedRowEntry));
  PatchMemory patches = {.left = array(size().left_patches()),
                         .rows = reinterpret_cast<PackedRowEntry*>(listed.rows),
                         .other = reinterpret_cast<PackedRowEntry*>(listed.other),
                         .records = listed.records,
                         .num_windows = 0,
                         .capacity = 0};
  ContactsOfPair* contacts_of_pairs = zeros(size().contact_pairs);
  CandidateList* candidates = zeros(size().candidates);

  /// For patch contacts by so many warps: they share all of the room.
  PatchMemory patches_of(std::size_t num_windows) const {
    PatchMemory memory = patches;
    memory.num_windows = static_cast<std::int64_t>(num_windows);
    if (num_windows > 0) memory.capacity = static_cast<std::int64_t>(size().window_polygons / num_windows);
    return memory;
  }
};

}  // namespace isopatch::detail
