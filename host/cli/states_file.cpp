// SPDX-License-Identifier: Apache-2.0
#include "host/cli/states_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "host/cli/results_file.h"
#include "host/numpy/array_reader.h"
#include "host/render/frames.h"
#include "host/rollout/former_names.h"
#include "host/rollout/rollout_data.h"
#include "host/text/throw_error.h"
#include "isopatch/rollout_state.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Arrays = std::map<std::string, LazyArray>;

/// Reads everything once and keeps nothing, so that damaged or unsuitable data costs no memory.
void check_data(const Arrays& arrays, const ArrayReader& reader) {
  for (const auto& [name, array] : arrays) {
    if (array.header().type != DType::kInt64) {
      array.read([](std::string_view) {});
      continue;
    }
    for_each<std::int64_t>(array, [&reader, &name = name](std::int64_t value) {
      if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
        reader.fail(name, "{} does not fit an int32", value);
      }
    });
  }
}

// the arrays of a rollout
const std::string kTime = "time";
constexpr const char* kStateOfRollout[] = {"poses",       "velocities", "joints",
                                           "joint_rates", "step_count", "contact_state"};

bool is_state_of_rollout(const std::string& name) {
  return std::find(std::begin(kStateOfRollout), std::end(kStateOfRollout), name) != std::end(kStateOfRollout);
}

/// Whether an array has the materials or shapes of each row; without an axis of times, they are the same in all.
bool is_recorded_parameter(const std::string& name, const LazyArray& array) {
  bool found = false;
  const ParameterInputs<Owners> parameters;
  for_each_parameter_input([&](const ArrayInfo& info, const auto&) { found = found || name == info.name; }, parameters);
  return found && array.header().shape.size() == 3;
}

bool is_result_of_rollout(const std::string& name) {
  bool found = name == kTime || name == "status" || name == "scene" || name == kRecordedSlipTolerance;
  for_each_rollout_output([&](const ArrayInfo& info) { found = found || name == info.name; });
  return found;
}

/// The last of `rows` rows.
NpyArray last_row(const LazyArray& array, std::int64_t rows) {
  const NpyHeader& header = array.header();
  NpyArray row{header.type, {header.shape.begin() + 1, header.shape.end()}, ""};
  std::size_t before = header.bytes - header.bytes / static_cast<std::size_t>(rows);
  array.read([&](std::string_view piece) {
    const std::size_t skipped = std::min(before, piece.size());
    before -= skipped;
    row.bytes += piece.substr(skipped);
  });
  return row;
}

}  // namespace

std::vector<std::string> names_of_states(const ArrayCounts& counts) {
  std::vector<std::string> names;
  for_each_input([&](const ArrayInfo& info) {
    if (info.width > 0 || counts.contact_state > 0) names.emplace_back(info.name);
  });
  return names;
}

StateArrays states_from_arrays(const Arrays& arrays, const SceneDescription& scene, const std::string& source) {
  const ArrayReader reader(arrays, source);
  StateArrays states(scene, 0);
  const ArrayCounts counts = states.counts();
  reader.allow(names_of_states(counts));

  // all headers first, then all data without keeping it, then the states
  std::map<std::string, const LazyArray*> found;
  std::int64_t n = -1;
  for_each_input([&](const ArrayInfo& info) {
    const LazyArray* array = found[info.name] = reader.find(info.name, info.type, shape_of(info, counts, {n}));
    if (n >= 0) return;  // the poses come first
    if (array == nullptr) reader.fail(info.name, "missing; needs shape (N, {}, 7)", counts[Per::kBody]);
    n = array->header().shape[0];
    if (n == 0) reader.fail(info.name, "no environments");
  });
  check_data(arrays, reader);

  states = StateArrays(scene, n);
  for_each_input([&](const ArrayInfo& info, auto& values) { read_values(found[info.name], values); }, states);
  return states;
}

StateArrays states_from_arrays(const std::map<std::string, NpyArray>& arrays, const SceneDescription& scene,
                               const std::string& source) {
  Arrays lazy;
  for (const auto& [name, array] : arrays) lazy.emplace(name, LazyArray(array, source));
  return states_from_arrays(lazy, scene, source);
}

StateArrays rows_of(StateArrays states, std::int64_t first, std::optional<std::int64_t> count,
                    const std::string& source) {
  const std::int64_t rows = states.num_environments;
  if (first < 0 || first >= rows) {
    throw_error("{}: --first {}: the file has {} environments, so it must be in [0, {}]", source, first, rows,
                rows - 1);
  }
  states.num_environments = count.value_or(rows - first);
  if (states.num_environments < 1 || states.num_environments > rows - first) {
    throw_error("{}: --envs {}: the file has {} environments, so from {} on it must be in [1, {}]", source,
                states.num_environments, rows, first, rows - first);
  }
  const ArrayCounts counts = states.counts();
  for_each_input(
      [&](const ArrayInfo& info, auto& values) {
        if (!values.empty()) take_rows(values, counts.row(info), first, states.num_environments);
      },
      states);
  return states;
}

