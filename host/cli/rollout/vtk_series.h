// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a rollout for ParaView: a file for each row, and one that lists them with their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/rollout/rows.h"
#include "isopatch/arrays.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::cli {

/// Keeps the poses of the first environments, and writes them at the end.
class VtkSeries {
 public:
  /// `given` has what the environments have instead of the scene's values; it must outlive the series.
  VtkSeries(const SceneDescription& scene, std::int64_t num_environments, const StateArrays& given);

  void add(const RolloutRow& row);

  /// Writes patches_NNNN_RRRRRR.vtk and bodies_NNNN_RRRRRR.vtk for environment N and row R, and of each environment
  /// patches_NNNN.vtk.series and bodies_NNNN.vtk.series, into `directory`. The first environment has the number
  /// `first`.
  void write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const;

 private:
  StateArrays states_;  // of the kept environments; poses are those of a row
  std::vector<double> times_;
  std::vector<std::vector<double>> poses_;  // of each row
};

}  // namespace isopatch::cli
