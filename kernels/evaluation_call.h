// SPDX-License-Identifier: Apache-2.0
//
// The device stages of one call, in order. Each enqueues on `stream`, allocates nothing, does not synchronise, and
// returns at once where there is nothing to do; so a call can be captured in a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "host/evaluation/packed_output.h"
#include "isopatch/detail/contact/packed_row_list.h"
#include "isopatch/detail/pressure_field/outputs/polygon_window.h"
#include "isopatch/detail/pressure_field/stages/staged_pairs.h"
#include "isopatch/detail/scene/begin_environment.h"
#include "isopatch/evaluator.h"

namespace isopatch::detail {

/// Counters that a call starts at zero.
struct CallCounters {
  std::int32_t listed;                         // pairs in the list
  std::int32_t part_pairs, cells, unfinished;  // asked for in the lists between the stages of pairs
  // how many of each the warps have taken: shares of pairs, part pairs to search, pairs for patch contacts, pairs for
  // the energy, environments to step
  std::int32_t next_pair, next_search, next_patch, next_energy, next_step;
};

/// Memory for the stages of pairs.
struct StagedMemory {
  StagedPair* pairs;  // null: evaluate_pairs() does all of every pair
  StoredSums* sums;   // one for each of them, or two where bodies have several parts; zero between calls
  StagedPartPair* part_pairs;
  CellWork* cells;
  UnfinishedPair* unfinished;  // one for each pair of the batch
  std::int32_t num_pairs, num_part_pairs, num_cells;
  CandidateList* kept;  // one for each part pair of each environment; null: none are kept
  float margin;         // m, of kept candidates
};

/// Memory for patch contacts: a window for each warp.
struct PatchMemory {
  std::int64_t* found;  // one for each window; zero between calls
  PackedRowEntry *rows, *other;
  ElasticPolygon* records;
  std::int64_t num_windows;  // all of the warps of some blocks; 0: patch contacts are not wanted
  std::int64_t capacity;     // of each window
};

/// Warps of a block that write patch contacts, with workspaces of about 7 KB.
inline constexpr int kPatchWarps = 4;

/// The arguments of every stage, by value: views of device memory.
struct EvaluationCall {
  SceneView scene;
  State state;
  Results results;
  std::int64_t* list;  // num_environments x num_pairs; see PairList
  CallCounters* counters;
  int shares;        // warps that share one pair: a power of two
  SharedSums* sums;  // one for each listed pair if there is more than one share; zero between calls
  StagedMemory staged;
  PatchMemory patches;

  // packed arrays
  PackedRowLists packed;
  std::byte* scan_memory;  // for the sums of counts
  std::size_t scan_bytes;
  std::uint32_t key_digits;  // bit i: digit i of RowDigits may differ
  RowPass pass;
  int digit;
};

/// Load the kernels of the stages below on the current device, so that no call has to. resident_warps() loads those of
/// evaluate_pairs(), resident_patch_warps() those of write_patch_contacts().
void load_begin_environments();
void load_staged_pairs(const SceneView& scene, Precision precision);
void load_packed_rows();
void load_evaluate_energies();
void load_sum_body_wrenches();

/// Writes every environment's fault bits, lists the pairs whose bodies are near each other, and zeroes the results of
/// all others.
void begin_environments(const EvaluationCall& call, cudaStream_t stream);

/// begin_environments(), and then pair wrenches and patch summaries of the listed pairs, in stages; what these cannot
/// finish is left to evaluate_pairs(). Needs StagedMemory and a pair.
template <class T>
void evaluate_staged_pairs(const EvaluationCall& call, cudaStream_t stream);

/// Pair wrenches, patch summaries, polygons and discrete contacts of the listed pairs, or of those that were left.
template <class T>
void evaluate_pairs(const EvaluationCall& call, cudaStream_t stream);

/// Makes the lists of rows ready for evaluate_pairs(). Does nothing without packed arrays.
void begin_packed_rows(const EvaluationCall& call, cudaStream_t stream);

/// Packed arrays, from what evaluate_pairs() counted and listed. Where not all rows fit, it evaluates again: the
/// environment whose rows fit in part once for each digit of a row's key, then all environments whose rows fit.
template <class T>
void pack_rows(const EvaluationCall& call, cudaStream_t stream);

/// The number of warps that evaluate_pairs() keeps on the current device at once, for these outputs.
template <class T>
std::int64_t resident_warps(const SceneView& scene, Outputs outputs);

/// The number of warps that write_patch_contacts() keeps on the current device at once.
template <class T>
std::int64_t resident_patch_warps(const SceneView& scene);

/// Patch contacts of the listed pairs. Does nothing without windows.
template <class T>
void write_patch_contacts(const EvaluationCall& call, cudaStream_t stream);

/// Elastic energies of the listed pairs.
void evaluate_energies(const EvaluationCall& call, cudaStream_t stream);

/// Body wrenches from the stored pair wrenches.
void sum_body_wrenches(const EvaluationCall& call, cudaStream_t stream);

}  // namespace isopatch::detail
