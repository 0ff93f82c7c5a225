// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/numpy/npz.h"
#include "isopatch/arrays.h"

namespace isopatch::cli {

/// The arrays of a rollout's file that tell how its steps saw contact, beside materials and shapes.
inline constexpr const char* kRecordedSlipTolerance = "slip_tolerance";  // one number
inline constexpr const char* kPairWrench = "pair_wrench";

/// The names of the arrays that a states file may have.
std::vector<std::string> names_of_states(const ArrayCounts& counts);

/// The arrays of a states file, with the names and shapes of StateArrays. Poses are required; without velocities those
/// of the scene are taken. Real arrays are float32 or float64, geometry_index int32 or int64, pair_mask uint8 or bool.
/// Throws Error, naming `source` and the array, for an unknown name, type or shape before any data is inflated, and for
/// damaged data before memory is allocated for it.
StateArrays states_from_arrays(const std::map<std::string, detail::LazyArray>& arrays, const SceneDescription& scene,
                               const std::string& source);
StateArrays states_from_arrays(const std::map<std::string, detail::NpyArray>& arrays, const SceneDescription& scene,
                               const std::string& source);

/// The rows from `first` on, `count` of them, each of `row` elements.
template <class T>
void take_rows(std::vector<T>& values, std::int64_t row, std::int64_t first, std::int64_t count) {
  values = {values.begin() + first * row, values.begin() + (first + count) * row};
}

/// The rows from `first` on, `count` of them or all to the end. Throws Error, naming `source`, if there are fewer.
StateArrays rows_of(StateArrays states, std::int64_t first, std::optional<std::int64_t> count,
                    const std::string& source);

/// The arrays of a file without the results that `isopatch evaluate` writes with the states.
std::map<std::string, detail::LazyArray> without_results(std::map<std::string, detail::LazyArray> arrays);

/// Whether a file's arrays are the results of a rollout: it has their times.
bool is_rollout_file(const std::map<std::string, detail::LazyArray>& arrays);

/// The arrays of steps by the names that they have now, also of a file of an earlier version.
std::map<std::string, detail::LazyArray> with_present_names(std::map<std::string, detail::LazyArray> arrays);

/// The state at the end of a rollout: the last rows of poses, velocities, joints, steps and contact states, and of
/// materials and shapes if these have rows. Its other results are left out, and arrays that are none of its results are
/// kept. Throws Error, naming `source` and the array, if an array does not have a row for each time.
std::map<std::string, detail::LazyArray> last_row_of(const std::map<std::string, detail::LazyArray>& arrays,
                                                     const std::string& source);

/// The states of last_row_of(), with the materials and shapes of its step, or the scene's where that was given none.
/// Throws Error as states_from_arrays(), and for a shape that the scene does not have.
StateArrays states_of_last_row(const std::map<std::string, detail::LazyArray>& last, const SceneDescription& scene,
                               const std::string& source);

/// How the steps of a rollout's file saw friction: its slip tolerance [m/s]. A file of an earlier version has none:
/// that of the scene's steps, with a warning.
struct RecordedFriction {
  double slip_tolerance;
  std::string warning;  // empty: none
};
RecordedFriction recorded_friction(const std::map<std::string, detail::LazyArray>& arrays,
                                   const SceneDescription& scene, const std::string& source);

/// The states of a file, and what the steps of a rollout have found there.
struct RecordedStates {
  StateArrays states;
  std::optional<RecordedFriction> friction;  // none: the file is not of a rollout
  std::vector<double> pair_wrench;           // N x P x 6 of the last step, N and N m; empty: the file has none
};

/// The states of an .npz file: also of one with results, of `isopatch evaluate` or the last row of a rollout's; an .npy
/// file is taken as the poses.
RecordedStates read_states(const std::string& path, const SceneDescription& scene);

}  // namespace isopatch::cli
