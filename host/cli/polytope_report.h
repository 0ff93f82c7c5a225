// SPDX-License-Identifier: Apache-2.0
//
// What `isopatch evaluate` prints of rigid polytopes.
#pragma once

#include <cstdint>

#include "isopatch/arrays.h"

namespace isopatch::cli {

/// Rows of a table: how many pairs of polytopes overlap, the smallest separation and where it is, how many contacts and
/// relations there are, and which environment has the most. The first environment has the number `first`.
void print_polytopes(const Scene& scene, const StateArrays& states, const ResultArrays& results, std::int64_t first);

}  // namespace isopatch::cli
