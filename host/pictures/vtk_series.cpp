// SPDX-License-Identifier: Apache-2.0
#include "host/pictures/vtk_series.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "host/files/output_file.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch::detail {
namespace {

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

VtkSeries::VtkSeries(StateArrays states) : states_(std::move(states)) { states_.velocities.clear(); }

void VtkSeries::add(double time, const std::vector<double>& poses) {
  times_.push_back(time);
  const auto kept = static_cast<std::ptrdiff_t>(states_.num_environments * states_.num_bodies * kPoseSize);
  poses_.emplace_back(poses.begin(), poses.begin() + kept);
}

void VtkSeries::write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const {
  StateArrays states = states_;
  for (std::size_t row = 0; row < poses_.size(); ++row) {
    states.poses = poses_[row];
    for (std::int64_t e = 0; e < states.num_environments; ++e) {
      write_vtk(evaluator, states, e, fmt::format("{:04}_{:06}", first + e, row), directory);
    }
  }
  for (std::int64_t e = 0; e < states.num_environments; ++e) {
    for (const char* what : {"patches", "bodies"}) {
      const std::string name = fmt::format("{}_{:04}", what, first + e);
      write_output_file((std::filesystem::path(directory) / (name + ".vtk.series")).string(),
                        series_json(name, times_));
    }
  }
}

}  // namespace isopatch::detail
