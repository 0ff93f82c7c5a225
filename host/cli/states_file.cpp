// SPDX-License-Identifier: Apache-2.0
#include "host/cli/states_file.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "host/cli/last_row.h"
#include "host/cli/results_file.h"
#include "host/numpy/array_reader.h"
#include "host/scene/contact_models.h"
#include "isopatch/error.h"

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
        reader.fail(name, fmt::format("{} does not fit an int32", value));
      }
    });
  }
}

void read_indices(const LazyArray* array, std::vector<std::int32_t>& values) {
  if (array == nullptr) return;
  array->header().type == DType::kInt32 ? convert<std::int32_t>(*array, values) : convert<std::int64_t>(*array, values);
}

}  // namespace

const std::vector<std::string>& names_of_states() {
  static const std::vector<std::string> names = {"poses",    "velocities",     "modulus",  "dissipation",
                                                 "friction", "geometry_index", "pair_mask"};
  return names;
}

StateArrays states_from_arrays(const Arrays& arrays, const SceneDescription& scene, const std::string& source) {
  const ArrayReader reader(arrays, source);
  const int contact_state_size = detail::contact_state_size_of(scene);
  const int part_pairs = contact_state_size == 0 ? 0 : detail::num_part_pairs_of(scene);
  std::vector<std::string> names = names_of_states();
  if (contact_state_size > 0) names.emplace_back("contact_state");
  reader.allow(names);

  // all headers first, then all data without keeping it, then the states
  const auto bodies = static_cast<std::int64_t>(scene.bodies.size());
  const auto pairs = static_cast<std::int64_t>(scene.pairs.size());
  std::int64_t parts = 0;
  for (const Body& body : scene.bodies) parts += std::ssize(parts_of(body));
  const LazyArray* poses = reader.find_reals("poses", {-1, bodies, 7});
  if (poses == nullptr) reader.fail("poses", fmt::format("missing; needs shape (N, {}, 7)", bodies));
  const std::int64_t n = poses->header().shape[0];
  if (n == 0) reader.fail("poses", "no environments");
  const LazyArray* velocities = reader.find_reals("velocities", {n, bodies, 6});
  const LazyArray* modulus = reader.find_reals("modulus", {n, parts});
  const LazyArray* dissipation = reader.find_reals("dissipation", {n, parts});
  const LazyArray* friction = reader.find_reals("friction", {n, parts});
  const LazyArray* geometry_index = reader.find_integers("geometry_index", {n, parts});
  const LazyArray* pair_mask = reader.find_flags("pair_mask", {n, pairs});
  const LazyArray* contact_state = reader.find_reals("contact_state", {n, part_pairs, contact_state_size});
  check_data(arrays, reader);

  StateArrays states;
  states.num_environments = n;
  states.num_bodies = bodies;
  states.num_parts = parts;
  states.num_pairs = pairs;
  states.num_part_pairs = part_pairs;
  states.contact_state_size = contact_state_size;
  read_reals(poses, states.poses);
  read_reals(velocities, states.velocities);
  if (states.velocities.empty()) {
    for (std::int64_t environment = 0; environment < n; ++environment) {
      for (const Body& body : scene.bodies) {
        states.velocities.insert(states.velocities.end(), body.velocity.begin(), body.velocity.end());
      }
    }
  }
  read_reals(modulus, states.modulus);
  read_reals(dissipation, states.dissipation);
  read_reals(friction, states.friction);
  read_indices(geometry_index, states.geometry_index);
  if (pair_mask != nullptr) convert<std::uint8_t>(*pair_mask, states.pair_mask);
  read_reals(contact_state, states.contact_state);
  return states;
}

StateArrays states_from_arrays(const std::map<std::string, NpyArray>& arrays, const SceneDescription& scene,
                               const std::string& source) {
  Arrays lazy;
  for (const auto& [name, array] : arrays) lazy.emplace(name, LazyArray(array, source));
  return states_from_arrays(lazy, scene, source);
}

StateArrays rows_of(const StateArrays& states, std::int64_t first, std::optional<std::int64_t> count,
                    const std::string& source) {
  const std::int64_t rows = states.num_environments;
  if (first < 0 || first >= rows) {
    throw Error(fmt::format("{}: --first {}: the file has {} environments, so it must be in [0, {}]", source, first,
                            rows, rows - 1));
  }
  StateArrays part;
  part.num_environments = count.value_or(rows - first);
  part.num_bodies = states.num_bodies;
  part.num_parts = states.num_parts;
  part.num_pairs = states.num_pairs;
  part.num_part_pairs = states.num_part_pairs;
  part.contact_state_size = states.contact_state_size;
  if (part.num_environments < 1 || part.num_environments > rows - first) {
    throw Error(fmt::format("{}: --envs {}: the file has {} environments, so from {} on it must be in [1, {}]", source,
                            part.num_environments, rows, first, rows - first));
  }
  const ArrayCounts counts = part.counts();
  for_each_input(
      [&](const ArrayInfo& info, auto& values, const auto& all) {
        if (all.empty()) return;
        const auto begin = all.begin() + first * counts.row(info);
        values.assign(begin, begin + part.num_environments * counts.row(info));
      },
      part, states);
  return part;
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

StateArrays read_states(const std::string& path, const SceneDescription& scene) {
  Arrays arrays = open_arrays(path, "poses");
  if (!is_rollout_file(arrays)) return states_from_arrays(without_results(std::move(arrays)), scene, path);

  arrays = last_row_of(arrays, path);
  arrays.erase("joints");  // the poses and velocities follow from them
  arrays.erase("steps");
  return states_from_arrays(arrays, scene, path);
}

}  // namespace isopatch::cli
