// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/vtk_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/cli/states_file.h"
#include "host/cli/vtk_patches.h"
#include "host/files/output_file.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kMaxEnvironments = 4;

/// The list of files that ParaView opens as one, with a time each.
std::string series_json(const std::string& name, const std::vector<double>& times) {
  std::string text = "{\"file-series-version\": \"1.0\", \"files\": [";
  for (std::size_t row = 0; row < times.size(); ++row) {
    text +=
        fmt::format("{}\n  {{\"name\": \"{}_{:06}.vtk\", \"time\": {}}}", row == 0 ? "" : ",", name, row, times[row]);
  }
  return text + "\n]}\n";
}

}  // namespace

VtkSeries::VtkSeries(const SceneDescription& scene, std::int64_t num_environments, const StateArrays& given)
    : states_(scene, std::min(num_environments, kMaxEnvironments)) {
  if (given.num_environments == 0) return;
  states_ = rows_of(given, 0, states_.num_environments, "");
}

void VtkSeries::add(const RolloutRow& row) {
  const std::size_t kept =
      row.state.poses.size() / row.state.status.size() * static_cast<std::size_t>(states_.num_environments);
  times_.push_back(row.time);
  poses_.emplace_back(row.state.poses.begin(), row.state.poses.begin() + static_cast<std::ptrdiff_t>(kept));
}

void VtkSeries::write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const {
  const auto path = [&](const std::string& name) { return (std::filesystem::path(directory) / name).string(); };
  StateArrays states = states_;
  states.velocities.clear();
  for (std::size_t row = 0; row < poses_.size(); ++row) {
    states.poses = poses_[row];
    for (std::int64_t e = 0; e < states.num_environments; ++e) {
      write_vtk_environment(evaluator, states, e, fmt::format("{:04}_{:06}", first + e, row), directory);
    }
  }
  for (std::int64_t e = 0; e < states.num_environments; ++e) {
    for (const char* what : {"patches", "bodies"}) {
      const std::string name = fmt::format("{}_{:04}", what, first + e);
      write_output_file(path(name + ".vtk.series"), series_json(name, times_));
    }
  }
}

}  // namespace isopatch::cli
