// SPDX-License-Identifier: Apache-2.0
//
// Sub-steps and steps of rigid polytopes on a device, with the test's contact model behind the library's: a lane takes
// a near pair.
#include "kernels/substeps.cuh"

#include "kernels/library_models.cuh"
#include "kernels/polytope_steps.cuh"
#include "tests/contact_model/ball_spring.h"

namespace isopatch::detail {

namespace {

struct DeviceBallSpring {
  static constexpr int kModel = kBallSpring;
  static constexpr bool kHasPlates = false;
  struct Memory {};

  template <class T>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, Memory&, const BatchCall& call,
                                                       std::int64_t environment, const PairList& near, ContactPoints,
                                                       const ContactLists& to) {
    const std::int32_t count = near.size();
    for (std::int32_t i = warp.lane(); i < count; i += CudaWarp::kSize) {
      find_ball_springs(call.scene, call.state, call.results, environment,
                        PairEntry::make(call.scene, near.items[i]).pair,
                        [&](const SolverContact<double>& contact) { to.append_any(warp, environment, contact); });
    }
  }
};

using Models = LibraryDeviceModels::With<DeviceBallSpring>;

}  // namespace

std::int64_t load_substeps(Precision precision, bool has_plates) {
  return load_substeps<Models>(precision, has_plates);
}

void take_substeps(const StepCall& call, Precision precision, bool has_plates, cudaStream_t stream) {
  take_substeps<Models>(call, precision, has_plates, stream);
}

std::int64_t load_polytope_steps(Precision precision) { return load_polytope_steps<Models>(precision); }

void take_polytope_steps(const PolytopeStepCall& call, Precision precision, cudaStream_t stream) {
  take_polytope_steps<Models>(call, precision, stream);
}

}  // namespace isopatch::detail
