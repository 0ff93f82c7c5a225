// SPDX-License-Identifier: Apache-2.0
#include "host/cli/rollout/start_states.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "host/cli/random_states.h"
#include "host/cli/states_file.h"
#include "host/numpy/array_reader.h"
#include "host/rollout/rollout_data.h"
#include "isopatch/detail/rollout/motion/step_stage.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kMaxExactCount = std::int64_t{1} << 53;  // a double counts that far

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
  RolloutStart start;
  start.state = RolloutStateArrays(built, arguments.envs.value_or(1));
  start.given = StateArrays(scene, 0);
  start.given.num_environments = start.num_environments();
  const auto moves = [](const Body& body) {
    return !body.fixed && (body.motion.type == MotionType::kFree || body.motion.type == MotionType::kPlanar);
  };
  vary(scene, arguments.seed, arguments.first, spread_of(scene), moves, start.state.poses, start.state.velocities);
  return start;
}

/// Writes the velocities of bodies on paths: at the start the velocity of the path, and later the velocity of the last
/// step.
void write_path_velocities(const Scene& scene, RolloutStateArrays& state) {
  const RolloutData data(scene, scene.description().rollout);
  const int bodies = scene.num_bodies();
  for (std::int64_t e = 0; e < state.num_environments; ++e) {
    const EnvironmentState environment = EnvironmentState::of(state.view(), e, bodies, data.view.num_joints);
    const std::int64_t steps = state.step_count[e];
    for (int i = 0; i < bodies; ++i) {
      const MovingBody& body = data.view.bodies[i];
      if (body.kind != MotionKind::kPath) continue;
      environment.set_twist(
          i, steps == 0 ? body.velocity : prescribed_twist(body, {}, last_stage_of(data.view, steps - 1)));
    }
  }
}

/// The states in the arrays of a file: the arrays of `isopatch evaluate --states`, `joints` and `step_count`; or the
/// results of an evaluation, or of a rollout, whose last row is taken. Throws Error, naming `source` and the array, for
/// others.
RolloutStart start_from_arrays(const std::map<std::string, LazyArray>& file, const Scene& scene,
                               const std::string& source) {
  const bool goes_on = is_rollout_file(file);
  std::map<std::string, LazyArray> arrays =
      goes_on ? last_row_of(file, source) : with_present_names(without_results(file));
  const ArrayReader reader(arrays, source);
  const ArrayCounts counts = rollout_counts(scene);
  std::vector<std::string> names = names_of_states(counts);
  names.insert(names.end(), {"joints", "joint_rates", "step_count"});
  reader.allow(names);

  auto of_evaluate = arrays;
  of_evaluate.erase("joints");
  of_evaluate.erase("joint_rates");
  of_evaluate.erase("step_count");
  RolloutStart start;
  start.given = goes_on ? states_of_last_row(of_evaluate, scene.description(), source)
                        : states_from_arrays(of_evaluate, scene.description(), source);
  const std::int64_t n = start.given.num_environments;
  const LazyArray* joints = reader.find("joints", "real", {n, counts[Per::kJoint], 2});
  const LazyArray* rates = reader.find("joint_rates", "real", {n, counts[Per::kJoint]});
  const LazyArray* steps = reader.find("step_count", "int64", {n});

  start.state = RolloutStateArrays(scene, n);
  start.state.poses = std::move(start.given.poses);
  if (arrays.contains("velocities")) start.state.velocities = std::move(start.given.velocities);
  if (!start.given.contact_state.empty()) start.state.contact_state = std::move(start.given.contact_state);
  start.given.contact_state.clear();
  start.given.poses.clear();
  start.given.velocities.clear();
  read_values(joints, start.state.joints);
  // without them, bodies on joints begin with the velocities that follow from the rest
  if (rates == nullptr) std::ranges::fill(start.state.joint_rates, std::numeric_limits<double>::quiet_NaN());
  read_values(rates, start.state.joint_rates);
  read_values(steps, start.state.step_count);
  for (const std::int64_t value : start.state.step_count) {
    if (value < 0 || value > kMaxExactCount) reader.fail("step_count", "{} is not in [0, {}]", value, kMaxExactCount);
  }
  write_path_velocities(scene, start.state);
  return start;
}

RolloutStart chosen_rows(RolloutStart start, const RolloutArguments& arguments, const ArrayCounts& counts) {
  if (arguments.first == 0 && !arguments.envs) return start;
  start.given = rows_of(std::move(start.given), arguments.first, arguments.envs, arguments.states);
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
  return state.step_count.empty() ? 0 : *std::max_element(state.step_count.begin(), state.step_count.end());
}

RolloutStart rollout_start(const RolloutArguments& arguments, const Scene& scene) {
  if (arguments.states.empty()) return varied_scene(arguments, scene);
  RolloutStart start = start_from_arrays(open_arrays(arguments.states, "poses"), scene, arguments.states);
  return chosen_rows(std::move(start), arguments, rollout_counts(scene));
}

}  // namespace isopatch::cli
