// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair: a thread takes a near pair, after a warp has found the overlaps of
// its parts. They are always in double.
#include "kernels/contact/models.h"

#include <algorithm>

#include "kernels/runtime/cuda_block.cuh"
#include "kernels/runtime/work_loop.cuh"
#include "kernels/single_contact/device_single_contact.cuh"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;
constexpr int kOverlapWarps = 4;
constexpr int kOverlapBlock = kOverlapWarps * CudaWarp::kSize;
constexpr int kShareWarps = 8;
constexpr int kShareBlock = kShareWarps * CudaWarp::kSize;

/// Some entries of a list of near pairs, and where the first one is among them.
struct PairRange {
  std::int32_t first, most;

  __device__ std::int32_t size(const PairList& list) const { return min(*list.count - first, most); }
};

/// A warp takes a near pair, and then the next.
template <bool with_rates>
__global__ void __launch_bounds__(kOverlapBlock, 3)
    find_overlaps_kernel(const __grid_constant__ BatchCall call, PairRange range) {
  __shared__ OverlapPassMemory memories[kOverlapWarps];
  constexpr int kModel = DeviceSingleContact<VolumetricModel>::kModel;
  if (!call.packed.has_work(call.pass)) return;
  CudaWarp warp;
  OverlapPassMemory& memory = memories[threadIdx.x / CudaWarp::kSize];
  const PairList list = call.near_pairs().of(call.scene, kModel);
  const auto warps = static_cast<std::int32_t>(gridDim.x * kOverlapWarps);
  auto index = static_cast<std::int32_t>(blockIdx.x * kOverlapWarps + threadIdx.x / CudaWarp::kSize);
  for (const std::int32_t count = range.size(list); index < count; index += warps) {
    const PairEntry at = PairEntry::make(call.scene, list.items[range.first + index]);
    if (!call.packed.needs(call.pass, at.environment)) continue;
    find_overlaps<with_rates>(warp, memory, call, at.environment, call.scene.view_in(kModel, at.pair), index);
  }
}

/// What the warps of a block that share a pass need.
struct SharedPass {
  static constexpr int kMostWords = 2 * kNumbersOf<true> + 2;

  OverlapPass pass;
  TraversalMemory<AcceptedCells, CudaWarp::kSize> traversal[kShareWarps];
  std::int64_t of_warp[kShareWarps][kMostWords];
};

/// Adds up a pass by all warps of the block. Called by all threads, and each returns the total.
template <bool with_rates>
__device__ PassTotal share_pass(const CudaBlock<kShareBlock>& block, SharedPass& memory, const OverlapPass& pass) {
  CudaWarp warp;
  const int own = static_cast<int>(threadIdx.x) / CudaWarp::kSize;
  auto sums = sum_share<with_rates, false>(warp, memory.traversal[own], pass, {own, kShareWarps});
  int index = 0;
  sums.for_each_word([&](std::int64_t& word) {
    if (warp.lane() == 0) memory.of_warp[own][index] = word;
    ++index;
  });
  block.sync();
  index = 0;
  sums.for_each_word([&](std::int64_t& word) {
    word = 0;
    for (int k = 0; k < kShareWarps; ++k) word = wrapping_sum(word, memory.of_warp[k][index]);
    ++index;
  });
  block.sync();  // the memory may be used again
  return total_of<with_rates>(pass, sums);
}

/// The same where there are so few pairs that a block can take each.
template <bool with_rates>
__global__ void __launch_bounds__(kShareBlock, 1)
    share_overlaps_kernel(const __grid_constant__ BatchCall call, PairRange range) {
  __shared__ SharedPass memory;
  constexpr int kModel = DeviceSingleContact<VolumetricModel>::kModel;
  if (!call.packed.has_work(call.pass)) return;
  const PairList list = call.near_pairs().of(call.scene, kModel);
  const auto index = static_cast<std::int32_t>(blockIdx.x);
  if (index >= range.size(list)) return;
  const PairEntry at = PairEntry::make(call.scene, list.items[range.first + index]);
  if (!call.packed.needs(call.pass, at.environment)) return;
  CudaBlock<kShareBlock> block;
  const auto sum = [&](const OverlapPass& pass) { return share_pass<with_rates>(block, memory, pass); };
  find_overlaps<with_rates>(block, memory.pass, call.scene, call.state, at.environment,
                            call.scene.view_in(kModel, at.pair), sum,
                            call.overlaps.rows + std::int64_t{call.overlaps.of_pair} * index);
}

/// Calls use(environment, view of the pair, its place in the range) for the near pair of a thread, if it has one.
template <class Model, class Use>
__device__ void for_own_pair(const BatchCall& call, PairRange range, const Use& use) {
  const PairList list = call.near_pairs().of(call.scene, DeviceSingleContact<Model>::kModel);
  const auto index = static_cast<std::int32_t>(blockIdx.x * kBlock + threadIdx.x);
  if (index >= range.size(list)) return;
  const PairEntry at = PairEntry::make(call.scene, list.items[range.first + index]);
  use(at.environment, call.scene.view_in(DeviceSingleContact<Model>::kModel, at.pair), index);
}

