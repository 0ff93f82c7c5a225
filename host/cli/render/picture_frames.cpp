// SPDX-License-Identifier: Apache-2.0
#include "host/cli/render/picture_frames.h"

#include <filesystem>
#include <utility>

#include "host/cli/environment_list.h"
#include "host/cli/random_states.h"
#include "host/cli/results_file.h"
#include "host/cli/states_file.h"
#include "host/cli/warnings.h"
#include "host/numpy/array_reader.h"
#include "isopatch/scene/scene_file.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Arrays = std::map<std::string, LazyArray>;

constexpr const char* kScene = "scene";  // the array of a rollout's file that leads to its scene

bool is_results(const std::string& path) { return path.ends_with(".npz") || path.ends_with(".npy"); }

/// The scene file of a rollout's results.
std::string scene_of(const std::string& results) {
  const Arrays arrays = open_arrays(results, "poses");
  const auto found = arrays.find(kScene);
  if (found == arrays.end() || found->second.header().type != DType::kUint8) {
    throw_error("{}: does not say which scene it is of; isopatch render SCENE.json --states {}", results, results);
  }
  std::string path;
  found->second.read([&path](std::string_view bytes) { path += bytes; });
  const std::filesystem::path scene = std::filesystem::path(results).parent_path() / path;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(scene, ignored)) {
    throw_error("{}: is of the scene {}, which is not there; isopatch render SCENE.json --states {}", results,
                scene.string(), results);
  }
  return scene.string();
}

/// What of a rollout's rows x environments is drawn.
struct Drawn {
  std::int64_t environments;          // of the file
  std::vector<std::int64_t> numbers;  // of the environments
  std::vector<std::int64_t> rows;
};

/// Of rows x environments x `width` numbers those that are drawn: all rows of an environment, then those of the next.
template <class Number, class To>
void read_as(const LazyArray& array, const Drawn& drawn, std::int64_t width, std::vector<To>& values) {
  std::vector<std::int64_t> begins(static_cast<std::size_t>(drawn.environments), -1);  // of the next row in `values`
  const std::int64_t block = std::ssize(drawn.rows) * width;
  for (std::size_t k = 0; k < drawn.numbers.size(); ++k) {
    begins[static_cast<std::size_t>(drawn.numbers[k])] = static_cast<std::int64_t>(k) * block;
  }
  values.resize(drawn.numbers.size() * static_cast<std::size_t>(block));
  std::int64_t row = 0, column = 0;
  std::size_t environment = 0;
  auto next = drawn.rows.begin();
  for_each<Number>(array, [&](Number number) {
    const bool is_row = next != drawn.rows.end() && *next == row;
    std::int64_t& begin = begins[environment];
    if (is_row && begin >= 0) values[static_cast<std::size_t>(begin + column)] = static_cast<To>(number);
    if (++column < width) return;
    column = 0;
    if (is_row && begin >= 0) begin += width;
    if (++environment < begins.size()) return;
    environment = 0;
    if (is_row) ++next;
    ++row;
  });
}

template <class To>
void read_drawn(const LazyArray& array, const Drawn& drawn, std::int64_t width, std::vector<To>& values) {
  const DType type = array.header().type;
  const auto read = [&]<class Number>(Number /*any*/) { read_as<Number>(array, drawn, width, values); };
  if (type == DType::kFloat32) read(float{});
  if (type == DType::kFloat64) read(double{});
  if (type == DType::kInt32) read(std::int32_t{});
  if (type == DType::kInt64) read(std::int64_t{});
  if (type == DType::kUint8) read(std::uint8_t{});
}

/// The rows of environments of a rollout, with the forces, materials and shapes of its steps.
std::vector<Frames> rollout_frames(const Arrays& arrays, const SceneDescription& scene, const std::string& source,
                                   const RenderArguments& arguments) {
  const ArrayReader reader(arrays, source);
  if (arguments.envs) {
    throw_error("{}: --envs {}: of a rollout --env says which environments are drawn, as in --env 0,3 or 0-7", source,
                *arguments.envs);
  }
  StateArrays states(scene, 0);
  const std::int64_t bodies = states.num_bodies;
  const auto found = arrays.find("poses");
  if (found == arrays.end()) reader.fail("poses", "missing; needs shape (T, N, {}, 7)", bodies);
  const std::vector<std::int64_t>& shape = found->second.header().shape;
  if (shape.size() != 4) {
    reader.fail("poses", "must have shape (T, N, {}, 7), found {}", bodies, shape_text(shape));
  }
  const std::int64_t rows = shape[0], environments = shape[1];
  const std::vector<std::int64_t>& times_shape = arrays.at("time").header().shape;
  const bool each_has_times = times_shape.size() == 2;  // in a recording of Python
  const LazyArray* times_array =
      reader.find("time", "real", each_has_times ? std::vector{rows, environments} : std::vector<std::int64_t>{rows});

  const std::string env = arguments.env.empty() ? "0" : arguments.env;
  const Drawn drawn = {environments, named_environments(env, environments, source),
                       chosen_frames(rows, arguments.every)};
  const std::int64_t count = std::ssize(drawn.rows);
  states.num_environments = count * std::ssize(drawn.numbers);
  states.velocities.clear();
  const ArrayCounts counts = states.counts();
  const auto read = [&](const ArrayInfo& info, auto& values) {
    if (info.width == 0 && counts.contact_state == 0) return;
    const LazyArray* array = reader.find(info.name, info.type, shape_of(info, counts, {rows, environments}));
    if (array != nullptr) read_drawn(*array, drawn, counts.row(info), values);
  };
  for_each_input(read, states);
  const ArrayInfo wrench = {kPairWrench, "real", Per::kPair, 6, "N; N m"};
  std::vector<double> wrenches, times;
  read(wrench, wrenches);
  settle_recorded_shapes(states, scene, source);
  read_drawn(*times_array, each_has_times ? drawn : Drawn{1, {0}, drawn.rows}, 1, times);

  std::vector<Frames> all;
  for (std::int64_t k = 0; k < std::ssize(drawn.numbers); ++k) {
    Frames& frames = all.emplace_back();
    frames.environment = drawn.numbers[static_cast<std::size_t>(k)];
    frames.states = rows_of(states, k * count, count, source);
    frames.pair_wrench = wrenches;
    if (!wrenches.empty()) take_rows(frames.pair_wrench, counts.row(wrench), k * count, count);
    frames.times = times;
    if (each_has_times) take_rows(frames.times, 1, k * count, count);
  }
  return all;
}