Arrays without_results(Arrays arrays) {
  const ResultArrays results;
  for_each_output(
      [&arrays](const ArrayInfo& info, const auto&) {
        if (info.group != OutputGroup::kContactState) arrays.erase(name_in_files(info));  // it is a state too
      },
      results);
  return arrays;
}

bool is_rollout_file(const Arrays& arrays) { return arrays.contains(kTime); }

Arrays with_present_names(Arrays arrays) {
  for (const auto& [former, present] : kFormerNames) {
    if (arrays.contains(present)) continue;
    auto array = arrays.extract(former);
    if (array.empty()) continue;
    array.key() = present;
    arrays.insert(std::move(array));
  }
  return arrays;
}

Arrays last_row_of(const Arrays& arrays, const std::string& source) {
  const ArrayReader reader(arrays, source);
  const std::vector<std::int64_t>& times = arrays.at(kTime).header().shape;
  if (times.empty() || times.size() > 2 || times[0] == 0) {  // a recording in Python has a time for each environment
    reader.fail(kTime, "must have shape (T) or (T, N) with T > 0, found {}", shape_text(times));
  }

  Arrays last;
  for (const auto& [name, array] : with_present_names(arrays)) {
    if (is_result_of_rollout(name)) continue;
    if (!is_state_of_rollout(name) && !is_recorded_parameter(name, array)) {
      last.emplace(name, array);
      continue;
    }
    const std::vector<std::int64_t>& shape = array.header().shape;
    if (shape.size() < 2 || shape[0] != times[0]) {
      reader.fail(name, "must have {} rows, one for each time, found shape {}", times[0], shape_text(shape));
    }
    last.emplace(name, LazyArray(last_row(array, times[0]), source));
  }
  return last;
}

RecordedFriction recorded_friction(const Arrays& arrays, const SceneDescription& scene, const std::string& source) {
  const ArrayReader reader(arrays, source);
  std::vector<double> values;
  read_values(reader.find(kRecordedSlipTolerance, "real", {-1}), values);
  if (!values.empty()) {  // several in a file that was joined from others
    const bool is_one = std::ranges::count(values, values[0]) == std::ssize(values);
    if (!is_one) reader.fail(kRecordedSlipTolerance, "must be the same for all rows");
    if (!(values[0] > 0) || std::isinf(values[0])) {
      reader.fail(kRecordedSlipTolerance, "{} is not positive and finite", values[0]);
    }
    return {values[0], ""};
  }
  const double usual = step_slip_tolerance(scene);
  return {usual,
          fmt::format("{}: does not say with which slip tolerance, materials and shapes it was stepped, as a file "
                      "of an earlier version; {} m/s and the scene's are taken",
                      source, usual)};
}

StateArrays states_of_last_row(const Arrays& last, const SceneDescription& scene, const std::string& source) {
  StateArrays states = states_from_arrays(last, scene, source);
  settle_recorded_shapes(states, scene, source);
  for (std::vector<double>* values : {&states.modulus, &states.dissipation, &states.friction}) {
    if (is_unset(*values, 0)) values->clear();
  }
  return states;
}

RecordedStates read_states(const std::string& path, const SceneDescription& scene) {
  Arrays arrays = open_arrays(path, "poses");
  if (!is_rollout_file(arrays)) return {states_from_arrays(without_results(std::move(arrays)), scene, path), {}, {}};

  RecordedStates recorded;
  recorded.friction = recorded_friction(arrays, scene, path);
  Arrays last = last_row_of(arrays, path);
  for (const char* name : {"joints", "joint_rates", "step_count"})
    last.erase(name);  // poses and velocities follow from them
  recorded.states = states_of_last_row(last, scene, path);
  const StateArrays& states = recorded.states;
  const std::int64_t rows = arrays.at(kTime).header().shape[0];
  if (const auto found = arrays.find(kPairWrench); found != arrays.end()) {
    ArrayReader(arrays, path).find(kPairWrench, "real", {rows, states.num_environments, states.num_pairs, 6});
    const LazyArray wrenches(last_row(found->second, rows), path);
    read_values(&wrenches, recorded.pair_wrench);
  }
  return recorded;
}

}  // namespace isopatch::cli
