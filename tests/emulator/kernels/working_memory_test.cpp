// SPDX-License-Identifier: Apache-2.0
//
// Calls that throw an error halfway, and what follows them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

using test::Graph;

struct EmulatedFailures : ::testing::Test {
  static constexpr int kLaunches = 6;  // of a call: environments, four stages, what is left
  static constexpr int kFinish = 4;    // the last of the stages, which leaves sums of zero

  const Scene scene{test::boxes_on_ground()};
  const test::Batch batch = test::random_batch(scene, 6, 501);
  const std::vector<double> cpu = test::on_cpu(scene, batch);
  const Evaluator evaluator =
      detail::make_evaluator(scene, {{.backend = Backend::kCuda}, detail::PairStages::kSeveral});
  const test::DeviceBatch arrays{scene, batch};
  const detail::Stream stream;

  void call() const { evaluator.evaluate(arrays.state(), arrays.results(), stream); }
  void call_that_fails(int launch) const {
    fail_launch(launch);
    EXPECT_THROW(call(), Error);
  }
  void expect_right() const {
    ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_EQ(arrays.fetch(), cpu);
  }
};

TEST_F(EmulatedFailures, LeaveNothingToTheNextCall) {
  EXPECT_TRUE(std::any_of(cpu.begin(), cpu.end(), [](double x) { return x != 0; }));
  for (int launch = 0; launch < kLaunches; ++launch) {
    SCOPED_TRACE(launch);
    call_that_fails(launch);
    call();
    expect_right();
  }
}

TEST_F(EmulatedFailures, LeaveNothingToTheNextCallOfACapture) {
  for (int launch = 0; launch < kLaunches; ++launch) {
    SCOPED_TRACE(launch);
    const Graph graph(stream, [&] {
      call_that_fails(launch);
      call();
    });
    for (int replay = 0; replay < 2; ++replay) {
      graph.replay();
      expect_right();
    }
  }
}

TEST_F(EmulatedFailures, LeaveNothingToTheNextGraph) {
  for (int launch = 0; launch < kLaunches; ++launch) {
    SCOPED_TRACE(launch);
    Graph(stream, [&] { call_that_fails(launch); }).replay();
    const Graph graph(stream, [&] { call(); });
    graph.replay();
    expect_right();
  }
}

TEST_F(EmulatedFailures, KeepNoMemory) {
  const auto used_after = [&](const auto& work) {
    work();
    call();
    ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
    return used_memory(0);
  };
  const auto fail = [&] { call_that_fails(kFinish); };
  const auto fail_in_capture = [&] {
    Graph(stream, fail).replay();
    Graph(stream, [&] { call(); }).replay();
  };
  const std::size_t once = used_after(fail);
  EXPECT_EQ(used_after(fail), once);
  const std::size_t captured = used_after(fail_in_capture);
  EXPECT_EQ(used_after(fail_in_capture), captured);
}

}  // namespace
}  // namespace isopatch::emulator
