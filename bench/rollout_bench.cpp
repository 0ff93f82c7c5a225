// SPDX-License-Identifier: Apache-2.0
//
// BM_Rollout/<backend>/<precision>/<scene>/<environments>: time steps of scenes of bench/scenes, always the same ones,
// in which there is contact. The cuda ones read and write device memory in one captured call and are timed with events.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/batches/variety.h"
#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"
#if defined(ISOPATCH_HAS_CUDA)
#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

constexpr int kSteps = 10;  // of a call

struct BenchRollout {
  std::string scene;
  Integrator integrator;
  int steps_before;                  // until there is contact
  std::int64_t most_cpu, most_cuda;  // environments; more would take too long
  int polygon_capacity = 0;          // 0: the scene's
  bool with_coulomb = false;         // in place of the scene's bristles
  Variety variety = Variety::kNear;

  std::string name() const {
    return scene + suffix_of(variety) + (integrator == Integrator::kMidpoint ? "_midpoint" : "") +
           (with_coulomb ? "_coulomb" : "");
  }
};

const BenchRollout kRollouts[] = {{"drop", Integrator::kEuler, 40, 4096, 65536},
                                  {"pinch", Integrator::kEuler, 40, 4096, 65536},
                                  {"nut_spinning", Integrator::kEuler, 5, 16, 1024, 8192},
                                  {"drop", Integrator::kMidpoint, 40, 4096, 65536},
                                  {"pinch", Integrator::kMidpoint, 40, 4096, 65536},
                                  {"pinch_held", Integrator::kMidpoint, 40, 4096, 65536},
                                  {"pinch_held", Integrator::kMidpoint, 40, 4096, 65536, 0, true},
                                  {"block_held", Integrator::kMidpoint, 40, 4096, 65536},
                                  {"block_held", Integrator::kMidpoint, 40, 4096, 65536, 0, true},
                                  {"drop", Integrator::kEuler, 40, 4096, 65536, 0, false, Variety::kTurned},
                                  {"drop", Integrator::kEuler, 40, 4096, 65536, 0, false, Variety::kMixed},
                                  {"pinch", Integrator::kEuler, 40, 4096, 65536, 0, false, Variety::kTurned},
                                  {"pinch", Integrator::kEuler, 40, 4096, 65536, 0, false, Variety::kMixed}};

/// Where a copy of the scenes is beside the program, or that of the sources.
SceneDescription read_bench_scene(const BenchRollout& rollout) {
  const std::string file = "bench/scenes/" + rollout.scene + ".json";
  SceneDescription scene = read_scene(std::filesystem::exists(file) ? file : source_path(file));
  scene.rollout.integrator = rollout.integrator;
  if (!scene.contact.slip_tolerance) scene.contact.slip_tolerance = kUsualSlipTolerance;  // as when they were measured
  if (rollout.polygon_capacity > 0) scene.rollout.polygon_capacity = rollout.polygon_capacity;
  if (rollout.with_coulomb) scene.contact.force_law.friction_model = FrictionModel::kCoulomb;
  return scene;
}

struct Batch {
  Scene scene;
  RolloutStateArrays state;

  Batch(const BenchRollout& rollout, std::int64_t environments)
      : scene(read_bench_scene(rollout)),
        state(make_rollout_states(rollout.scene, scene, rollout.variety, environments, rollout.steps_before)) {}
};

void report(benchmark::State& bench, const RolloutOutputArrays& output, const std::vector<std::uint32_t>& status) {
  using benchmark::Counter;
  const auto environments = static_cast<double>(status.size());
  double polygons = 0, iterations = 0;
  for (std::size_t e = 0; e < status.size(); ++e) {
    if ((status[e] & kFrozen) != 0) return bench.SkipWithError(status_text(status[e]).c_str());
    polygons += output.num_polygons[e];
    iterations += output.solver_iterations[e];
  }
  bench.counters["steps/s"] = Counter(kSteps * environments, Counter::kIsIterationInvariantRate);
  bench.counters["polygons"] = polygons / environments;
  bench.counters["iterations"] = iterations / environments;
  if (polygons == 0) bench.SkipWithError("no polygons: nothing touches");
}

void run_cpu(benchmark::State& bench, const BenchRollout& rollout, Precision precision, std::int64_t environments,
             int threads) {
  Batch batch(rollout, environments);
  const Simulator simulator(batch.scene, {.precision = precision, .num_threads = threads});
  RolloutStateArrays state = batch.state;
  RolloutOutputArrays output(batch.scene, environments);
  for (auto _ : bench) {
    simulator.reset(state.view(), nullptr, batch.state.view());
    simulator.step(state.view(), {}, output.view(), kSteps);
  }
  report(bench, output, state.status);
}

void run_cuda([[maybe_unused]] benchmark::State& bench, [[maybe_unused]] const BenchRollout& rollout,
              [[maybe_unused]] Precision precision, [[maybe_unused]] std::int64_t environments) {
#if defined(ISOPATCH_HAS_CUDA)
  if (!cuda_available()) return bench.SkipWithError("no CUDA device");
  Batch batch(rollout, environments);
  const std::size_t before = used_device_memory();
  const Simulator simulator(batch.scene, {.backend = Backend::kCuda, .precision = precision});
  simulator.reserve(environments);
  const std::size_t after = used_device_memory();
  DeviceCopies initial, copies;
  RolloutStateArrays stepped = batch.state;
  const RolloutState begin = initial.add(batch.state), state = copies.add(stepped);
  RolloutOutputArrays output(batch.scene, environments);
  RolloutOutput results;
  results.num_polygons = {copies.add(output.num_polygons)};
  results.solver_iterations = {copies.add(output.solver_iterations)};
  GraphTimer timer([&](void* stream) {
    simulator.reset(state, nullptr, begin, stream);
    simulator.step(state, {}, results, kSteps, stream);
  });
  for (auto _ : bench) bench.SetIterationTime(timer.seconds());
  copies.fetch();
  report(bench, output, stepped.status);
  bench.counters["bytes_per_environment"] = static_cast<double>(after - before) / static_cast<double>(environments);
#else
  bench.SkipWithError("this build has no CUDA code");
#endif
}

const bool kRegistered = [] {
  for (const BenchRollout& rollout : kRollouts) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const std::string middle =
          std::string(precision == Precision::kFloat ? "float/" : "double/") + rollout.name() + "/";
      for (const std::int64_t n : {std::int64_t{16}, std::int64_t{4096}}) {
        if (n > rollout.most_cpu) continue;
        const int threads = n == 16 ? 1 : 0;  // one core, then all
        benchmark::RegisterBenchmark(("BM_Rollout/cpu/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cpu(s, rollout, precision, n, threads); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
      for (const std::int64_t n : {1, 256, 1024, 4096, 8192, 65536}) {
        if (n > rollout.most_cuda) continue;
        benchmark::RegisterBenchmark(("BM_Rollout/cuda/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cuda(s, rollout, precision, n); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
