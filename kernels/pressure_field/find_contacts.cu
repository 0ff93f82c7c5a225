// SPDX-License-Identifier: Apache-2.0
//
// The contacts of near pairs, which are appended to those of their environment in no particular order: by a warp a
// pair, or in stages (stages/list_for_solver.h), which leave a pair to a warp where they cannot finish it.
#include "kernels/pressure_field/find_contacts.h"

#include "kernels/pressure_field/device_pressure_field.cuh"
#include "kernels/pressure_field/staged_pairs.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kFindWarps = 4;
constexpr int kFindBlock = kFindWarps * CudaWarp::kSize;

/// Ends the search for the contacts of a staged pair, and returns what is left to do. Most pairs without a polygon are
/// apart; a lane finds that in the context with which the pair was searched, as a warp would in one that it makes.
template <Parts parts>
__device__ Remaining end_pair(const ContactSearchCall& call, std::int32_t index) {
  const PressureFieldCall& evaluation = call.evaluation;
  CudaThread thread;
  const StagedPair& begun = evaluation.staged.pairs[index];
  const Remaining left = end_contact_search(thread, begun, evaluation.staged.contacts[index],
                                            call.to.status + evaluation.entry(index).environment);
  if (parts != Parts::kOne || left.kind != Remaining::kOverlapTest) return left;
  return is_enclosed(thread, evaluation.staged.part_pairs[begun.part_pair].context) ? left : Remaining::nothing();
}

/// After the stages: a lane ends a staged pair, and the warp does what is left of the pairs of its lanes, and of those
/// that were not staged. Without stages, a warp does all of a pair.
template <class T, Parts parts>
__global__ void __launch_bounds__(kFindBlock, 2) find_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kFindWarps];
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  const PressureFieldCall& evaluation = call.evaluation;
  const bool in_stages = evaluation.staged.pairs != nullptr;
  const std::int32_t listed = evaluation.num_listed(),
                     staged = in_stages ? min(listed, evaluation.staged.num_pairs) : 0;
  const std::int32_t left = in_stages ? *evaluation.counter(kUnfinished) : listed;
  const auto warps = static_cast<std::int32_t>(gridDim.x * kFindWarps);
  const std::int32_t share = min((staged + warps - 1) / warps, CudaWarp::kSize);  // staged pairs of a warp at once
  auto first = static_cast<std::int32_t>(blockIdx.x * kFindWarps + threadIdx.x / CudaWarp::kSize) * share;
  std::int32_t index = 0;  // of a lane's pair
  Remaining own = Remaining::nothing();
  std::uint32_t lanes = 0;  // whose pair has something left
  while (true) {            // one place where a pair is finished, for the sake of the code's size
    UnfinishedPair item = {0, Remaining::everything()};
    if (lanes != 0) {
      const int lane = count_bits(~lanes & (lanes - 1));
      lanes &= lanes - 1;
      item = {warp.from_lane(index, lane),
              {static_cast<Remaining::Kind>(warp.from_lane(own.kind, lane)),
               static_cast<std::int16_t>(warp.from_lane(own.widening, lane))}};
    } else if (first < staged) {
      index = first + warp.lane();
      own = warp.lane() < share && index < staged ? end_pair<parts>(call, index) : Remaining::nothing();
      lanes = warp.ballot(own.kind != Remaining::kNothing);
      first += warps * share;
      continue;
    } else {
      std::int32_t at = 0;
      if (!take_item(warp, evaluation.counter(kNextPair), left, at)) return;
      item = in_stages ? evaluation.staged.unfinished[at] : UnfinishedPair{at, Remaining::everything()};
    }
    const PairEntry at = evaluation.entry(item.pair);
    find_contacts_of_pair<T, parts>(warp, work,
                                    {evaluation.scene, evaluation.state, evaluation.results, at.environment, at.pair},
                                    call.points, call.to, item.remaining);
  }
}

