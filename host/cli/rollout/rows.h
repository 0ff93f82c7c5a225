// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "isopatch/rollout_state.h"

namespace isopatch::cli {

/// The rows of a rollout: its start, every so many steps, and its end.
struct RowPlan {
  std::int64_t steps = 0;  // of the rollout
  std::int64_t every = 1;  // steps from row to row

  std::int64_t num_rows() const { return 1 + (steps + every - 1) / every; }
  std::int64_t steps_before(std::int64_t row) const { return std::min(row * every, steps); }
};

/// What is recorded at one time.
struct RolloutRow {
  std::int64_t number;                // among the rows
  double time;                        // s
  const RolloutStateArrays& state;    // then
  const RolloutOutputArrays& output;  // of the step before; zero in row 0, but for the energies and the momentum
};

}  // namespace isopatch::cli
