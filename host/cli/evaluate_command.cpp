// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <vector>

#include "host/cli/batch_report.h"
#include "host/cli/commands.h"
#include "host/cli/polytope_report.h"
#include "host/cli/process/progress.h"
#include "host/cli/process/stage_times.h"
#include "host/cli/random_states.h"
#include "host/cli/results_file.h"
#include "host/cli/states_file.h"
#include "host/cli/warnings.h"
#include "host/cpu/pressure_field/traversal_counts.h"
#include "host/files/input_file.h"
#include "host/files/output_file.h"
#include "host/pictures/patch_svg.h"
#include "host/pictures/vtk_files.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/scene/body_wrench.h"
#include "isopatch/isopatch.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kCountedEnvironments = 256;
constexpr std::int64_t kHostChunk = 64, kDeviceChunk = 4096;

RecordedStates states_of(const EvaluateArguments& arguments, const SceneDescription& scene) {
  if (arguments.states.empty()) {
    return {random_states(scene, arguments.envs.value_or(1), arguments.seed, arguments.first), {}, {}};
  }
  RecordedStates recorded = read_states(arguments.states, scene);
  if (arguments.first == 0 && !arguments.envs) return recorded;
  StateArrays& states = recorded.states;
  states = rows_of(std::move(states), arguments.first, arguments.envs, arguments.states);
  if (!recorded.pair_wrench.empty()) {
    take_rows(recorded.pair_wrench, states.num_pairs * 6, arguments.first, states.num_environments);
  }
  return recorded;
}

/// Replaces the wrenches by those of the steps that the states come from.
void take_recorded_wrenches(const Scene& scene, const RecordedStates& recorded, ResultArrays& results) {
  if (recorded.pair_wrench.empty()) return;
  results.pair_wrench = recorded.pair_wrench;
  const std::int64_t environments = recorded.states.num_environments;
  const State state = part_of(recorded.states.view(), scene, 0, environments);  // with strides
  const Results written = part_of(results.view(), scene, 0);
  for (std::int64_t e = 0; e < environments; ++e) {
    for (int body = 0; body < scene.num_bodies(); ++body) write_body_wrench(scene.data().view, state, written, e, body);
  }
}

/// Evaluates all of `states`, first a few environments, then parts that take a fraction of a second each, into what
/// `results_from` has from an environment on.
void run_batch(const HostEvaluator& evaluator, const StateArrays& states, double time_step,
               const std::function<Results(std::int64_t)>& results_from) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShort(200), kLong(800);

  Progress progress(states.num_environments, "environments");
  std::int64_t chunk = evaluator.options().backend == Backend::kCuda ? kDeviceChunk : kHostChunk;
  for (std::int64_t begin = 0; begin < states.num_environments;) {
    const std::int64_t count = std::min(chunk, states.num_environments - begin);
    const Clock::time_point start = Clock::now();
    State state = states.view(begin, count);
    state.time_step = time_step;
    evaluator.evaluate(state, results_from(begin));
    begin += count;
    progress.update(begin);

    const auto elapsed = Clock::now() - start;
    if (elapsed < kShort) chunk *= 2;
    if (elapsed > kLong) chunk = std::max<std::int64_t>(1, chunk / 2);
  }
}

/// The numbers of contacts, relations and their members that the largest environments have.
std::array<std::int32_t, 3> largest_counts(const HostEvaluator& evaluator, const StateArrays& states,
                                           double time_step) {
  std::vector<std::int32_t> needed(static_cast<std::size_t>(3 * states.num_environments));
  run_batch(evaluator, states, time_step, [&](std::int64_t begin) {
    Results results;
    results.relations_needed = needed.data() + 3 * begin;
    return results;
  });
  std::array<std::int32_t, 3> largest = {0, 0, 0};
  for (std::size_t i = 0; i < needed.size(); ++i) largest[i % 3] = std::max(largest[i % 3], needed[i]);
  return largest;
}

struct Totals {
  std::int64_t polygons = 0;
  std::int64_t touching = 0;  // pairs
  double largest_force = 0;
  std::size_t largest_at = 0;  // environment x P + pair
};

Totals totals_of(const ResultArrays& results) {
  Totals totals;
  for (std::size_t i = 0; i < results.polygon_count.size(); ++i) {
    totals.polygons += results.polygon_count[i];
    totals.touching += results.polygon_count[i] > 0;
    const double* f = &results.pair_wrench[i * 6];
    const double force = std::hypot(f[0], f[1], f[2]);
    if (force > totals.largest_force) {
      totals.largest_force = force;
      totals.largest_at = i;
    }
  }
  return totals;
}

/// The mean count of tested tet pairs in the first environments.
double mean_tet_pairs(const Scene& scene, const StateArrays& states, std::int64_t counted) {
  const State state = part_of(states.view(0, counted), scene, 0, counted);  // with strides
  double total = 0;
  for (std::int64_t e = 0; e < counted; ++e) total += static_cast<double>(count_traversal(scene, state, e).tet_pairs);
  return total / static_cast<double>(counted);
}

