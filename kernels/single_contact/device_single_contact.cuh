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
struct OverlapMemory {
  OverlapPass pass;
  TraversalMemory<AcceptedCells, CudaWarp::kSize> traversal;
};
struct NoMemory {};

template <class Model>
constexpr bool kIsPoint = std::is_same_v<Model, PointModel>;

/// Of an environment, by row.
__device__ inline PartOverlap* overlaps_of(const BatchCall& call, std::int64_t environment) {
  return call.overlaps + environment * num_part_pair_rows(call.scene);
}

template <class Model>
__device__ __forceinline__ Model model_of(const BatchCall& call, std::int64_t environment) {
  if constexpr (kIsPoint<Model>) {
    return {};
  } else {
    return {call.scene.contact.pfc_dissipation, call.scene.contact.normal_by_area, overlaps_of(call, environment)};
  }
}

/// Finds the overlaps of a near pair, in steps with how they move. Called by all lanes.
template <bool with_rates>
__device__ __forceinline__ void find_overlaps(CudaWarp& warp, OverlapMemory& memory, const BatchCall& call,
                                              std::int64_t environment, int view) {
  const auto sum = [&](const OverlapPass& pass) { return sum_pass<with_rates, false>(warp, memory.traversal, pass); };
  find_overlaps<with_rates>(warp, memory.pass, call.scene, call.state, environment, view, sum,
                            overlaps_of(call, environment));
}

/// Hands the plates of a near pair to the lists. Called by one lane.
template <class Model>
__device__ __forceinline__ void find_plates(CudaWarp& warp, const BatchCall& call, std::int64_t environment, int view,
                                            const ContactLists& to) {
  const std::uint32_t status = find_single_contacts(
      model_of<Model>(call, environment), call.scene, call.state, environment, view,
      [&](std::int32_t row, const PlateContact& plate) { to.append(warp, call.scene, environment, row, plate); });
  if (status != kOk) set_status(warp, call.results, environment, status);
}

template <class Model>
struct DeviceSingleContact {
  static constexpr int kModel = static_cast<int>(kIsPoint<Model> ? ContactModel::kPoint : ContactModel::kVolumetric);
  static constexpr bool kHasPlates = true;
  using Memory = std::conditional_t<kIsPoint<Model>, NoMemory, OverlapMemory>;

  template <class T>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, [[maybe_unused]] Memory& memory,
                                                       const BatchCall& call, std::int64_t environment,
                                                       const PairList& near, ContactPoints /*points*/,
                                                       const ContactLists& to) {
    const std::int32_t count = near.size();
    const auto view_of = [&](std::int32_t i) {
      return call.scene.view_in(kModel, PairEntry::make(call.scene, near.items[i]).pair);
    };
    if constexpr (!kIsPoint<Model>) {
      for (std::int32_t i = 0; i < count; ++i) find_overlaps<true>(warp, memory, call, environment, view_of(i));
      warp.sync();
    }
    for (std::int32_t i = warp.lane(); i < count; i += CudaWarp::kSize) {
      find_plates<Model>(warp, call, environment, view_of(i), to);
    }
  }
};

}  // namespace isopatch::detail
