// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/geometry/field.h"

namespace isopatch::detail {

/// The cost of solving: entries of the factors and passes over the matrices, summed over all systems.
struct SolverWork {
  std::int64_t unknowns = 0;
  std::int64_t factor_entries = 0;
  std::int64_t iterations = 0;
};

/// The laplace_extent() of field.h, with the work it took.
std::vector<double> laplace_extent(const TetMesh& mesh, const std::vector<Triangle>& surface, const FieldCore& core,
                                   const std::string& source, std::vector<std::string>& warnings, SolverWork& work);

}  // namespace isopatch::detail
