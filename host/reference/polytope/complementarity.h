// SPDX-License-Identifier: Apache-2.0
//
// A step's problem as the paper writes it (A geometrically exact contact model for polytopes in multirigid-body
// simulation, eqs. 20 to 25 and 39 to 49): linear complementarity of impulses p and of c, what other contacts of a
// relation are above the first one. For comparison: it need not have a solution where a step has one.
#pragma once

#include <optional>

#include "host/reference/polytope/nearest_velocity.h"

namespace isopatch::reference::polytope {

/// z >= 0 and w = A z + b >= 0 with z . w = 0, by Lemke's method with lexicographic pivots (Cottle, Pang, Stone, The
/// Linear Complementarity Problem, 1992, 4.4 and 4.9). Nothing if it ends on a ray.
std::optional<VectorX> solve_lcp(const MatrixX& A, const VectorX& b);

/// Impulses act at the first contact of a relation alone: the one with the smallest gap of -1e-4 m or more, else with
/// the largest. Contacts of cross relations bear none unless `cross_bears`.
std::optional<StepSolution> complementary_step(const StepProblem& problem, bool cross_bears);

}  // namespace isopatch::reference::polytope
