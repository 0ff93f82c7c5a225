// SPDX-License-Identifier: Apache-2.0
//
// random_comparison: a backend against the double, brute-force reference on random contacts. Prints a table of relative
// errors and exits with 1 if a bound is broken.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "tests/support/contact_errors.h"
#include "tests/support/random_scenes.h"

using namespace isopatch;
using namespace isopatch::random_contacts;

namespace {

int run(int argc, char** argv) {
  Options choice;
  CLI::App app("Compares the cpu backend with the reference on random contacts");
  choice.add_to(app);
  CLI11_PARSE(app, argc, argv);

  const EvaluatorOptions options = {Backend::kCpu, choice.arithmetic(), 0};
  fmt::print("cpu {} against the reference, seed {}\n", choice.precision, choice.seed);
  fmt::print("{:<24} {:>8} {:>8} {:>4}  {:^39}  {:^39}\n", "", "", "", "only", "force error / |F|",
             "torque error / max(|T|, |F| size)");
  fmt::print("{:<24} {:>8} {:>8} {:>4}  {:>9} {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9} {:>9}\n", "shapes", "contacts",
             "detached", "one", "median", "99 %", "99.9 %", "worst", "median", "99 %", "99.9 %", "worst");

  Errors all;
  for (const RandomScene& row_scene : random_scenes(choice, Rules::kFans)) {
    const Scene scene(row_scene.description());
    const Errors errors = compare(scene, row_scene.contacts(scene), options);
    fmt::print("{}\n", row(row_scene.name, errors));
    std::fflush(stdout);
    all.append(errors);
  }
  all.sort();
  fmt::print("{}\n", row("all", all));

  const Bounds& bounds = choice.arithmetic() == Precision::kFloat ? kFloatBounds : kDoubleBounds;
  const bool good = within(all, bounds);
  fmt::print("detached: worst error {:.1e} of area x largest pressure; status bits: {}\n", all.worst_detached,
             status_text(all.status));
  fmt::print("bounds (median {:g}, {:g} % {:g}, worst {:g}): {}\n", bounds.median, 100 * bounds.most_share, bounds.most,
             bounds.worst, good ? "kept" : "BROKEN");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "random_comparison: error: " << e.what() << '\n';
    return 2;
  }
}
