// SPDX-License-Identifier: Apache-2.0
#include "host/cli/render/picture_frames.h"

#include <algorithm>
#include <filesystem>
#include <utility>

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

/// Of rows x environments x `width` numbers those of one environment in the chosen rows.
template <class Number, class To>
void read_as(const LazyArray& array, std::int64_t environments, std::int64_t environment, std::int64_t width,
             const std::vector<std::int64_t>& chosen, std::vector<To>& values) {
  values.clear();
  values.reserve(chosen.size() * static_cast<std::size_t>(width));
  std::int64_t row = 0, column = 0;
  auto next = chosen.begin();
  for_each<Number>(array, [&](Number number) {
    const bool is_wanted = next != chosen.end() && *next == row && column / width == environment;
    if (is_wanted) values.push_back(static_cast<To>(number));
    if (++column < environments * width) return;
    column = 0;
    if (next != chosen.end() && *next == row) ++next;
    ++row;
  });
}

template <class To>
void read_environment(const LazyArray& array, std::int64_t environments, std::int64_t environment, std::int64_t width,
                      const std::vector<std::int64_t>& chosen, std::vector<To>& values) {
  const DType type = array.header().type;
  const auto read = [&]<class Number>(Number /*any*/) {
    read_as<Number>(array, environments, environment, width, chosen, values);
  };
  if (type == DType::kFloat32) read(float{});
  if (type == DType::kFloat64) read(double{});
  if (type == DType::kInt32) read(std::int32_t{});
  if (type == DType::kInt64) read(std::int64_t{});
  if (type == DType::kUint8) read(std::uint8_t{});
}

/// The rows of one environment of a rollout, with the forces, materials and shapes of its steps.
Frames rollout_frames(const Arrays& arrays, const SceneDescription& scene, const std::string& source,
                      const RenderArguments& arguments) {
  const ArrayReader reader(arrays, source);
  if (arguments.envs) {
    throw_error("{}: --envs {}: of a rollout one environment is drawn; --env K says which", source, *arguments.envs);
  }
  Frames frames;
  frames.states = StateArrays(scene, 0);
  const std::int64_t bodies = frames.states.num_bodies;
  const auto found = arrays.find("poses");
  if (found == arrays.end()) reader.fail("poses", "missing; needs shape (T, N, {}, 7)", bodies);
  const std::vector<std::int64_t>& shape = found->second.header().shape;
  if (shape.size() != 4) {
    reader.fail("poses", "must have shape (T, N, {}, 7), found {}", bodies, shape_text(shape));
  }
  const std::int64_t rows = shape[0], environments = shape[1];
  const std::vector<std::int64_t>& times_shape = arrays.at("time").header().shape;
  const bool each_has_times = times_shape.size() == 2;  // in a recording of Python
  const LazyArray* times =
      reader.find("time", "real", each_has_times ? std::vector{rows, environments} : std::vector<std::int64_t>{rows});

  frames.environment = arguments.env.value_or(0);
  if (frames.environment >= environments) {
    throw_error("{}: --env {}: the file has {} environments, so it must be in [0, {}]", source, frames.environment,
                environments, environments - 1);
  }
  const std::vector<std::int64_t> chosen = chosen_frames(rows, arguments.every);
  frames.states.num_environments = std::ssize(chosen);
  frames.states.velocities.clear();
  const ArrayCounts counts = frames.states.counts();
  const auto read = [&](const ArrayInfo& info, auto& values) {
    if (info.width == 0 && counts.contact_state == 0) return;
    const LazyArray* array = reader.find(info.name, info.type, shape_of(info, counts, {rows, environments}));
    if (array != nullptr) read_environment(*array, environments, frames.environment, counts.row(info), chosen, values);
  };
  for_each_input(read, frames.states);
  read({kPairWrench, "real", Per::kPair, 6, "N; N m"}, frames.pair_wrench);
  settle_recorded_shapes(frames.states, scene, source);
  if (each_has_times) {
    read_environment(*times, environments, frames.environment, 1, chosen, frames.times);
  } else {
    read_environment(*times, 1, 0, 1, chosen, frames.times);
  }
  return frames;
}

/// Rows of states, each an environment.
Frames environment_frames(StateArrays states, const RenderArguments& arguments) {
  Frames frames;
  const std::vector<std::int64_t> chosen = chosen_frames(states.num_environments, arguments.every);
  if (std::ssize(chosen) != states.num_environments) {
    const ArrayCounts counts = states.counts();
    for_each_input(
        [&](const ArrayInfo& info, auto& values) {
          if (values.empty()) return;
          const std::int64_t row = counts.row(info);
          std::remove_cvref_t<decltype(values)> kept;
          for (const std::int64_t i : chosen) kept.insert(kept.end(), &values[i * row], &values[i * row] + row);
          values = std::move(kept);
        },
        states);
    states.num_environments = std::ssize(chosen);
  }
  frames.environments = chosen;
  frames.states = std::move(states);
  return frames;
}

/// The scene and variations of it, of which only those that are drawn are made.
Frames varied_frames(const SceneDescription& scene, const RenderArguments& arguments) {
  if (arguments.env && arguments.envs && *arguments.env >= *arguments.envs) {
    throw_error("--env {}: there are {} environments, so it must be in [0, {}]", *arguments.env, *arguments.envs,
                *arguments.envs - 1);
  }
  Frames frames;
  frames.environments =
      arguments.env ? std::vector{*arguments.env} : chosen_frames(arguments.envs.value_or(1), arguments.every);
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
Frames frames_of_file(const std::string& path, SceneDescription& scene, const RenderArguments& arguments) {
  Arrays arrays = open_arrays(path, "poses");
  if (is_rollout_file(arrays)) {
    Frames frames = rollout_frames(arrays, scene, path, arguments);
    const RecordedFriction friction = recorded_friction(arrays, scene, path);
    if (!friction.warning.empty()) print_warning(friction.warning);
    scene.contact.slip_tolerance = friction.slip_tolerance;
    return frames;
  }
  StateArrays states = states_from_arrays(without_results(std::move(arrays)), scene, path);
  const std::int64_t rows = states.num_environments;
  if (!arguments.env) {
    if (arguments.envs) states = rows_of(std::move(states), 0, arguments.envs, path);
    return environment_frames(std::move(states), arguments);
  }
  const std::int64_t last = std::min(rows, arguments.envs.value_or(rows)) - 1;
  if (*arguments.env > last) {
    throw_error("{}: --env {}: there are {} environments, so it must be in [0, {}]", path, *arguments.env, last + 1,
                last);
  }
  Frames frames = environment_frames(rows_of(std::move(states), *arguments.env, 1, path), arguments);
  frames.environments = {*arguments.env};
  return frames;
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
  source.frames =
      states.empty() ? varied_frames(source.scene, arguments) : frames_of_file(states, source.scene, arguments);
  return source;
}

}  // namespace isopatch::cli
