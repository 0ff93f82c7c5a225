// SPDX-License-Identifier: Apache-2.0
#include "host/cli/polytope_report.h"

#include <fmt/format.h>

#include <vector>

#include "host/cli/batch_report.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/status.h"

namespace isopatch::cli {

using namespace detail;

namespace {

struct Separations {
  std::int64_t pairs = 0;       // that are evaluated
  std::int64_t overlaps = 0;    // of these
  double smallest = 0;          // m
  std::size_t smallest_at = 0;  // environment x P + pair
};

/// Of all pairs of polytopes but those that are masked or in an environment with a fault, whose separation is 0.
Separations separations_of(const Scene& scene, const StateArrays& states, const ResultArrays& results) {
  Separations found;
  const auto num_pairs = static_cast<std::size_t>(results.num_pairs);
  for (std::size_t environment = 0; environment < results.status.size(); ++environment) {
    if ((results.status[environment] & kFaults) != 0) continue;
    for (const PairView& view : scene.data().pairs) {
      const std::size_t at = environment * num_pairs + static_cast<std::size_t>(view.pair);
      if (view.model != kPolytopeModel || (!states.pair_mask.empty() && states.pair_mask[at] == 0)) continue;
      const double separation = results.separation[at];
      if (found.pairs == 0 || separation < found.smallest) {
        found.smallest = separation;
        found.smallest_at = at;
      }
      ++found.pairs;
      found.overlaps += separation < 0 ? 1 : 0;
    }
  }
  return found;
}

/// A row with the sum of one of the three counts of all environments, and the largest one.
void print_count(const char* name, const std::vector<std::int32_t>& needed, std::size_t which, std::int64_t first) {
  std::int64_t total = 0;
  std::size_t largest = which;
  for (std::size_t i = which; i < needed.size(); i += 3) {
    total += needed[i];
    if (needed[i] > needed[largest]) largest = i;
  }
  const bool says_where = total > 0 && needed.size() > 3;
  cli::print_row(name, fmt::to_string(total),
                 says_where ? fmt::format("at most {}, in environment {}", needed[largest],
                                          first + static_cast<std::int64_t>(largest / 3))
                            : "");
}

}  // namespace

void print_polytopes(const Scene& scene, const StateArrays& states, const ResultArrays& results, std::int64_t first) {
  const Separations found = separations_of(scene, states, results);
  print_row("rigid polytopes", fmt::to_string(found.pairs), fmt::format("pairs, {} of them overlap", found.overlaps));
  if (found.pairs > 0) {
    const SceneDescription& description = scene.description();
    const auto num_pairs = static_cast<std::size_t>(results.num_pairs);
    const Pair& pair = (*description.pairs)[found.smallest_at % num_pairs];
    print_row("separation", fmt::format("{:.6g} m", found.smallest),
              fmt::format("the smallest, environment {}, {} and {}",
                          first + static_cast<std::int64_t>(found.smallest_at / num_pairs),
                          escaped(description.bodies[pair.a].name), escaped(description.bodies[pair.b].name)));
  }
  print_count("contacts", results.relations_needed, 0, first);
  print_count("relations", results.relations_needed, 1, first);
}

}  // namespace isopatch::cli
