// SPDX-License-Identifier: Apache-2.0
//
// What must work while another thread captures a stream of its own, and must not end that capture.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <string>
#include <tuple>

#include "tests/support/device_calls.h"
#include "tests/support/rollout_scenes.h"

namespace isopatch::test {
namespace {

/// Captures work in another thread, from construction until it is told to go on.
class OtherCapture {
 public:
  using Work = std::function<void(cudaStream_t)>;

  OtherCapture(unsigned flags, cudaStreamCaptureMode mode, const Work& work)
      : end_(std::async(std::launch::async, [this, flags, mode, work] { return capture(flags, mode, work); })) {
    begun_.get_future().wait();
  }
  ~OtherCapture() {
    if (end_.valid()) replay();
  }
  OtherCapture(const OtherCapture&) = delete;
  OtherCapture& operator=(const OtherCapture&) = delete;

  /// Ends the capture, and replays what it captured. The name of the first error.
  std::string replay() {
    may_end_.set_value();
    return end_.get();
  }

 private:
  std::string capture(unsigned flags, cudaStreamCaptureMode mode, const Work& work) {
    const Stream stream(flags);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaError_t error = cudaStreamBeginCapture(stream, mode);
    if (error == cudaSuccess) work(stream);
    begun_.set_value();
    may_end_.get_future().wait();
    const cudaError_t end = cudaStreamEndCapture(stream, &graph);
    if (error == cudaSuccess) error = end;
    if (error == cudaSuccess) error = cudaGraphInstantiate(&executable, graph, 0);
    if (error == cudaSuccess) error = cudaGraphLaunch(executable, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    return cudaGetErrorName(error);
  }

  std::promise<void> begun_, may_end_;
  std::future<std::string> end_;
};

/// By the flags of the stream and the mode of the capture.
struct GpuCapturesElsewhere : ::testing::TestWithParam<std::tuple<unsigned, cudaStreamCaptureMode>> {
  const Scene scene{boxes_on_ground()};
  const Batch batch = random_batch(scene, 4, 461);

  void SetUp() override {
    if (!cuda_available()) GTEST_SKIP() << "no CUDA device";
  }

  /// Calls work() while another thread captures a call, and expects that its graph does what it should.
  void during_a_capture(const std::function<void()>& work) const {
    const Evaluator evaluator(scene, {.backend = Backend::kCuda, .device = 0});
    const DeviceBatch arrays(scene, batch);
    evaluator.reserve(batch.num_environments);
    OtherCapture capture(std::get<0>(GetParam()), std::get<1>(GetParam()),
                         [&](cudaStream_t stream) { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
    EXPECT_NO_THROW(work());
    EXPECT_EQ(capture.replay(), "cudaSuccess");
    EXPECT_EQ(arrays.fetch(), on_cpu(scene, batch));
  }
};

TEST_P(GpuCapturesElsewhere, LetEvaluatorsOfHostArraysComeAndGo) {
  std::vector<double> wrenches(static_cast<std::size_t>(batch.num_environments * scene.num_pairs() * 6));
  during_a_capture([&] {  // in double, whose kernels are not loaded yet
    const HostEvaluator made(scene, {.backend = Backend::kCuda, .precision = Precision::kDouble});
    State state;
    state.num_environments = batch.num_environments;
    state.poses = batch.poses.data();
    Results results;
    results.pair_wrench = wrenches.data();
    made.evaluate(state, results);
  });
  EXPECT_EQ(wrenches, on_cpu(scene, batch, Precision::kDouble));
}

TEST_P(GpuCapturesElsewhere, LetEvaluatorsReserveKeepCandidatesAndEvaluate) {
  const DeviceBatch arrays(scene, batch);
  during_a_capture([&] {
    const Stream stream;
    const Evaluator made(scene, {.backend = Backend::kCuda, .precision = Precision::kDouble, .device = 0});
    made.reserve(1);
    CandidateCache candidates = made.make_candidate_cache(batch.num_environments, 1e-3);
    for (int turn = 0; turn < 2; ++turn) made.evaluate(arrays.state(), arrays.results(), candidates, stream);
  });
  EXPECT_EQ(arrays.fetch(), on_cpu(scene, batch, Precision::kDouble));
}

TEST_P(GpuCapturesElsewhere, LetSimulatorsOfHostArraysComeAndGo) {
  const Scene dropped(dropped_bodies(Integrator::kEuler));
  RolloutStateArrays state = random_states(dropped.description(), 2, 462), expected = state;
  HostSimulator(dropped).step(expected.view(), {}, {}, 2);
  during_a_capture([&] {
    const HostSimulator made(dropped, {.backend = Backend::kCuda});
    made.step(state.view());
    made.step(state.view());
  });
  EXPECT_EQ(state.poses, expected.poses);
  EXPECT_EQ(state.velocities, expected.velocities);
}

std::string name_of(const ::testing::TestParamInfo<GpuCapturesElsewhere::ParamType>& info) {
  const char* const modes[] = {"Global", "ThreadLocal", "Relaxed"};
  const auto [flags, mode] = info.param;
  return std::string(flags == cudaStreamDefault ? "Blocking" : "NonBlocking") + modes[mode];
}

INSTANTIATE_TEST_SUITE_P(Streams, GpuCapturesElsewhere,
                         ::testing::Combine(::testing::Values(cudaStreamDefault, cudaStreamNonBlocking),
                                            ::testing::Values(cudaStreamCaptureModeGlobal,
                                                              cudaStreamCaptureModeThreadLocal,
                                                              cudaStreamCaptureModeRelaxed)),
                         name_of);

}  // namespace
}  // namespace isopatch::test
