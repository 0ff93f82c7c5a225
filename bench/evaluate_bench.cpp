// SPDX-License-Identifier: Apache-2.0
//
// BM_Evaluate/<backend>/<precision>/<scene>/<environments>. Counters show what was computed: a benchmark that computes
// nothing has no polygons, no area and no force.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/device_batch.h"
#include "isopatch/isopatch.h"

namespace isopatch {
namespace {

// Two bodies at a pose that gives the stated kind of contact.
struct BenchScene {
  std::string name;
  Geometry a, b;
  Point3 position_a;
  std::array<double, 4> orientation_a;
};

std::array<double, 4> about_axis(double x, double y, double z, double angle) {
  const double length = std::sqrt(x * x + y * y + z * z), s = std::sin(angle / 2) / length;
  return {std::cos(angle / 2), s * x, s * y, s * z};
}

std::vector<BenchScene> bench_scenes() {
  const auto turned = about_axis(0.3, 1, 0.2, 0.5);
  const auto tilted = about_axis(0.2, 1, 0.3, 0.15);
  return {
      {"box24_on_box24",
       make_box("box", {0.1, 0.11, 0.12}),
       make_box("box", {0.12, 0.13, 0.14}),
       {0.03, 0.03, 0.11},
       tilted},
      {"sphere320_on_box24",
       make_sphere("sphere", 0.05, 2),
       make_box("box", {0.2, 0.25, 0.1}),
       {0.01, -0.02, 0.085},
       turned},
      {"sphere320_on_sphere320",
       make_sphere("sphere", 0.05, 2),
       make_sphere("sphere", 0.05, 2),
       {0.01, 0.005, 0.0885},
       turned},
      {"sphere1280_on_sphere1280",
       make_sphere("sphere", 0.05, 3),
       make_sphere("sphere", 0.05, 3),
       {0.01, 0.005, 0.0888},
       turned},
      {"sphere5120_on_sphere5120_deep",
       make_sphere("sphere", 0.05, 4),
       make_sphere("sphere", 0.05, 4),
       {0.02, 0.01, 0.03},
       turned},
  };
}

struct Batch {
  Scene scene;
  std::vector<double> poses, velocities, wrenches, area;
  std::vector<std::int32_t> polygons;

  Batch(const BenchScene& s, std::int64_t environments) : scene(describe(s)) {
    for (std::int64_t e = 0; e < environments; ++e) {
      // a little apart from each other, so that environments do not share their branches
      const double shift = 1e-4 * static_cast<double>(e % 17);
      poses.insert(poses.end(), {s.position_a[0] + shift, s.position_a[1] - shift, s.position_a[2]});
      poses.insert(poses.end(), s.orientation_a.begin(), s.orientation_a.end());
      poses.insert(poses.end(), {0, 0, 0, 1, 0, 0, 0});
      velocities.insert(velocities.end(), {0.1, 0, -0.05, 0, 0, 3, 0, 0, 0, 0, 0, 0});
    }
    const auto count = static_cast<std::size_t>(environments);
    wrenches.resize(6 * count);
    area.resize(count);
    polygons.resize(count);
  }

  static SceneDescription describe(const BenchScene& s) {
    SceneDescription d;
    d.geometries = {s.a, s.b};
    d.bodies.resize(2);
    d.bodies[0].name = "a";
    d.bodies[1].name = "b";
    d.bodies[1].geometry = 1;
    d.bodies[1].modulus = 2e5;
    for (Body& body : d.bodies) body.friction = 0.5, body.dissipation = 1;
    d.pairs = {{0, 1, {}, {}}};
    return d;
  }

  State state() const {
    State s;
    s.num_environments = static_cast<std::int64_t>(area.size());
    s.poses = poses.data();
    s.velocities = velocities.data();
    return s;
  }
  Results results() {
    Results r;
    r.pair_wrench = wrenches.data();
    r.area = area.data();
    r.polygon_count = polygons.data();
    return r;
  }
};

void report(benchmark::State& bench, const Batch& batch) {
  double area = 0, force = 0, polygons = 0;
  for (std::size_t e = 0; e < batch.area.size(); ++e) {
    area += batch.area[e];
    polygons += batch.polygons[e];
    force += std::hypot(batch.wrenches[6 * e], batch.wrenches[6 * e + 1], batch.wrenches[6 * e + 2]);
  }
  const auto count = static_cast<double>(batch.area.size());
  bench.counters["pairs/s"] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
  bench.counters["polygons/s"] = benchmark::Counter(polygons, benchmark::Counter::kIsIterationInvariantRate);
  bench.counters["us_per_pair"] =
      benchmark::Counter(count * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  bench.counters["polygons"] = polygons / count;
  bench.counters["area"] = area / count;
  bench.counters["force"] = force / count;
  if (polygons == 0) bench.SkipWithError("no polygons: nothing was computed");
}

void run_cpu(benchmark::State& bench, const BenchScene& scene, Precision precision, std::int64_t environments,
             int threads) {
  Batch batch(scene, environments);
  const Evaluator evaluator(batch.scene, {Backend::kCpu, precision, threads, false});
  const State state = batch.state();
  const Results results = batch.results();
  for (auto _ : bench) evaluator.evaluate(state, results);
  report(bench, batch);
}

void run_cuda(benchmark::State& bench, const BenchScene& scene, Precision precision, std::int64_t environments) {
  if (!cuda_available()) {
    bench.SkipWithError("no CUDA device");
    return;
  }
  Batch batch(scene, environments);
  const Evaluator evaluator(batch.scene, {Backend::kCuda, precision, 0, false});
  // from and to host memory: an upper bound of what a caller on the device sees
  for (auto _ : bench) evaluate_on_device(evaluator, batch.state(), batch.results());
  report(bench, batch);
}

const bool registered = [] {
  for (const BenchScene& scene : bench_scenes()) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const std::string middle = std::string(precision == Precision::kFloat ? "float/" : "double/") + scene.name + "/";
      for (const std::int64_t n : {std::int64_t{16}, std::int64_t{4096}}) {
        if (n > 16 && scene.name.ends_with("deep")) continue;
        const int threads = n == 16 ? 1 : 0;  // one core, then all
        benchmark::RegisterBenchmark(("BM_Evaluate/cpu/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cpu(s, scene, precision, n, threads); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
      for (const std::int64_t n : {1, 16, 256, 4096, 16384, 65536}) {
        benchmark::RegisterBenchmark(("BM_Evaluate/cuda/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cuda(s, scene, precision, n); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch
