// SPDX-License-Identifier: Apache-2.0
//
// Calls and graphs of one evaluator that are on their way at the same time, and calls that come early.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <latch>
#include <thread>

#include "kernels/runtime/host_batch.h"
#include "tests/support/device_calls.h"

namespace isopatch::test {
namespace {

struct GpuConcurrentCalls : DeviceCalls {
  Evaluator evaluator() const { return Evaluator(scene, {.backend = Backend::kCuda, .device = 0}); }
};

/// A batch in device memory, and what the CPU makes of it.
struct Call {
  Batch batch;
  DeviceBatch arrays;
  std::vector<double> expected;

  Call(const Scene& scene, std::int64_t environments, unsigned seed, double spread = 0.16)
      : batch(random_batch(scene, environments, seed, spread)), arrays(scene, batch), expected(on_cpu(scene, batch)) {}

  void enqueue(const Evaluator& evaluator, cudaStream_t stream) const {
    evaluator.evaluate(arrays.state(), arrays.results(), stream);
  }
  void expect(const char* what) const {
    ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_EQ(arrays.fetch(), expected) << what;
  }
};

TEST_F(GpuConcurrentCalls, AStreamThatWaitsForNoneMayCallRightAfterConstruction) {
  const Call call(scene, 6, 401);
  const Stream stream(cudaStreamNonBlocking);
  for (int turn = 0; turn < 10; ++turn) {
    const Evaluator made = evaluator();
    call.enqueue(made, stream);
    call.expect("right after construction");
  }
}

TEST_F(GpuConcurrentCalls, AStreamThatWaitsForNoneMayCallRightAfterReserve) {
  SceneDescription description;
  description.geometries = {make_sphere("ball", 0.1, 3)};
  description.bodies.resize(2);
  description.bodies[0].name = "a";
  description.bodies[1].name = "b";
  description.pairs = all_pairs(description);
  const Scene balls(description);  // one pair of them is shared by warps, in sums that must be zero
  const Call call(balls, 1, 402, 0.1);
  EXPECT_TRUE(std::any_of(call.expected.begin(), call.expected.end(), [](double x) { return x != 0; }));
  const Stream stream(cudaStreamNonBlocking);
  for (int turn = 0; turn < 10; ++turn) {
    const Evaluator made(balls, {.backend = Backend::kCuda, .device = 0});
    made.reserve(1);
    call.enqueue(made, stream);
    call.expect("right after reserve()");
  }
}

TEST_F(GpuConcurrentCalls, AGraphReplaysAfterALargerReserveAndALargerCall) {
  const Evaluator made = evaluator();
  const Call small(scene, 6, 403), large(scene, 40, 404);
  const Stream stream(cudaStreamDefault);
  made.reserve(6);
  const Graph graph(stream, [&] { small.enqueue(made, stream); });
  made.reserve(40);
  graph.replay();
  small.expect("after reserve()");
  large.enqueue(made, nullptr);
  graph.replay();
  small.expect("after a call");
  large.expect("the call");
}

TEST_F(GpuConcurrentCalls, TheFirstCallMayBeCaptured) {
  const Evaluator made = evaluator();
  const Call call(scene, 6, 405);
  const Stream stream(cudaStreamDefault);
  const Graph graph(stream, [&] { call.enqueue(made, stream); });
  graph.replay();
  call.expect("captured");
}

TEST_F(GpuConcurrentCalls, StreamsNeedNotWaitForOneAnother) {
  const Evaluator made = evaluator();
  const Call first(scene, 6, 406), second(scene, 9, 407), third(scene, 5, 408);
  const Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  for (int turn = 0; turn < 3; ++turn) {
    first.enqueue(made, a);
    second.enqueue(made, b);
    third.enqueue(made, nullptr);
  }
  first.expect("first");
  second.expect("second");
  third.expect("third");
}

TEST_F(GpuConcurrentCalls, GraphsNeedNotWaitForCallsNorForOtherGraphs) {
  const Evaluator made = evaluator();
  const Call eager(scene, 6, 409), first(scene, 6, 410), second(scene, 6, 411);
  const Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking), c(cudaStreamNonBlocking);
  const Graph of_first(a, [&] { first.enqueue(made, a); }), of_second(a, [&] { second.enqueue(made, a); });
  for (int turn = 0; turn < 3; ++turn) {
    of_first.launch(a);
    of_second.launch(b);
    eager.enqueue(made, c);
  }
  eager.expect("a call");
  first.expect("first graph");
  second.expect("second graph");
}

TEST_F(GpuConcurrentCalls, BranchesOfAGraphNeedNotWaitForOneAnother) {
  const Evaluator made = evaluator();
  const Call first(scene, 8, 412), second(scene, 6, 413), third(scene, 7, 414);
  const Stream a(cudaStreamNonBlocking), b(cudaStreamNonBlocking);
  const detail::Event fork, join;
  const Graph graph(a, [&] {
    ISOPATCH_CUDA_CHECK(cudaEventRecord(fork, a));
    ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(b, fork, 0));
    first.enqueue(made, a);
    second.enqueue(made, b);
    ISOPATCH_CUDA_CHECK(cudaEventRecord(join, b));
    ISOPATCH_CUDA_CHECK(cudaStreamWaitEvent(a, join, 0));
    third.enqueue(made, a);
  });
  for (int turn = 0; turn < 3; ++turn) graph.replay();
  first.expect("first branch");
  second.expect("second branch");
  third.expect("after both");
}

