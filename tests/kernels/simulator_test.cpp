// SPDX-License-Identifier: Apache-2.0
//
// Steps on a GPU have the bits of the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "host/evaluation/backend_options.h"
#include "host/rollout/rollout_data.h"
#include "host/rollout/simulator_backend.h"
#include "kernels/rollout/step_call.h"
#include "tests/kernels/stepped.h"
#include "tests/support/device_calls.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/tree_scenes.h"
#include "tests/thin_walls/thin_scenes.h"

namespace isopatch::test {
namespace {

struct SimulatorOnGpu : ::testing::Test {
  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }

  static Stepped take(const SceneDescription& description, Backend backend, Precision precision,
                      const RolloutStateArrays& begin, int calls, int steps, const RolloutInput& input = {}) {
    return take_calls(description, {.backend = backend, .precision = precision}, begin, calls, steps, input);
  }

  static void compare(const SceneDescription& description, std::int64_t environments, Precision precision, int steps) {
    const RolloutStateArrays begin = random_states(description, environments, 5);
    const Stepped cpu = take(description, Backend::kCpu, precision, begin, 2, steps),
                  gpu = take(description, Backend::kCuda, precision, begin, 2, steps);
    std::int64_t polygons = 0;
    for (const std::int32_t count : cpu.output.num_polygons) polygons += count;
    EXPECT_GT(polygons, 0);
    expect_same(cpu, gpu);
  }
};

TEST_F(SimulatorOnGpu, GpuSmallStepsHaveTheBitsOfTheCpu) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    compare(dropped_bodies(integrator), 3, Precision::kFloat, 6);
  }
}

TEST_F(SimulatorOnGpu, GpuSmallTreesHaveTheBitsOfTheCpu) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    compare(all_kinds_of_trees(integrator), 3, Precision::kFloat, 5);
  }
}

TEST_F(SimulatorOnGpu, GpuSmallPlanarBodiesHaveTheBitsOfTheCpu) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler}) {
    SceneDescription description = dropped_bodies(integrator);
    for (const std::size_t body : {1, 2}) {
      description.bodies[body].motion.type = MotionType::kPlanar;
      description.bodies[body].velocity = {0.1, -0.2, 0, 0, 0, 20};
    }
    compare(description, 3, Precision::kFloat, 5);
  }
}

/// The plate of each environment is thrown at another speed, the slow ones in one piece of a step.
TEST_F(SimulatorOnGpu, GpuSmallSubstepsHaveTheBitsOfTheCpu) {
  SceneDescription description = dropped_bodies(Integrator::kMidpoint);
  RolloutStateArrays begin = random_states(description, 3, 13);
  const double speeds[] = {0.1, 12, 30};
  for (std::size_t e = 0; e < 3; ++e) begin.velocities[6 * (e * description.bodies.size() + 2) + 2] = -speeds[e];
  const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 1, 2);
  expect_same(cpu, take(description, Backend::kCuda, Precision::kFloat, begin, 1, 2));
  description.rollout.max_substeps = 1;
  const Stepped whole = take(description, Backend::kCpu, Precision::kFloat, begin, 1, 2);
  const auto row = cpu.state.poses.size() / 3;
  for (std::size_t e = 0; e < 3; ++e) {
    const bool same = same_bytes(&cpu.state.poses[e * row], &whole.state.poses[e * row], row * sizeof(double));
    EXPECT_EQ(same, e == 0) << e;
  }
}

TEST_F(SimulatorOnGpu, StepsHaveTheBitsOfTheCpu) {
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      SCOPED_TRACE(::testing::Message() << "integrator " << static_cast<int>(integrator) << ", precision "
                                        << static_cast<int>(precision));
      compare(dropped_bodies(integrator), 5, precision, 8);
      compare(gripped_bar(integrator), 4, precision, 8);
    }
  }
}

TEST_F(SimulatorOnGpu, GpuSmallWallsThatArePressedThroughAreThoseOfTheCpu) {
  for (const bool one_sided : {false, true}) {
    const SceneDescription scene = ring_on_path(thin_ring({24, 3, 1}), one_sided);
    const RolloutStateArrays begin = random_states(scene, 1, 1);
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const bool through : {false, true}) {
        const int steps = through ? 20 : 5;
        const Stepped cpu = take(scene, Backend::kCpu, precision, begin, 1, steps),
                      gpu = take(scene, Backend::kCuda, precision, begin, 1, steps);
        EXPECT_EQ(cpu.state.status[0], through ? kFarSide : kOk);
        expect_same(cpu, gpu);
      }
    }
  }
}

