// SPDX-License-Identifier: Apache-2.0
//
// BM_Evaluate/<backend>/<precision>/<scene>/<environments>. Counters show what was computed: a benchmark that computes
// nothing has no polygons, no area and no force. The cuda ones read and write device memory, as a caller on the device
// would, and are timed with events.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/evaluations/evaluation_scenes.h"
#include "host/cpu/pressure_field/traversal_counts.h"
#include "host/evaluation/backend_options.h"
#if defined(ISOPATCH_HAS_CUDA)
#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

/// With the strides that are needed below an Evaluator.
State strided_state(const Batch& batch) {
  State s = batch.states.view();
  s.poses.stride = 7 * batch.states.num_bodies;
  s.velocities.stride = 6 * batch.states.num_bodies;
  return s;
}

void report(benchmark::State& bench, const Batch& batch) {
  double area = 0, force = 0, polygons = 0, touching = 0;
  const ResultArrays& r = batch.results;
  for (std::size_t i = 0; i < r.area.size(); ++i) {
    area += r.area[i];
    polygons += r.polygon_count[i];
    touching += r.polygon_count[i] > 0 ? 1 : 0;
    force += std::hypot(r.pair_wrench[6 * i], r.pair_wrench[6 * i + 1], r.pair_wrench[6 * i + 2]);
  }
  const std::int64_t counted = std::min(kNear, r.num_environments);
  detail::TraversalCounts sums;
  for (std::int64_t e = 0; e < counted; ++e) {
    const detail::TraversalCounts one = detail::count_traversal(batch.scene, strided_state(batch), e);
    sums.node_pairs += one.node_pairs, sums.tet_pairs += one.tet_pairs, sums.accepted += one.accepted;
  }
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(counted); };
  const double tet_pairs = mean(sums.tet_pairs);

  using benchmark::Counter;
  const auto count = static_cast<double>(r.num_environments);
  bench.counters["environments/s"] = rate(count);
  bench.counters["pairs/s"] = rate(touching);
  bench.counters["tet_pairs/s"] = rate(tet_pairs * count);
  bench.counters["polygons/s"] = rate(polygons);
  bench.counters["us_per_environment"] = Counter(count * 1e-6, Counter::kIsIterationInvariantRate | Counter::kInvert);
  bench.counters["node_pairs"] = mean(sums.node_pairs);
  bench.counters["tet_pairs"] = tet_pairs;
  bench.counters["accepted"] = mean(sums.accepted);
  bench.counters["polygons"] = polygons / count;
  bench.counters["area"] = area / count;
  bench.counters["force"] = force / count;
  if (polygons == 0) bench.SkipWithError("no polygons: nothing was computed");
}

void run_cpu(benchmark::State& bench, const BenchScene& scene, Precision precision, std::int64_t environments,
             int threads) {
  Batch batch(scene, environments);
  const Evaluator evaluator(batch.scene, {.precision = precision, .num_threads = threads});
  const State state = batch.states.view();
  const Results results = batch.results.view();
  for (auto _ : bench) evaluator.evaluate(state, results);
  report(bench, batch);
}

void run_cuda([[maybe_unused]] benchmark::State& bench, [[maybe_unused]] const BenchScene& scene,
              [[maybe_unused]] Precision precision, [[maybe_unused]] std::int64_t environments) {
#if defined(ISOPATCH_HAS_CUDA)
  if (!cuda_available()) return bench.SkipWithError("no CUDA device");
  Batch batch(scene, environments);
  const std::size_t before = used_device_memory();
  detail::CudaOptions options;
  options.backend = Backend::kCuda;
  options.precision = precision;
  if (const char* const given = std::getenv("ISOPATCH_BENCH_STAGES")) {
    const std::string stages = given;
    if (stages != "one" && stages != "several") return bench.SkipWithError("ISOPATCH_BENCH_STAGES: not one or several");
    options.stages = stages == "one" ? detail::PairStages::kOne : detail::PairStages::kSeveral;
  }
  const Evaluator evaluator = detail::make_evaluator(batch.scene, options);
  evaluator.reserve(environments);
  const std::size_t after = used_device_memory();
  DeviceArrays arrays(batch.states.view(), batch.results.view(), batch.scene);
  GraphTimer timer([&](void* stream) { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  for (auto _ : bench) bench.SetIterationTime(timer.seconds());
  arrays.fetch();
  report(bench, batch);
  bench.counters["bytes_per_environment"] = static_cast<double>(after - before) / static_cast<double>(environments);
#else
  bench.SkipWithError("this build has no CUDA code");
#endif
}

/// A nut on a bolt by other meshes, which are made when they are asked for: the finest takes a second.
void register_nuts() {
  for (const int segments : {12, 48, 96}) {
    const std::string end = "float/nut_on_bolt_" + std::to_string(segments) + "/";
    register_on_cpu("BM_Evaluate/cpu/" + end, 16, [=](benchmark::State& s, std::int64_t n, int threads) {
      run_cpu(s, nut_on_bolt(segments), Precision::kFloat, n, threads);
    });
    constexpr std::int64_t kMost = 200;
    register_on_cuda("BM_Evaluate/cuda/" + end, kMost, {kMost}, [=](benchmark::State& s, std::int64_t n) {
      run_cuda(s, nut_on_bolt(segments), Precision::kFloat, n);
    });
  }
}

const bool kRegistered = [] {
  register_nuts();
  for (const BenchScene& scene : bench_scenes()) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const std::string end = (precision == Precision::kFloat ? "float/" : "double/") + scene.name + "/";
      register_on_cpu("BM_Evaluate/cpu/" + end, scene.most_cuda, [=](benchmark::State& s, std::int64_t n, int threads) {
        run_cpu(s, scene, precision, n, threads);
      });
      std::vector<std::int64_t> sizes = {1, 32, 256, 4096, 8192, 16384, 65536};
      if (scene.others_compared > 0) sizes.push_back(scene.others_compared);
      register_on_cuda("BM_Evaluate/cuda/" + end, scene.most_cuda, sizes,
                       [=](benchmark::State& s, std::int64_t n) { run_cuda(s, scene, precision, n); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