template <class Model>
__global__ void __launch_bounds__(kBlock)
    evaluate_single_contacts_kernel(const __grid_constant__ BatchCall call, PairRange range) {
  if (!call.packed.has_work(call.pass)) return;
  for_own_pair<Model>(call, range, [&](std::int64_t environment, int view, std::int32_t slot) {
    if (!call.packed.needs(call.pass, environment)) return;
    CudaWarp warp;
    const RowsOfPass rows = RowsOfPass::make(call.packed, call.pass, 0);
    const std::uint32_t status = evaluate_single_contact_pair(warp, model_of<Model>(call, view, slot), call.scene,
                                                              call.state, call.results, rows, environment, view);
    if (status != kOk) set_status(warp, call.results, environment, status);
  });
}

template <class Model>
__global__ void __launch_bounds__(kBlock)
    find_single_contacts_kernel(const __grid_constant__ BatchCall call, const __grid_constant__ ContactLists to,
                                PairRange range) {
  for_own_pair<Model>(call, range, [&](std::int64_t environment, int view, std::int32_t slot) {
    CudaWarp warp;
    find_plates<Model>(warp, call, environment, view, slot, to);
  });
}

template <class Model>
class CudaSingleContact final : public CudaContactModel {
 public:
  CudaSingleContact(const Scene& scene, const ContactModelOptions& options) {
    if (scene.data().view.pairs_of_model(DeviceSingleContact<Model>::kModel) == 0) return;  // no call launches a kernel
    resident_blocks(evaluate_single_contacts_kernel<Model>, kBlock);
    if constexpr (!kIsPoint<Model>) load_overlaps<false>();
    if (!options.steps) return;
    if constexpr (!kIsPoint<Model>) load_overlaps<true>();
    resident_blocks(find_single_contacts_kernel<Model>, kBlock);
  }

  void evaluate(const BatchCall& call, bool begins, const CandidateCache::Implementation* /*candidates*/,
                std::int64_t /*first*/, cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    list_again(call, stream);
  }

  void list_again(const BatchCall& call, cudaStream_t stream) override {
    for_each_range<false>(call, stream, [&](PairRange range) {
      evaluate_single_contacts_kernel<Model><<<blocks_of(range), kBlock, 0, stream>>>(call, range);
    });
  }

  void find_contacts(const BatchCall& call, bool begins, ContactPoints /*points*/, const ContactLists& to,
                     cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    for_each_range<true>(call, stream, [&](PairRange range) {
      find_single_contacts_kernel<Model><<<blocks_of(range), kBlock, 0, stream>>>(call, to, range);
    });
  }

 private:
  static unsigned blocks_of(PairRange range) { return static_cast<unsigned>((range.most + kBlock - 1) / kBlock); }

  template <bool with_rates>
  static void load_overlaps() {
    resident_blocks(find_overlaps_kernel<with_rates>, kOverlapBlock);
    resident_blocks(share_overlaps_kernel<with_rates>, kShareBlock);
  }

  template <bool with_rates>
  static void find_overlaps(const BatchCall& call, PairRange range, cudaStream_t stream) {
    const auto by_warps = find_overlaps_kernel<with_rates>;
    const auto by_blocks = share_overlaps_kernel<with_rates>;
    if (range.most <= resident_blocks(by_blocks, kShareBlock)) {
      by_blocks<<<static_cast<unsigned>(range.most), kShareBlock, 0, stream>>>(call, range);
    } else {
      by_warps<<<blocks_for(by_warps, kOverlapBlock, range.most), kOverlapBlock, 0, stream>>>(call, range);
    }
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

  /// Calls launch(range), which enqueues a kernel whose threads take a pair each, for all of the list: as many pairs at
  /// a time as there is room for their overlaps, which are found before.
  template <bool with_rates, class Launch>
  static void for_each_range(const BatchCall& call, cudaStream_t stream, const Launch& launch) {
    const std::int64_t pairs =
        call.state.num_environments * call.scene.pairs_of_model(DeviceSingleContact<Model>::kModel);
    const std::int64_t room = kIsPoint<Model> ? pairs : call.overlaps.num_pairs;
    for (std::int64_t first = 0; first < pairs; first += room) {
      const PairRange range = {static_cast<std::int32_t>(first),
                               static_cast<std::int32_t>(std::min(pairs - first, room))};
      if constexpr (!kIsPoint<Model>) find_overlaps<with_rates>(call, range, stream);
      launch(range);
      ISOPATCH_CUDA_CHECK(cudaGetLastError());
    }
  }
};

}  // namespace

std::unique_ptr<CudaContactModel> make_cuda_volumetric(const Scene& scene, const ContactModelOptions& options) {
  return std::make_unique<CudaSingleContact<VolumetricModel>>(scene, options);
}

std::unique_ptr<CudaContactModel> make_cuda_point(const Scene& scene, const ContactModelOptions& options) {
  return std::make_unique<CudaSingleContact<PointModel>>(scene, options);
}

}  // namespace isopatch::detail
