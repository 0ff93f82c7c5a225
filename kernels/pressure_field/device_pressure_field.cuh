// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/pressure_field/search_for_solver.h"
#include "kernels/contact/device_models.cuh"

namespace isopatch::detail {

/// Appends the contacts of a near pair, or does what remains of it. Called by all lanes.
template <class T, Parts parts>
__device__ __forceinline__ void find_contacts_of_pair(CudaWarp& warp, Workspace<CudaWarp::kSize>& work,
                                                      const PairCall& pair, ContactPoints points,
                                                      const ContactLists& to, Remaining remaining) {
  const auto append = [&](const SolverContact<T>& contact) { to.append(warp, pair.environment, contact); };
  const std::uint32_t bits = find_solver_contacts<T, parts>(warp, work, pair, points, append, remaining);
  if (bits != kOk && warp.lane() == 0) warp.set_bits(to.status + pair.environment, bits);
  warp.sync();
}

/// The pressure field in one environment: the warp takes its pairs one after another.
struct DevicePressureField {
  static constexpr int kModel = static_cast<int>(ContactModel::kPressureField);
  static constexpr bool kHasPlates = false;
  using Memory = Workspace<CudaWarp::kSize>;

  template <class T>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, Memory& work, const BatchCall& call,
                                                       std::int64_t environment, const PairList& near,
                                                       ContactPoints points, const ContactLists& to) {
    const std::int32_t count = near.size();
    for (std::int32_t i = 0; i < count; ++i) {
      const int pair = PairEntry::make(call.scene, near.items[i]).pair;
      find_contacts_of_pair<T, Parts::kSeveral>(warp, work, {call.scene, call.state, call.results, environment, pair},
                                                points, to, Remaining::everything());
    }
  }
};

}  // namespace isopatch::detail
