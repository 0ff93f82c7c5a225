// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/cli/batch_runner.h"
#include "isopatch/scene/scene.h"

namespace isopatch::cli {

/// The name of an output's array in an .npz file.
std::string name_in_files(const ArrayInfo& info);

/// Results as JSON: every environment with its status and pairs, wrenches on the first body of the pair, and the poses
/// and velocities of its bodies. Pairs list their part pairs if `results` has those. A value that is not finite is
/// null.
std::string results_json(const StateArrays& states, const ResultArrays& results, const Scene& scene);

/// Results as an .npz archive: the arrays of ResultArrays by their names, status as uint32, and the poses and
/// velocities of `states`.
std::string results_npz(const StateArrays& states, const ResultArrays& results);

}  // namespace isopatch::cli
