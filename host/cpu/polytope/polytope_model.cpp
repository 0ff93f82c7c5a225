// SPDX-License-Identifier: Apache-2.0
//
// Pairs of rigid polytopes: how far they are apart, what they have in common, and the relations of their contacts.
// Always in double.
#include "host/cpu/contact/models.h"

#include <algorithm>

#include "isopatch/detail/polytope/part_pair.h"

namespace isopatch::detail {

namespace {

static_assert(static_cast<int>(ContactModel::kPolytope) == kPolytopeModel);

struct PolytopeWorkspace final : ModelWorkspace {
  alignas(8) char features[kMaxFeatureMemory];
  OverlapMemory overlap;
  std::vector<std::int64_t> items;
};

class CpuPolytope final : public CpuContactModel {
 public:
  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& scene) const override {
    if (scene.view.pairs_of_model(kPolytopeModel) == 0) return std::make_unique<ModelWorkspace>();
    return std::make_unique<PolytopeWorkspace>();
  }

  EvaluatePairs select(const Results& /*results*/) const override {
    return [](const CpuContactModel&, const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
              ModelWorkspace& work,
              const PackedRows&) { evaluate(batch, near_pairs, static_cast<PolytopeWorkspace&>(work)); };
  }

  std::uint32_t find_contacts(const StepBatch&, std::int64_t, std::span<const std::int64_t>, ModelWorkspace&,
                              const ContactSink&) const override {
    return kOk;  // simulators refuse them
  }

 private:
  /// Pairs of an environment in ascending order, as its contacts are.
  static void evaluate(const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
                       PolytopeWorkspace& work) {
    work.items.assign(near_pairs.begin(), near_pairs.end());
    if (!std::is_sorted(work.items.begin(), work.items.end())) std::sort(work.items.begin(), work.items.end());
    const auto& [scene, state, results, candidates] = batch;
    const PolytopeMemory memory{work.features, &work.overlap};
    SerialWarp warp;
    RelationCounts counts{0, 0, 0};
    for (std::size_t i = 0; i < work.items.size(); ++i) {
      const auto [environment, pair] = NearPair::of(scene, work.items[i]);
      evaluate_polytopes(warp, memory, batch.of_pair(environment, scene.view_in(kPolytopeModel, pair)), counts);
      if (i + 1 < work.items.size() && work.items[i + 1] / scene.num_pairs == environment) continue;
      write_relation_counts(warp, results, environment, counts);
      counts = {0, 0, 0};
    }
  }
};

}  // namespace

std::unique_ptr<CpuContactModel> make_cpu_polytope() { return std::make_unique<CpuPolytope>(); }

}  // namespace isopatch::detail
