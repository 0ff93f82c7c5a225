// SPDX-License-Identifier: Apache-2.0
//
// Evaluates environments on all cores. A thread takes the next few environments and evaluates their pairs one after
// another: with SIMD (simd_evaluation.h), or with the code of a GPU's warp at a width of one lane.
#include <algorithm>
#include <tuple>
#include <utility>

#include "host/cpu/thread_workspace.h"
#include "host/evaluation/argument_check.h"
#include "host/evaluation/evaluator_backend.h"
#include "host/scene/scene_data.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"
#include "isopatch/detail/pressure_field/energy.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "isopatch/detail/scene/body_wrench.h"

namespace isopatch {

using namespace detail;

namespace {

struct Batch {
  const SceneView& scene;
  const State& state;
  const Results& results;
  const SimdKernels* simd;  // null: one number at a time
};

void evaluate_energy_with_simd(const SimdKernels& simd, ThreadWorkspace& work, const SceneView& scene,
                               const State& state, const Results& results, std::int64_t environment, int pair) {
  const auto visit = [](CellEnergyVisitor& visitor, std::int32_t m, std::int32_t s) {
    AcceptedCells cells = {m, s, {}};
    if (visitor.accepts(cells)) visitor.visit(true, cells);
  };
  SerialWarp warp;
  evaluate_energy(
      warp, work.pair.pair, PlanesInPlace(), scene, state, results, environment, pair,
      [&](CellEnergyVisitor& visitor) { std::get<FindOverlaps>(simd)(visitor.context, work.simd, visitor, visit); });
}

template <Parts parts, class T, bool with_patch>
void evaluate_pair_with_simd(SumPair<T, with_patch> sum_pair, ThreadWorkspace& work, const Batch& batch,
                             std::int64_t environment, int pair) {
  SerialWarp warp;
  evaluate_pair<T, with_patch, false, parts>(
      warp, work.pair.pair, work.pair.sums, batch.scene, batch.state, batch.results, environment, pair, {}, nullptr,
      kEverything, [&](const PairContext& context, const WorkSlice&, WrenchSums<T, with_patch>& sums) {
        sum_pair(context, work.simd, sums);
      });
}

/// Takes the polygons that have just been found of a pair.
void finish_patch_contacts(const Batch& batch, std::int64_t environment, int pair,
                           SortedRows<ElasticPolygon>& polygons) {
  polygons.sort();
  const Vec3d p_WoA = read_vec3(batch.state.poses, environment, batch.scene.pairs[pair].a * kPoseSize);
  write_patch_contacts(
      batch.results, environment, pair, p_WoA, [&](int i) -> const ElasticPolygon& { return polygons[i]; },
      polygons.size());
  polygons.clear();
}

template <class T, Outputs outputs, bool brute_force>
void evaluate_environment(const Batch& batch, std::int64_t environment, ThreadWorkspace& work) {
  SerialWarp warp;
  const auto& [scene, state, results, simd] = batch;
  using Sum = SumPair<T, outputs == Outputs::kPatch>;
  const bool with_simd = simd != nullptr && outputs != Outputs::kPolygons && !brute_force;
  const Sum sum_pair = with_simd ? std::get<Sum>(*simd) : nullptr;
  std::int32_t count = 0;
  begin_environment(warp, warp, work.bounds, scene, state, results, environment, {work.items, &count, kMaxPairs},
                    brute_force);
  for (std::int32_t i = 0; i < count; ++i) {
    const int pair = static_cast<int>(work.items[i] - environment * scene.num_pairs);
    if (sum_pair != nullptr) {
      if (parts_of(scene) == Parts::kOne) {
        evaluate_pair_with_simd<Parts::kOne>(sum_pair, work, batch, environment, pair);
      } else {
        evaluate_pair_with_simd<Parts::kSeveral>(sum_pair, work, batch, environment, pair);
      }
    } else {
      evaluate_pair<T, outputs, brute_force>(warp, work.pair, scene, state, results, environment, pair, {}, nullptr,
                                             kEverything, PackedRows{{work.polygons}, {work.contacts}, {work.elastic}});
      if (work.elastic.is_wanted()) finish_patch_contacts(batch, environment, pair, work.elastic);
    }
    if (results.energy.data == nullptr) continue;
    if (simd != nullptr) {
      evaluate_energy_with_simd(*simd, work, scene, state, results, environment, pair);
    } else {
      evaluate_energy(warp, work.pair, scene, state, results, environment, pair);
    }
  }
  for (int body = 0; body < scene.num_bodies && results.body_wrench.data != nullptr; ++body) {
    write_body_wrench(scene, state, results, environment, body);
  }
}

using EvaluateEnvironment = void (*)(const Batch&, std::int64_t, ThreadWorkspace&);

template <class T, bool brute_force>
EvaluateEnvironment select(Outputs outputs) {
  switch (outputs) {
    case Outputs::kWrench:
      return evaluate_environment<T, Outputs::kWrench, brute_force>;
    case Outputs::kPatch:
      return evaluate_environment<T, Outputs::kPatch, brute_force>;
    case Outputs::kPolygons:
      break;
  }
  return evaluate_environment<T, Outputs::kPolygons, brute_force>;
}

EvaluateEnvironment select(const CpuOptions& options, Outputs outputs) {
  if (options.precision == Precision::kFloat) {
    return options.brute_force ? select<float, true>(outputs) : select<float, false>(outputs);
  }
  return options.brute_force ? select<double, true>(outputs) : select<double, false>(outputs);
}

class CpuBackend final : public Evaluator::Implementation {
 public:
  CpuBackend(Scene scene, const CpuOptions& options)
      : Implementation(std::move(scene), options),
        cpu_options_(options),
        simd_(select_simd_kernels(options.vectors)),
        workspaces_([most = most_wide_nodes(scene_.data())] { return std::make_unique<ThreadWorkspace>(most); }) {}

