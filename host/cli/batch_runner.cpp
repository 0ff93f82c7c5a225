// SPDX-License-Identifier: Apache-2.0
#include "host/cli/batch_runner.h"

#include <algorithm>
#include <chrono>

namespace isopatch::cli {
namespace {

template <typename T>
auto* row(std::vector<T>& values, std::int64_t begin, std::int64_t width) {
  return values.empty() ? nullptr : values.data() + begin * width;
}

template <typename T>
const T* row(const std::vector<T>& values, std::int64_t begin, std::int64_t width) {
  return values.empty() ? nullptr : values.data() + begin * width;
}

}  // namespace

State HostStates::view(std::int64_t begin, std::int64_t count) const {
  State state;
  state.num_environments = count;
  state.poses = row(poses, begin, num_bodies * 7);
  state.velocities = row(velocities, begin, num_bodies * 6);
  state.modulus = row(modulus, begin, num_bodies);
  state.dissipation = row(dissipation, begin, num_bodies);
  state.friction = row(friction, begin, num_bodies);
  state.geometry_index = row(geometry_index, begin, num_bodies);
  state.pair_mask = row(pair_mask, begin, num_pairs);
  return state;
}

HostResults::HostResults(std::int64_t num_environments_, int num_bodies_, int num_pairs_, bool with_energy)
    : num_environments(num_environments_), num_bodies(num_bodies_), num_pairs(num_pairs_) {
  const auto environments = static_cast<std::size_t>(num_environments);
  const std::size_t pairs = environments * static_cast<std::size_t>(num_pairs);
  pair_wrench.resize(pairs * 6);
  body_wrench.resize(environments * static_cast<std::size_t>(num_bodies) * 6);
  status.resize(environments);
  area.resize(pairs);
  center_of_pressure.resize(pairs * 3);
  mean_normal.resize(pairs * 3);
  max_pressure.resize(pairs);
  friction_force.resize(pairs * 3);
  polygons.resize(pairs);
  if (with_energy) energy.resize(pairs);
}

Results HostResults::view(std::int64_t begin) {
  Results results;
  results.pair_wrench = row(pair_wrench, begin, num_pairs * 6);
  results.body_wrench = row(body_wrench, begin, num_bodies * 6);
  results.status = row(status, begin, 1);
  results.area = row(area, begin, num_pairs);
  results.center_of_pressure = row(center_of_pressure, begin, num_pairs * 3);
  results.mean_normal = row(mean_normal, begin, num_pairs * 3);
  results.max_pressure = row(max_pressure, begin, num_pairs);
  results.friction_force = row(friction_force, begin, num_pairs * 3);
  results.polygon_count = row(polygons, begin, num_pairs);
  results.energy = row(energy, begin, num_pairs);
  return results;
}

void run_batch(const HostEvaluator& evaluator, const HostStates& states, HostResults& results, std::int64_t chunk,
               const std::function<void(std::int64_t)>& progress) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kShort(200), kLong(800);

  for (std::int64_t begin = 0; begin < states.num_environments;) {
    const std::int64_t count = std::min(chunk, states.num_environments - begin);
    const Clock::time_point start = Clock::now();
    evaluator.evaluate(states.view(begin, count), results.view(begin));
    begin += count;
    progress(begin);

    const auto elapsed = Clock::now() - start;
    if (elapsed < kShort) chunk *= 2;
    if (elapsed > kLong) chunk = std::max<std::int64_t>(1, chunk / 2);
  }
}

}  // namespace isopatch::cli
