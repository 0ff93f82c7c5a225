// SPDX-License-Identifier: Apache-2.0
//
// The stages of a pair (stages/begin.h), a kernel each.
#include "kernels/pressure_field/staged_pairs.h"
#include "kernels/scene/begin_environments.cuh"

namespace isopatch::detail {

namespace {

constexpr int kStagedWarps = 4;  // 4 memories of about 6 KB to search
constexpr int kStagedBlock = kStagedWarps * CudaWarp::kSize;

// Blocks that a processor holds at once. In float, a search and an integration fit 128 registers; double is left more.
template <class T>
constexpr int kStagedBlocks = kIsFloat<T> ? 4 : 2;

// In the grid. A call has fewer than 2^30 pairs (see CudaBackend::items()): an index for each fits 32 bits. The threads
// of as many warps have none.
__device__ std::int32_t thread_index() { return static_cast<std::int32_t>(blockIdx.x * kStagedBlock + threadIdx.x); }
__device__ std::int32_t warp_index() {
  return static_cast<std::int32_t>(blockIdx.x * kStagedWarps + threadIdx.x / CudaWarp::kSize);
}

/// What the search for the contacts of a step needs of a pair besides.
__device__ void begin_contacts(const PressureFieldCall& call, std::int32_t index, PairEntry at) {
  if (call.staged.contacts == nullptr) return;
  call.staged.contacts[index].origin_W =
      contact_origin(call.scene, call.state, at.environment, call.scene.pairs[at.pair]);
}

/// Begins the listed pairs of lanes, of bodies of one part. The first pairs are begun, as many as there is memory for.
__device__ void begin_pairs_of_lanes(CudaWarp& warp, const PressureFieldCall& call, bool listed, std::int32_t index,
                                     std::int64_t environment, int pair) {
  const bool fits = index < call.staged.num_pairs;
  if (listed && fits) {
    const StagedPairs staged = lists(call);
    StagedPartPair part_pair;  // in registers, and then written by words of 16 bytes
    begin_staged_pair(staged, index, call.scene, call.state, environment, pair, part_pair);
    staged.part_pairs.items[index] = part_pair;
    begin_contacts(call, index, {environment, pair});
  }
  append_unfinished(warp, call, index, listed && !fits ? Remaining::everything() : Remaining::nothing());
}

/// Whether an array is none that steps and most evaluations have.
ISOPATCH_HD bool is_rare(const ArrayInfo& info) {
  return info.group != OutputGroup::kWrench && info.group != OutputGroup::kContactState;
}

__device__ Results without_rare(const Results& results) {
  Results others;
  for_each_output(
      [](const ArrayInfo& info, const auto& from, auto& to) {
        if (!is_rare(info)) to = from;
      },
      results, others);
  return others;
}

/// Bounds of bodies that are asked for once.
struct BoundsWhenAsked {
  const SceneView& scene;
  const State& state;
  std::int64_t environment;

