// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/cli/rollout/rows.h"
#include "host/numpy/npz.h"
#include "isopatch/arrays.h"

namespace isopatch::cli {

/// Collects the arrays of a rollout's .npz file.
class RolloutFile {
 public:
  /// Throws Error, naming `path`, if an archive cannot hold so many rows.
  RolloutFile(const RowPlan& plan, std::int64_t num_environments, const ArrayCounts& counts, const std::string& path);

  void add(const RolloutRow& row);

  /// The archive, with the status of each environment or'ed over all steps. Takes the arrays out.
  std::string npz(const std::vector<std::uint32_t>& status);

 private:
  std::map<std::string, detail::NpyArray> arrays_;
};

}  // namespace isopatch::cli
