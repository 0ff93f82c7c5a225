// SPDX-License-Identifier: Apache-2.0
//
// The models with one contact for each part pair. They are always in double.
#include <memory>
#include <vector>

#include "host/cpu/cells/scene_sizes.h"
#include "host/cpu/contact/models.h"
#include "host/cpu/single_contact/overlap_kernels.h"
#include "isopatch/detail/overlap/sum_pass.h"
#include "isopatch/detail/single_contact/point.h"
#include "isopatch/detail/single_contact/volumetric.h"

namespace isopatch::detail {

namespace {

/// Points are found from the poses alone.
class PointFinder {
 public:
  static constexpr ContactModel kName = ContactModel::kPoint;

  class Workspace : public ModelWorkspace {
   public:
    explicit Workspace(const SceneData& /*scene*/) {}
  };

  template <bool with_rates>
  PointModel find(const SceneView& /*scene*/, const State& /*state*/, std::int64_t /*environment*/, int /*view*/,
                  Workspace& /*work*/) const {
    return {};
  }
};

/// Overlaps of meshes are found before.
class VolumetricFinder {
 public:
  static constexpr ContactModel kName = ContactModel::kVolumetric;

  class Workspace : public ModelWorkspace {
   public:
    explicit Workspace(const SceneData& scene)
        : wide_nodes(most_wide_nodes(scene)), overlaps(static_cast<std::size_t>(most_overlaps_of_pair(scene.view))) {}

    std::int32_t wide_nodes;
    std::vector<PartOverlap> overlaps;  // of a pair
    OverlapPass pass;
    std::unique_ptr<SimdOverlapWorkspace> simd;  // made when it is first needed
    TraversalMemory<AcceptedCells, 1> traversal;
  };

  VolumetricFinder(const CpuOptions& options, const OverlapKernels* kernels)
      : brute_force_(options.brute_force), kernels_(options.brute_force ? nullptr : kernels) {}

  template <bool with_rates>
  VolumetricModel find(const SceneView& scene, const State& state, std::int64_t environment, int view,
                       Workspace& work) const {
    SerialWarp warp;
    const auto sum = [&](const OverlapPass& pass) {
      if (kernels_ != nullptr) {
        if (work.simd == nullptr) work.simd = std::make_unique<SimdOverlapWorkspace>(work.wide_nodes);
        return (with_rates ? kernels_->sum_pass_with_rates : kernels_->sum_pass)(pass, *work.simd);
      }
      return brute_force_ ? sum_pass<with_rates, true>(warp, work.traversal, pass)
                          : sum_pass<with_rates, false>(warp, work.traversal, pass);
    };
    find_overlaps<with_rates>(warp, work.pass, scene, state, environment, view, sum, work.overlaps.data());
    return {scene.contact.pfc_dissipation, scene.contact.normal_by_area, work.overlaps.data(),
            scene.pairs[view].rows_begin};
  }

 private:
  bool brute_force_;
  const OverlapKernels* kernels_;  // null: one number at a time
};

template <class Finder>
class CpuSingleContact final : public CpuContactModel {
 public:
  explicit CpuSingleContact(Finder finder) : finder_(finder) {}

  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& scene) const override {
    return std::make_unique<typename Finder::Workspace>(scene);
  }

  EvaluatePairs select(const Results& /*results*/) const override {
    return [](const CpuContactModel& self, const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
              ModelWorkspace& work, const PackedRows& rows) {
      SerialWarp warp;
      for (const std::int64_t item : near_pairs) {
        const auto [environment, pair] = NearPair::of(batch.scene, item);
        const int view = batch.scene.view_in(static_cast<int>(Finder::kName), pair);
        const auto model = static_cast<const CpuSingleContact&>(self).finder_.template find<false>(
            batch.scene, batch.state, environment, view, static_cast<typename Finder::Workspace&>(work));
        const std::uint32_t status =
            evaluate_single_contact_pair(warp, model, batch.scene, batch.state, batch.results, rows, environment, view);
        set_status(warp, batch.results, environment, status);
      }
    };
  }

  std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment,
                              std::span<const std::int64_t> near_pairs, ModelWorkspace& work,
                              const ContactSink& found) const override {
    std::uint32_t status = kOk;
    for (const std::int64_t item : near_pairs) {
      const int view = batch.scene.view_in(static_cast<int>(Finder::kName), NearPair::of(batch.scene, item).pair);
      const auto model = finder_.template find<true>(batch.scene, batch.contact, environment, view,
                                                     static_cast<typename Finder::Workspace&>(work));
      status |= find_single_contacts(model, batch.scene, batch.contact, environment, view,
                                     [&](std::int32_t row, const PlateContact& plate) { found.append(row, plate); });
    }
    return status;
  }

 private:
  Finder finder_;
};

}  // namespace

std::unique_ptr<CpuContactModel> make_cpu_volumetric(const CpuOptions& options, const OverlapKernels* kernels) {
  return std::make_unique<CpuSingleContact<VolumetricFinder>>(VolumetricFinder(options, kernels));
}

std::unique_ptr<CpuContactModel> make_cpu_point() {
  return std::make_unique<CpuSingleContact<PointFinder>>(PointFinder());
}

}  // namespace isopatch::detail
