// SPDX-License-Identifier: Apache-2.0
#include "host/cpu/contact/models.h"

#include <fmt/format.h>

#include <exception>

#include "host/cpu/pressure_field/evaluate_pairs.h"
#include "host/evaluation/output_table.h"
#include "isopatch/error.h"

namespace isopatch::detail {

namespace {

class CpuPressureField final : public CpuContactModel {
 public:
  CpuPressureField(const CpuOptions& options, const PressureFieldKernels* kernels)
      : precision_(options.precision), brute_force_(options.brute_force), kernels_(kernels) {}

  std::unique_ptr<ModelWorkspace> make_workspace(const SceneData& scene) const override {
    return std::make_unique<PressureFieldWorkspace>(most_wide_nodes(scene), most_cells(scene));
  }

  EvaluatePairs select(const Results& results) const override {
    if (wants_only_energy(results)) return evaluate_energies;
    if (precision_ == Precision::kFloat)
      return brute_force_ ? select<float, true>(results) : select<float, false>(results);
    return brute_force_ ? select<double, true>(results) : select<double, false>(results);
  }

  std::unique_ptr<CandidateCache::Implementation> make_candidates(const SceneData& scene,
                                                                  const Evaluator::Implementation& owner,
                                                                  std::int64_t num_environments,
                                                                  double margin) const override {
    if (kernels_ == nullptr || brute_force_) return nullptr;
    try {
      return std::make_unique<CpuCandidates>(
          owner, num_environments, margin,
          CandidateStore(num_environments, scene.view.num_part_pairs, most_cells(scene), kMaxCachedCandidates, margin));
    } catch (const std::exception&) {  // std::bad_alloc or std::length_error
      throw Error(fmt::format("make_candidate_cache: there is too little memory for the candidates of {} environments",
                              num_environments),
                  ErrorKind::kMemory);
    }
  }

  std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment,
                              std::span<const std::int64_t> near_pairs, ModelWorkspace& work,
                              const ContactSink& found) const override {
    if (found.is_double()) return find_all(batch, environment, near_pairs, work, found.contacts<double>());
    return find_all(batch, environment, near_pairs, work, found.contacts<float>());
  }

 private:
  static constexpr std::int64_t kMaxCachedCandidates = 2048;  // of a part pair: 16 KB

  template <class T, bool brute_force>
  EvaluatePairs select(const Results& results) const {
    const Outputs outputs = wants_patch_contacts(results) ? Outputs::kAll : needed_outputs(results);
    if constexpr (!brute_force) {  // which only tests ask for; nor has plain arithmetic functions for fewer outputs
      if (kernels_ != nullptr && !has(outputs, Outputs::kPolygons)) {
        return has(outputs, Outputs::kPatch) ? evaluate<T, Outputs::kPatch, false>
                                             : evaluate<T, Outputs::kWrench, false>;
      }
    }
    return evaluate<T, Outputs::kAll, brute_force>;
  }

  template <class T, Outputs outputs, bool brute_force>
  static void evaluate(const CpuContactModel& model, const EvaluationBatch& batch,
                       std::span<const std::int64_t> near_pairs, ModelWorkspace& work, const PackedRows& rows) {
    const auto& self = static_cast<const CpuPressureField&>(model);
    auto& own = static_cast<PressureFieldWorkspace&>(work);
    if constexpr (has(outputs, Outputs::kPolygons)) own.elastic.begin(wants_patch_contacts(batch.results));
    auto* const candidates = static_cast<CpuCandidates*>(batch.candidates);
    const CpuPressureFieldCall call = {batch, self.kernels_, candidates != nullptr ? &candidates->store : nullptr};
    evaluate_pairs<T, outputs, brute_force>(call, near_pairs, own, rows);
  }

  static void evaluate_energies(const CpuContactModel& model, const EvaluationBatch& batch,
                                std::span<const std::int64_t> near_pairs, ModelWorkspace& work,
                                const PackedRows& /*rows*/) {
    const CpuPressureFieldCall call = {batch, static_cast<const CpuPressureField&>(model).kernels_, nullptr};
    for (const std::int64_t item : near_pairs) {
      const auto [environment, pair] = NearPair::of(batch.scene, item);
      write_energy(call, environment, pair, static_cast<PressureFieldWorkspace&>(work));
    }
  }

  template <class T>
  std::uint32_t find_all(const StepBatch& batch, std::int64_t environment, std::span<const std::int64_t> near_pairs,
                         ModelWorkspace& work, std::vector<SolverContact<T>>& found) const {
    std::uint32_t status = kOk;
    for (const std::int64_t item : near_pairs) {
      const int pair = NearPair::of(batch.scene, item).pair;
      status |=
          detail::find_contacts(batch, environment, pair, kernels_, static_cast<PressureFieldWorkspace&>(work), found);
    }
    return status;
  }

  const Precision precision_;
  const bool brute_force_;
  const PressureFieldKernels* kernels_;  // null: one number at a time
};

}  // namespace

std::unique_ptr<CpuContactModel> make_cpu_pressure_field(const CpuOptions& options,
                                                         const PressureFieldKernels* kernels) {
  return std::make_unique<CpuPressureField>(options, kernels);
}

}  // namespace isopatch::detail