  __device__ BodyBounds operator[](int body) const { return make_body_bounds<true>(scene, state, environment, body); }
};

/// Both in one, where an environment has one pair of bodies of one part. Each instruction is used by few warps, so it
/// matters how many there are to fetch: most calls need none for the zeroes of rare results.
template <bool has_rare>
__global__ void __launch_bounds__(kBeginBlock) begin_environments_and_pairs_kernel(PressureFieldCall call) {
  CudaWarp warp;
  zero_counters_of_one_block(call);
  const BoundsWhenAsked bounds = {call.scene, call.state, environment_of_thread()};
  const auto begin = [&](const Results& results) {
    begin_small_environments(call, results, bounds,
                             [&](bool near, std::int32_t index, std::int64_t environment, int pair) {
                               begin_pairs_of_lanes(warp, call, near, index, environment, pair);
                             });
  };
  if constexpr (has_rare) {
    begin(call.results);
  } else {
    begin(without_rare(call.results));
  }
}

__global__ void __launch_bounds__(kStagedBlock) begin_pairs_kernel(PressureFieldCall call) {
  CudaWarp warp;
  const std::int32_t index = thread_index();
  const bool listed = index < call.num_listed();
  PairEntry at = {0, 0};
  if (listed) at = call.entry(index);
  begin_pairs_of_lanes(warp, call, listed, index, at.environment, at.pair);
}

/// A warp begins a pair of bodies of several parts, and then the next: most of a batch's pairs may not be near.
__global__ void __launch_bounds__(kStagedBlock) begin_pairs_of_parts_kernel(PressureFieldCall call) {
  CudaWarp warp;
  const std::int32_t listed = call.num_listed();
  const auto warps = static_cast<std::int32_t>(gridDim.x * kStagedWarps);
  for (std::int32_t index = warp_index(); index < listed; index += warps) {
    const PairEntry at = call.entry(index);
    const bool fits = index < call.staged.num_pairs;
    if (fits) {
      begin_staged_pair(warp, lists(call), index, call.scene, call.state, at.environment, at.pair);
      if (warp.lane() == 0) begin_contacts(call, index, at);
    }
    append_unfinished(warp, call, index, !fits && warp.lane() == 0 ? Remaining::everything() : Remaining::nothing());
  }
}

// Blocks of a search that a processor holds at once, and what each needs of its shared memory. A processor divides one
// memory into that and the first-level cache, in steps: with more, the cache of an H100 would be 32 KB smaller.
constexpr int kSearchBlocks = 4;
constexpr std::size_t kSearchBytes = kStagedWarps * sizeof(SearchMemory<CudaWarp::kSize>) + kReservedSharedMemory;
static_assert(kSearchBlocks * kSearchBytes <= std::size_t{100} << 10);

/// What a warp searches.
enum class Search {
  kWhole,  // a part pair
  kKept,   // a part pair, whose candidates are kept
  kShared  // its share of a part pair
};

/// A round takes part pairs until the list of cells is nearly full. The last one leaves the pairs of those that are
/// then left to evaluate_pair().
template <Parts parts, Search search>
__global__ void __launch_bounds__(kStagedBlock, kSearchBlocks)
    search_pairs_kernel(PressureFieldCall call, bool is_last) {
  __shared__ SearchMemory<CudaWarp::kSize> memories[kStagedWarps];
  CudaWarp warp;
  SearchMemory<CudaWarp::kSize>& memory = memories[threadIdx.x / CudaWarp::kSize];
  const StagedPairs staged = lists(call);
  const std::int32_t all =
      parts == Parts::kOne ? min(call.num_listed(), call.staged.num_pairs) : staged.part_pairs.size();
  const std::int32_t slices = search == Search::kShared ? call.staged.slices : 1;
  const std::int64_t count = std::int64_t{slices} * all;
  const auto has_room = [&] { return warp.from_first(*call.counter(kCells)) < call.staged.full_cells; };
  std::int32_t at = 0;
  const auto part_pair = [&] { return search == Search::kShared ? at / slices : at; };
  while (has_room() && take_item(warp, call.counter(kNextSearch), count, at)) {
    const WorkSlice share = {at - part_pair() * slices, slices};
    search_staged_pair<search == Search::kKept>(warp, memory, staged, part_pair(), share, call.staged.candidates,
                                                call.staged.margin);
  }
  while (is_last && take_item(warp, call.counter(kNextSearch), count, at)) {
    if (warp.lane() == 0) leave_pair_of(warp, staged, part_pair());
  }
}

template <class T, bool with_patch>
__global__ void __launch_bounds__(kStagedBlock, kStagedBlocks<T>) integrate_cells_kernel(PressureFieldCall call) {
  __shared__ IntegrationMemory<T, with_patch, CudaWarp::kSize> memories[kStagedWarps];
  CudaWarp warp;
  IntegrationMemory<T, with_patch, CudaWarp::kSize>& memory = memories[threadIdx.x / CudaWarp::kSize];
  const StagedPairs staged = lists(call);
  const std::int32_t end = staged.cells.size();
  const auto warps = static_cast<std::int32_t>(gridDim.x * kStagedWarps);
  for (std::int32_t round = warp_index(); round * CudaWarp::kSize < end; round += warps) {
    integrate_cells(warp, memory, staged, round * CudaWarp::kSize, end);
  }
}

template <class T, bool with_patch, Parts parts>
__global__ void __launch_bounds__(kStagedBlock) finish_pairs_kernel(PressureFieldCall call) {
  CudaWarp warp;
  const std::int32_t index = thread_index();
  Remaining remaining = Remaining::nothing();
  if (index < min(call.num_listed(), call.staged.num_pairs)) {
    const PairEntry at = call.entry(index);
    CudaThread thread;
    remaining = finish_staged_pair<T, with_patch, parts>(
        thread, lists(call), index, {call.scene, call.state, call.results, at.environment, at.pair});
  }
  append_unfinished(warp, call, index, remaining);
}

/// Whether the threads that begin environments begin pairs too: one after another would take longer than apart.
bool begins_together(const SceneView& scene) {
  return scene.num_pairs == 1 && has_few_bodies(scene) && parts_of(scene) == Parts::kOne;
}

unsigned blocks_of(std::int64_t threads) { return static_cast<unsigned>((threads + kStagedBlock - 1) / kStagedBlock); }

template <class T, bool with_patch, Parts parts>
void evaluate_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream) {
  const auto integrate = call.listed.of_pairs != nullptr ? integrating_and_listing_kernel<T, with_patch>()
                                                         : integrate_cells_kernel<T, with_patch>;
  begin_staged_pairs(call, begins, stream);
  search_staged_pairs(
      call,
      [&](std::int64_t cells) {
        const std::int64_t vectors = (cells + CudaWarp::kSize - 1) / CudaWarp::kSize;
        integrate<<<blocks_for(integrate, kStagedBlock, vectors), kStagedBlock, 0, stream>>>(call);
      },
      stream);
  finish_pairs_kernel<T, with_patch, parts><<<blocks_of(call.staged.num_pairs), kStagedBlock, 0, stream>>>(call);
  ISOPATCH_CUDA_CHECK(cudaGetLastError());
}

template <class T, Parts parts>
void evaluate_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream) {
  if (needed_outputs(call.results) == Outputs::kWrench) {
    evaluate_staged_pairs<T, false, parts>(call, begins, stream);
  } else {
    evaluate_staged_pairs<T, true, parts>(call, begins, stream);
  }
}

