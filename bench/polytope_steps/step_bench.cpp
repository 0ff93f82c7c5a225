// SPDX-License-Identifier: Apache-2.0
//
// BM_PolytopeStep/<scene>/<relations>/<geometry iterations>: all steps of a scene of rigid polytopes, one environment
// on one core. The first two are pours of 5 s, of 20 polygons and of 10 polyhedra, by euler, the others scenes of
// bench/scenes. Pours by unilateral relations end where these have no solution; `exact_as_far` are the same steps by
// exact ones.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <utility>

#include "host/scene/enumerator_names.h"
#include "tests/simulator/polytope/polytope_pour.h"
#include "tests/support/paths/paths.h"

namespace isopatch::bench {
namespace {

/// What the steps of one run come to.
struct Totals {
  double steps = 0, contacts = 0, relations = 0, traps = 0, iterations = 0;

  void add(const test::Rollout& rollout) {
    ++steps;
    contacts += rollout.output.num_potential_contacts[0];
    relations += rollout.output.num_relations[0];
    traps += rollout.output.num_traps[0] > 0;
    iterations += rollout.output.solver_iterations[0];
  }
};

void report(benchmark::State& bench, const Totals& totals) {
  using benchmark::Counter;
  bench.counters["steps"] = totals.steps;
  bench.counters["steps/s"] = Counter(totals.steps, Counter::kIsIterationInvariantRate);
  bench.counters["contacts"] = totals.contacts / totals.steps;
  bench.counters["relations"] = totals.relations / totals.steps;
  bench.counters["steps_with_traps"] = totals.traps / totals.steps;
  bench.counters["iterations"] = totals.iterations / totals.steps;
  if (totals.contacts == 0) bench.SkipWithError("nothing is near");
}

test::PourOptions pour_options(bool is_flat, ContactRelations relations, int iterations) {
  test::PourOptions options;
  options.is_flat = is_flat;
  options.bodies = is_flat ? 20 : 10;
  options.every = is_flat ? 0.25 : 0.5;
  options.duration = 5;
  options.relations = relations;
  options.iterations = iterations;
  return options;
}

/// All of it, or until it is stuck.
Totals pour(const test::PourOptions& options) {
  test::Pour of(options);
  Totals totals;
  while (totals.steps < of.num_steps() && of.step()) totals.add(*of.rollout);
  return totals;
}

void run_pour(benchmark::State& bench, test::PourOptions options, bool as_far) {
  if (as_far) {
    options.duration = options.step * pour(pour_options(options.is_flat, ContactRelations::kUnilateral, 1)).steps;
  }
  Totals totals;
  for (auto _ : bench) totals = pour(options);
  report(bench, totals);
}

void run_scene(benchmark::State& bench, const std::string& name, int iterations) {
  SceneDescription scene = read_scene(source_path("bench/scenes/" + name + ".json"));
  scene.rollout.geometry_iterations = iterations;
  test::Rollout rollout(scene);
  const RolloutStateArrays begin = rollout.state;
  const int steps = static_cast<int>(std::lround(scene.rollout.duration / scene.rollout.time_step));
  Totals totals;
  for (auto _ : bench) {
    rollout.state = begin;
    totals = {};
    rollout.step(steps, [&] { totals.add(rollout); });
  }
  if ((rollout.state.status[0] & kFrozen) != 0)
    return bench.SkipWithError(status_text(rollout.state.status[0]).c_str());
  report(bench, totals);
}

template <class Run>
void add(const std::string& scene, const std::string& relations, int iterations, Run run) {
  benchmark::RegisterBenchmark(
      ("BM_PolytopeStep/" + scene + "/" + relations + "/" + std::to_string(iterations)).c_str(), std::move(run))
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  const std::pair<ContactRelations, int> modes[] = {{ContactRelations::kExact, 1},
                                                    {ContactRelations::kExact, 8},
                                                    {ContactRelations::kSeparating, 8},
                                                    {ContactRelations::kUnilateral, 1}};
  for (const bool is_flat : {true, false}) {
    const std::string scene = is_flat ? "pour_of_20_polygons" : "pour_of_10_polyhedra";
    for (const auto& [relations, iterations] : modes) {
      const test::PourOptions options = pour_options(is_flat, relations, iterations);
      add(scene, detail::name_in(detail::kContactRelationsNames, relations), iterations,
          [=](benchmark::State& s) { run_pour(s, options, false); });
    }
    const test::PourOptions exact = pour_options(is_flat, ContactRelations::kExact, 1);
    add(scene, "exact_as_far", 1, [=](benchmark::State& s) { run_pour(s, exact, true); });
  }
  for (const char* scene : {"seam", "rigid_grip", "brick_stack"}) {
    for (const int iterations : {1, 8}) {
      add(scene, "exact", iterations, [=](benchmark::State& s) { run_scene(s, scene, iterations); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace isopatch::bench
