// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace isopatch::cli
