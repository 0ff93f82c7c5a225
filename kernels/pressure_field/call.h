// SPDX-License-Identifier: Apache-2.0
//
// The device stages of the pressure field, in order.
#pragma once

#include <cstddef>

#include "host/evaluation/packed_output.h"
#include "isopatch/detail/contact/packed_row_list.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/pressure_field/outputs/elastic_polygons.h"
#include "isopatch/detail/pressure_field/stages/candidates.h"
#include "isopatch/detail/pressure_field/stages/list_for_solver.h"
#include "isopatch/evaluator.h"
#include "kernels/scene/call.h"

namespace isopatch::detail {

inline constexpr int kPressureField = static_cast<int>(ContactModel::kPressureField);

/// This model's counters of a call: lengths asked for of the lists between the stages of pairs, and how many items
/// warps have taken of each kind.
enum PressureFieldCounter : int {
  kPartPairs,
  kUnfinished,
  kNextPair,       // slices of pairs
  kNextSearch,     // slices of part pairs to search
  kCells,          // of a round
  kNextPatch,      // pairs for patch contacts
  kNextEnergy,     // pairs for the energy
  kNextPairAgain,  // slices of pairs that are evaluated again for their rows
  kListedPolygons,
  kSortedPolygons,
  kNextListed,  // pairs whose polygons may be listed
  kLeftPatches  // pairs of which one was not
};

/// Memory for the stages of pairs.
struct StagedMemory {
  StagedPair* pairs;       // null: evaluate_pairs() does all of every pair
  StoredWrenchSums* sums;  // one for each of them, or two where bodies have several parts; zero between calls
  StagedPartPair* part_pairs;
  CellWork* cells;
  UnfinishedPair* unfinished;  // one for each pair of the batch
  std::int32_t num_pairs, num_part_pairs, num_cells;
  std::int32_t full_cells;    // no search begins in this round where so many cells are listed
  int rounds;                 // of searching and of using what is listed; what then is left, evaluate_pair() does
  std::int32_t slices;        // warps that share a search: a power of two; 1 where candidates are kept
  CandidateList* candidates;  // one for each part pair of each environment; null: none are kept
  CandidateMargin margin;     // of the candidates
  ContactsOfPair* contacts;   // of a step's search: one for each staged pair, see its members; null in evaluations
};

struct PolygonsOfPair;
struct PolygonEntry;

/// Memory for the polygons of staged pairs, of which patch contacts are made.
struct ListedPolygonMemory {
  PolygonsOfPair* of_pairs;  // one for each staged pair; zero between calls; null: polygons are not listed
  PolygonEntry *rows, *sorted, *other;
  ElasticPolygons records;
  std::int32_t capacity;
};

/// Memory for patch contacts: a window for each warp.
struct PatchMemory {
  std::int32_t* left;  // staged pairs whose polygons are not all listed; room for each pair of the batch
  PackedRowEntry *rows, *other;
  ElasticPolygons records;
  std::int64_t num_windows;  // all of the warps of some blocks; 0: patch contacts are not wanted
  std::int64_t capacity;     // of each window
};

/// Warps of a block that write patch contacts, with workspaces of about 7 KB.
inline constexpr int kPatchWarps = 4;

/// The arguments of every stage, by value.
struct PressureFieldCall : BatchCall {
  int slices;              // warps that share one pair: a power of two
  SharedWrenchSums* sums;  // one for each listed pair if there is more than one slice; zero between calls
  StagedMemory staged;
  PatchMemory patches;

  bool has_plates;           // pairs have a law: all are evaluated polygon by polygon
  std::uint32_t key_digits;  // bit i: digit i of RowDigits may differ

  ListedPolygonMemory listed;

  ISOPATCH_HD std::int32_t* counter(PressureFieldCounter which) const {
    return counters->of_model[kPressureField] + which;
  }
  ISOPATCH_HD std::int32_t num_listed() const { return counters->listed[kPressureField]; }
  ISOPATCH_HD PairEntry entry(std::int32_t index) const {
    return PairEntry::make(scene, near_pairs().of(scene, kPressureField).items[index]);
  }

  /// All pairs of this model in all environments.
  std::int64_t num_pairs() const { return state.num_environments * scene.pairs_of_model(kPressureField); }
};

/// What is kept between the stages of pairs.
ISOPATCH_HD StagedPairs lists(const PressureFieldCall& call) {
  const StagedMemory& memory = call.staged;
  return {memory.pairs,
          memory.sums,
          {memory.part_pairs, call.counter(kPartPairs), memory.num_part_pairs},
          {memory.cells, call.counter(kCells), memory.num_cells}};
}

/// Load the kernels of the stages below on the current device, so that no call has to. resident_warps() loads those of
/// evaluate_pairs(), resident_patch_warps() those of write_patch_contacts().
void load_staged_pairs(const SceneView& scene, Precision precision);
void load_evaluate_energies();

/// begin_environments(), and then pair wrenches and patch summaries of the listed pairs, in stages; what these cannot
/// finish is left to evaluate_pairs(). Needs StagedMemory and a pair. If the model `begins`, the environments begin in
/// the same stage or before; otherwise they have begun.
template <class T>
void evaluate_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream);

/// Pair wrenches, patch summaries, polygons and discrete contacts of the listed pairs, or of those that were left.
template <class T>
void evaluate_pairs(const PressureFieldCall& call, cudaStream_t stream);

/// The number of warps that evaluate_pairs() keeps on the current device at once, for these outputs.
template <class T>
std::int64_t resident_warps(const SceneView& scene, Outputs outputs);

/// The number of warps that write_patch_contacts() keeps on the current device at once.
template <class T>
std::int64_t resident_patch_warps(const SceneView& scene);

/// Patch contacts of the listed pairs, or of those that write_listed_patches() left. Does nothing without windows.
template <class T>
void write_patch_contacts(const PressureFieldCall& call, cudaStream_t stream);

/// Elastic energies of the listed pairs.
void evaluate_energies(const PressureFieldCall& call, cudaStream_t stream);

/// The stage that integrates cells, for a call that lists polygons: as integrate_cells_kernel().
template <class T, bool with_patch>
void (*integrating_and_listing_kernel())(PressureFieldCall);

/// Patch contacts of the staged pairs whose polygons are all listed, and the list of the other pairs.
void write_listed_patches(const PressureFieldCall& call, cudaStream_t stream);

/// Loads the kernels of both on the current device, so that no call has to.
void load_listed_polygons(Precision precision);

}  // namespace isopatch::detail
