// SPDX-License-Identifier: Apache-2.0
//
// Pairs of rigid polytopes: how far they are apart, and what they have in common. Always in double.
#include "host/cpu/polytope/polytope_model.h"

#include "isopatch/detail/polytope/part_pair.h"

namespace isopatch::detail {

namespace {

static_assert(static_cast<int>(ContactModel::kPolytope) == kPolytopeModel);

struct PolytopeWorkspace final : ModelWorkspace {
  PolytopeMemory memory;
};

class CpuPolytope final : public CpuContactModel {
 public:
  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& scene) const override {
    if (scene.view.pairs_of_model(kPolytopeModel) == 0) return std::make_unique<ModelWorkspace>();
    return std::make_unique<PolytopeWorkspace>();
  }

  EvaluatePairs select(const Results& /*results*/) const override {
    return [](const CpuContactModel&, const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
              ModelWorkspace& work, const PackedRows&) {
      SerialWarp warp;
      for (const std::int64_t item : near_pairs) {
        const auto [environment, pair] = NearPair::of(batch.scene, item);
        evaluate_polytopes(warp, static_cast<PolytopeWorkspace&>(work).memory, batch.scene, batch.state, batch.results,
                           environment, batch.scene.pairs[batch.scene.view_in(kPolytopeModel, pair)]);
      }
    };
  }

  std::uint32_t find_contacts(const StepBatch&, std::int64_t, std::span<const std::int64_t>, ModelWorkspace&,
                              std::vector<SolverContact<float>>&) const override {
    return kOk;  // simulators refuse them
  }
  std::uint32_t find_contacts(const StepBatch&, std::int64_t, std::span<const std::int64_t>, ModelWorkspace&,
                              std::vector<SolverContact<double>>&) const override {
    return kOk;
  }
};

}  // namespace

std::unique_ptr<CpuContactModel> make_cpu_polytope() { return std::make_unique<CpuPolytope>(); }

}  // namespace isopatch::detail
