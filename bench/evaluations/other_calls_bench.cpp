// SPDX-License-Identifier: Apache-2.0
//
// BM_<call>/<backend>/<precision>/<scene>/<environments>, of evaluations that ask for more than BM_Evaluate does:
//
//   BM_Kept           with candidates that the call before has left
//   BM_PatchContacts  each patch as a few point contacts
//   BM_Packed         the polygons of all environments in one array, which has room for all
//   BM_Enqueue        cuda only: the host's time until evaluate() returns, while the device has nothing else to do
#include <benchmark/benchmark.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/evaluations/evaluation_scenes.h"
#if defined(ISOPATCH_HAS_CUDA)
#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

constexpr double kMargin = 5e-4;  // m, of kept candidates
constexpr std::int32_t kClusters = 1;

enum class Call : std::uint8_t { kKept, kPatchContacts, kPacked, kEnqueue };

const char* name_of(Call call) {
  switch (call) {
    case Call::kKept:
      return "Kept";
    case Call::kPatchContacts:
      return "PatchContacts";
    case Call::kPacked:
      return "Packed";
    case Call::kEnqueue:
      break;
  }
  return "Enqueue";
}

/// The polygons of all environments.
std::int64_t count_polygons(const BenchScene& scene, std::int64_t environments) {
  Batch batch(scene, environments);
  Evaluator(batch.scene).evaluate(batch.states.view(), batch.results.view());
  std::int64_t polygons = 0;
  for (const std::int32_t count : batch.results.polygon_count) polygons += count;
  return polygons;
}

Batch make_batch(Call call, const BenchScene& scene, std::int64_t environments) {
  ResultSelection selection = {.patch = false};
  if (call == Call::kPatchContacts) selection.max_clusters = kClusters;
  if (call == Call::kPacked) selection.capacity["packed_polygons"] = count_polygons(scene, environments);
  return {scene, environments, selection};
}

void report(benchmark::State& bench, Call call, const Batch& batch) {
  const ResultArrays& r = batch.results;
  const auto environments = static_cast<double>(r.num_environments);
  double polygons = 0, contacts = 0;
  for (const std::int32_t count : r.polygon_count) polygons += count;
  for (const std::int32_t count : r.patch_count) contacts += count;
  bench.counters["environments/s"] = rate(environments);
  bench.counters["polygons"] = polygons / environments;
  if (polygons == 0) bench.SkipWithError("no polygons: nothing was computed");
  if (call == Call::kPatchContacts) {
    bench.counters["contacts"] = contacts / environments;
    if (contacts == 0) bench.SkipWithError("no patch contacts");
  }
  if (call == Call::kPacked && (r.polygon_offsets.back() != std::ssize(r.packed_polygons) ||
                                static_cast<double>(std::ssize(r.packed_polygons)) != polygons)) {
    bench.SkipWithError("not all polygons are packed");
  }
}

/// evaluate() with or without candidates that are kept.
class Evaluation {
 public:
  Evaluation(Call call, Batch& batch, const EvaluatorOptions& options) : evaluator_(batch.scene, options) {
    const std::int64_t environments = batch.results.num_environments;
    evaluator_.reserve(environments, std::ssize(batch.results.packed_polygons));
    if (call == Call::kKept) candidates_ = evaluator_.make_candidate_cache(environments, kMargin);
  }
  void operator()(const State& state, const Results& results, void* stream = nullptr) {
    if (candidates_) {
      evaluator_.evaluate(state, results, *candidates_, stream);
    } else {
      evaluator_.evaluate(state, results, stream);
    }
  }

 private:
  Evaluator evaluator_;
  std::optional<CandidateCache> candidates_;
};

void run_cpu(benchmark::State& bench, Call call, const BenchScene& scene, Precision precision,
             std::int64_t environments, int threads) {
  Batch batch = make_batch(call, scene, environments);
  Evaluation evaluate(call, batch, {.precision = precision, .num_threads = threads});
  const State state = batch.states.view();
  const Results results = batch.results.view();
  evaluate(state, results);  // finds the candidates that are kept
  for (auto _ : bench) evaluate(state, results);
  report(bench, call, batch);
}

#if defined(ISOPATCH_HAS_CUDA)
/// Until the host may go on; the device is waited for between calls.
void time_enqueues(benchmark::State& bench, const std::function<void(void*)>& call) {
  cudaStream_t stream = nullptr;
  ISOPATCH_CUDA_CHECK(cudaStreamCreate(&stream));
  call(stream);
  for (auto _ : bench) {
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
    bench.SetIterationTime(seconds_of([&] { call(stream); }));
  }
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  ISOPATCH_CUDA_CHECK(cudaStreamDestroy(stream));
}
#endif

void run_cuda([[maybe_unused]] benchmark::State& bench, [[maybe_unused]] Call call,
              [[maybe_unused]] const BenchScene& scene, [[maybe_unused]] Precision precision,
              [[maybe_unused]] std::int64_t environments) {
#if defined(ISOPATCH_HAS_CUDA)
  if (!cuda_available()) return bench.SkipWithError("no CUDA device");
  Batch batch = make_batch(call, scene, environments);
  Evaluation evaluate(call, batch, {.backend = Backend::kCuda, .precision = precision});
  DeviceArrays arrays(batch.states.view(), batch.results.view(), batch.scene);
  const auto enqueue = [&](void* stream) { evaluate(arrays.state(), arrays.results(), stream); };
  if (call == Call::kEnqueue) {
    time_enqueues(bench, enqueue);
  } else {
    GraphTimer timer(enqueue);
    for (auto _ : bench) bench.SetIterationTime(timer.seconds());
  }
  arrays.fetch();
  report(bench, call, batch);
#else
  bench.SkipWithError("this build has no CUDA code");
#endif
}

void register_scene(Call call, const BenchScene& scene, Precision precision) {
  const std::string begin = std::string("BM_") + name_of(call) + "/";
  const std::string end = (precision == Precision::kFloat ? "float/" : "double/") + scene.name + "/";
  if (call != Call::kEnqueue) {
    register_on_cpu(begin + "cpu/" + end, scene.most_cuda, [=](benchmark::State& s, std::int64_t n, int threads) {
      run_cpu(s, call, scene, precision, n, threads);
    });
  }
  std::vector<std::int64_t> sizes = {1, 8192};
  if (call == Call::kKept) sizes = {1, 32, 256, 4096, 8192, 16384, 65536};
  register_on_cuda(begin + "cuda/" + end, scene.most_cuda, sizes,
                   [=](benchmark::State& s, std::int64_t n) { run_cuda(s, call, scene, precision, n); });
}

const bool kRegistered = [] {
  const std::set<std::string> names = {"box24_on_box24", "sphere512_on_box44", "sphere1280_on_sphere1280"};
  for (const BenchScene& scene : bench_scenes()) {
    const bool is_varied = scene.variety != Variety::kNear;
    if (!is_varied && !names.contains(scene.name)) continue;
    for (const Call call : {Call::kKept, Call::kPatchContacts, Call::kPacked, Call::kEnqueue}) {
      if (is_varied && call != Call::kKept) continue;
      register_scene(call, scene, Precision::kFloat);
      if (call != Call::kEnqueue) register_scene(call, scene, Precision::kDouble);
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
