// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/cli/batch_runner.h"
#include "host/numpy/npz.h"
#include "isopatch/scene/scene.h"

namespace isopatch::cli {

/// The names of the arrays that a states file may have.
const std::vector<std::string>& names_of_states();

/// The arrays of a states file, with the names and shapes of StateArrays. Poses are required; without velocities those
/// of the scene are taken. Real arrays are float32 or float64, geometry_index int32 or int64, pair_mask uint8 or bool.
/// Throws Error, naming `source` and the array, for an unknown name, type or shape before any data is inflated, and for
/// damaged data before memory is allocated for it.
StateArrays states_from_arrays(const std::map<std::string, detail::LazyArray>& arrays, const SceneDescription& scene,
                               const std::string& source);
StateArrays states_from_arrays(const std::map<std::string, detail::NpyArray>& arrays, const SceneDescription& scene,
                               const std::string& source);

/// The rows from `first` on, `count` of them or all to the end. Throws Error, naming `source`, if there are fewer.
StateArrays rows_of(const StateArrays& states, std::int64_t first, std::optional<std::int64_t> count,
                    const std::string& source);

/// The arrays of a file without the results that `isopatch evaluate` writes with the states.
std::map<std::string, detail::LazyArray> without_results(std::map<std::string, detail::LazyArray> arrays);

/// The states of an .npz file: also of one with results, of `isopatch evaluate` or the last row of a rollout's; an .npy
/// file is taken as the poses.
StateArrays read_states(const std::string& path, const SceneDescription& scene);

}  // namespace isopatch::cli
