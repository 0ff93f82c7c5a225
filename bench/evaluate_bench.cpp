// SPDX-License-Identifier: Apache-2.0
//
// BM_Evaluate/<backend>/<precision>/<scene>/<environments>. Counters show what was computed: a benchmark that computes
// nothing has no polygons, no area and no force. The cuda ones read and write device memory, as a caller on the device
// would, and are timed with events.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_meshes.h"
#include "host/cpu/pressure_field/traversal_counts.h"
#include "host/evaluation/cuda_options.h"
#include "isopatch/isopatch.h"
#include "tests/support/data_folder.h"
#if defined(ISOPATCH_HAS_CUDA)
#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

struct BenchScene {
  std::string name;
  SceneDescription scene;            // bodies at a pose that gives the kind of contact the name says
  std::int64_t most_cuda = 0;        // environments; more would take too long
  std::int64_t others_compared = 0;  // as many as others evaluate at once
  double shift = 1e-4;               // of the first body from one environment to the next, m
};

std::array<double, 7> pose(Point3 position, Point3 axis = {0, 0, 1}, double angle = 0) {
  const double length = std::hypot(axis[0], axis[1], axis[2]), s = std::sin(angle / 2) / length;
  return {position[0], position[1], position[2], std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
}

Body body(int index, int geometry, std::array<double, 7> at, double modulus) {
  Body b;
  b.name = std::string("body ") + std::to_string(index);
  b.geometry = geometry;
  b.modulus = modulus;
  b.friction = 0.5;
  b.dissipation = 1;
  b.pose = at;
  return b;
}

/// The first body moves over the second.
BenchScene two_bodies(std::string name, Geometry a, Geometry b, std::array<double, 7> at,
                      std::int64_t most_cuda = 65536) {
  SceneDescription d;
  d.geometries = {std::move(a), std::move(b)};
  d.bodies = {body(0, 0, at, 1e5), body(1, 1, pose({0, 0, 0}), 2e5)};
  d.bodies[0].velocity = {0.1, 0, -0.05, 0, 0, 3};
  d.pairs = {{0, 1, {}, {}}};
  return {std::move(name), std::move(d), most_cuda};
}

/// A compliant nut on the thread of a rigid bolt, touching all along it: the shapes and the pose of
/// bench/scenes/nut_on_bolt.json.
BenchScene nut_on_bolt() {
  Nut nut;
  nut.segments = 24;
  Bolt bolt;
  bolt.segments = 24;
  bolt.thread.clearance = 4.2e-5;
  BenchScene s = two_bodies("nut_on_bolt", make_nut("nut", nut), make_surface_mesh("bolt", make_bolt_surface(bolt)),
                            pose({0, 0, 0.0148}), 1024);
  s.scene.bodies[0].modulus = 1e8;
  s.scene.bodies[0].velocity = {0, 0, 0, 0, 0, -1};
  s.scene.bodies[1].rigid = true;
  s.others_compared = 200;
  s.shift = 1e-7;
  return s;
}

/// The sphere and the box that bench/drake times as "sphere on box".
BenchScene sphere512_on_box44() {
  return two_bodies("sphere512_on_box44", make_tet_mesh("sphere", make_octahedron_sphere(0.05, 3)),
                    make_tet_mesh("box", bisected(make_box_mesh({0.2, 0.25, 0.1}), 44)),
                    pose({0.01, -0.02, 0.093}, {0.3, 1, 0.2}, 0.5));
}

/// A dense clip: nearly every pair of tets that is tested has a polygon (13 of 16), and here a wrench with damping and
/// friction is integrated over each. In sphere1280_on_half_space it is every tet that is tested.
BenchScene four_tets_on_four_tets() {
  return two_bodies("four_tets_on_four_tets", make_tet_mesh("upper", make_four_tets(0.1)),
                    make_tet_mesh("lower", make_four_tets(0.1)), pose({0.003, 0.002, -0.03}, {1, 0.01, 0}, 2.9));
}

/// Eight boxes, each turned and tilted a little on the one below, on a rigid floor: 8 pairs touch of 36.
BenchScene box_stack() {
  SceneDescription d;
  d.geometries = {make_box("box", {0.1, 0.12, 0.08}), make_half_space("floor", 0.1)};
  for (int i = 0; i < 8; ++i) {
    d.bodies.push_back(
        body(i, 0, pose({0.002 * (i % 3), 0, 0.039 + 0.078 * i}, {0.1, 0.1 * (i % 2), 1}, 0.2 * i), 1e5));
  }
  d.bodies.push_back(body(8, 1, pose({0, 0, 0}), 1e5));
  d.bodies.back().rigid = true;
  d.pairs = all_pairs(d);
  return {"box24_stack_of_8", std::move(d), 16384};
}

std::optional<BenchScene> pepper_in_bowl() {
  const char *pepper = "yellow_bell_pepper_no_stem_low.vtk", *bowl = "evo_bowl_coarse3k.vtk";
  for (const char* file : {pepper, bowl}) {
    if (have_data_file(file)) continue;
    std::fprintf(stderr, "pepper_in_bowl is left out: %s\n", missing_data_file(file).c_str());
    return {};
  }
  return two_bodies("pepper_in_bowl", make_tet_mesh("pepper", read_vtk(data_file(pepper))),
                    make_tet_mesh("bowl", read_vtk(data_file(bowl))), pose({0, 0, -0.0275}, {0, 0, 1}, 0.3), 16384);
}

std::vector<BenchScene> bench_scenes() {
  const Point3 axis = {0.3, 1, 0.2};
  const auto sphere = [](int subdivisions) { return make_sphere("sphere", 0.05, subdivisions); };
  std::vector<BenchScene> scenes = {
      sphere512_on_box44(),
      four_tets_on_four_tets(),
      two_bodies("box24_on_box24", make_box("box", {0.1, 0.11, 0.12}), make_box("box", {0.12, 0.13, 0.14}),
                 pose({0.03, 0.03, 0.11}, {0.2, 1, 0.3}, 0.15)),
      two_bodies("sphere320_on_box24", sphere(2), make_box("box", {0.2, 0.25, 0.1}),
                 pose({0.01, -0.02, 0.085}, axis, 0.5)),
      two_bodies("sphere320_on_sphere320", sphere(2), sphere(2), pose({0.01, 0.005, 0.0885}, axis, 0.5)),
      two_bodies("sphere1280_on_sphere1280", sphere(3), sphere(3), pose({0.01, 0.005, 0.0888}, axis, 0.5)),
      two_bodies("sphere5120_on_sphere5120_deep", sphere(4), sphere(4), pose({0.024, 0.016, 0.07456}, axis, 0.5), 256),
      two_bodies("sphere1280_on_half_space", sphere(3), make_half_space("floor", 0.1), pose({0, 0, 0.015}, axis, 0.5)),
      box_stack(),
      nut_on_bolt(),
  };
  if (auto scene = pepper_in_bowl()) scenes.push_back(std::move(*scene));
  return scenes;
}

struct Batch {
  Scene scene;
  StateArrays states;
  ResultArrays results;

  Batch(const BenchScene& s, std::int64_t environments)
      : scene(s.scene), states(s.scene, environments), results(scene, environments, {.patch = false}) {
    for (std::int64_t e = 0; e < environments; ++e) {
      // a little apart from each other, so that environments do not share their branches
      const double shift = s.shift * static_cast<double>(e % 17);
      double* pose = states.poses.data() + e * states.num_bodies * 7;
      pose[0] += shift;
      pose[1] -= shift;
    }
    results.body_wrench.clear();
    results.status.clear();
  }

  /// With the strides that are needed below an Evaluator.
  State strided_state() const {
    State s = states.view();
    s.poses.stride = 7 * states.num_bodies;
    s.velocities.stride = 6 * states.num_bodies;
    return s;
  }
};

void report(benchmark::State& bench, const Batch& batch) {
  double area = 0, force = 0, polygons = 0, touching = 0;
  const ResultArrays& r = batch.results;
  for (std::size_t i = 0; i < r.area.size(); ++i) {
    area += r.area[i];
    polygons += r.polygon_count[i];
    touching += r.polygon_count[i] > 0 ? 1 : 0;
    force += std::hypot(r.pair_wrench[6 * i], r.pair_wrench[6 * i + 1], r.pair_wrench[6 * i + 2]);
  }
  constexpr std::int64_t kCounted = 17;  // all that differ
  const std::int64_t counted = std::min(kCounted, r.num_environments);
  detail::TraversalCounts sums;
  for (std::int64_t e = 0; e < counted; ++e) {
    const detail::TraversalCounts one = detail::count_traversal(batch.scene, batch.strided_state(), e);
    sums.node_pairs += one.node_pairs, sums.tet_pairs += one.tet_pairs, sums.accepted += one.accepted;
  }
  const auto mean = [&](std::int64_t sum) { return static_cast<double>(sum) / static_cast<double>(counted); };
  const double tet_pairs = mean(sums.tet_pairs);

  using benchmark::Counter;
  const auto count = static_cast<double>(r.num_environments);
  const auto rate = [&](double amount) { return Counter(amount, Counter::kIsIterationInvariantRate); };
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

const bool kRegistered = [] {
  for (const BenchScene& scene : bench_scenes()) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      const std::string middle = std::string(precision == Precision::kFloat ? "float/" : "double/") + scene.name + "/";
      for (const std::int64_t n : {std::int64_t{16}, std::int64_t{4096}}) {
        if (n > 16 && scene.most_cuda < 4096) continue;
        const int threads = n == 16 ? 1 : 0;  // one core, then all
        benchmark::RegisterBenchmark(("BM_Evaluate/cpu/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cpu(s, scene, precision, n, threads); })
            ->UseRealTime()
            ->Unit(benchmark::kMicrosecond);
      }
      std::vector<std::int64_t> sizes = {1, 32, 256, 4096, 8192, 16384, 65536};
      if (scene.others_compared > 0) sizes.push_back(scene.others_compared);
      for (const std::int64_t n : sizes) {
        if (n > scene.most_cuda) continue;
        benchmark::RegisterBenchmark(("BM_Evaluate/cuda/" + middle + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_cuda(s, scene, precision, n); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
