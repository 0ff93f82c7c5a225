// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/rollout/rows.h"

namespace isopatch::cli {

/// A table of energies, momentum and work, with a line for each row: means over the environments that are not frozen,
/// and the most iterations of any.
class RolloutTable {
 public:
  void add(const RolloutRow& row);
  void print() const;

 private:
  std::vector<std::string> lines_;
};

/// How many environments have each bit, or "" where none has any: "3 not_converged, 1 diverged, 1 frozen".
std::string status_counts(const std::vector<std::uint32_t>& status);

}  // namespace isopatch::cli
