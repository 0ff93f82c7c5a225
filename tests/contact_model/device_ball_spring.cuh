// SPDX-License-Identifier: Apache-2.0
//
// The test's contact model where a kernel takes an environment through sub-steps: a lane takes a near pair.
#pragma once

#include "kernels/contact/device_models.cuh"
#include "tests/contact_model/ball_spring.h"

namespace isopatch::detail {

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

}  // namespace isopatch::detail
