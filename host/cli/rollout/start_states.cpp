// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/start_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/cli/last_row.h"
#include "host/cli/random_states.h"
#include "host/cli/states_file.h"
#include "host/numpy/array_reader.h"
#include "host/rollout/rollout_data.h"
#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 53;  // a double counts that far

/// The spread that the scene asks for. Angular velocities follow the speed, in body sizes.
Spread spread_of(const SceneDescription& scene) {
  const auto& [position, angle, speed] = scene.rollout.variation;
  Spread spread = default_spread(scene);
  if (position) spread.position = *position;
  if (angle) spread.angle = *angle;
  if (speed) {
    spread.speed = *speed;
    spread.angular_speed = *speed / body_size(scene);
  }
  return spread;
}

RolloutStart varied_scene(const RolloutArguments& arguments, const Scene& built) {
  const SceneDescription& scene = built.description();
  const std::size_t bodies = scene.bodies.size();
  RolloutStart start;
  start.state = RolloutStateArrays(built, arguments.envs.value_or(1));
  start.given.num_environments = start.num_environments();
  start.given.num_bodies = built.num_bodies();
  start.given.num_parts = built.num_parts();
  start.given.num_pairs = built.num_pairs();
  const CounterRandom random(arguments.seed);
  const Spread spread = spread_of(scene);
  for (std::size_t row = 0; row < static_cast<std::size_t>(start.num_environments()); ++row) {
    const std::uint64_t environment = static_cast<std::uint64_t>(arguments.first) + row;
    if (environment == 0) continue;
    for (std::size_t i = 0; i < bodies; ++i) {
      if (scene.bodies[i].fixed || scene.bodies[i].motion.type != MotionType::kFree) continue;
      vary(random, environment, i, spread, &start.state.poses[(row * bodies + i) * 7],
           &start.state.velocities[(row * bodies + i) * 6]);
    }
  }
  return start;
}

/// The values of an array, if there is one, in the place of others.
void replace(const LazyArray* array, std::vector<double>& values) {
  if (array == nullptr) return;
  values.clear();
  read_reals(array, values);
}

void replace_steps(const LazyArray* array, const ArrayReader& reader, std::vector<std::int64_t>& steps) {
  if (array == nullptr) return;
  steps.clear();
  array->header().type == DType::kInt32 ? convert<std::int32_t>(*array, steps) : convert<std::int64_t>(*array, steps);
  for (const std::int64_t value : steps) {
    if (value < 0 || value > kLargestNumber) {
      reader.fail("steps", fmt::format("{} is not in [0, {}]", value, kLargestNumber));
    }
  }
}

/// Writes the velocities of bodies on paths: at the start the velocity of the path, and later the velocity of the last
/// step.
void write_path_velocities(const Scene& scene, RolloutStateArrays& state) {
  const RolloutData data(scene, scene.description().rollout);
  const int bodies = scene.num_bodies(), last = num_stages(data.view.integrator) - 1;
  for (std::int64_t e = 0; e < state.num_environments; ++e) {
    const EnvironmentState environment = EnvironmentState::of(state.view(), e, bodies, data.view.num_joints);
    const std::int64_t steps = state.steps[static_cast<std::size_t>(e)];
    for (int i = 0; i < bodies; ++i) {
      const MovingBody& body = data.view.bodies[i];
      if (body.kind != MotionKind::kPath) continue;
      environment.set_twist(
          i, steps == 0 ? body.velocity : prescribed_twist(body, {}, stage_of(data.view, steps - 1, last)));
    }
  }
}

/// The rows from `first` on, `count` of them.
template <class T>
void take_rows(std::vector<T>& values, std::int64_t row, std::int64_t first, std::int64_t count) {
  values = {values.begin() + first * row, values.begin() + (first + count) * row};
}

RolloutStart chosen_rows(RolloutStart start, const RolloutArguments& arguments, const ArrayCounts& counts) {
  if (arguments.first == 0 && !arguments.envs) return start;
  start.given = rows_of(start.given, arguments.first, arguments.envs, arguments.states);
  start.state.num_environments = start.given.num_environments;
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto& values) {
        take_rows(values, counts.row(info), arguments.first, start.given.num_environments);
      },
      start.state);
  return start;
}

}  // namespace

std::int64_t RolloutStart::steps() const {
  return state.steps.empty() ? 0 : *std::max_element(state.steps.begin(), state.steps.end());
}

RolloutStart start_from_arrays(const std::map<std::string, LazyArray>& file, const Scene& scene,
                               const std::string& source) {
  std::map<std::string, LazyArray> arrays = is_rollout_file(file) ? last_row_of(file, source) : without_results(file);
  const ArrayReader reader(arrays, source);
  std::vector<std::string> names = names_of_states();
  names.insert(names.end(), {"joints", "steps"});
  if (scene.contact_state_size() > 0) names.emplace_back("contact_state");
  reader.allow(names);

  auto of_evaluate = arrays;
  of_evaluate.erase("joints");
  of_evaluate.erase("steps");
  RolloutStart start;
  start.given = states_from_arrays(of_evaluate, scene.description(), source);
  const std::int64_t n = start.given.num_environments;
  const LazyArray* joints = reader.find_reals("joints", {n, rollout_counts(scene).joints, 2});
  const LazyArray* steps = reader.find_integers("steps", {n});

  start.state = RolloutStateArrays(scene, n);
  start.state.poses = std::move(start.given.poses);
  if (arrays.contains("velocities")) start.state.velocities = std::move(start.given.velocities);
  if (!start.given.contact_state.empty()) start.state.contact_state = std::move(start.given.contact_state);
  start.given.contact_state.clear();
  start.given.poses.clear();
  start.given.velocities.clear();
  replace(joints, start.state.joints);
  replace_steps(steps, reader, start.state.steps);
  write_path_velocities(scene, start.state);
  return start;
}

RolloutStart rollout_start(const RolloutArguments& arguments, const Scene& scene) {
  if (arguments.states.empty()) return varied_scene(arguments, scene);
  RolloutStart start = start_from_arrays(open_arrays(arguments.states, "poses"), scene, arguments.states);
  return chosen_rows(std::move(start), arguments, rollout_counts(scene));
}

}  // namespace isopatch::cli