template <Parts parts, Search search>
void load_search() {
  const auto kernel = search_pairs_kernel<parts, search>;
  prefer_shared_memory(reinterpret_cast<const void*>(kernel), kSearchBlocks, kSearchBytes);
  resident_blocks(kernel, kStagedBlock);
}

template <Parts parts>
void load_searches() {
  load_search<parts, Search::kWhole>();
  load_search<parts, Search::kKept>();
  load_search<parts, Search::kShared>();
}

template <Parts parts>
void search_round(const PressureFieldCall& call, int round, cudaStream_t stream) {
  const StagedMemory& memory = call.staged;
  const auto search = memory.candidates != nullptr ? search_pairs_kernel<parts, Search::kKept>
                      : memory.slices > 1          ? search_pairs_kernel<parts, Search::kShared>
                                                   : search_pairs_kernel<parts, Search::kWhole>;
  if (round > 0) ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.counter(kCells), 0, sizeof(std::int32_t), stream));
  const std::int64_t part_pairs =
      parts == Parts::kOne ? std::min<std::int64_t>(call.num_pairs(), memory.num_pairs) : memory.num_part_pairs;
  const unsigned blocks = blocks_for(search, kStagedBlock, memory.slices * part_pairs);
  search<<<blocks, kStagedBlock, 0, stream>>>(call, round + 1 == memory.rounds);
}

template <class T, bool with_patch, Parts parts>
void load_staged_pairs() {
  resident_blocks(integrate_cells_kernel<T, with_patch>, kStagedBlock);
  resident_blocks(finish_pairs_kernel<T, with_patch, parts>, kStagedBlock);
}

template <class T>
void load_staged_pairs(Parts parts) {
  if (parts == Parts::kOne) {
    load_staged_pairs<T, false, Parts::kOne>();
    load_staged_pairs<T, true, Parts::kOne>();
  } else {
    load_staged_pairs<T, false, Parts::kSeveral>();
    load_staged_pairs<T, true, Parts::kSeveral>();
  }
}

}  // namespace

void begin_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream) {
  if (begins && begins_together(call.scene)) {
    bool has_rare = false;
    for_each_output(
        [&](const ArrayInfo& info, const auto& array) {
          if (is_rare(info)) has_rare = has_rare || array.data != nullptr;
        },
        call.results);
    const auto begin =
        has_rare ? begin_environments_and_pairs_kernel<true> : begin_environments_and_pairs_kernel<false>;
    return launch_begin(begin, call, kBeginBlock, stream);
  }
  if (begins) begin_environments(call, stream);
  if (parts_of(call.scene) == Parts::kOne) {
    begin_pairs_kernel<<<blocks_of(call.num_pairs()), kStagedBlock, 0, stream>>>(call);
  } else {
    const unsigned blocks = blocks_for(begin_pairs_of_parts_kernel, kStagedBlock, call.num_pairs());
    begin_pairs_of_parts_kernel<<<blocks, kStagedBlock, 0, stream>>>(call);
  }
}

void search_round(const PressureFieldCall& call, int round, cudaStream_t stream) {
  parts_of(call.scene) == Parts::kOne ? search_round<Parts::kOne>(call, round, stream)
                                      : search_round<Parts::kSeveral>(call, round, stream);
}

void load_searches(const SceneView& scene) {
  resident_blocks(begin_environments_and_pairs_kernel<false>, kBeginBlock);
  resident_blocks(begin_environments_and_pairs_kernel<true>, kBeginBlock);
  if (parts_of(scene) == Parts::kOne) {
    resident_blocks(begin_pairs_kernel, kStagedBlock);
    load_searches<Parts::kOne>();
  } else {
    resident_blocks(begin_pairs_of_parts_kernel, kStagedBlock);
    load_searches<Parts::kSeveral>();
  }
}

void load_staged_pairs(const SceneView& scene, Precision precision) {
  load_searches(scene);
  if (precision == Precision::kFloat) {
    load_staged_pairs<float>(parts_of(scene));
  } else {
    load_staged_pairs<double>(parts_of(scene));
  }
}

template <class T>
void evaluate_staged_pairs(const PressureFieldCall& call, bool begins, cudaStream_t stream) {
  if (parts_of(call.scene) == Parts::kOne) {
    evaluate_staged_pairs<T, Parts::kOne>(call, begins, stream);
  } else {
    evaluate_staged_pairs<T, Parts::kSeveral>(call, begins, stream);
  }
}

template void evaluate_staged_pairs<float>(const PressureFieldCall&, bool, cudaStream_t);
template void evaluate_staged_pairs<double>(const PressureFieldCall&, bool, cudaStream_t);

}  // namespace isopatch::detail
