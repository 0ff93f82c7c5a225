// SPDX-License-Identifier: Apache-2.0
//
// Which of a benchmark's launches a profiler is shown.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "bench/device_arrays.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

/// A letter for each thing that a benchmark does: L launches, P the profiler starts, p it stops, C captures, c ends
/// that.
std::string order_of_calls(const std::function<void()>& work) {
  std::string order;
  on_call([&](const std::string& name) {
    if (name == "cudaLaunchKernel") order += 'L';
    if (name == "cudaProfilerStart") order += 'P';
    if (name == "cudaProfilerStop") order += 'p';
    if (name == "cudaStreamBeginCapture") order += 'C';
    if (name == "cudaStreamEndCapture") order += 'c';
  });
  work();
  on_call({});
  return order;
}

struct ProfiledCall : ::testing::Test {
  void TearDown() override { unsetenv("ISOPATCH_BENCH_PROFILE"); }

  static std::string order() {
    const Scene scene(test::boxes_on_ground());
    const test::Batch batch = test::random_batch(scene, 3, 11);
    ResultArrays results(scene, 3);
    const Evaluator evaluator(scene, {.backend = Backend::kCuda});
    const bench::DeviceArrays arrays(batch.state(), results.view(), scene);
    return order_of_calls([&] {
      const bench::GraphTimer timer(
          [&](void* stream) { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
    });
  }
};

TEST_F(ProfiledCall, IsTheSecondOneOutsideTheGraph) {
  const std::string bare = order();  // a call, and one that is captured
  const std::string launches = bare.substr(0, bare.find('C'));
  ASSERT_GT(launches.size(), 0u);
  EXPECT_EQ(launches.find_first_not_of('L'), std::string::npos) << launches;
  EXPECT_EQ(bare, launches + "C" + launches + "c");
  setenv("ISOPATCH_BENCH_PROFILE", "1", 1);
  EXPECT_EQ(order(), launches + "P" + launches + "pC" + launches + "c");
}

}  // namespace
}  // namespace isopatch::emulator
