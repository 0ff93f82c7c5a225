// SPDX-License-Identifier: Apache-2.0
//
// The contact models of the cuda backend, with the test's behind the library's: a thread takes a near pair.
#include "kernels/contact/models.h"
#include "kernels/runtime/work_loop.cuh"
#include "tests/contact_model/ball_spring.h"

namespace isopatch::detail {

namespace {

constexpr int kBlock = 128;

/// The near pair of a thread; false if it has none.
__device__ bool entry_of(const BatchCall& call, PairEntry& entry) {
  const PairList list = call.near_pairs().of(call.scene, kBallSpring);
  const auto index = static_cast<std::int32_t>(blockIdx.x * kBlock + threadIdx.x);
  if (index >= *list.count) return false;
  entry = PairEntry::make(call.scene, list.items[index]);
  return true;
}

__global__ void __launch_bounds__(kBlock) evaluate_ball_springs_kernel(const __grid_constant__ BatchCall call) {
  PairEntry at;
  if (entry_of(call, at)) evaluate_ball_springs(call.scene, call.state, call.results, at.environment, at.pair);
}

__global__ void __launch_bounds__(kBlock)
    find_ball_springs_kernel(const __grid_constant__ BatchCall call, const __grid_constant__ ContactLists to) {
  PairEntry at;
  if (!entry_of(call, at)) return;
  CudaWarp warp;
  find_ball_springs(call.scene, call.state, call.results, at.environment, at.pair,
                    [&](const SolverContact<double>& contact) { to.append_any(warp, at.environment, contact); });
}

class CudaBallSpring final : public CudaContactModel {
 public:
  CudaBallSpring() {
    resident_blocks(evaluate_ball_springs_kernel, kBlock);
    resident_blocks(find_ball_springs_kernel, kBlock);
  }

  void evaluate(const BatchCall& call, bool begins, const CandidateCache::Implementation*, std::int64_t,
                cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    if (blocks(call) == 0) return;
    evaluate_ball_springs_kernel<<<blocks(call), kBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

  void find_contacts(const BatchCall& call, bool begins, ContactPoints, const ContactLists& to,
                     cudaStream_t stream) override {
    if (begins) begin_environments(call, stream);
    if (blocks(call) == 0) return;
    find_ball_springs_kernel<<<blocks(call), kBlock, 0, stream>>>(call, to);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

 private:
  static unsigned blocks(const BatchCall& call) {
    const std::int64_t pairs = call.state.num_environments * call.scene.pairs_of_model(kBallSpring);
    return static_cast<unsigned>((pairs + kBlock - 1) / kBlock);
  }
};

}  // namespace

CudaContactModels make_cuda_contact_models(const Scene& scene, const ContactModelOptions& options) {
  CudaContactModels models = library_cuda_models(scene, options);
  models.push_back(std::make_unique<CudaBallSpring>());
  return models;
}

}  // namespace isopatch::detail
