// SPDX-License-Identifier: Apache-2.0
//
// same_bits: evaluates random contacts in two ways and compares every byte of what they give, asked for the wrench
// only, for patches, and for all outputs. Prints a row for each scene and, where bytes differ, the first that do, and
// how many pairs went in stages. Exits with 0 if all are the same, 1 if any differ or none went in stages where they
// were asked for, 2 if that could not be found out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <regex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/batches/variety.h"
#include "host/cpu/isa/kernels.h"
#include "host/rollout/simulator_backend.h"
#include "tests/support/compare_bits.h"
#include "tests/support/random_scenes.h"

using namespace isopatch;
using namespace isopatch::random_contacts;

namespace {

const std::vector<std::string> kSides = {"cpu",    "plain",  "baseline",    "avx512", "1thread",  "cuda",
                                         "kernel", "stages", "short_lists", "kept",   "reference"};

/// The cuda backend, as `name` says.
detail::CudaOptions cuda_options(const std::string& name, Precision precision) {
  detail::CudaOptions options;
  options.backend = Backend::kCuda;
  options.precision = precision;
  options.stages = name == "kernel" ? detail::PairStages::kOne : detail::PairStages::kSeveral;
  if (name == "short_lists") options.cells_per_pair = 5;
  return options;
}

/// What `use` returns for the options of a side.
template <class Use>
auto with_options(const std::string& name, Precision precision, const Use& use) {
  detail::CpuOptions cpu;
  cpu.precision = precision;
  if (name == "cpu" || name == "1thread") {
    cpu.num_threads = name == "1thread" ? 1 : 0;
    return use(cpu);
  }
  if (name == "plain" || name == "baseline" || name == "avx512") {
    cpu.vectors = name == "plain"      ? detail::Vectors::kNone
                  : name == "baseline" ? detail::Vectors::kBaseline
                                       : detail::Vectors::kAvx512;
    return use(cpu);
  }
  EvaluatorOptions options = cpu;
  if (name == "reference") {
    options.backend = Backend::kReference;
    return use(options);
  }
  if (!cuda_available()) throw Error("no CUDA device; --sides cpu plain compares SIMD vectors with plain arithmetic");
  options.backend = Backend::kCuda;
  if (name == "cuda") return use(options);
  return use(cuda_options(name, precision));
}

Variant make_side(const std::string& name, Precision precision) {
  Variant variant = with_options(name, precision, [&](const auto& options) { return make_variant(name, options); });
  if (name == "kept") variant.candidate_margin = 1e-3;
  return variant;
}

HostSimulator make_simulator(const Scene& scene, const std::string& name, Precision precision) {
  return with_options(name, precision, [&](const auto& options) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(options)>, EvaluatorOptions>) {
      return HostSimulator(scene, options);
    } else {
      return HostSimulator(detail::make_simulator(scene, options));
    }
  });
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_row(const std::string& name, const BitCounts& counts) {
  fmt::print("{:<32} {:>12} {:>10} {:>11} {:>7}  {:>7.1f} {:>7.1f}\n", name, counts.environments, counts.touching,
             counts.polygons, counts.differ, counts.seconds[0], counts.seconds[1]);
  std::fflush(stdout);
}

/// Time steps of `environments` on both sides: every array of the state and of the outputs.
BitCounts compare_steps(const Scene& scene, const RolloutStateArrays& begin, const std::vector<std::string>& names,
                        Precision precision) {
  constexpr int kSteps = 10;
  BitCounts counts;
  counts.environments = begin.num_environments;
  std::array<RolloutStateArrays, 2> states = {begin, begin};
  const RolloutOutputArrays room(scene, begin.num_environments, true, true);
  std::array<RolloutOutputArrays, 2> outputs = {room, room};
  for (std::size_t side = 0; side < 2; ++side) {
    const HostSimulator simulator = make_simulator(scene, names[side], precision);
    const auto start = std::chrono::steady_clock::now();
    simulator.step(states[side].view(), {}, outputs[side].view(), kSteps);
    counts.seconds[side] = seconds_since(start);
  }
  const auto environments = static_cast<std::size_t>(begin.num_environments);
  for (std::size_t e = 0; e < environments; ++e) {
    std::vector<std::string> found;
    const auto add = [&](const ArrayInfo& info, const auto& x, const auto& y) {
      const auto width = static_cast<std::size_t>(std::max(info.width, 1));
      std::string text = x.empty() ? "" : first_in_row(info.name, width, x, y, e, environments);
      if (!text.empty()) found.push_back(std::move(text));
    };
    for_each_rollout_state(add, states[0], states[1]);
    for_each_rollout_output(add, outputs[0], outputs[1]);
    if (!found.empty() && counts.differ++ == 0) {
      for (const std::string& text : found) counts.first.push_back(fmt::format("environment {}: {}", e, text));
    }
    counts.polygons += outputs[0].num_polygons[e];
  }
  for (const std::int32_t polygons : outputs[0].polygon_count) counts.touching += polygons > 0 ? 1 : 0;
  return counts;
}

/// How many pairs each side on a device has put in stages; whether all that were asked for stages did.
bool print_stages(const std::vector<std::string>& names, const BitCounts& all, bool need_stages) {
  bool as_asked = true;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::string& name = names[side];
    const bool must = name == "stages" || name == "short_lists" || name == "kept";
    if (!must && name != "cuda" && name != "kernel") continue;
    fmt::print("{}: {} pairs of wrenches and patches went in stages\n", name, all.in_stages[side]);
    as_asked = as_asked && (!(must || need_stages) || all.in_stages[side] > 0);
  }
  if (!as_asked) fmt::print("no pair went in stages, as was asked for\n");
  return as_asked;
}