/// The contacts of a step are found by a warp a pair or in stages, which keep candidates from step to step, and leave
/// what does not fit their lists to a warp.
TEST_F(SimulatorOnGpu, GpuSmallContactsFoundInStagesHaveTheBitsOfTheCpu) {
  SceneDescription around = ball_above_ground();
  SceneBuilder inside;
  inside.add("inner", make_sphere("inner", 0.01, 1), pose_at({0, 0, 0.2})).modulus = 1e3;
  around.geometries.push_back(inside.description.geometries[0]);
  around.bodies.push_back(inside.description.bodies[0]);
  around.bodies.back().geometry = static_cast<int>(around.geometries.size()) - 1;
  around.pairs = all_pairs(around);
  const SceneDescription scenes[] = {dropped_bodies(Integrator::kMidpoint), gripped_bar(Integrator::kEuler),
                                     ring_on_path(thin_ring({24, 3, 1}), true), around};
  struct Case {
    detail::PairStages stages;
    std::int32_t cells_per_pair, max_listed_cells;
    bool in_stages;
  };
  const Case cases[] = {{detail::PairStages::kOne, 0, 1 << 20, false},
                        {detail::PairStages::kSeveral, 0, 1 << 20, true},
                        {detail::PairStages::kSeveral, 8, 1 << 20, true},  // too few
                        {detail::PairStages::kSeveral, 512, 512, true},    // several rounds
                        {detail::PairStages::kSeveral, 0, 1, true}};
  for (const SceneDescription& description : scenes) {
    const RolloutStateArrays begin = random_states(description, 3, 29);
    const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 2, 7);
    for (const Case& c : cases) {
      SCOPED_TRACE(::testing::Message() << description.bodies[0].name << ", cells " << c.cells_per_pair);
      detail::CudaOptions options = {
          {.backend = Backend::kCuda, .precision = Precision::kFloat}, c.stages, c.cells_per_pair, c.max_listed_cells};
      const std::int64_t before = detail::pairs_in_stages();
      const HostSimulator simulator(detail::make_simulator(Scene(description), options));
      expect_same(cpu, take_calls(simulator, begin, 2, 7));
      EXPECT_EQ(detail::pairs_in_stages() > before, c.in_stages);
    }
  }
  const Stepped enclosed = take(around, Backend::kCpu, Precision::kFloat, random_states(around, 1, 1), 1, 1);
  EXPECT_EQ(enclosed.state.status[0], kNoContactSurface);
}

/// An environment's fault is its own.
TEST_F(SimulatorOnGpu, FrozenEnvironmentsAreThoseOfTheCpu) {
  for (const int capacity : {30, 400}) {
    SceneDescription description = dropped_bodies(Integrator::kEuler);
    description.rollout.polygon_capacity = capacity;
    description.rollout.speed_limit = 4;
    RolloutStateArrays begin = random_states(description, 6, 6);
    begin.poses[7 * description.bodies.size() + 2] = std::numeric_limits<double>::quiet_NaN();
    begin.velocities[2 * 6 * description.bodies.size()] = 100;
    const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 2, 10),
                  gpu = take(description, Backend::kCuda, Precision::kFloat, begin, 2, 10);
    EXPECT_EQ(cpu.state.status[1], kBadPose | kFrozen);
    EXPECT_EQ(cpu.state.status[2], (capacity == 30 ? kStepCapacity : kDiverged) | kFrozen);
    expect_same(cpu, gpu);
  }
}

