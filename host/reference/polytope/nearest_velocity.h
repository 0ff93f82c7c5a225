// SPDX-License-Identifier: Apache-2.0
//
// Solutions of a step's problem.
#pragma once

#include <optional>
#include <vector>

#include "host/reference/polytope/step_problem.h"

namespace isopatch::reference::polytope {

struct StepSolution {
  VectorX velocity;
  VectorX impulses;  // of each contact, N s, along its normal
  Real cost = 0;     // J
};

/// Nearest to v* with each of these contacts at b + J v >= 0, by the dual method of Goldfarb and Idnani ("A numerically
/// stable dual method for solving strictly convex quadratic programs", 1983). Nothing if there is none.
std::optional<StepSolution> nearest_velocity(const StepProblem& problem, const std::vector<int>& contacts);

/// The global minimum: branches over the contacts of relations that do not hold, and leaves out branches that cost more
/// than the best solution. `max_solves` bounds the work; throws Error if it does not suffice.
std::optional<StepSolution> global_step(const StepProblem& problem, int max_solves = 200'000);

/// What a relation may miss by rounding, m/s.
Real gap_rate_tolerance(const StepProblem& problem);

}  // namespace isopatch::reference::polytope
