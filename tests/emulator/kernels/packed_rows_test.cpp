// SPDX-License-Identifier: Apache-2.0
//
// What packed arrays cost beside the evaluation of pairs, in launches.
#include <gtest/gtest.h>

#include "kernels/memory/stream.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

using detail::DeviceBuffer;

struct Launches {
  int kernels, memsets;
};

/// Of a call with packed polygons.
Launches launches(std::int64_t room) {
  constexpr int kScanKernels = 2;  // CUB's
  constexpr std::int64_t kEnvironments = 5;
  const Scene scene(test::boxes_on_ground());
  const test::Batch batch = test::random_batch(scene, kEnvironments, 741);
  const DeviceBuffer<double> poses(batch.poses, nullptr);
  const DeviceBuffer<Polygon> rows(static_cast<std::size_t>(room));
  const DeviceBuffer<std::int64_t> offsets(kEnvironments + 1);
  State state;
  state.num_environments = kEnvironments;
  state.poses = static_cast<const double*>(poses.data());
  Results results;
  results.packed_polygons = {rows.data(), room};
  results.polygon_offsets = offsets.data();
  const Evaluator evaluator(scene, {.backend = Backend::kCuda});
  const detail::Stream stream;
  evaluator.evaluate(state, results, stream);
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  take_calls();
  evaluator.evaluate(state, results, stream);
  auto calls = take_calls();
  ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  EXPECT_EQ(calls["a device-wide algorithm"], 1);
  return {calls["cudaLaunchKernel"] + kScanKernels, calls["cudaMemsetAsync"]};
}

TEST(EmulatedPackedRows, TakeEightLaunches) {
  for (const std::int64_t room : {1, 10'000}) {
    const Launches found = launches(room);
    EXPECT_LE(found.kernels, 8) << room;
    EXPECT_LE(found.memsets, 2) << room;
  }
}

}  // namespace
}  // namespace isopatch::emulator
