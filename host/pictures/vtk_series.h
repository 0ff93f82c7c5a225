// SPDX-License-Identifier: Apache-2.0
//
// Pictures of a rollout for ParaView: a file for each row, and one that lists them with their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/pictures.h"

namespace isopatch::detail {

/// Keeps the poses of environments at several times, and writes them at the end.
class VtkSeries {
 public:
  /// `states` has the environments that are written; their poses and velocities do not matter.
  explicit VtkSeries(StateArrays states);

  /// The poses of all environments at a time [s], of which the first are kept.
  void add(double time, const std::vector<double>& poses);

  /// Writes patches_NNNN_RRRRRR.vtk and bodies_NNNN_RRRRRR.vtk for environment N and row R, and of each environment
  /// patches_NNNN.vtk.series and bodies_NNNN.vtk.series, into `directory`, which must exist. The first environment has
  /// the number `first`.
  void write(const HostEvaluator& evaluator, std::int64_t first, const std::string& directory) const;

 private:
  StateArrays states_;
  std::vector<double> times_;
  std::vector<std::vector<double>> poses_;  // of each row
};

}  // namespace isopatch::detail
