// SPDX-License-Identifier: Apache-2.0
//
// random_comparison: a backend against the double, brute-force reference on random contacts. Prints a table of relative
// errors and exits with 1 if a bound is broken.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include "bench/contact_errors.h"
#include "bench/random_contacts.h"

using namespace isopatch;
using namespace isopatch::random_contacts;

namespace {

int run(int argc, char** argv) {
  std::int64_t count = 100000, real = 1000, nuts = 0;
  std::uint64_t seed = 1;
  std::string precision = "float", data = ISOPATCH_SOURCE_DIR "/../shared/data";
  CLI::App app("Compares the cpu backend with the reference on random contacts");
  app.add_option("--contacts", count, "contacts over the pairs of {sphere, box, half space, bubble, torus}");
  app.add_option("--real", real,
                 "contacts of a pepper and a bowl; peppers dropped into the bowl; half as many between two bubbles");
  app.add_option("--nuts", nuts,
                 "nuts on bolts (bench/scenes/nut_on_bolt.json); the reference needs a second for four");
  app.add_option("--seed", seed);
  app.add_option("--precision", precision)->check(CLI::IsMember({"float", "double"}));
  app.add_option("--data", data, "folder of the meshes");
  CLI11_PARSE(app, argc, argv);

  const bool single = precision == "float";
  const EvaluatorOptions options = {Backend::kCpu, single ? Precision::kFloat : Precision::kDouble, 0, false};
  fmt::print("cpu {} against the reference, seed {}\n", precision, seed);
  fmt::print("{:<24} {:>8} {:>8} {:>4}  {:^39}  {:^39}\n", "", "", "", "only", "force error / |F|",
             "torque error / max(|T|, |F| size)");
  fmt::print("{:<24} {:>8} {:>8} {:>4}  {:>9} {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9} {:>9}\n", "shapes", "contacts",
             "detached", "one", "median", "99 %", "99.9 %", "worst", "median", "99 %", "99.9 %", "worst");

  Errors all;
  const auto add = [&](const std::string& name, const Scene& scene, const Contacts& contacts) {
    const Errors errors = compare(scene, contacts, options);
    fmt::print("{}\n", row(name, errors));
    std::fflush(stdout);
    all.append(errors);
  };
  const auto pairs = shape_pairs();
  const auto primitives = static_cast<std::int64_t>(pairs.size());
  for (std::int64_t i = 0; i < primitives; ++i) {
    const std::int64_t share = count / primitives + (i < count % primitives ? 1 : 0);
    if (share == 0) continue;
    const auto at = static_cast<std::size_t>(i);
    const Scene scene(two_bodies(shape(pairs[at].first, data), shape(pairs[at].second, data), contact_options(at)));
    add(pairs[at].first + " / " + pairs[at].second, scene, make_contacts(scene, share, seed + at));
  }
  if (real > 0) {
    const Scene bowl(two_bodies(shape("pepper", data), shape("bowl", data), contact_options(0)));
    add("pepper / bowl", bowl, make_contacts(bowl, real, seed + 100));
    add("pepper into the bowl", bowl, make_contacts(bowl, real, seed + 101, Approach::kDrop));
    const Scene bubbles(squeeze_scene(data, contact_options(1)));
    add("pepper between bubbles", bubbles, make_squeezes(bubbles, (real + 1) / 2, seed + 102));
  }
  if (nuts > 0) {
    const Scene scene(read_scene(ISOPATCH_SOURCE_DIR "/bench/scenes/nut_on_bolt.json"));
    add("nut on bolt", scene, make_nuts_on_bolts(scene, Thread().pitch, nuts, seed + 103));
  }
  all.sort();
  fmt::print("{}\n", row("all", all));

  const Bounds& bounds = single ? kFloatBounds : kDoubleBounds;
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
