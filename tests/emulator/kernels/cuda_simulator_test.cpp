// SPDX-License-Identifier: Apache-2.0
//
// Steps beside one another, and what the simulator asks of a runtime.
#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>

#include "host/rollout/simulator_backend.h"
#include "kernels/memory/device_buffer.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/simulator/polytope/polytope_bodies.h"
#include "tests/support/memory_scenes.h"
#include "tests/support/rollout_scenes.h"

namespace isopatch::emulator {
namespace {

const EvaluatorOptions kCuda = {.backend = Backend::kCuda};

/// A state in device memory.
struct DeviceState {
  detail::DeviceBuffer<double> poses, velocities, contact_state;
  detail::DeviceBuffer<std::int64_t> steps;
  detail::DeviceBuffer<std::uint32_t> status;

  explicit DeviceState(const RolloutStateArrays& host)
      : poses(host.poses, nullptr),
        velocities(host.velocities, nullptr),
        steps(host.step_count, nullptr),
        status(host.status, nullptr) {
    if (!host.contact_state.empty()) contact_state = detail::DeviceBuffer<double>(host.contact_state, nullptr);
  }
  RolloutState view() const {
    RolloutState state;
    state.num_environments = static_cast<std::int64_t>(steps.size());
    state.poses = poses.data();
    state.velocities = velocities.data();
    state.step_count = steps.data();
    state.status = status.data();
    state.contact_state = contact_state.data();
    return state;
  }
};

// A call from the host reads that it needs more room, and waits. Then a step begins, and waits when it has its working
// memory. The first one goes on and raises the capacity, and then the other.
TEST(EmulatedSimulator, StepsHaveOneCapacityWhileACallFromTheHostRaisesIt) {
  const Scene scene(test::ball_above_ground());
  const RolloutStateArrays begin = test::ball_in_ground(scene, 1);
  const HostSimulator simulator(scene, kCuda);
  RolloutStateArrays grown = begin;
  std::latch has_asked(1), has_memory(1), has_grown(1);
  std::thread host([&] {
    bool launched = false;
    int copies = 0;
    on_call([&](const std::string& function) {
      launched = launched || function == "cudaLaunchKernel";
      if (!launched || function != "cudaMemcpyAsync") return;
      ++copies;  // the first one brings the number of polygons, the second begins again
      if (copies == 1) {
        has_asked.count_down();
        has_memory.wait();
      }
      if (copies == 2) has_grown.count_down();
    });
    simulator.step(grown.view());
  });
  has_asked.wait();
  const DeviceState state(begin);
  bool waited = false;
  on_call([&](const std::string& function) {
    if (waited || function != "cudaStreamWaitEvent") return;
    waited = true;
    has_memory.count_down();
    has_grown.wait();
  });
  simulator.simulator().step(state.view());
  on_call({});
  host.join();
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  std::uint32_t status = kOk;
  state.status.download(&status, 1, nullptr);
  EXPECT_EQ(status, kStepCapacity | kFrozen);
  EXPECT_EQ(grown.status[0], kOk);
}

TEST(EmulatedSimulator, StepsFromHostMemoryAllocateNothingAgain) {
  const Scene scene(test::dropped_bodies(Integrator::kEuler));
  const HostSimulator simulator(scene, kCuda), cpu(scene);
  bool first = true;
  for (const std::int64_t environments : {3, 2, 3, 1}) {
    RolloutStateArrays state = test::random_states(scene.description(), environments, 21), on_cpu = state;
    RolloutOutputArrays output(scene, environments, true), output_on_cpu = output;
    take_calls();
    simulator.step(state.view(), {}, output.view());
    simulator.step(state.view());  // with no outputs
    std::map<std::string, int> calls = take_calls();
    for (int i = 0; i < 2; ++i) cpu.step(on_cpu.view(), {}, i == 0 ? output_on_cpu.view() : RolloutOutput());
    EXPECT_EQ(state.poses, on_cpu.poses);
    EXPECT_EQ(state.velocities, on_cpu.velocities);
    EXPECT_EQ(output.pair_wrench, output_on_cpu.pair_wrench);
    EXPECT_EQ(output.polygons_needed, output_on_cpu.polygons_needed);
    for (const char* name : {"cudaMalloc", "cudaFree", "cudaMemcpy", "cudaDeviceSynchronize"}) {
      EXPECT_TRUE(first || calls[name] == 0) << name;
    }
    EXPECT_TRUE(first || calls["cudaStreamSynchronize"] == 2) << calls["cudaStreamSynchronize"];  // for the results
    first = false;
  }
}

/// Contacts are found in stages, which have memory of their own, and the outputs are evaluated.
TEST(EmulatedSimulator, StepsAllocateNothingAfterReserve) {
  const Scene scene(test::dropped_bodies(Integrator::kEuler));
  const std::int64_t environments = 40;
  const Simulator simulator(scene, kCuda);
  const DeviceState state(test::random_states(scene.description(), environments, 23));
  const detail::DeviceBuffer<double> area(static_cast<std::size_t>(environments * scene.num_pairs()));
  RolloutOutput output;
  output.area = area.data();
  simulator.reserve(environments);
  take_calls();
  simulator.step(state.view(), {}, output);
  EXPECT_EQ(take_calls()["cudaMalloc"], 0);
}

TEST(EmulatedSimulator, AResetThatFailsSaysWhy) {
  const Scene scene(test::ball_above_ground());
  const Simulator simulator(scene, kCuda);
  const DeviceState state(test::ball_in_ground(scene, 2)), other(test::ball_in_ground(scene, 2));
  const auto expect_error = [](const std::function<void()>& call) {
    fail_launch(0);
    try {
      call();
      ADD_FAILURE() << "no error";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kDevice);
      EXPECT_NE(std::string(e.what()).find("failed: cudaErrorLaunchOutOfResources"), std::string::npos) << e.what();
    }
    call();  // no error is left behind
  };
  expect_error([&] { simulator.reset(state.view(), nullptr, other.view()); });
  expect_error([&] { simulator.initial_state(state.view()); });
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
}

/// Also where contacts are found in stages, and whatever the sub-steps that environments may have.
TEST(EmulatedSimulator, AStepTakesFewLaunches) {
  const auto launches = [](const SceneDescription& description) {
    const Scene scene(description);
    const Simulator simulator =
        detail::make_simulator(scene, detail::CudaOptions{{.backend = Backend::kCuda}, detail::PairStages::kSeveral});
    const DeviceState state(test::random_states(description, 3, 29));
    const auto step = [&](int steps) {
      take_calls();
      simulator.step(state.view(), {}, {}, steps);
      return take_calls()["cudaLaunchKernel"];
    };
    step(1);  // makes its working memory
    const int one = step(1);
    EXPECT_EQ(step(3) - one, 2 * (step(2) - one));
    return one;
  };
  EXPECT_LE(launches(test::ball_above_ground()), 12);
  EXPECT_LE(launches(test::dropped_bodies(Integrator::kMidpoint)), 12);  // several pairs
  EXPECT_LE(launches(test::dropped_bodies(Integrator::kEuler)), 11);
  EXPECT_LE(launches(test::remembering_bodies(Integrator::kMidpoint)), 16);  // of all models
  test::PolytopeScene polytopes;
  polytopes.add_polygon("square", test::rectangle(-0.1, -0.1, 0.1, 0.1));
  polytopes.add_fixed_polygon("floor", test::rectangle(-1, -2, 1, -1));
  EXPECT_LE(launches(polytopes.finish()), 3);  // whatever the steps
}

}  // namespace
}  // namespace isopatch::emulator
