// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair. They are always in double.
#include "host/cpu/contact/models.h"

#include "isopatch/detail/single_contact/point.h"
#include "isopatch/detail/single_contact/volumetric.h"

namespace isopatch::detail {

namespace {

PointModel model_of(const SceneView& /*scene*/, PointModel /*model*/) { return {}; }
VolumetricModel model_of(const SceneView& scene, VolumetricModel /*model*/) { return {scene.contact.pfc_dissipation}; }

template <class Model, ContactModel name>
class CpuSingleContact final : public CpuContactModel {
 public:
  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& /*scene*/) const override {
    return std::make_unique<ModelWorkspace>();
  }

  EvaluatePairs select(const Results& /*results*/) const override {
    return [](const CpuContactModel&, const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
              ModelWorkspace&, const PackedRows& rows) {
      SerialWarp warp;
      for (const std::int64_t item : near_pairs) {
        const auto [environment, pair] = NearPair::of(batch.scene, item);
        const std::uint32_t status =
            evaluate_single_contact_pair(warp, model_of(batch.scene, Model{}), batch.scene, batch.state, batch.results,
                                         rows, environment, batch.scene.view_in(static_cast<int>(name), pair));
        set_status(warp, batch.results, environment, status);
      }
    };
  }

  std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment,
                              std::span<const std::int64_t> near_pairs, ModelWorkspace&,
                              const ContactSink& found) const override {
    std::uint32_t status = kOk;
    for (const std::int64_t item : near_pairs) {
      const int view = batch.scene.view_in(static_cast<int>(name), NearPair::of(batch.scene, item).pair);
      status |= find_single_contacts(model_of(batch.scene, Model{}), batch.scene, batch.contact, environment, view,
                                     [&](std::int32_t row, const PlateContact& plate) { found.append(row, plate); });
    }
    return status;
  }
};

}  // namespace

std::unique_ptr<CpuContactModel> make_cpu_volumetric() {
  return std::make_unique<CpuSingleContact<VolumetricModel, ContactModel::kVolumetric>>();
}

std::unique_ptr<CpuContactModel> make_cpu_point() {
  return std::make_unique<CpuSingleContact<PointModel, ContactModel::kPoint>>();
}

}  // namespace isopatch::detail
