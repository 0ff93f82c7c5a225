// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/rollout_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isopatch/status.h"

namespace isopatch::cli {
namespace {

double length(const double* v) { return std::hypot(v[0], v[1], v[2]); }

/// What a line has of all environments.
struct Sums {
  double environments = 0;  // that are not frozen
  double kinetic = 0, potential = 0, elastic = 0, linear = 0, angular = 0, iterations = 0, polygons = 0;
  std::int32_t most_iterations = 0;

  void add(const RolloutRow& row, std::size_t e) {
    const RolloutOutputArrays& output = row.output;
    const std::size_t pairs = output.elastic_energy.size() / row.state.status.size();
    ++environments;
    kinetic += output.kinetic_energy[e];
    potential += output.potential_energy[e];
    for (std::size_t pair = 0; pair < pairs; ++pair) elastic += output.elastic_energy[e * pairs + pair];
    linear += length(&output.momentum[6 * e]);
    angular += length(&output.momentum[6 * e + 3]);
    iterations += output.iterations[e];
    polygons += output.polygons[e];
    most_iterations = std::max(most_iterations, output.iterations[e]);
  }
};

}  // namespace

void RolloutTable::add(const RolloutRow& row) {
  Sums sums;
  for (std::size_t e = 0; e < row.state.status.size(); ++e) {
    if ((row.state.status[e] & kFrozen) == 0) sums.add(row, e);
  }
  const double n = std::max(sums.environments, 1.0);
  const double total = sums.kinetic + sums.potential + sums.elastic;
  lines_.push_back(fmt::format("{:>10.6g}{:>12.4g}{:>12.5g}{:>12.4g}{:>12.5g}{:>12.4g}{:>12.4g}{:>8.1f}{:>6}{:>10.1f}",
                               row.time, sums.kinetic / n, sums.potential / n, sums.elastic / n, total / n,
                               sums.linear / n, sums.angular / n, sums.iterations / n, sums.most_iterations,
                               sums.polygons / n));
}

void RolloutTable::print() const {
  constexpr const char* kFormat = "{:>10}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>8}{:>6}{:>10}\n";
  fmt::print(kFormat, "time", "kinetic", "potential", "elastic", "total", "momentum", "angular", "iter-", "most",
             "polygons");
  fmt::print(kFormat, "s", "J", "J", "J", "J", "N s", "N m s", "ations", "", "");
  for (const std::string& line : lines_) fmt::print("{}\n", line);
}

}  // namespace isopatch::cli
