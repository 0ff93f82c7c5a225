// SPDX-License-Identifier: Apache-2.0
//
// The lists of contact models of scenes and of the cpu backend, with the tests' models behind the library's. A program
// that has this file links it in place of host/scene/contact_models.cpp and host/cpu/contact_models.cpp.
#include "host/cpu/contact/contact_model.h"
#include "host/cpu/isa/kernels.h"
#include "host/cpu/single_contact/single_contact_models.h"
#include "host/cpu/polytope/polytope_model.h"
#include "host/cpu/pressure_field/pressure_field_model.h"
#include "host/scene/contact_models.h"
#include "isopatch/detail/lumped/contact_memory.h"
#include "tests/contact_model/ball_spring.h"

namespace isopatch::detail {

namespace {

Refusal refusal_of_pressure_fields(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.rigid && b.rigid) return {"both rigid", "one must be compliant"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a mesh"};
  return {};
}
Refusal refusal_of_ball_springs(const PartKind& a, const PartKind& b, const PairKind&) {
  if (a.half_space || b.half_space) return {"not both balls", "each must be a mesh"};
  return {};
}
Refusal refusal_of_polytopes(const PartKind& a, const PartKind& b, const PairKind&) {
  if (!a.rigid || !b.rigid || !a.polytope || !b.polytope) return {"not both rigid polytopes", "each must be one"};
  if (a.half_space && b.half_space) return {"both half spaces", "one must be a mesh"};
  return {};
}
Refusal no_refusal(const PartKind&, const PartKind&, const PairKind&) { return {}; }

/// The library's other models, of which some have a memory of 8 numbers, which would be that of all: no scene of the
/// tests has them.
Refusal refusal_of_others(const PartKind&, const PartKind&, const PairKind&) {
  return {"not for this model", "take another one in these tests"};
}

constexpr ContactModelInfo kModels[] = {
    {"pressure_field", 0, kContactMemorySize, refusal_of_pressure_fields,
     "both rigid or both half spaces; one must have a compliant mesh", true},
    {"volumetric", kContactMemorySize, kContactMemorySize, refusal_of_others, "", true},
    {"point", kContactMemorySize, kContactMemorySize, refusal_of_others, "", true},
    {"polytope", 0, 0, refusal_of_polytopes, "", false, true},
    {"ball_spring", BallSpring::kStateSize, BallSpring::kStateSize, refusal_of_ball_springs, "", false},
    {"sticky", 3, 3, no_refusal, "", true}};

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

std::span<const ContactModelInfo> contact_models() { return kModels; }

CpuContactModels make_cpu_contact_models(const CpuOptions& options, const IsaKernels* kernels) {
  CpuContactModels models;
  models.push_back(make_cpu_pressure_field(options, kernels == nullptr ? nullptr : &kernels->pressure_field));
  models.push_back(make_cpu_volumetric());
  models.push_back(make_cpu_point());
  models.push_back(make_cpu_polytope());
  models.push_back(std::make_unique<CpuBallSpring>());
  models.push_back(std::make_unique<CpuBallSpring>());  // sticky: for scenes in which nothing is near
  return models;
}

}  // namespace isopatch::detail
