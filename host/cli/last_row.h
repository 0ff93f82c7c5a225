// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "host/numpy/npz.h"

namespace isopatch::cli {

/// Whether a file's arrays are the results of a rollout: it has their times.
bool is_rollout_file(const std::map<std::string, detail::LazyArray>& arrays);

/// The state at the end of a rollout: the last rows of poses, velocities, joints and steps. Its other results are left
/// out, and arrays that are none of its results are kept. Throws Error, naming `source` and the array, if an array
/// does not have a row for each time.
std::map<std::string, detail::LazyArray> last_row_of(const std::map<std::string, detail::LazyArray>& arrays,
                                                     const std::string& source);

}  // namespace isopatch::cli