void print_table(const EvaluateArguments& arguments, const HostEvaluator& evaluator, const StateArrays& states,
                 const ResultArrays& results, const StageTimes& stages) {
  const SceneDescription& scene = evaluator.scene().description();
  const Totals totals = totals_of(results);
  const auto environments = static_cast<double>(results.num_environments);
  const auto pairs = environments * results.num_pairs;
  const double seconds = std::max(stages.seconds("evaluate"), 1e-9);

  print_heading(arguments, scene, evaluator.options());
  fmt::print("\n");
  print_environments(arguments, results.num_environments);
  print_row("environments/s", fmt::format("{:.0f}", environments / seconds));
  print_row("pairs/s", fmt::format("{:.0f}", pairs / seconds), fmt::format("{} pairs touch", totals.touching));
  const std::int64_t counted = std::min(kCountedEnvironments, results.num_environments);
  if (counted > 0) {
    print_row("tet pairs", fmt::format("{:.0f}", mean_tet_pairs(evaluator.scene(), states, counted)),
              counted == 1 ? "tested" : fmt::format("tested in an environment, mean of the first {}", counted));
  }
  print_row("polygons", fmt::to_string(totals.polygons));
  std::string pair_text;
  if (totals.largest_force > 0) {
    const Pair& pair = (*scene.pairs)[totals.largest_at % scene.pairs->size()];
    pair_text = fmt::format("environment {}, {} and {}",
                            static_cast<std::size_t>(arguments.first) + totals.largest_at / scene.pairs->size(),
                            escaped(scene.bodies[pair.a].name), escaped(scene.bodies[pair.b].name));
  }
  print_row("largest force", fmt::format("{:.6g} N", totals.largest_force), pair_text);
  if (measures_distances(evaluator.scene())) print_polytopes(evaluator.scene(), states, results, arguments.first);
  print_status(arguments, "non-zero status", results.status);
  fmt::print("\n");
  stages.print();
}

/// The rows and outputs that the arguments ask for.
ResultSelection selection_of(const EvaluateArguments& arguments, const HostEvaluator& evaluator,
                             const StateArrays& states, double time_step, StageTimes& stages) {
  const bool to_npz = arguments.output.ends_with(".npz"), polytopes = measures_distances(evaluator.scene());
  const bool has_state = evaluator.scene().contact_state_size() > 0;
  ResultSelection selection{.energy = arguments.energy,
                            .part_pairs = arguments.part_pairs,
                            .single_contact = has_state && (arguments.part_pairs || to_npz),
                            .distances = polytopes};
  if (polytopes && to_npz) {
    const auto [contacts, relations, members] = largest_counts(evaluator, states, time_step);
    selection.capacity = {{"potential_contacts", contacts}, {"relations", relations}, {"relation_members", members}};
    stages.finish("count relations");
  }
  return selection;
}

void write_pictures(const EvaluateArguments& arguments, const HostEvaluator& evaluator, const StateArrays& states,
                    const ResultArrays& results, double time_step) {
  if (!arguments.vtk.empty()) {
    write_vtk_files(evaluator, states, results.pair_wrench, arguments.first, arguments.patches, arguments.vtk,
                    time_step);
  }
  if (!arguments.svg.empty()) {
    const std::vector<Polygon> polygons = contact_polygons(evaluator, states, 0);
    const bool polytopes = measures_distances(evaluator.scene());
    write_output_file(arguments.svg,
                      patches_svg(evaluator.scene().description(), polygons, results.pair_wrench,
                                  polytopes ? "no patches; rigid polytopes have none" : "nothing touches"));
  }
}

/// The states, and in the description the slip tolerance that they were recorded with.
RecordedStates read_states(const EvaluateArguments& arguments, SceneDescription& description) {
  RecordedStates recorded = states_of(arguments, description);
  if (recorded.friction) {
    if (!recorded.friction->warning.empty()) print_warning(recorded.friction->warning);
    description.contact.slip_tolerance = recorded.friction->slip_tolerance;
  }
  return recorded;
}

void warn_of(const EvaluateArguments& arguments, const Scene& scene) {
  for (const std::string& warning : warnings_of(scene)) print_warning(warning);
  if (arguments.time_step && scene.contact_state_size() == 0 && !measures_distances(scene)) {
    print_warning("--dt changes nothing: no contact of the scene has a memory");
  }
}

}  // namespace

void evaluate_command(const EvaluateArguments& arguments) {
  const StandardArithmetic standard;
  StageTimes stages;
  if (!arguments.output.empty()) check_output("--output", arguments.output, {".json", ".npz"});
  if (!arguments.svg.empty()) check_output("--svg", arguments.svg, {".svg"});
  const KeptInputs kept;

  SceneDescription description = read_scene(arguments.scene, arguments.data);
  print_warnings(description);
  const RecordedStates recorded = read_states(arguments, description);
  const StateArrays& states = recorded.states;
  if (!arguments.output.empty()) check_writable(arguments.output);  // now that the inputs are known
  if (!arguments.svg.empty()) check_writable(arguments.svg);
  stages.finish("load");

  const HostEvaluator evaluator(Scene(std::move(description)), evaluator_options(arguments));
  warn_of(arguments, evaluator.scene());
  stages.finish("build");

  const double time_step = arguments.time_step.value_or(0);
  ResultArrays results(evaluator.scene(), states.num_environments,
                       selection_of(arguments, evaluator, states, time_step, stages));
  if (measures_distances(evaluator.scene())) {
    results.relations_needed.resize(static_cast<std::size_t>(3 * states.num_environments));
  }
  run_batch(evaluator, states, time_step, [&results](std::int64_t begin) { return results.view(begin); });
  take_recorded_wrenches(evaluator.scene(), recorded, results);
  stages.finish("evaluate");

  write_pictures(arguments, evaluator, states, results, time_step);
  const bool to_stdout = arguments.output.empty() && states.num_environments == 1;
  const auto json = [&] { return results_json(states, results, evaluator.scene()); };
  if (to_stdout) fmt::print("{}", json());
  if (!arguments.output.empty()) {
    write_output_file(arguments.output, arguments.output.ends_with(".npz") ? results_npz(states, results) : json());
  }
  stages.finish("write");

  if (!to_stdout) print_table(arguments, evaluator, states, results, stages);
}

}  // namespace isopatch::cli
