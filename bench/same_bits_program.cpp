// SPDX-License-Identifier: Apache-2.0
//
// same_bits: evaluates random contacts in two ways and compares every byte of what they give, asked for the wrench
// only, for patches, and for all outputs. Prints a row for each scene and, where bytes differ, the first that do. Exits
// with 0 if all are the same, 1 if any differ, 2 if that could not be found out.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "host/cpu/isa/kernels.h"
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
  if (name == "kept") options.candidate_margin = 1e-3;
  return options;
}

Variant make_side(const std::string& name, Precision precision) {
  detail::CpuOptions cpu;
  cpu.precision = precision;
  if (name == "cpu") return make_variant(name, cpu);
  if (name == "1thread") {
    cpu.num_threads = 1;
    return make_variant(name, cpu);
  }
  if (name == "plain" || name == "baseline" || name == "avx512") {
    cpu.vectors = name == "plain"      ? detail::Vectors::kNone
                  : name == "baseline" ? detail::Vectors::kBaseline
                                       : detail::Vectors::kAvx512;
    return make_variant(name, cpu);
  }
  EvaluatorOptions options = cpu;
  if (name == "reference") {
    options.backend = Backend::kReference;
    return make_variant(name, options);
  }
  if (!cuda_available()) throw Error("no CUDA device; --sides cpu plain compares SIMD vectors with plain arithmetic");
  options.backend = Backend::kCuda;
  if (name == "cuda") return make_variant(name, options);
  return make_variant(name, cuda_options(name, precision));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_row(const std::string& name, const BitCounts& counts) {
  fmt::print("{:<32} {:>12} {:>10} {:>11} {:>7}  {:>7.1f} {:>7.1f}\n", name, counts.environments, counts.touching,
             counts.polygons, counts.differ, counts.seconds[0], counts.seconds[1]);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  Options choice;
  choice.nuts = 64;
  std::int64_t rigid = 19000;
  std::vector<std::string> names = {"cpu", "cuda"};
  CLI::App app("Compares the bits of two ways to evaluate random contacts");
  choice.add_to(app);
  app.add_option("--rigid", rigid, "contacts of which one body is rigid, over 19 pairs of shapes");
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

  std::vector<RandomScene> scenes = random_scenes(choice, Rules::kAll);
  for (RandomScene& scene : rigid_scenes(choice, rigid)) scenes.push_back(std::move(scene));
  BitCounts all;
  for (const RandomScene& row : scenes) {
    const Scene scene(row.description());
    const ContactStates contacts = row.contacts(scene);
    const BitCounts counts = BitComparison(scene, sides).compare(contacts.view());
    print_row(row.name, counts);
    for (const std::string& text : counts.first) fmt::print("  {}\n", text);
    std::fflush(stdout);
    all.append(counts);
  }
  print_row("all", all);
  if (all.polygons == 0) throw Error("no polygons: nothing was compared");
  fmt::print("{} in {:.1f} s\n", all.differ == 0 ? "the same bits" : fmt::format("{} environments differ", all.differ),
             seconds_since(start));
  return all.differ == 0 ? 0 : 1;
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
