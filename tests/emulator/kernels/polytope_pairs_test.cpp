// SPDX-License-Identifier: Apache-2.0
//
// Calls for polytopes allocate nothing that reserve() can allocate before, and launch only what they need.
#include <gtest/gtest.h>

#include "tests/emulator/runtime/observe.h"
#include "tests/polytope/polytope_scenes.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

TEST(EmulatedPolytopePairs, AllocateNothingAfterReserve) {
  const Scene scene(test::solid_polytopes());
  const std::int64_t n = 3;
  const test::Batch batch = test::batch_of_polytopes(scene, n, 99);
  const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
  const test::DeviceBatch arrays(scene, batch);
  const auto pairs = static_cast<std::size_t>(n * scene.num_pairs());
  const detail::DeviceBuffer<double> separation(pairs), overlap(pairs);
  const detail::DeviceBuffer<PotentialContact> contacts(static_cast<std::size_t>(100 * n));
  const detail::DeviceBuffer<std::int32_t> needed(static_cast<std::size_t>(3 * n));
  evaluator.reserve(n);
  Results results;
  results.separation = separation.data();
  const auto expect = [&](int launches) {
    take_calls();
    take_grids();
    evaluator.evaluate(arrays.state(), results);
    std::map<std::string, int> calls = take_calls();
    for (const char* name : {"cudaMalloc", "cudaFree", "cudaStreamSynchronize", "cudaDeviceSynchronize"}) {
      EXPECT_EQ(calls[name], 0) << name;
    }
    int found = 0;
    for (const auto& [kernel, blocks] : take_grids()) found += kernel.find("polytope_model") != std::string::npos;
    EXPECT_EQ(found, launches > 1 ? 2 : 1);
    return calls["cudaLaunchKernel"];
  };
  const int alone = expect(1);
  results.overlap = overlap.data();
  EXPECT_EQ(expect(1), alone);
  results.relations_needed = needed.data();
  EXPECT_EQ(expect(2), alone + 1);  // and their sums
  results.potential_contacts = {contacts.data(), 100};
  EXPECT_EQ(expect(3), alone + 2);  // and the contacts
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace isopatch::emulator
