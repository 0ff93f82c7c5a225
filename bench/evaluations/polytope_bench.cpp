// SPDX-License-Identifier: Apache-2.0
//
// Pairs of rigid polytopes, with nothing else asked for:
//
//   BM_PolytopeRelations/<backend>/<scene>/<environments>    contacts and relations
//   BM_PolytopeSeparation/<backend>/<scene>/<environments>   how far they are apart
//
// Times are of one core: with 16 environments the processor time of one thread, with more that of all threads. A part
// pair is near if it has contacts.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/evaluations/evaluation_scenes.h"
#include "host/random/random.h"
#include "tests/support/paths/paths.h"
#if defined(ISOPATCH_HAS_CUDA)
#include "bench/device_arrays.h"
#endif

namespace isopatch::bench {
namespace {

using Pose = std::array<double, 7>;

Body rigid_body(const std::string& name, int geometry, const Pose& at) {
  Body b;
  b.name = name;
  b.geometry = geometry;
  b.rigid = true;
  b.pose = at;
  return b;
}

/// The first body on the second. Environments shift it in x and -y, by up to 17 times the shift.
BenchScene rigid_pair(std::string name, Geometry shape, const Pose& at) {
  SceneDescription d;
  d.geometries = {std::move(shape)};
  d.bodies = {rigid_body("upper", 0, at), rigid_body("lower", 0, pose({0, 0, 0}))};
  d.contact.model = ContactModel::kPolytope;
  d.pairs = {{0, 1, {}, {}}};
  return {std::move(name), std::move(d), 65536};
}

/// Corners on a sphere of radius 5 cm: 18 in general position have 32 triangles between them.
Geometry hull32() {
  detail::SplitMix64 random(3);
  const auto uniform = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  std::vector<Point3> points;
  for (int i = 0; i < 18; ++i) {
    const double z = 2 * (i + uniform()) / 18 - 1, angle = 2 * std::numbers::pi * uniform();
    const double r = 0.05 * std::sqrt(1 - z * z);
    points.push_back({r * std::cos(angle), r * std::sin(angle), 0.05 * z});
  }
  return make_convex_hull("hull32", points);
}

/// Two faces of 30 corners, and 30 sides.
Geometry prism32() {
  std::vector<Point3> points;
  for (int i = 0; i < 60; ++i) {
    const double angle = 2 * std::numbers::pi * (i % 30) / 30;
    points.push_back({0.05 * std::cos(angle), 0.05 * std::sin(angle), i < 30 ? -0.05 : 0.05});
  }
  return make_convex_hull("prism32", points);
}

/// A height over the second body at which the first, turned as it is, has a separation of 0.2 mm.
double height_above(BenchScene scene) {
  double low = 0, high = 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    scene.scene.bodies[0].pose[2] = middle;
    const Scene made(scene.scene);
    const StateArrays states(made.description(), 1);
    ResultArrays results(made, 1, {.distances = true});
    Evaluator(made).evaluate(states.view(), results.view());
    (results.separation[0] < 2e-4 ? low : high) = middle;
  }
  return high;
}

constexpr const char* kFarScene = "boxes_apart";

/// Boxes so far from each other that no two are near: 496 pairs.
BenchScene boxes_apart() {
  SceneDescription d;
  d.geometries = {make_box("box", {0.1, 0.1, 0.1})};
  for (int i = 0; i < 32; ++i) {
    const int row = i / 4 % 4, layer = i / 16;
    const Point3 at = {0.3 * (i % 4), 0.3 * row, 0.3 * layer};
    d.bodies.push_back(rigid_body("body " + std::to_string(i), 0, pose(at, {1, 0.3 * i, 1}, 0.1 * i)));
  }
  d.contact.model = ContactModel::kPolytope;
  d.pairs = all_pairs(d);
  return {kFarScene, std::move(d), 4096};
}

std::vector<BenchScene> polytope_scenes() {
  std::vector<BenchScene> scenes = {
      rigid_pair("box_on_box", make_box("box", {0.1, 0.1, 0.1}), pose({0, 0, 0.10001}, {0, 0, 1}, 0.3)),
      rigid_pair("box_flush_on_box", make_box("box", {0.1, 0.1, 0.1}), pose({0, 0, 0.10001})),
      rigid_pair("hull32_on_hull32", hull32(), pose({0, 0, 0}, {0.3, 1, 0.2}, 0.5)),
      rigid_pair("prism32_on_prism32", prism32(), pose({0, 0, 0.10001}, {0, 0, 1}, 0.1)),
      rigid_pair("prism32_flush_on_prism32", prism32(), pose({0, 0, 0.10001})),
  };
  BenchScene& hulls = scenes[2];
  hulls.scene.bodies[0].pose[2] = height_above(hulls);
  scenes.push_back({"peg_in_square_hole", read_scene(source_path("bench/scenes/peg_in_square_hole.json")), 65536});
  scenes.back().shift = 1e-5;  // there are 0.2 mm on each side
  scenes.push_back(boxes_apart());
  return scenes;
}

enum class Asked : std::uint8_t { kRelations, kSeparation };

/// Has nothing but what is asked for.
Batch make_batch(Asked asked, const BenchScene& scene, std::int64_t environments) {
  ResultSelection selection = {.patch = false, .distances = asked == Asked::kSeparation};
  if (asked == Asked::kRelations) {
    selection.capacity = {{"potential_contacts", 512}, {"relations", 512}, {"relation_members", 2048}};
  }
  Batch batch(scene, environments, selection);
  batch.results.pair_wrench.clear();
  batch.results.area.clear();
  batch.results.polygon_count.clear();
  batch.results.overlap.clear();
  return batch;
}

void report(benchmark::State& bench, Asked asked, const BenchScene& scene, const Batch& batch, double cores) {
  using benchmark::Counter;
  const ResultArrays& r = batch.results;
  const auto environments = static_cast<double>(r.num_environments);
  const auto set_time = [&](const char* name, double count, double unit) {
    bench.counters[name] = Counter(count * unit / cores, Counter::kIsIterationInvariantRate | Counter::kInvert);
  };
  bench.counters["environments/s"] = rate(environments);
  if (asked == Asked::kSeparation) {
    double sum = 0;
    for (const double s : r.separation) sum += s;
    const auto part_pairs = static_cast<double>(batch.scene.part_pairs().size());
    set_time("us_per_part_pair", environments * part_pairs, 1e-6);
    bench.counters["separation"] = sum / static_cast<double>(r.separation.size());
    if (sum == 0) bench.SkipWithError("nothing was computed");
    return;
  }
  double contacts = 0, relations = 0, members = 0, near = 0;
  bool fits = true;
  const ArrayCounts counts = r.counts();
  for (std::int64_t e = 0; e < r.num_environments; ++e) {
    const std::int32_t* const needed = r.relations_needed.data() + 3 * e;
    contacts += needed[0], relations += needed[1], members += needed[2];
    fits = fits && needed[0] <= counts[Per::kPotentialContactCapacity] && needed[1] <= counts[Per::kRelationCapacity] &&
           needed[2] <= counts[Per::kMemberCapacity];
    std::set<std::pair<std::int32_t, std::int32_t>> parts;
    for (std::int32_t c = 0; fits && c < needed[0]; ++c) {
      const PotentialContact& contact = r.potential_contacts[e * counts[Per::kPotentialContactCapacity] + c];
      parts.insert({contact.part_a, contact.part_b});
    }
    near += static_cast<double>(parts.size());
  }
  if (!fits) return bench.SkipWithError("buffers are too small");
  bench.counters["near_part_pairs"] = near / environments;
  bench.counters["contacts"] = contacts / environments;
  bench.counters["relations"] = relations / environments;
  bench.counters["members"] = members / environments;
  const bool is_far = scene.name == kFarScene;
  if ((near > 0) == is_far) return bench.SkipWithError(is_far ? "parts are near" : "no part is near");
  if (!is_far) {
    set_time("us_per_near_part_pair", near, 1e-6);
  } else {
    set_time("ns_per_far_pair", environments * static_cast<double>(r.num_pairs), 1e-9);
  }
}

void run_host(benchmark::State& bench, Backend backend, Asked asked, const BenchScene& scene, std::int64_t environments,
              int threads) {
  Batch batch = make_batch(asked, scene, environments);
  const Evaluator evaluator(batch.scene, {.backend = backend, .num_threads = threads});
  const State state = batch.states.view();
  const Results results = batch.results.view();
  evaluator.evaluate(state, results);  // makes room in each thread
  for (auto _ : bench) evaluator.evaluate(state, results);
  report(bench, asked, scene, batch, threads == 1 ? 1 : std::thread::hardware_concurrency());
}

void run_cuda([[maybe_unused]] benchmark::State& bench, [[maybe_unused]] Asked asked,
              [[maybe_unused]] const BenchScene& scene, [[maybe_unused]] std::int64_t environments) {
#if defined(ISOPATCH_HAS_CUDA)
  if (!cuda_available()) return bench.SkipWithError("no CUDA device");
  Batch batch = make_batch(asked, scene, environments);
  const Evaluator evaluator(batch.scene, {.backend = Backend::kCuda});
  evaluator.reserve(environments);
  DeviceArrays arrays(batch.states.view(), batch.results.view(), batch.scene);
  GraphTimer timer([&](void* stream) { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  for (auto _ : bench) bench.SetIterationTime(timer.seconds());
  arrays.fetch();
  report(bench, asked, scene, batch, 1);
#else
  bench.SkipWithError("this build has no CUDA code");
#endif
}

void register_scene(Asked asked, const BenchScene& scene) {
  const std::string begin = asked == Asked::kRelations ? "BM_PolytopeRelations/" : "BM_PolytopeSeparation/";
  const std::string end = scene.name + "/";
  const auto add = [&](const char* backend, std::int64_t n, int threads, Backend which) {
    benchmark::internal::Benchmark* const added =
        benchmark::RegisterBenchmark((begin + backend + "/" + end + std::to_string(n)).c_str(),
                                     [=](benchmark::State& s) { run_host(s, which, asked, scene, n, threads); });
    added->Unit(benchmark::kMicrosecond);
    if (threads != 1) added->UseRealTime();
  };
  add("cpu", 16, 1, Backend::kCpu);
  add("cpu", 4096, 0, Backend::kCpu);
  add("reference", 1, 1, Backend::kReference);
  register_on_cuda(begin + "cuda/" + end, scene.most_cuda, {1, 4096},
                   [=](benchmark::State& s, std::int64_t n) { run_cuda(s, asked, scene, n); });
}

const bool kRegistered = [] {
  for (const BenchScene& scene : polytope_scenes()) {
    for (const Asked asked : {Asked::kRelations, Asked::kSeparation}) register_scene(asked, scene);
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
