// SPDX-License-Identifier: Apache-2.0
//
// The contacts of near pairs, which are appended to those of their environment in no particular order: by a warp a
// pair, or in stages (stages/list_for_solver.h), which leave a pair to a warp where they cannot finish it.
#include "kernels/pressure_field/find_contacts.h"

#include "isopatch/detail/pressure_field/search_for_solver.h"
#include "kernels/pressure_field/staged_pairs.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kFindWarps = 4;
constexpr int kFindBlock = kFindWarps * CudaWarp::kSize;

template <class T, Parts parts>
__global__ void __launch_bounds__(kFindBlock, 2) find_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  __shared__ Workspace<CudaWarp::kSize> workspaces[kFindWarps];
  CudaWarp warp;
  Workspace<CudaWarp::kSize>& work = workspaces[threadIdx.x / CudaWarp::kSize];
  const PressureFieldCall& evaluation = call.evaluation;
  const UnfinishedPair* const left = evaluation.staged.pairs != nullptr ? evaluation.staged.unfinished : nullptr;
  const std::int32_t count = left != nullptr ? *evaluation.counter(kUnfinished) : evaluation.num_listed();
  for (std::int32_t at; take_item(warp, evaluation.counter(kNextPair), count, at);) {
    const UnfinishedPair item = left != nullptr ? left[at] : UnfinishedPair{at, Remaining::everything()};
    const auto [environment, pair] = evaluation.entry(item.pair);
    const std::int64_t to = environment;
    const auto append = [&](const SolverContact<T>& contact) { call.to.append(warp, to, contact); };
    const std::uint32_t bits = find_solver_contacts<T, parts>(
        warp, work, {evaluation.scene, evaluation.state, evaluation.results, environment, pair}, call.points, append,
        item.remaining);
    if (bits != kOk && warp.lane() == 0) warp.set_bits(call.to.status + environment, bits);
    warp.sync();
  }
}

/// A thread a pair.
__global__ void __launch_bounds__(kFindBlock) begin_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  const PressureFieldCall& evaluation = call.evaluation;
  const auto index = static_cast<std::int32_t>(blockIdx.x * kFindBlock + threadIdx.x);
  if (index >= min(evaluation.num_listed(), evaluation.staged.num_pairs)) return;
  const auto [environment, pair] = evaluation.entry(index);
  call.of_pairs[index].origin_W =
      contact_origin(evaluation.scene, evaluation.state, environment, evaluation.scene.pairs[pair]);
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
  const auto warps = static_cast<std::int32_t>(gridDim.x * kFindWarps);
  auto round = static_cast<std::int32_t>(blockIdx.x * kFindWarps + threadIdx.x / CudaWarp::kSize);
  for (; round * CudaWarp::kSize < end; round += warps) {
    make_listed_contacts<T>(warp, lines, staged, call.of_pairs, evaluation.scene.num_part_pairs, points,
                            round * CudaWarp::kSize, end, environment_of, append);
  }
}

/// A thread a pair.
__global__ void __launch_bounds__(kFindBlock) end_contacts_kernel(const __grid_constant__ ContactSearchCall call) {
  CudaWarp warp;
  const PressureFieldCall& evaluation = call.evaluation;
  const auto index = static_cast<std::int32_t>(blockIdx.x * kFindBlock + threadIdx.x);
  Remaining remaining = Remaining::nothing();
  if (index < min(evaluation.num_listed(), evaluation.staged.num_pairs)) {
    CudaThread thread;
    remaining = end_contact_search(thread, evaluation.staged.pairs[index], call.of_pairs[index],
                                   call.to.status + evaluation.entry(index).environment);
  }
  append_unfinished(warp, evaluation, index, remaining);
}

template <class T, class Use>
void with_find_kernel(const SceneView& scene, const Use& use) {
  if (parts_of(scene) == Parts::kOne) return use(find_contacts_kernel<T, Parts::kOne>);
  use(find_contacts_kernel<T, Parts::kSeveral>);
}

unsigned blocks_of(std::int64_t threads) { return static_cast<unsigned>((threads + kFindBlock - 1) / kFindBlock); }

}  // namespace

template <class T>
std::int64_t load_find_contacts(const SceneView& scene) {
  load_searches(scene);
  resident_blocks(begin_contacts_kernel, kFindBlock);
  resident_blocks(make_listed_contacts_kernel<T, false>, kFindBlock);
  resident_blocks(make_listed_contacts_kernel<T, true>, kFindBlock);
  resident_blocks(end_contacts_kernel, kFindBlock);
  std::int64_t warps = 0;
  with_find_kernel<T>(scene,
                      [&](auto kernel) { warps = std::int64_t{kFindWarps} * resident_blocks(kernel, kFindBlock); });
  return warps;
}

template <class T>
void find_contacts(const ContactSearchCall& call, cudaStream_t stream) {
  const std::int64_t most = call.evaluation.num_pairs();
  if (most == 0) return;
  if (const StagedMemory& staged = call.evaluation.staged; staged.pairs != nullptr) {
    const unsigned of_pairs = blocks_of(staged.num_pairs);
    begin_contacts_kernel<<<of_pairs, kFindBlock, 0, stream>>>(call);
    const auto make_contacts = [&](std::int64_t cells) {
      const auto kernel = call.points == ContactPoints::kFan6 ? make_listed_contacts_kernel<T, true>
                                                              : make_listed_contacts_kernel<T, false>;
      const std::int64_t vectors = (cells + CudaWarp::kSize - 1) / CudaWarp::kSize;
      kernel<<<blocks_for(kernel, kFindBlock, vectors), kFindBlock, 0, stream>>>(call);
    };
    search_staged_pairs(call.evaluation, false, make_contacts, stream);
    end_contacts_kernel<<<of_pairs, kFindBlock, 0, stream>>>(call);
  }
  with_find_kernel<T>(call.evaluation.scene, [&](auto kernel) {
    kernel<<<blocks_for(kernel, kFindBlock, most), kFindBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  });
}

template std::int64_t load_find_contacts<float>(const SceneView&);
template std::int64_t load_find_contacts<double>(const SceneView&);
template void find_contacts<float>(const ContactSearchCall&, cudaStream_t);
template void find_contacts<double>(const ContactSearchCall&, cudaStream_t);

}  // namespace isopatch::detail