/// Where there are more environments than warps, a warp takes several small ones at once: here beside some that are
/// frozen, that have more polygons or that take sub-steps, and in a last warp that gets fewer.
TEST_F(SimulatorOnGpu, GpuSmallSolvesTogetherHaveTheBitsOfTheCpu) {
  const std::int64_t environments = detail::load_solve_stages<detail::SolvedBy::kTeams>(true) + 23;
  for (const Integrator integrator : {Integrator::kMidpoint, Integrator::kEuler, Integrator::kSdirk2}) {
    SceneDescription description = dropped_bodies(integrator);
    description.rollout.polygon_capacity = 256;
    description.rollout.speed_limit = 50;
    RolloutStateArrays begin = random_states(description, environments, 17);
    const std::size_t bodies = description.bodies.size();
    begin.poses[5 * 7 * bodies + 2] = std::numeric_limits<double>::quiet_NaN();
    begin.velocities[10 * 6 * bodies] = 100;
    begin.velocities[6 * (20 * bodies + 2) + 2] = -30;  // in several sub-steps
    for (int e : {14, 15, 25}) {
      begin.velocities[6 * (static_cast<std::size_t>(e) * bodies + 1) + 2] = -12;
    }
    const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 2, 5);
    EXPECT_EQ(cpu.state.status[5], kBadPose | kFrozen);
    EXPECT_EQ(cpu.state.status[10], kDiverged | kFrozen);
    EXPECT_GT(*std::ranges::max_element(cpu.output.num_polygons), 64);
    expect_same(cpu, take(description, Backend::kCuda, Precision::kFloat, begin, 2, 5));
  }
}

TEST_F(SimulatorOnGpu, NoStepsTellOfTheStateAsOnTheCpu) {
  const SceneDescription description = gripped_bar(Integrator::kEuler);
  RolloutStateArrays begin = random_states(description, 3, 10);
  begin.poses[7 * description.bodies.size() + 7] = std::numeric_limits<double>::quiet_NaN();  // of the bar
  const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 2, 0);
  EXPECT_EQ(cpu.state.status, (std::vector<std::uint32_t>{kOk, kBadPose | kFrozen, kOk}));
  expect_same(cpu, take(description, Backend::kCuda, Precision::kFloat, begin, 2, 0));
}

TEST_F(SimulatorOnGpu, InputsAreThoseOfTheCpu) {
  const SceneDescription description = gripped_bar(Integrator::kEuler);
  const RolloutStateArrays begin = random_states(description, 3, 7);
  const std::vector<double> force = {3, 5, 0.1, 7, 9, 0.2, 11, 13, 0.3};  // of two fingers and the flap's hinge
  const std::vector<double> scale(3 * description.bodies.size(), 1.5);
  const std::vector<float> gravity = {0, 0, -1};
  RolloutInput input;
  ASSERT_EQ(force.size(), begin.joints.size() / 2);
  input.joint_force = force.data();
  input.mass_scale = scale.data();
  input.gravity = {gravity.data(), 0};
  expect_same(take(description, Backend::kCpu, Precision::kFloat, begin, 1, 8, input),
              take(description, Backend::kCuda, Precision::kFloat, begin, 1, 8, input));
}

/// What lies between their rows stays as it is.
TEST_F(SimulatorOnGpu, GpuSmallOutputsMayBeColumnsOfATable) {
  const SceneDescription description = dropped_bodies(Integrator::kEuler);
  const RolloutStateArrays begin = random_states(description, 3, 13);
  const auto table = [&](Backend backend) {
    constexpr std::int64_t kColumns = 9;
    std::vector<double> values(3 * kColumns, -7);
    RolloutOutput output;
    output.kinetic_energy = {&values[1], kColumns};
    output.momentum = {&values[2], kColumns};
    RolloutStateArrays state = begin;
    HostSimulator(Scene(description), {.backend = backend}).step(state.view(), {}, output);
    return values;
  };
  const std::vector<double> cpu = table(Backend::kCpu);
  EXPECT_EQ(std::count(cpu.begin(), cpu.end(), -7), 6);
  EXPECT_EQ(cpu, table(Backend::kCuda));
}

TEST_F(SimulatorOnGpu, OtherGeometriesHaveTheBitsAndMassesOfTheCpu) {
  const SceneDescription description = dropped_bodies(Integrator::kSdirk2);
  const RolloutStateArrays begin = random_states(description, 3, 12);
  const std::vector<std::int32_t> geometry = {0, 1, 2, 0, 3, /**/ 1, 0, 2, 0, 3, /**/ 2, 1, 0, 0, 3};
  RolloutInput input;
  input.geometry_index = geometry.data();
  const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 1, 4, input);
  for (const std::uint32_t status : cpu.state.status) EXPECT_EQ(status & kFrozen, 0u);
  expect_same(cpu, take(description, Backend::kCuda, Precision::kFloat, begin, 1, 4, input));
}

