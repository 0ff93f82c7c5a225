// SPDX-License-Identifier: Apache-2.0
//
// Contact models as a warp runs them for one environment, where a kernel takes an environment through sub-steps. A
// model is a type with
//
//   static constexpr int kModel          its ContactModel
//   static constexpr bool kHasPlates     whether all that it finds are plates: then scenes without have no pair of it
//   struct Memory                        what a warp needs of shared memory
//   template <class T> static __device__ __forceinline__ void find_contacts(
//       CudaWarp&, Memory&, const BatchCall&, std::int64_t environment, const PairList& near, ContactPoints,
//       const ContactLists&)             appends the contacts of its near pairs, and adds bits to the status of the
//                                        search; T is the scalar of the lists. Called by all lanes
#pragma once

#include <algorithm>

#include "kernels/contact/contact_model.h"
#include "kernels/runtime/cuda_warp.cuh"

namespace isopatch::detail {

/// A list of models.
template <class... Models>
struct DeviceModels {
  /// Of a warp: the bounds of bodies, and then what one model after another needs.
  union Memory {
    BodyBounds bounds[limits::kMaxBodies];
    alignas(std::max({std::size_t{1}, alignof(typename Models::Memory)...}))
        std::byte of_model[std::max({std::size_t{1}, sizeof(typename Models::Memory)...})];
  };

  /// The list with more of them.
  template <class... More>
  using With = DeviceModels<Models..., More...>;

  /// Finds the contacts of an environment; `counts` has room for kMaxContactModels numbers that lanes share. Called by
  /// all lanes.
  template <class T, bool has_plates>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, Memory& memory, std::int32_t* counts,
                                                       const BatchCall& call, std::int64_t environment,
                                                       ContactPoints points, const ContactLists& to) {
    if (warp.lane() < kMaxContactModels) counts[warp.lane()] = 0;
    warp.sync();
    const PairLists near = {call.list + environment * call.scene.num_pair_views, counts, 1};
    begin_environment(warp, warp, memory.bounds, call.scene, call.state, call.results, environment, near);
    (find_of<Models, T, has_plates>(warp, memory, call, environment, near, points, to), ...);
  }

 private:
  template <class Model, class T, bool has_plates>
  static __device__ __forceinline__ void find_of(CudaWarp& warp, Memory& memory, const BatchCall& call,
                                                 std::int64_t environment, const PairLists& near, ContactPoints points,
                                                 const ContactLists& to) {
    if constexpr (has_plates || !Model::kHasPlates) {
      if (Model::kModel >= call.scene.num_models) return;
      auto& own = reinterpret_cast<typename Model::Memory&>(memory.of_model);
      Model::template find_contacts<T>(warp, own, call, environment, near.of(call.scene, Model::kModel), points, to);
      warp.sync();  // before the next one has the memory
    }
  }
};

}  // namespace isopatch::detail
