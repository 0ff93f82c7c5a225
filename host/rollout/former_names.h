// SPDX-License-Identifier: Apache-2.0
//
// What arrays of steps were called before. Programs and files with these names are still read, and none are written.
#pragma once

namespace isopatch::detail {

struct FormerName {
  const char* former;
  const char* present;
};

inline constexpr FormerName kFormerNames[] = {
    {"iterations", "solver_iterations"}, {"polygons", "num_polygons"}, {"steps", "step_count"}};

}  // namespace isopatch::detail