/// A capacity that the options leave open grows.
TEST_F(SimulatorOnGpu, CapacityGrows) {
  const SceneDescription description = ball_above_ground();
  const Scene scene(description);
  const RolloutStateArrays begin = ball_in_ground(scene, 2);
  const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 1, 1);
  ASSERT_GT(cpu.output.polygons_needed[0], detail::polygon_capacity(scene, description.rollout));
  expect_same(cpu, take(description, Backend::kCuda, Precision::kFloat, begin, 1, 1));
}

TEST_F(SimulatorOnGpu, ThreadsMayStepOneHostSimulator) {
  const SceneDescription description = dropped_bodies(Integrator::kEuler);
  const HostSimulator simulator(Scene(description), {.backend = Backend::kCuda});
  const auto work = [&](unsigned seed) {
    for (const std::int64_t environments : {2, 4, 1}) {
      const RolloutStateArrays begin = random_states(description, environments, seed++);
      Stepped stepped = {begin, RolloutOutputArrays(simulator.simulator().scene(), environments, true, true)};
      simulator.step(stepped.state.view(), {}, stepped.output.view(), 3);
      expect_same(take(description, Backend::kCpu, Precision::kFloat, begin, 1, 3), stepped);
    }
  };
  std::thread other(work, 31);
  work(41);
  other.join();
}

/// Also in graphs, for which no kernel can be loaded.
TEST_F(SimulatorOnGpu, GpuSmallResetsHaveTheBitsOfTheCpu) {
  const Stream stream;
  for (const SceneDescription& description :
       {all_kinds_of_trees(Integrator::kEuler), remembering_bodies(Integrator::kEuler)}) {
    const Simulator cpu{Scene(description)}, gpu(Scene(description), {.backend = Backend::kCuda});
    for (const std::int64_t environments : {1, 37, 530}) {
      RolloutStateArrays state = random_states(description, environments, 3);
      const RolloutStateArrays other = random_states(description, environments, 7);
      std::vector<std::uint8_t> mask;
      for (std::int64_t e = 0; e < environments; ++e) mask.push_back(e % 3 == 0 ? 1 : 0);
      const StateOnDevice on_device(state), other_on_device(other);
      const detail::DeviceBuffer<std::uint8_t> mask_on_device(mask, stream);
      const auto replay = [&](const auto& call) { Graph(stream, call).replay(); };

      replay([&] { gpu.reset(on_device.view, mask_on_device.data(), other_on_device.view, stream); });
      cpu.reset(state.view(), mask.data(), RolloutStateArrays(other).view());
      on_device.expect(state);
      replay([&] { gpu.initial_state(on_device.view, stream); });
      cpu.initial_state(state.view());
      on_device.expect(state);
      replay([&] { gpu.reset(on_device.view, nullptr, other_on_device.view, stream); });
      on_device.expect(other);
    }
  }
}

TEST_F(SimulatorOnGpu, StepsCanBeCaptured) {
  const SceneDescription description = dropped_bodies(Integrator::kEuler);
  const RolloutStateArrays begin = random_states(description, 4, 9);
  const Simulator simulator(Scene(description), {.backend = Backend::kCuda});
  detail::DeviceBuffer<double> poses(begin.poses, nullptr), velocities(begin.velocities, nullptr);
  detail::DeviceBuffer<std::int64_t> steps(begin.step_count, nullptr);
  detail::DeviceBuffer<std::uint32_t> status(begin.status, nullptr);
  RolloutState state;
  state.num_environments = 4;
  state.poses = poses.data();
  state.velocities = velocities.data();
  state.step_count = steps.data();
  state.status = status.data();
  simulator.reserve(4);
  const Stream stream;
  const Graph graph(stream, [&] { simulator.step(state, {}, {}, 5, stream); });
  graph.replay();
  graph.replay();
  RolloutStateArrays after = begin;
  poses.download(after.poses.data(), after.poses.size(), nullptr);
  velocities.download(after.velocities.data(), after.velocities.size(), nullptr);
  const Stepped cpu = take(description, Backend::kCpu, Precision::kFloat, begin, 2, 5);
  EXPECT_EQ(after.poses, cpu.state.poses);
  EXPECT_EQ(after.velocities, cpu.state.velocities);
}

}  // namespace
}  // namespace isopatch::test
