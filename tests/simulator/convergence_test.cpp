// SPDX-License-Identifier: Apache-2.0
//
// How many iterations steps take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

/// A box that is thrown, and comes to rest.
SceneDescription thrown_box(double modulus, double slip_tolerance) {
  SceneBuilder scene;
  Body& box = scene.add("box", make_box("box", {0.2, 0.1, 0.05}), pose_at({0, 0, 0.15}, turn_about({1, 2, 0.5}, 0.7)));
  box.mass = 1;
  box.modulus = modulus;
  box.dissipation = 5;
  box.friction = 0.5;
  box.velocity = {1, 0.5, -1, 4, -6, 3};
  scene.add_ground(0.5);
  scene.description.contact.slip_tolerance = slip_tolerance;
  scene.description.rollout.time_step = 5e-3;
  return scene.finish();
}

TEST(Convergence, AlmostAllStepsTakeFewIterations) {
  const std::pair<const char*, SceneDescription> scenes[] = {
      {"box of 1e5 Pa", thrown_box(1e5, 1e-4)},
      {"box of 1e7 Pa", thrown_box(1e7, 1e-4)},
      {"slip tolerance of 1e-6 m/s", thrown_box(1e6, 1e-6)},
      {"dropped bodies", dropped_bodies(Integrator::kEuler)},
      {"dropped bodies, sdirk2", dropped_bodies(Integrator::kSdirk2)},
      {"gripped bar", gripped_bar(Integrator::kEuler)}};
  std::vector<int> all;
  for (const auto& [name, description] : scenes) {
    constexpr std::int64_t kEnvironments = 8;
    const Simulator simulator{Scene(description)};
    RolloutStateArrays state = random_states(description, kEnvironments, 12);
    RolloutOutputArrays output(simulator.scene(), kEnvironments);
    std::vector<int> found;
    std::uint32_t status = kOk;
    for (int i = 0; i < 300; ++i) {
      simulator.step(state.view(), {}, output.view());
      found.insert(found.end(), output.solver_iterations.begin(), output.solver_iterations.end());
      for (const std::uint32_t bits : state.status) status |= bits;
    }
    EXPECT_EQ(status & (kNotConverged | kFrozen), kOk) << name;
    double sum = 0;
    for (const int count : found) sum += count;
    std::printf("%s: mean %.2f, most %d\n", name, sum / static_cast<double>(found.size()),
                *std::max_element(found.begin(), found.end()));
    all.insert(all.end(), found.begin(), found.end());
  }
  std::sort(all.begin(), all.end());
  std::printf("99.9 %%: %d, most %d of %zu\n", all[all.size() * 999 / 1000], all.back(), all.size());
  EXPECT_LE(all[all.size() * 999 / 1000], 30);  // of up to three solves together, each within 20
}

}  // namespace
}  // namespace isopatch::test
