// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch::cli {

/// The name of an output's array in an .npz file.
std::string name_in_files(const ArrayInfo& info);

/// The shape of an array, of which `shape` are the first axes, over times and environments.
std::vector<std::int64_t> shape_of(const ArrayInfo& info, const ArrayCounts& counts, std::vector<std::int64_t> shape);

/// Results as JSON: every environment with its status and pairs, wrenches on the first body of the pair, and the poses
/// and velocities of its bodies; if `results` has relations_needed, with these three counts. Pairs list their part
/// pairs if `results` has those. A value that is not finite is null.
std::string results_json(const StateArrays& states, const ResultArrays& results, const Scene& scene);

/// Results as an .npz archive: the arrays of ResultArrays by their names, status as uint32, potential_contacts and
/// relations as structured arrays, and the poses and velocities of `states`.
std::string results_npz(const StateArrays& states, const ResultArrays& results);

}  // namespace isopatch::cli
