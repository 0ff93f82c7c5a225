// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair: a thread takes a near pair, after a warp has found the overlaps of
// its parts. They are always in double.
#include "kernels/contact/models.h"

#include "kernels/runtime/work_loop.cuh"
#include "kernels/single_contact/device_single_contact.cuh"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;
constexpr int kOverlapWarps = 4;
constexpr int kOverlapBlock = kOverlapWarps * CudaWarp::kSize;

/// A warp takes a near pair, and then the next.
template <bool with_rates>
__global__ void __launch_bounds__(kOverlapBlock, 3) find_overlaps_kernel(const __grid_constant__ BatchCall call) {
  __shared__ OverlapMemory memories[kOverlapWarps];
  constexpr int kModel = DeviceSingleContact<VolumetricModel>::kModel;
  CudaWarp warp;
  OverlapMemory& memory = memories[threadIdx.x / CudaWarp::kSize];
  const PairList list = call.near_pairs().of(call.scene, kModel);
  const auto warps = static_cast<std::int32_t>(gridDim.x * kOverlapWarps);
  auto index = static_cast<std::int32_t>(blockIdx.x * kOverlapWarps + threadIdx.x / CudaWarp::kSize);
  for (const std::int32_t count = *list.count; index < count; index += warps) {
    const PairEntry at = PairEntry::make(call.scene, list.items[index]);
    find_overlaps<with_rates>(warp, memory, call, at.environment, call.scene.view_in(kModel, at.pair));
  }
}

/// Calls use(environment, view of the pair) for the near pair of a thread, if it has one.
template <class Model, class Use>
__device__ void for_own_pair(const BatchCall& call, const Use& use) {
  const PairList list = call.near_pairs().of(call.scene, DeviceSingleContact<Model>::kModel);
  const auto index = static_cast<std::int32_t>(blockIdx.x * kBlock + threadIdx.x);
  if (index >= *list.count) return;
  const PairEntry at = PairEntry::make(call.scene, list.items[index]);
  use(at.environment, call.scene.view_in(DeviceSingleContact<Model>::kModel, at.pair));
}

template <class Model>
__global__ void __launch_bounds__(kBlock) evaluate_single_contacts_kernel(const __grid_constant__ BatchCall call) {
  if (!call.packed.has_work(call.pass)) return;
  for_own_pair<Model>(call, [&](std::int64_t environment, int view) {
    if (!call.packed.needs(call.pass, environment)) return;
    CudaWarp warp;
    const RowsOfPass rows = RowsOfPass::make(call.packed, call.pass, 0);
    const std::uint32_t status = evaluate_single_contact_pair(warp, model_of<Model>(call, environment), call.scene,
                                                              call.state, call.results, rows, environment, view);
    if (status != kOk) set_status(warp, call.results, environment, status);
  });
}

template <class Model>
__global__ void __launch_bounds__(kBlock)
    find_single_contacts_kernel(const __grid_constant__ BatchCall call, const __grid_constant__ ContactLists to) {
  for_own_pair<Model>(call, [&](std::int64_t environment, int view) {
    CudaWarp warp;
    find_plates<Model>(warp, call, environment, view, to);
  });
}

template <class Model>
class CudaSingleContact final : public CudaContactModel {
 public:
  CudaSingleContact(const Scene& scene, const ContactModelOptions& options) {
    if (scene.data().view.pairs_of_model(DeviceSingleContact<Model>::kModel) == 0) return;  // no call launches a kernel
    resident_blocks(evaluate_single_contacts_kernel<Model>, kBlock);
    if constexpr (!kIsPoint<Model>) resident_blocks(find_overlaps_kernel<false>, kOverlapBlock);
    if (!options.steps) return;
    if constexpr (!kIsPoint<Model>) resident_blocks(find_overlaps_kernel<true>, kOverlapBlock);
    resident_blocks(find_single_contacts_kernel<Model>, kBlock);
  }

  void evaluate(const BatchCall& call, bool begins, const CandidateCache::Implementation* /*candidates*/,
                std::int64_t /*first*/, cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    if (num_pairs(call) == 0) return;
    begin_pairs<false>(call, stream);
    evaluate_pairs(call, stream);
  }

  void list_again(const BatchCall& call, cudaStream_t stream) override {
    if (num_pairs(call) > 0) evaluate_pairs(call, stream);
  }

  void find_contacts(const BatchCall& call, bool begins, ContactPoints /*points*/, const ContactLists& to,
                     cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    if (num_pairs(call) == 0) return;
    begin_pairs<true>(call, stream);
    find_single_contacts_kernel<Model><<<blocks(call), kBlock, 0, stream>>>(call, to);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

 private:
  static std::int64_t num_pairs(const BatchCall& call) {
    return call.state.num_environments * call.scene.pairs_of_model(DeviceSingleContact<Model>::kModel);
  }
  static unsigned blocks(const BatchCall& call) {
    return static_cast<unsigned>((num_pairs(call) + kBlock - 1) / kBlock);
  }
  static void evaluate_pairs(const BatchCall& call, cudaStream_t stream) {
    evaluate_single_contacts_kernel<Model><<<blocks(call), kBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }
  /// What comes before a thread takes a pair.
  template <bool with_rates>
  static void begin_pairs([[maybe_unused]] const BatchCall& call, [[maybe_unused]] cudaStream_t stream) {
    if constexpr (!kIsPoint<Model>) {
      const auto kernel = find_overlaps_kernel<with_rates>;
      kernel<<<blocks_for(kernel, kOverlapBlock, num_pairs(call)), kOverlapBlock, 0, stream>>>(call);
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