/// The environments of `count` that are drawn one after another.
std::vector<std::int64_t> environments_of(std::optional<std::int64_t> count, const RenderArguments& arguments,
                                          const std::string& source) {
  if (arguments.env.empty()) return chosen_frames(count.value_or(1), arguments.every);
  const std::vector<std::int64_t> named = named_environments(arguments.env, count, source);
  std::vector<std::int64_t> chosen;
  for (const std::int64_t k : chosen_frames(std::ssize(named), arguments.every)) {
    chosen.push_back(named[static_cast<std::size_t>(k)]);
  }
  return chosen;
}

/// Rows of states, each an environment.
Frames environment_frames(StateArrays states, const RenderArguments& arguments, const std::string& source) {
  Frames frames;
  frames.environments = environments_of(states.num_environments, arguments, source);
  const ArrayCounts counts = states.counts();
  for_each_input(
      [&](const ArrayInfo& info, auto& values) {
        if (values.empty()) return;
        const std::int64_t row = counts.row(info);
        std::remove_cvref_t<decltype(values)> kept;
        for (const std::int64_t i : frames.environments) {
          kept.insert(kept.end(), values.begin() + i * row, values.begin() + (i + 1) * row);
        }
        values = std::move(kept);
      },
      states);
  states.num_environments = std::ssize(frames.environments);
  frames.states = std::move(states);
  return frames;
}

/// The scene and variations of it, of which only those that are drawn are made.
Frames varied_frames(const SceneDescription& scene, const RenderArguments& arguments) {
  Frames frames;
  frames.environments = environments_of(arguments.envs, arguments, "");
  frames.states = StateArrays(scene, 0);
  for (const std::int64_t environment : frames.environments) {
    const StateArrays one = random_states(scene, 1, arguments.seed, environment);
    frames.states.poses.insert(frames.states.poses.end(), one.poses.begin(), one.poses.end());
    frames.states.velocities.insert(frames.states.velocities.end(), one.velocities.begin(), one.velocities.end());
  }
  frames.states.num_environments = std::ssize(frames.environments);
  return frames;
}

/// Gives the scene the slip tolerance of the steps whose rows they are.
std::vector<Frames> frames_of_file(const std::string& path, SceneDescription& scene, const RenderArguments& arguments) {
  Arrays arrays = open_arrays(path, "poses");
  if (is_rollout_file(arrays)) {
    std::vector<Frames> environments = rollout_frames(arrays, scene, path, arguments);
    const RecordedFriction friction = recorded_friction(arrays, scene, path);
    if (!friction.warning.empty()) print_warning(friction.warning);
    scene.contact.slip_tolerance = friction.slip_tolerance;
    return environments;
  }
  StateArrays states = states_from_arrays(without_results(std::move(arrays)), scene, path);
  if (arguments.envs) states = rows_of(std::move(states), 0, arguments.envs, path);
  return {environment_frames(std::move(states), arguments, path)};
}

}  // namespace

std::string scene_reference(const std::string& scene, const std::string& results) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute(results, error).parent_path();
  const std::filesystem::path path = std::filesystem::proximate(std::filesystem::absolute(scene, error), folder, error);
  return error ? scene : path.generic_string();
}

PictureSource picture_source(const RenderArguments& arguments) {
  const bool from_results = is_results(arguments.source);
  if (from_results && !arguments.states.empty()) {
    throw_error("--states {}: {} has states itself; name a scene (.json) before it", arguments.states,
                arguments.source);
  }
  const std::string scene_file = from_results ? scene_of(arguments.source) : arguments.source;
  const std::string& states = from_results ? arguments.source : arguments.states;
  PictureSource source;
  source.name = std::filesystem::path(scene_file).stem().string();
  source.title = std::filesystem::path(scene_file).filename().string();
  if (!states.empty()) source.title += ", " + std::filesystem::path(states).filename().string();
  source.scene = read_scene(scene_file, arguments.data);
  source.environments = states.empty() ? std::vector{varied_frames(source.scene, arguments)}
                                       : frames_of_file(states, source.scene, arguments);
  return source;
}

}  // namespace isopatch::cli
