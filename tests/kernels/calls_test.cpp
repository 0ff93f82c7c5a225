// SPDX-License-Identifier: Apache-2.0
//
// Calls with device memory: graphs, memory and streams of the wrong kind, several devices.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/runtime/device_guard.h"
#include "tests/support/device_calls.h"
#include "tests/support/hash.h"

namespace isopatch::test {
namespace {

struct GpuCalls : DeviceCalls {};

TEST_F(GpuCalls, AGraphReplaysTheStepOnWhatTheArraysHoldThen) {
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  const Batch first = random_batch(scene, 12, 301), second = random_batch(scene, 12, 302);
  DeviceBatch arrays(scene, first);
  const Stream stream(cudaStreamDefault);
  evaluator.reserve(12);
  const Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
  for (const Batch* batch : {&first, &second, &first}) {
    arrays.poses.upload(batch->poses.data(), batch->poses.size(), nullptr);
    graph.replay();
    EXPECT_EQ(arrays.fetch(), on_cpu(scene, *batch));
  }
}

TEST_F(GpuCalls, HostMemoryIsRefused) {
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  const Batch batch = random_batch(scene, 2, 304);
  const DeviceBatch arrays(scene, batch);
  std::vector<double> host(arrays.wrenches.size());
  const auto message = [&](const State& state, const Results& results) -> std::string {
    try {
      evaluator.evaluate(state, results);
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  State state = arrays.state();
  state.poses = batch.poses.data();
  EXPECT_EQ(message(state, arrays.results()),
            "evaluate: state.poses points to host memory; the cuda backend needs device memory (HostEvaluator takes "
            "host memory)");
  Results results = arrays.results();
  results.pair_wrench = host.data();
  EXPECT_EQ(message(arrays.state(), results),
            "evaluate: results.pair_wrench points to host memory; the cuda backend needs device memory (HostEvaluator "
            "takes host "
            "memory)");
}

// One row of inputs for all environments, gaps between the rows of results, shared out between all devices.
TEST_F(GpuCalls, StridesHaveTheBitsOfTheCpu) {
  constexpr std::int64_t kEnvironments = 5, kGap = 3;
  const Batch one = random_batch(scene, 1, 81, 0.16, true);
  State state = one.state();
  state.num_environments = kEnvironments;
  for_each_input([](const ArrayInfo&, auto& array) { array.stride = 0; }, state);

  const auto evaluated = [&](Backend backend) {
    UnwrittenResults out(scene, kEnvironments, detail::Outputs::kPatch);
    Results results;
    const ArrayCounts counts = out.counts();
    for_each_output(
        [&](const ArrayInfo& info, auto& values, auto& array) {
          if constexpr (detail::HasRows<decltype(array)>) {
            if (values.empty()) return;
            const std::int64_t row = counts.row(info);
            values.resize(static_cast<std::size_t>(kEnvironments * (row + kGap)), values[0]);
            array.data = values.data();
            array.stride = row + kGap;
          }
        },
        out, results);
    HostEvaluator(scene, {.backend = backend}).evaluate(state, results);
    return out;
  };
  const UnwrittenResults cpu = evaluated(Backend::kCpu), cuda = evaluated(Backend::kCuda);
  EXPECT_NE(std::count_if(cpu.polygon_count.begin(), cpu.polygon_count.end(), [](int n) { return n > 0; }), 0);
  for_each_output(
      [](const ArrayInfo& info, const auto& a, const auto& b) {
        if constexpr (requires { a[0] == b[0]; }) {
          EXPECT_EQ(a, b) << info.name;
        }
      },
      cpu, cuda);
}

TEST_F(GpuCalls, ADeviceThatIsNotThereIsRefused) {
  EXPECT_THROW(Evaluator(scene, {.backend = Backend::kCuda, .device = num_cuda_devices()}), Error);
}

// One pair, and more warps than that: see CudaBackend::shares().
TEST_F(GpuCalls, AFewPairsOfLargeMeshesAreSharedByWarps) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.1, 3)};
  description.bodies.resize(2);
  description.bodies[0].name = "a";
  description.bodies[1].name = "b";
  description.pairs = all_pairs(description);
  const Scene balls(description);
  for (const std::int64_t environments : {1, 3}) {
    const Batch batch = random_batch(balls, environments, 305, 0.1);
    const DeviceBatch arrays(balls, batch);
    const Evaluator evaluator =
        detail::make_evaluator(balls, {{.backend = Backend::kCuda, .device = 0}, detail::PairStages::kOne});
    for (int turn = 0; turn < 2; ++turn) {  // the shared sums must be zero again
      evaluator.evaluate(arrays.state(), arrays.results());
      ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
      EXPECT_EQ(arrays.fetch(), on_cpu(balls, batch));
    }
  }
}

struct GpuSeveral : GpuCalls {
  void SetUp() override {
    if (num_cuda_devices() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
  }
};

TEST_F(GpuSeveral, DevicesShareABatch) {
  const Batch batch = random_batch(scene, 33, 306);
  const auto hash = [&](int device) {
    UnwrittenResults results(scene, batch.num_environments);
    HostEvaluator(scene, {.backend = Backend::kCuda, .device = device}).evaluate(batch.state(), results.view());
    return hash_of(results);
  };
  const std::uint64_t one = hash(0);
  EXPECT_EQ(hash(1), one);
  EXPECT_EQ(hash(-1), one);  // all
}

TEST_F(GpuSeveral, ArraysAndStreamsOfAnotherDeviceAreRefused) {
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 1});
  const Batch batch = random_batch(scene, 2, 307);
  const DeviceBatch elsewhere(scene, batch);
  EXPECT_THROW(evaluator.evaluate(elsewhere.state(), elsewhere.results()), Error);

  const Stream stream(cudaStreamDefault);
  const detail::DeviceGuard guard(1);
  const DeviceBatch arrays(scene, batch);
  EXPECT_THROW(evaluator.evaluate(arrays.state(), arrays.results(), stream), Error);
  EXPECT_NO_THROW(evaluator.evaluate(arrays.state(), arrays.results()));
}

}  // namespace
}  // namespace isopatch::test
