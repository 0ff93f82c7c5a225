// SPDX-License-Identifier: Apache-2.0
//
// The lists of contact models of scenes and of the cpu backend, with the tests' models behind the library's. A program
// that has this file links it in place of host/scene/contact_models.cpp and host/cpu/contact_models.cpp.
#include "host/cpu/contact/models.h"
#include "host/scene/contact_models.h"
#include "host/scene/models/models.h"
#include "tests/contact_model/ball_spring.h"

namespace isopatch::detail {

namespace {

Incompatibility incompatibility_of_ball_springs(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.half_space || b.half_space) return {"not both balls", "each must be a mesh"};
  return {};
}
Incompatibility no_refusal(const PartKind&, const PartKind&, const PairKind&) { return {}; }

class CpuBallSpring final : public CpuContactModel {
 public:
  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData&) const override {
    return std::make_unique<ModelWorkspace>();
  }

  EvaluatePairs select(const Results&) const override {
    return [](const CpuContactModel&, const EvaluationBatch& batch, std::span<const std::int64_t> near_pairs,
              ModelWorkspace&, const PackedRows&) {
      for (const std::int64_t item : near_pairs) {
        const auto [environment, pair] = NearPair::of(batch.scene, item);
        evaluate_ball_springs(batch.scene, batch.state, batch.results, environment, pair);
      }
    };
  }

  std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment,
                              std::span<const std::int64_t> near_pairs, ModelWorkspace&,
                              const ContactSink& found) const override {
    for (const std::int64_t item : near_pairs) {
      find_ball_springs(batch.scene, batch.contact, batch.results, environment, NearPair::of(batch.scene, item).pair,
                        [&](const SolverContact<double>& contact) { found.append(contact); });
    }
    return kOk;
  }
};

}  // namespace

std::span<const ContactModelInfo> contact_models() {
  static const std::vector<ContactModelInfo> models = [] {
    std::vector<ContactModelInfo> all = library_models();
    all.push_back({.name = "ball_spring",
                   .state_size = BallSpring::kStateSize,
                   .bristle_size = BallSpring::kStateSize,
                   .incompatibility = incompatibility_of_ball_springs});
    all.push_back(
        {.name = "sticky", .state_size = 3, .bristle_size = 3, .incompatibility = no_refusal, .has_patches = true});
    return all;
  }();
  return models;
}

CpuContactModels make_cpu_contact_models(const CpuOptions& options, const IsaKernels* kernels) {
  CpuContactModels models = library_cpu_models(options, kernels);
  models.push_back(std::make_unique<CpuBallSpring>());
  models.push_back(std::make_unique<CpuBallSpring>());  // sticky: for scenes in which nothing is near
  return models;
}

}  // namespace isopatch::detail