// Blocks that a processor holds at once: in float a polygon with one record fits 128 registers.
template <class T, bool is_fan>
constexpr int kListedBlocks = !kIsFloat<T> ? 2
                              : is_fan     ? 3
                                           : 4;

/// `is_fan`: with ContactPoints::kFan6.
template <class T, bool is_fan>
__global__ void __launch_bounds__(kFindBlock, kListedBlocks<T, is_fan>)
    make_listed_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  __shared__ BoundarySide<T> memories[kFindWarps][kMaxLines * CudaWarp::kSize];
  CudaWarp warp;
  const PressureFieldCall& evaluation = call.evaluation;
  const StagedPairs staged = lists(evaluation);
  const LinesInMemory<T, CudaWarp::kSize> lines = {memories[threadIdx.x / CudaWarp::kSize] + warp.lane()};
  const std::int32_t end = staged.cells.size();
  const ContactPoints points = is_fan                                    ? ContactPoints::kFan6
                               : call.points == ContactPoints::kCentroid ? ContactPoints::kCentroid
                                                                         : ContactPoints::kMatched;
  const auto environment_of = [&](std::int32_t index) { return evaluation.entry(index).environment; };
  const auto append = [&](std::int64_t environment, const SolverContact<T>& contact) {
    call.to.append(warp, environment, contact);
  };
  const auto threads = static_cast<std::int32_t>(gridDim.x * kFindBlock);
  auto first = static_cast<std::int32_t>(blockIdx.x * kFindBlock + threadIdx.x / CudaWarp::kSize * CudaWarp::kSize);
  for (; first < end; first += threads) {
    make_listed_contacts<T>(warp, lines, staged, evaluation.staged.contacts, evaluation.scene.num_part_pairs, points,
                            first, end, environment_of, append);
  }
}

template <class T, class Use>
void with_find_kernel(const SceneView& scene, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return use(find_contacts_kernel<T, Parts::kOne>);
  use(find_contacts_kernel<T, Parts::kSeveral>);
}

}  // namespace

template <class T>
std::int64_t load_find_contacts(const SceneView& scene) {
  load_searches(scene);
  resident_blocks(make_listed_contacts_kernel<T, false>, kFindBlock);
  resident_blocks(make_listed_contacts_kernel<T, true>, kFindBlock);
  std::int64_t warps = 0;
  with_find_kernel<T>(scene,
                      [&](auto kernel) { warps = std::int64_t{kFindWarps} * resident_blocks(kernel, kFindBlock); });
  return warps;
}

template <class T>
void find_contacts(const ContactSearchCall& call, bool begins, cudaStream_t stream) {
  const std::int64_t most = call.evaluation.num_pairs();
  const StagedMemory& staged = call.evaluation.staged;
  if (begins && (most == 0 || staged.pairs == nullptr)) begin_environments(call.evaluation, stream);
  if (most == 0) return;
  if (staged.pairs != nullptr) {
    begin_staged_pairs(call.evaluation, begins, stream);
    const auto make_contacts = [&](std::int64_t cells) {
      const auto kernel = call.points == ContactPoints::kFan6 ? make_listed_contacts_kernel<T, true>
                                                              : make_listed_contacts_kernel<T, false>;
      const std::int64_t vectors = (cells + CudaWarp::kSize - 1) / CudaWarp::kSize;
      kernel<<<blocks_for(kernel, kFindBlock, vectors), kFindBlock, 0, stream>>>(call);
    };
    search_staged_pairs(call.evaluation, make_contacts, stream);
  }
  with_find_kernel<T>(call.evaluation.scene, [&](auto kernel) {
    kernel<<<blocks_for(kernel, kFindBlock, most), kFindBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template std::int64_t load_find_contacts<float>(const SceneView&);
template std::int64_t load_find_contacts<double>(const SceneView&);
template void find_contacts<float>(const ContactSearchCall&, bool, cudaStream_t);
template void find_contacts<double>(const ContactSearchCall&, bool, cudaStream_t);

}  // namespace isopatch::detail
