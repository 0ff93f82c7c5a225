// SPDX-License-Identifier: Apache-2.0
//
// Evaluates environments on all cores. A thread takes the next few environments, finds their near pairs and lets the
// contact models evaluate them.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "host/cpu/isa/kernels.h"
#include "host/cpu/thread_workspace.h"
#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"
#include "isopatch/detail/scene/body_wrench.h"

namespace isopatch {

using namespace detail;

namespace {

class CpuBackend final : public Evaluator::Implementation {
 public:
  CpuBackend(Scene scene, const CpuOptions& options, std::optional<double> slip_tolerance)
      : Implementation(std::move(scene), options),
        view_(with_slip_tolerance(scene_.data().view, slip_tolerance)),
        every_pair_(options.brute_force),
        models_(make_cpu_contact_models(options, select_kernels(options.vectors))),
        workspaces_([this] { return std::make_unique<ThreadWorkspace>(scene_.data(), models_); }) {
    require_models(scene_.data().view, models_.size(), "cpu");
  }

  void evaluate(const State& state, const Results& results, CandidateCache::Implementation* candidates,
                void*) const override {
    // rows of each environment are put in order like those of all, so models do not see their arrays
    const EnvironmentRows<Polygon> own_polygons = environment_polygons(results);
    const EnvironmentRows<DiscreteContact> own_contacts = environment_contacts(results);
    const bool wants_packed = packed_polygons(results).is_wanted() || packed_contacts(results).is_wanted();
    if (!(own_polygons.is_wanted() || own_contacts.is_wanted() || wants_packed)) {
      const auto begin = [](ThreadWorkspace& work) {
        work.polygons.begin(false);
        work.contacts.begin(false);
      };
      const auto nothing = [](ThreadWorkspace&, std::int64_t) {};
      return evaluate_batch({view_, state, results, candidates}, results, kChunk, begin, nothing);
    }
    RowCollections rows(results, state.num_environments, kChunk);
    Results without_rows = results;
    without_rows.polygons_needed = without_rows.contacts_needed = {};
    const auto begin = [&](ThreadWorkspace& work) {
      work.polygons.begin(own_polygons, rows.polygons);
      work.contacts.begin(own_contacts, rows.contacts);
    };
    const auto give = [&](ThreadWorkspace& work, std::int64_t e) {
      work.polygons.give(e, own_polygons, rows.polygons);
      work.contacts.give(e, own_contacts, rows.contacts);
    };
    evaluate_batch({view_, state, without_rows, candidates}, results, 1, begin, give);
    if (!wants_packed) return;
    rows.write_offsets();
    LoopChunks writing(state.num_environments, kChunk);
    run_on_threads(num_threads(state.num_environments), [&](int thread) {
      writing.take(thread, [&](std::int64_t first, std::int64_t end) { rows.write_rows(first, end, results.status); });
    });
  }

  std::unique_ptr<CandidateCache::Implementation> make_candidates(std::int64_t num_environments,
                                                                  double margin) const override {
    for (const auto& model : models_) {
      if (auto made = model->make_candidates(scene_.data(), *this, num_environments, margin)) return made;
    }
    return Implementation::make_candidates(num_environments, margin);
  }

 private:
  // small enough to balance uneven work, large enough that threads rarely contend for the counter or a cache line
  static constexpr std::int64_t kChunk = ThreadWorkspace::kEnvironments;

  static SceneView with_slip_tolerance(SceneView view, std::optional<double> slip_tolerance) {
    view.contact.slip_tolerance = slip_tolerance.value_or(view.contact.slip_tolerance);
    return view;
  }

  int num_threads(std::int64_t environments) const {
    const std::int64_t chunks = (environments + kChunk - 1) / kChunk;
    if (chunks <= 1) return 1;
    return static_cast<int>(std::min<std::int64_t>(usable_threads(options_.num_threads), chunks));
  }

  /// Evaluates all environments, `together` at a time, in functions for `wanted` results. Each thread calls
  /// begin(workspace) first, and give(workspace, environment) after those that begin with that environment.
  template <class Begin, class Give>
  void evaluate_batch(const EvaluationBatch& batch, const Results& wanted, std::int64_t together, const Begin& begin,
                      const Give& give) const {
    std::array<CpuContactModel::EvaluatePairs, kMaxContactModels> evaluate_pairs = {};
    for (int model = 0; model < batch.scene.num_models; ++model) {
      evaluate_pairs[static_cast<std::size_t>(model)] = model_at(model).select(wanted);
    }
    const CancellationScope cancellation(options_.is_cancelled);
    const auto evaluate_some = [&](ThreadWorkspace& work, std::int64_t first, std::int64_t end) {
      for (std::int64_t e = first; e < end; e += together) {
        check_cancelled();
        evaluate_environments(batch, evaluate_pairs, e, std::min(e + together, end), work);
        give(work, e);
      }
    };
    const std::int64_t count = batch.state.num_environments;
    if (count <= kChunk) {  // without asking for threads
      return workspaces_.lend([&](ThreadWorkspace& work) {
        begin(work);
        evaluate_some(work, 0, count);
      });
    }
    LoopChunks loop(count, kChunk);
    run_on_threads(num_threads(count), [&](int thread) {
      workspaces_.lend([&](ThreadWorkspace& work) {
        begin(work);
        loop.take(thread, [&](std::int64_t first, std::int64_t end) { evaluate_some(work, first, end); });
      });
    });
  }

  const CpuContactModel& model_at(int model) const { return *models_[static_cast<std::size_t>(model)]; }

  void evaluate_environments(const EvaluationBatch& batch,
                             const std::array<CpuContactModel::EvaluatePairs, kMaxContactModels>& evaluate_pairs,
                             std::int64_t first, std::int64_t end, ThreadWorkspace& work) const {
    SerialWarp warp;
    const auto& [scene, state, results, candidates] = batch;
    const PairLists lists = work.begin_lists();
    for (std::int64_t e = first; e < end; ++e) {
      begin_environment(warp, warp, work.bounds, scene, state, results, e, lists, every_pair_);
    }
    for (int model = 0; model < scene.num_models; ++model) {
      if (work.num_near_pairs[model] == 0) continue;
      evaluate_pairs[static_cast<std::size_t>(model)](model_at(model), batch, work.near_pairs_of(scene, model),
                                                      *work.models[static_cast<std::size_t>(model)],
                                                      {{work.polygons}, {work.contacts}});
    }
    if (results.body_wrench.data == nullptr) return;
    for (std::int64_t e = first; e < end; ++e) {
      for (int body = 0; body < scene.num_bodies; ++body) write_body_wrench(scene, state, results, e, body);
    }
  }

  const SceneView view_;
  const bool every_pair_;  // also those that are apart
  const CpuContactModels models_;
  mutable WorkspacePool<ThreadWorkspace> workspaces_;  // evaluations may run side by side
};

}  // namespace

std::unique_ptr<Evaluator::Implementation> detail::make_cpu_backend(Scene scene, CpuOptions options,
                                                                    std::optional<double> slip_tolerance) {
  return std::make_unique<CpuBackend>(std::move(scene), options, slip_tolerance);
}

Evaluator detail::make_evaluator(Scene scene, const CpuOptions& options) {
  if (options.backend != Backend::kCpu) return Evaluator(std::move(scene), options);
  check_options(options);
  return Evaluator(make_cpu_backend(std::move(scene), options));
}

}  // namespace isopatch