/// A ball on a box in environments that are turned, and mixed, as in isopatch_bench.
std::vector<RandomScene> varied_scenes(std::int64_t environments) {
  std::vector<RandomScene> scenes;
  for (const auto& [name, variety] : bench::varieties()) {
    const auto description = [] {
      SceneDescription scene = two_bodies(shape("sphere", ""), shape("box", ""), {});
      for (Body& body : scene.bodies) body.modulus = 1e5, body.dissipation = 1, body.friction = 0.5;
      scene.bodies[0].pose = {0.01, -0.015, 0.093, 1, 0, 0, 0};
      scene.bodies[0].velocity = {0.1, 0, -0.05, 0, 0, 3};
      return scene;
    };
    const auto contacts = [=, variety = variety](const Scene& scene) {
      ContactStates states(scene, environments);
      static_cast<StateArrays&>(states) = bench::make_states("", scene, variety, environments, 1e-4);
      return states;
    };
    scenes.push_back({"sphere / box, " + name, description, contacts});
  }
  return scenes;
}

/// The rows that are asked for.
std::vector<RandomScene> chosen_scenes(const Options& choice, std::int64_t rigid, std::int64_t varied,
                                       const std::string& rows) {
  std::vector<RandomScene> scenes = random_scenes(choice, Rules::kAll);
  if (varied > 0) {
    for (RandomScene& scene : varied_scenes(varied)) scenes.push_back(std::move(scene));
  }
  for (RandomScene& scene : rigid_scenes(choice, rigid)) scenes.push_back(std::move(scene));
  const std::regex wanted(rows);
  std::erase_if(scenes, [&](const RandomScene& scene) { return !std::regex_search(scene.name, wanted); });
  return scenes;
}

int run(int argc, char** argv) {
  Options choice;
  choice.nuts = 64;
  std::int64_t rigid = 19000, varied = 4096;
  std::string rows;
  bool need_stages = false;
  std::vector<std::string> names = {"cpu", "cuda"};
  CLI::App app("Compares the bits of two ways to evaluate random contacts");
  choice.add_to(app);
  app.add_option("--rigid", rigid, "contacts of which one body is rigid, over 19 pairs of shapes");
  app.add_option(
      "--varied", varied,
      "environments that are near, turned and mixed (bench/batches/variety.h), of a ball on a box each, and ten "
      "steps each of drop.json and pinch.json");
  app.add_option("--rows", rows, "regular expression that the name of a row must hold");
  app.add_flag("--need-stages", need_stages,
               "fail if cuda or kernel put no pair in stages, as the sides stages, short_lists and kept always do");
  app.add_option("--sides", names,
                 "two of: cpu; plain, baseline, avx512 (the cpu without SIMD, or with some); 1thread; cuda; kernel, "
                 "stages, short_lists, kept (cuda in one way or another); reference")
      ->expected(2)
      ->check(CLI::IsMember(kSides));
  CLI11_PARSE(app, argc, argv);

  const auto start = std::chrono::steady_clock::now();
  const std::array<Variant, 2> sides = {make_side(names[0], choice.arithmetic()),
                                        make_side(names[1], choice.arithmetic())};
  fmt::print("{} against {}, {}, seed {}\n", names[0], names[1], choice.precision, choice.seed);
  if (choice.data.empty()) fmt::print("without the shapes that are files\n");
  if (detail::select_kernels(detail::Vectors::kBest) == nullptr) fmt::print("no SIMD here: cpu is plain\n");
  fmt::print("{:<32} {:>12} {:>10} {:>11} {:>7}  {:>7} {:>7}\n", "", "", "pairs in", "", "", "seconds", "");
  fmt::print("{:<32} {:>12} {:>10} {:>11} {:>7}  {:>7} {:>7}\n", "shapes", "environments", "contact", "polygons",
             "differ", names[0].substr(0, 7), names[1].substr(0, 7));
  std::fflush(stdout);

  BitCounts all;
  const auto show = [&](const std::string& row, const BitCounts& counts) {
    print_row(row, counts);
    for (const std::string& text : counts.first) fmt::print("  {}\n", text);
    std::fflush(stdout);
    all.append(counts);
  };
  for (const RandomScene& row : chosen_scenes(choice, rigid, varied, rows)) {
    const Scene scene(row.description());
    const ContactStates contacts = row.contacts(scene);
    const BitCounts counts = BitComparison(scene, sides).compare(contacts.view());
    show(row.name, counts);
  }
  const bool can_step = std::find(names.begin(), names.end(), "reference") == names.end();
  for (const std::string file : {"drop", "pinch"}) {
    for (const auto& [name, variety] : bench::varieties()) {
      const std::string row = fmt::format("steps of {}, {}", file, name);
      if (varied == 0 || !can_step || !std::regex_search(row, std::regex(rows))) continue;
      const Scene scene(read_scene(fmt::format("{}/{}.json", choice.scenes, file)));
      constexpr int kStepsBefore = 40;
      const RolloutStateArrays states = bench::make_rollout_states(file, scene, variety, varied, kStepsBefore);
      show(row, compare_steps(scene, states, names, choice.arithmetic()));
    }
  }
  print_row("all", all);
  if (all.polygons == 0) throw Error("no polygons: nothing was compared");
  const bool as_asked = print_stages(names, all, need_stages);
  fmt::print("{} in {:.1f} s\n", all.differ == 0 ? "the same bits" : fmt::format("{} environments differ", all.differ),
             seconds_since(start));
  return all.differ == 0 && as_asked ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "same_bits: error: " << e.what() << '\n';
    return 2;
  }
}
