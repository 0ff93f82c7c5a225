// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair, in one environment: a lane takes a near pair. They are always in
// double.
#pragma once

#include <type_traits>

#include "isopatch/detail/single_contact/point.h"
#include "isopatch/detail/single_contact/volumetric.h"
#include "kernels/contact/device_models.cuh"

namespace isopatch::detail {

template <class Model>
__device__ Model model_of(const SceneView& scene) {
  if constexpr (std::is_same_v<Model, PointModel>) {
    return {};
  } else {
    return {scene.contact.pfc_dissipation};
  }
}

/// Hands the plates of a near pair to the lists. Called by one lane.
template <class Model>
__device__ __forceinline__ void find_plates(CudaWarp& warp, const BatchCall& call, std::int64_t environment, int view,
                                            const ContactLists& to) {
  const std::uint32_t status = find_single_contacts(
      model_of<Model>(call.scene), call.scene, call.state, environment, view,
      [&](std::int32_t row, const PlateContact& plate) { to.append(warp, call.scene, environment, row, plate); });
  if (status != kOk) set_status(warp, call.results, environment, status);
}

template <class Model>
struct DeviceSingleContact {
  static constexpr int kModel =
      static_cast<int>(std::is_same_v<Model, PointModel> ? ContactModel::kPoint : ContactModel::kVolumetric);
  static constexpr bool kHasPlates = true;
  struct Memory {};

  template <class T>
  static __device__ __forceinline__ void find_contacts(CudaWarp& warp, Memory& /*none*/, const BatchCall& call,
                                                       std::int64_t environment, const PairList& near,
                                                       ContactPoints /*points*/, const ContactLists& to) {
    const std::int32_t count = near.size();
    for (std::int32_t i = warp.lane(); i < count; i += CudaWarp::kSize) {
      const int pair = PairEntry::make(call.scene, near.items[i]).pair;
      find_plates<Model>(warp, call, environment, call.scene.view_in(kModel, pair), to);
    }
  }
};

}  // namespace isopatch::detail
