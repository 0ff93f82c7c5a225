// SPDX-License-Identifier: Apache-2.0
//
// BM_Start/<scene>/<environments>, with cuda in float: what a caller waits for once, on the host's clock. Each is for a
// process with this benchmark alone, since the first call of a process loads its kernels. Counters, in ms:
//
//   context      of the device
//   upload       the constructor of Evaluator or Simulator
//   first_call   until the device is done, with working memory that is allocated
//   second_call  the same, with all in place
//   capture      in a graph that is ready to be replayed
//   enqueue      until a call returns, while the device has nothing else to do
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "isopatch/isopatch.h"
#include "tests/support/paths/paths.h"
#if defined(ISOPATCH_HAS_CUDA)
#include <cuda_runtime_api.h>

#include <functional>
#include <optional>

#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

#if defined(ISOPATCH_HAS_CUDA)
void report(benchmark::State& bench, const std::string& what, double seconds) { bench.counters[what] = 1e3 * seconds; }

/// `call` is made three times, and once in a capture.
void time_calls(benchmark::State& bench, const std::function<void(void*)>& call) {
  const auto wait = [] { ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize()); };
  for (const char* which : {"first_call", "second_call"}) {
    report(bench, which, seconds_of([&] { call(nullptr), wait(); }));
  }
  report(bench, "enqueue", seconds_of([&] { call(nullptr); }));
  wait();
  report(bench, "capture", GraphTimer(call).capture_seconds());
}
#endif

void run(benchmark::State& bench, [[maybe_unused]] const std::string& name, [[maybe_unused]] bool steps,
         [[maybe_unused]] std::int64_t environments) {
#if defined(ISOPATCH_HAS_CUDA)
  if (!cuda_available()) return bench.SkipWithError("no CUDA device");
  const std::string file = "bench/scenes/" + name + ".json";
  const Scene scene(read_scene(std::filesystem::exists(file) ? file : source_path(file)));
  const EvaluatorOptions options = {.backend = Backend::kCuda};
  for (auto _ : bench) {
    report(bench, "context", seconds_of([] { ISOPATCH_CUDA_CHECK(cudaFree(nullptr)); }));
    if (steps) {
      std::optional<Simulator> simulator;
      report(bench, "upload", seconds_of([&] { simulator.emplace(scene, options); }));
      RolloutStateArrays host(scene, environments);
      DeviceCopies copies;
      const RolloutState state = copies.add(host);
      time_calls(bench, [&](void* stream) { simulator->step(state, {}, {}, 1, stream); });
    } else {
      std::optional<Evaluator> evaluator;
      report(bench, "upload", seconds_of([&] { evaluator.emplace(scene, options); }));
      const StateArrays states(scene.description(), environments);
      ResultArrays results(scene, environments, {.patch = false});
      const DeviceArrays arrays(states.view(), results.view(), scene);
      time_calls(bench, [&](void* stream) { evaluator->evaluate(arrays.state(), arrays.results(), stream); });
    }
  }
#else
  bench.SkipWithError("this build has no CUDA code");
#endif
}

const bool kRegistered = [] {
  constexpr std::int64_t kEnvironments = 8192;
  for (const std::string name : {"sphere_on_box", "drop", "pinch"}) {
    const std::string title = "BM_Start/" + name + "/" + std::to_string(kEnvironments);
    benchmark::RegisterBenchmark(title.c_str(),
                                 [=](benchmark::State& s) { run(s, name, name != "sphere_on_box", kEnvironments); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