TEST_F(GpuConcurrentCalls, ThreadsMayCallOneEvaluatorAndReserve) {
  const Evaluator made = evaluator();
  std::deque<Call> calls;
  for (unsigned i = 0; i < 8; ++i) calls.emplace_back(scene, 3 + 2 * i, 415 + i);
  std::latch start(2);
  const auto work = [&](std::size_t first) {  // every second call
    const Stream stream(cudaStreamNonBlocking);
    start.arrive_and_wait();
    for (std::size_t i = first; i < calls.size(); i += 2) {
      made.reserve(calls[i].batch.num_environments);
      for (int turn = 0; turn < 3; ++turn) calls[i].enqueue(made, stream);
    }
    ISOPATCH_CUDA_CHECK(cudaStreamSynchronize(stream));
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  for (const Call& call : calls) call.expect("from two threads");
}

TEST_F(GpuConcurrentCalls, ThreadsMayCallOneHostEvaluator) {
  const HostEvaluator made(scene, {.backend = Backend::kCuda});
  const auto work = [&](unsigned seed) {
    for (const std::int64_t environments : {4, 11, 2}) {
      const Batch batch = random_batch(scene, environments, seed++);
      std::vector<double> wrenches(static_cast<std::size_t>(environments * scene.num_pairs() * 6));
      Results results;
      results.pair_wrench = wrenches.data();
      State state;
      state.num_environments = environments;
      state.poses = batch.poses.data();
      made.evaluate(state, results);
      EXPECT_EQ(wrenches, on_cpu(scene, batch)) << environments;
    }
  };
  std::thread other(work, 431);
  work(441);
  other.join();
}

// Each chunk of a few environments, on its way to the device while another comes back.
TEST_F(GpuConcurrentCalls, ChunksOfABatchHaveTheBitsOfTheCpu) {
  const Batch batch = random_batch(scene, 13, 451, 0.16, true);
  UnwrittenResults cpu(scene, 13), cuda(scene, 13);
  State state = batch.state();
  Evaluator(scene).evaluate(state, cpu.view());
  const Evaluator made = evaluator();
  for (const std::size_t chunk_bytes : {1, 20000, 100000}) {
    detail::HostBatch host_batch(chunk_bytes);
    int chunks = 0;
    const Results results = cuda.view();
    const ArrayCounts counts = cuda.counts();
    for_each_input([&](const ArrayInfo& info, auto& array) { array.stride = counts.row(info); }, state);
    host_batch.evaluate(scene, state, results,
                        [&](const State& s, const Results& r, std::int64_t, cudaStream_t stream) {
                          ++chunks;
                          made.evaluate(s, r, stream);
                        });
    EXPECT_GT(chunks, 1);
    EXPECT_EQ(hash_of(cuda), hash_of(cpu));
  }
}

}  // namespace
}  // namespace isopatch::test
