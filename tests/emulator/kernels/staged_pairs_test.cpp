// SPDX-License-Identifier: Apache-2.0
//
// The stages of pairs where there are more pairs than a test can have, and more part pairs than there is room for.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "kernels/batch_arrays.h"
#include "kernels/pressure_field/device_call_memory.h"
#include "kernels/scene/device_scene.h"
#include "tests/emulator/device.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

constexpr int kParts = 12;

/// A pair of bodies, each of as many boxes in nearly one place.
SceneDescription boxes_in_boxes() {
  SceneDescription scene = test::two_bodies(make_box("a", {0.1, 0.1, 0.1}), make_box("b", {0.12, 0.08, 0.1}));
  for (Body& body : scene.bodies) {
    for (int i = 0; i < kParts; ++i) {
      Part& part = body.parts.emplace_back();
      part.geometry = body.geometry;
      part.pose[0] = 1e-3 * i;
    }
  }
  return scene;
}

test::Batch apart_by(const Scene& scene, double distance) {
  test::Batch batch(scene, 1);
  batch.poses = {0, 0, 0, 1, 0, 0, 0, distance, 0.01, 0.02, 1, 0, 0, 0};
  return batch;
}

/// Evaluates as many environments, all in the same state, in stages alone, with room for `size`.
detail::CallCounters counters_of_stages(const Scene& scene, const test::Batch& batch, std::int64_t environments,
                                        const detail::PressureFieldSize& size) {
  const detail::Stream stream;
  const detail::DeviceScene device_scene(scene.data(), stream);
  const detail::DeviceArena<detail::BatchArrays> of_batch({size.pairs}, stream);
  const detail::DeviceArena<detail::PressureFieldArrays> arrays(size, stream);
  const detail::DeviceBuffer<double> poses(batch.poses, stream);
  detail::PressureFieldCall call = {};
  call.scene = device_scene.view();
  call.state.num_environments = environments;
  call.state.poses = {static_cast<const double*>(poses.data()), 0};
  call.list = of_batch->list;
  call.counters = of_batch->counters;
  call.slices = 1;
  call.staged = arrays->staged;
  detail::evaluate_staged_pairs<float>(call, true, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  detail::CallCounters counters;
  ISOPATCH_CUDA_CHECK(cudaMemcpyAsync(&counters, of_batch->counters, sizeof counters, cudaMemcpyDeviceToHost, stream));
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  return counters;
}

detail::PressureFieldSize room_for(std::size_t part_pairs) {
  detail::PressureFieldSize size;
  size.pairs = size.staged_pairs = 1;
  size.staged_sums = 2;
  size.staged_part_pairs = part_pairs;
  size.cells = 64;
  return size;
}

// A warp for each of 2^26 pairs would be more than 2^31 threads, and most have nothing to begin.
TEST(EmulatedStages, BeginPairsOfPartsByNoMoreWarpsThanTheDeviceHolds) {
  const Scene scene(boxes_in_boxes());
  run_only_last_blocks(0, 1);
  take_grids();
  EXPECT_EQ(counters_of_stages(scene, apart_by(scene, 1), (std::int64_t{1} << 26) + 1, room_for(1)).listed[0], 0);
  run_only_last_blocks(0, ~0u);
  const std::map<std::string, std::uint32_t> grids = take_grids();
  int begins = 0;
  for (const auto& [kernel, blocks] : grids) {
    if (kernel.find("begin_pairs") == std::string::npos) continue;
    EXPECT_LE(blocks, Device::kProcessors * Device::kBlocksPerProcessor) << kernel;
    ++begins;
  }
  EXPECT_EQ(begins, 1);
}

TEST(EmulatedStages, BeginEachOfMorePairsOfPartsThanWarps) {
  const Scene scene(boxes_in_boxes());
  constexpr std::int64_t kEnvironments = 40;  // 16 warps begin them
  detail::PressureFieldSize size = room_for(kParts * kParts * kEnvironments);
  size.pairs = kEnvironments;
  size.staged_pairs = kEnvironments - 3;
  size.staged_sums = 2 * size.staged_pairs;
  const detail::CallCounters counters = counters_of_stages(scene, apart_by(scene, 0.03), kEnvironments, size);
  EXPECT_EQ(counters.listed[0], kEnvironments);
  EXPECT_EQ(counters.of_model[0][detail::kPartPairs], kParts * kParts * (kEnvironments - 3));
  EXPECT_GE(counters.of_model[0][detail::kUnfinished], 3);
}

// All 144 part pairs are near, and lanes ask for 32 at once.
TEST(EmulatedStages, CountNoPartPairsBeyondTheFirstThatDoNotFit) {
  const Scene scene(boxes_in_boxes());
  const auto asked = [&](std::size_t room) {
    const detail::CallCounters counters = counters_of_stages(scene, apart_by(scene, 0.03), 1, room_for(room));
    EXPECT_EQ(counters.listed[0], 1);
    EXPECT_EQ(counters.of_model[0][detail::kUnfinished], 1);  // for want of room for cells, if not for part pairs
    return counters.of_model[0][detail::kPartPairs];
  };
  EXPECT_EQ(asked(kParts * kParts), kParts * kParts);
  EXPECT_EQ(asked(40), 64);
}

TEST(EmulatedStages, LeaveToTheKernelOfPairsThosePartPairsThatDoNotFit) {
  const Scene scene(boxes_in_boxes());
  const test::Batch batch = apart_by(scene, 0.03);
  const test::DeviceBatch arrays(scene, batch);
  const std::vector<double> cpu = test::on_cpu(scene, batch);
  EXPECT_TRUE(std::any_of(cpu.begin(), cpu.end(), [](double x) { return x != 0; }));
  const detail::CudaOptions options = {{.backend = Backend::kCuda}, detail::PairStages::kSeveral};
  const Evaluator evaluator = detail::make_evaluator(scene, options);  // with room for 8 part pairs
  for (int call = 0; call < 2; ++call) {
    evaluator.evaluate(arrays.state(), arrays.results());
    EXPECT_EQ(arrays.fetch(), cpu);
  }
}

}  // namespace
}  // namespace isopatch::emulator
