// SPDX-License-Identifier: Apache-2.0
//
// What the device stages of a call take, whatever contact model they are of. Each stage enqueues on `stream`, allocates
// nothing, does not synchronise, and returns at once if there is nothing to do; so a call can be captured in a graph.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "isopatch/detail/contact/packed_row_list.h"
#include "isopatch/detail/scene/begin_environment.h"
#include "isopatch/results/array_types.h"

namespace isopatch::detail {

struct PartOverlap;  // of detail/overlap/part_overlap.h

/// Near pairs whose overlaps a warp finds at once where it takes an environment through sub-steps.
inline constexpr std::int32_t kOverlapPairsOfWarp = 8;

/// Counters that a call starts at zero.
struct CallCounters {
  static constexpr int kOfModel = 12;

  std::int32_t listed[kMaxContactModels];              // pairs in the list of each model
  std::int32_t of_model[kMaxContactModels][kOfModel];  // as each model says
  std::int32_t next_step;                              // environments that warps have taken to step
  std::int32_t continuing;                             // environments with further sub-steps
  std::int32_t next_continuing;                        // of these, that warps have taken
};

/// Overlaps of near pairs, between the kernel that finds them and the one that reads them: for some pairs at a time.
struct OverlapRows {
  PartOverlap* rows;       // `of_pair` of each; null: no model asks for them
  std::int32_t num_pairs;  // that there is room for
  std::int32_t of_pair;

  /// Room in a call of so many pairs: for all of a small batch, for a fourth of a large one, where most are not near,
  /// and for warps that take a few at a time. `of_pair` is 0 where no model asks for overlaps.
  static OverlapRows room(std::int64_t pairs, std::int32_t of_pair, std::int64_t warps) {
    constexpr std::int64_t kSmall = 1 << 16;
    if (of_pair == 0) return {nullptr, 0, 0};
    const std::int64_t room = std::max({std::min(pairs, kSmall), (pairs + 3) / 4, warps * kOverlapPairsOfWarp});
    return {nullptr, static_cast<std::int32_t>(room), of_pair};
  }
  std::size_t size() const { return static_cast<std::size_t>(num_pairs) * static_cast<std::size_t>(of_pair); }
};

/// The arguments of every stage, by value: views of device memory.
struct BatchCall {
  SceneView scene;
  State state;
  Results results;
  std::int64_t* list;  // num_environments x num_pair_views; see PairLists
  CallCounters* counters;
  OverlapRows overlaps;
  PackedRowLists packed = {};
  RowPass pass = RowPass::kAll;

  ISOPATCH_HD PairLists near_pairs() const { return {list, counters->listed, state.num_environments}; }
};

/// Environment and pair of an entry of a list of near pairs.
struct PairEntry {
  std::int64_t environment;
  int pair;

  ISOPATCH_HD static PairEntry make(const SceneView& scene, std::int64_t entry) {
    const auto item = static_cast<std::uint32_t>(entry);  // below 2^31: see CudaBackend
    const auto pairs = static_cast<std::uint32_t>(scene.num_pairs);
    return {item / pairs, static_cast<int>(item % pairs)};
  }
};

/// Load the kernels of the stages below on the current device, so that no call has to.
void load_begin_environments();
void load_sum_body_wrenches();

/// Writes every environment's fault bits, lists the pairs whose bodies are near each other, and zeroes the results of
/// all others.
void begin_environments(const BatchCall& call, cudaStream_t stream);

/// Body wrenches from the stored pair wrenches.
void sum_body_wrenches(const BatchCall& call, cudaStream_t stream);

/// Loads the kernel on the current device.
void load_keep_geometries();

/// Enqueues a copy of a call's geometry indices to `to`, [environments, parts], and replaces them by it; so that all
/// stages see the same, although work on another stream may write them meanwhile. Nothing happens without indices.
void keep_geometries(TypedArray<const std::int32_t>& indices, std::int64_t environments, int parts, std::int32_t* to,
                     cudaStream_t stream);

}  // namespace isopatch::detail
