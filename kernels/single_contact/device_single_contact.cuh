// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair, in one environment: a lane takes a near pair. They are always in
// double.
#pragma once

#include <type_traits>

#include "isopatch/detail/overlap/sum_pass.h"
#include "isopatch/detail/single_contact/point.h"
#include "isopatch/detail/single_contact/volumetric.h"
#include "kernels/contact/device_models.cuh"

namespace isopatch::detail {

/// What a warp needs to find overlaps.
struct OverlapPassMemory {
  OverlapPass pass;
  TraversalMemory<AcceptedCells, CudaWarp::kSize> traversal;
};
struct NoMemory {};

template <class Model>
constexpr bool kIsPoint = std::is_same_v<Model, PointModel>;

/// `slot` says where the overlaps of the pair are: see OverlapRows.
template <class Model>
__device__ __forceinline__ Model model_of(const BatchCall& call, int view, std::int32_t slot) {
  if constexpr (kIsPoint<Model>) {
    return {};
  } else {
    const OverlapRows& overlaps = call.overlaps;
    return {call.scene.contact.pfc_dissipation, call.scene.contact.normal_by_area,
            overlaps.rows + std::int64_t{overlaps.of_pair} * slot, call.scene.pairs[view].rows_begin};
  }
}

/// Finds the overlaps of a near pair, in steps with how they move. Called by all lanes.
template <bool with_rates>
__device__ __forceinline__ void find_overlaps(CudaWarp& warp, OverlapPassMemory& memory, const BatchCall& call,
                                              std::int64_t environment, int view, std::int32_t slot) {
  const auto sum = [&](const OverlapPass& pass) { return sum_pass<with_rates, false>(warp, memory.traversal, pass); };
  find_overlaps<with_rates>(warp, memory.pass, call.scene, call.state, environment, view, sum,
                            call.overlaps.rows + std::int64_t{call.overlaps.of_pair} * slot);
}

/// Hands the plates of a near pair to the lists. Called by one lane.
template <class Model>
__device__ __forceinline__ void find_plates(CudaWarp& warp, const BatchCall& call, std::int64_t environment, int view,
                                            std::int32_t slot, const ContactLists& to) {
  const std::uint32_t status = find_single_contacts(
      model_of<Model>(call, view, slot), call.scene, call.state, environment, view,
      [&](std::int32_t row, const PlateContact& plate) { to.append(warp, call.scene, environment, row, plate); });
  if (status != kOk) set_status(warp, call.results, environment, status);
}

template <class Model>
struct DeviceSingleContact {
  static constexpr int kModel = static_cast<int>(kIsPoint<Model> ? ContactModel::kPoint : ContactModel::kVolumetric);
  static constexpr bool kHasPlates = true;
  using Memory = std::conditional_t<kIsPoint<Model>, NoMemory, OverlapPassMemory>;

  template <class T>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, [[maybe_unused]] Memory& memory,
                                                       const BatchCall& call, std::int64_t environment,
                                                       const PairList& near, ContactPoints /*points*/,
                                                       const ContactLists& to) {
    const std::int32_t count = near.size();
    const auto view_of = [&](std::int32_t i) {
      return call.scene.view_in(kModel, PairEntry::make(call.scene, near.items[i]).pair);
    };
    if constexpr (kIsPoint<Model>) {
      for (std::int32_t i = warp.lane(); i < count; i += CudaWarp::kSize) {
        find_plates<Model>(warp, call, environment, view_of(i), 0, to);
      }
    } else {
      const auto own = static_cast<std::int32_t>((blockIdx.x * blockDim.x + threadIdx.x) / CudaWarp::kSize);
      const std::int32_t first = own * kOverlapPairsOfWarp;
      for (std::int32_t done = 0; done < count; done += kOverlapPairsOfWarp) {
        const std::int32_t next = min(count - done, kOverlapPairsOfWarp);
        for (std::int32_t i = 0; i < next; ++i) {
          find_overlaps<true>(warp, memory, call, environment, view_of(done + i), first + i);
        }
        warp.sync();
        const std::int32_t i = warp.lane();
        if (i < next) find_plates<Model>(warp, call, environment, view_of(done + i), first + i, to);
        warp.sync();  // the room is free
      }
    }
  }
};

}  // namespace isopatch::detail