  void evaluate(const State& state, const Results& results, void*) const override {
    const Batch batch = {scene_.data().view, state, results, simd_};
    const Outputs outputs = wants_patch_contacts(results) ? Outputs::kPolygons : needed_outputs(results);
    const EvaluateEnvironment evaluate_one = select(cpu_options_, outputs);
    const std::int64_t count = state.num_environments;

    // small enough to balance uneven work, large enough that threads rarely contend for the counter or a cache line
    constexpr std::int64_t kChunk = 8;
    const std::int64_t chunks = (count + kChunk - 1) / kChunk;
    const std::int64_t threads = chunks > 1 ? std::min<std::int64_t>(usable_threads(options_.num_threads), chunks) : 1;
    RowCollections rows(results, count, kChunk);
    LoopChunks loop(count, kChunk);
    Cancellation cancellation(options_.is_cancelled);
    run_on_threads(static_cast<int>(threads), [&](int thread) {
      const WorkspacePool<ThreadWorkspace>::Loan work(workspaces_);
      (*work).polygons.begin(rows.polygons);
      (*work).contacts.begin(rows.contacts);
      (*work).elastic.begin(wants_patch_contacts(results));
      loop.take(thread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e) {
          cancellation.check(thread);
          evaluate_one(batch, e, *work);
          (*work).polygons.give(e, rows.polygons);
          (*work).contacts.give(e, rows.contacts);
        }
      });
    });
    if (!rows.is_wanted()) return;
    rows.write_offsets();
    LoopChunks writing(count, kChunk);
    run_on_threads(static_cast<int>(threads), [&](int thread) {
      writing.take(thread, [&](std::int64_t begin, std::int64_t end) { rows.write_rows(begin, end, results.status); });
    });
  }

 private:
  const CpuOptions cpu_options_;
  const SimdKernels* simd_;
  mutable WorkspacePool<ThreadWorkspace> workspaces_;  // evaluations may run side by side
};

}  // namespace

std::unique_ptr<Evaluator::Implementation> detail::make_cpu_backend(Scene scene, CpuOptions options) {
  return std::make_unique<CpuBackend>(std::move(scene), options);
}

Evaluator detail::make_evaluator(Scene scene, const CpuOptions& options) {
  if (options.backend != Backend::kCpu) return Evaluator(std::move(scene), options);
  check_options(options);
  return Evaluator(make_cpu_backend(std::move(scene), options));
}

}  // namespace isopatch
