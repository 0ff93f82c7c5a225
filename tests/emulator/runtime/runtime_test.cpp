// SPDX-License-Identifier: Apache-2.0
//
// The emulated runtime does late what a real one may do late; and what the library asks of a runtime.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <thread>

#include "isopatch/detail/polygon/boundary_sides.h"
#include "isopatch/detail/scene/begin_environment.h"
#include "isopatch/detail/single_contact/evaluate_single_contacts.h"
#include "kernels/runtime/device_guard.h"
#include "kernels/runtime/loaded_kernel.h"
#include "tests/emulator/runtime/observe.h"
#include "tests/support/device_calls.h"

namespace isopatch::emulator {
namespace {

using test::Batch;
using test::DeviceBatch;
using test::Stream;

TEST(EmulatedRuntime, StreamsThatWaitForNoneOvertakeCopiesFromPageableMemory) {
  int *device = nullptr, *pinned = nullptr;
  const int numbers[2] = {1, 2};
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), sizeof numbers), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&pinned), sizeof numbers, 0), cudaSuccess);
  const Stream waits(cudaStreamDefault), waits_for_none(cudaStreamNonBlocking);
  bool overtakes = false;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(cudaMemset(device, 0, sizeof numbers), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(device, numbers, sizeof numbers, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(pinned, device, sizeof numbers, cudaMemcpyDeviceToHost, waits_for_none), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(waits_for_none), cudaSuccess);
    overtakes |= pinned[1] == 0;
    ASSERT_EQ(cudaMemcpyAsync(pinned, device, sizeof numbers, cudaMemcpyDeviceToHost, waits), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(waits), cudaSuccess);
    EXPECT_EQ(pinned[1], 2);
  }
  EXPECT_TRUE(overtakes);
  cudaFreeHost(pinned);
  cudaFree(device);
}

constexpr cudaStreamCaptureMode kModes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                            cudaStreamCaptureModeRelaxed};

/// Ends a capture, and returns the error, which the next call of the library does not find.
cudaError_t end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream, &graph);
  EXPECT_EQ(graph == nullptr, error != cudaSuccess);
  cudaGraphDestroy(graph);
  cudaGetLastError();
  return error;
}

// A refused call ends the captures that refuse it.
TEST(EmulatedRuntime, CapturesForbidToAllocateAndToWait) {
  for (const cudaStreamCaptureMode mode : kModes) {
    for (cudaStreamCaptureMode of_thread : kModes) {
      for (const bool in_this_thread : {true, false}) {
        SCOPED_TRACE(::testing::Message() << mode << ' ' << of_thread << ' ' << in_this_thread);
        const Stream captured, other;
        ASSERT_EQ(cudaStreamBeginCapture(captured, mode), cudaSuccess);
        const auto attempt = [&] {
          void* memory = nullptr;
          cudaThreadExchangeStreamCaptureMode(&of_thread);
          const cudaError_t allocation = cudaMalloc(&memory, 4);
          EXPECT_EQ(cudaStreamSynchronize(other), allocation);
          EXPECT_EQ(cudaFree(memory), memory == nullptr ? cudaSuccess : allocation);
          cudaThreadExchangeStreamCaptureMode(&of_thread);
          return allocation;
        };
        cudaError_t error = cudaSuccess;
        if (in_this_thread) {
          error = attempt();
        } else {
          std::thread([&] { error = attempt(); }).join();
        }
        const cudaStreamCaptureMode lenient = std::max(mode, of_thread);  // the last mode forbids nothing
        const bool forbidden =
            in_this_thread ? lenient != cudaStreamCaptureModeRelaxed : lenient == cudaStreamCaptureModeGlobal;
        EXPECT_EQ(error, forbidden ? cudaErrorStreamCaptureUnsupported : cudaSuccess);
        EXPECT_EQ(end_capture(captured), forbidden ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
      }
    }
  }
}

TEST(EmulatedRuntime, WorkOnTheLegacyStreamEndsCapturesOfStreamsThatWaitForIt) {
  detail::DeviceBuffer<std::byte> memory(4);
  std::byte host[4] = {};
  const std::function<cudaError_t()> calls[] = {
      [&] { return cudaMemcpy(memory.data(), host, 4, cudaMemcpyHostToDevice); },
      [&] { return cudaMemsetAsync(memory.data(), 0, 4, nullptr); }, [&] { return cudaStreamSynchronize(nullptr); }};
  for (const unsigned flags : {cudaStreamDefault, cudaStreamNonBlocking}) {
    for (const auto& call : calls) {
      const Stream stream(flags);
      ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
      cudaError_t error = cudaSuccess;
      std::thread([&] { error = call(); }).join();
      const bool waits = flags == cudaStreamDefault;
      EXPECT_EQ(error, waits ? cudaErrorStreamCaptureImplicit : cudaSuccess);
      EXPECT_EQ(cudaMemsetAsync(memory.data(), 0, 4, stream), waits ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
      EXPECT_EQ(end_capture(stream), waits ? cudaErrorStreamCaptureInvalidated : cudaSuccess);
    }
  }
}

TEST(EmulatedRuntime, NothingWaitsForADeviceWithACapture) {
  const Stream stream;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end_capture(stream), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

// An array has a place in registers where all its indices are constants, and else in memory, for all that use it. So no
// loop over the lines of a polygon may begin or end at a variable.
TEST(EmulatedRuntime, KernelsIndexOnlyTablesOfBoundsAndListsOfSides) {
  const auto may_have = [](const std::string& kernel) {
    const auto has = [&](const char* name) { return kernel.find(name) != std::string::npos; };
    // of all functions that they call, each beside the others; ptxas, where one takes the place of another, makes 7248
    // bytes of the larger figure
    if (has("::take_polytope_steps")) return std::size_t{has("true>") ? 98304u : 6656u};
    // trees pass what they share from function to function, and have columns of six numbers
    if (has("CudaTreeWarp") || has("(isopatch::detail::SolvedBy)3") || has(", true>")) return std::size_t{2560};
    if (has("::begin_")) return 4 * sizeof(detail::BodyBounds);
    if (has("::evaluate_single_contacts")) return sizeof(detail::DampingMatrix) + sizeof(detail::PatchContacts);
    const char* const by_sides[] = {"::evaluate_pairs", "::evaluate_by_blocks", "::write_patch_contacts",
                                    "::find_contacts", "::take_substeps"};
    if (!std::any_of(std::begin(by_sides), std::end(by_sides), has)) return std::size_t{0};
    return has("double") ? sizeof(detail::SideList<double>) : sizeof(detail::SideList<float>);
  };
  std::size_t with_lists = 0;
  for (const auto& [kernel, bytes] : local_memory()) {
    EXPECT_LE(bytes, may_have(kernel)) << kernel;
    with_lists += bytes > 0 ? 1 : 0;
  }
  EXPECT_GT(with_lists, 0U);
}

// An atomic for any kind of memory is several instructions on a device: see CudaWarp::reserve().
TEST(EmulatedRuntime, KernelsHaveNoAtomicsForAnyKindOfMemory) {
  const std::vector<std::string> found = kernels_with_generic_atomics();
  EXPECT_EQ(found, std::vector<std::string>());
}

struct EmulatedCalls : ::testing::Test {
  const Scene scene{test::boxes_on_ground()};
  const Batch batch = test::random_batch(scene, 6, 501);
  const EvaluatorOptions cuda = {.backend = Backend::kCuda, .device = 0};

  template <class Call>
  static std::string message(const Call& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }
};

// CUDA allocates the local memory of kernels at their first launch.
TEST_F(EmulatedCalls, NeedRoomForTheLocalMemoryOfKernels) {
  const detail::DeviceGuard guard(1);
  const auto construct = [&] { Evaluator(scene, {.backend = Backend::kCuda, .device = 1}); };
  if (detail::local_memory_of_kernels() != 0) GTEST_SKIP() << "another test has loaded the kernels on this device";
  set_memory(1, used_memory(1) + (1 << 20));  // more than the meshes need
  EXPECT_NE(message(construct), "nothing was thrown");
  set_memory(1, std::size_t(16) << 30);
  construct();
  EXPECT_GT(detail::local_memory_of_kernels(), 1 << 20);
}

TEST_F(EmulatedCalls, AskTheDriverForNothingThatIsKnown) {
  const Evaluator evaluator(scene, cuda);
  const DeviceBatch arrays(scene, batch);
  const Stream stream(cudaStreamDefault);
  evaluator.evaluate(arrays.state(), arrays.results(), stream);
  take_calls();
  evaluator.evaluate(arrays.state(), arrays.results(), stream);
  const std::map<std::string, int> expected = {
      {"cudaGetDevice", 4},          // for the guard, and for the blocks of three kernels of pairs
      {"cudaStreamIsCapturing", 1},  // the check
      {"cudaStreamGetDevice", 1},
      {"cudaStreamGetCaptureInfo", 2},  // whose working memory: of the batch, and of the model
      {"cudaStreamWaitEvent", 2},       // the call before, for each of the two
      {"cudaLaunchKernel", 6},          // environments, four stages, what is left; no energies, no body wrenches
      {"cudaGetLastError", 3},
      {"cudaEventRecord", 2}};
  EXPECT_EQ(take_calls(), expected);
}

TEST_F(EmulatedCalls, WithPackedArraysAndPatchContactsAllocateNothingAfterReserve) {
  const Evaluator evaluator(scene, cuda);
  const DeviceBatch arrays(scene, batch);
  const auto environments = static_cast<std::size_t>(batch.num_environments);
  const detail::DeviceBuffer<Polygon> polygons(100);
  const detail::DeviceBuffer<std::int64_t> polygon_offsets(environments + 1), contact_offsets(environments + 1);
  Results results = arrays.results();
  results.contact_offsets = contact_offsets.data();
  evaluator.reserve(batch.num_environments, 100, 0, true);
  take_calls();
  const auto expect_no_allocation = [&] {
    evaluator.evaluate(arrays.state(), results);
    std::map<std::string, int> calls = take_calls();
    for (const char* name : {"cudaMalloc", "cudaFree", "cudaStreamSynchronize", "cudaDeviceSynchronize"}) {
      EXPECT_EQ(calls[name], 0) << name;
    }
  };
  expect_no_allocation();
  results.packed_polygons = {polygons.data(), 100};
  results.polygon_offsets = polygon_offsets.data();
  expect_no_allocation();
  const detail::DeviceBuffer<double> residual(environments * static_cast<std::size_t>(6 * scene.num_pairs()));
  take_calls();
  results.patch_residual = residual.data();
  expect_no_allocation();

  const DeviceBatch larger(scene, test::random_batch(scene, 2 * batch.num_environments, 502));
  evaluator.evaluate(larger.state(), larger.results());
  take_calls();
  expect_no_allocation();  // the larger set has room for rows and windows too
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
}

TEST_F(EmulatedCalls, FromHostMemoryAllocateNothingAgain) {
  const HostEvaluator evaluator(scene, cuda);
  std::vector<double> wrenches(static_cast<std::size_t>(batch.num_environments * scene.num_pairs() * 6));
  State state;
  state.num_environments = batch.num_environments;
  state.poses = batch.poses.data();
  Results results;
  results.pair_wrench = wrenches.data();
  evaluator.evaluate(state, results);
  take_calls();
  evaluator.evaluate(state, results);
  std::map<std::string, int> calls = take_calls();
  for (const char* name : {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cudaFreeHost", "cudaMemcpy",
                           "cudaPointerGetAttributes", "cudaDeviceSynchronize"}) {
    EXPECT_EQ(calls[name], 0) << name;
  }
  EXPECT_EQ(calls["cudaMemcpyAsync"], 2);
  EXPECT_EQ(wrenches, test::on_cpu(scene, batch));
}

// In threads of their own, which have not chosen a device yet.
TEST_F(EmulatedCalls, MakeNoContextOnOtherDevices) {
  const EvaluatorOptions second = {.backend = Backend::kCuda, .device = 1};
  std::optional<Evaluator> evaluator;
  std::optional<DeviceBatch> arrays;
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  forget_contexts();
  const auto in_a_thread = [](const auto& work) { std::thread(work).join(); };
  in_a_thread([&] { evaluator.emplace(scene, second); });
  EXPECT_FALSE(has_context(0)) << "construction";
  in_a_thread([&] { evaluator->reserve(20); });
  EXPECT_FALSE(has_context(0)) << "reserve()";
  in_a_thread([&] {
    const detail::DeviceGuard guard(1);
    arrays.emplace(scene, batch);
  });
  in_a_thread([&] {
    evaluator->evaluate(arrays->state(), arrays->results());
    int device = -1;
    ISOPATCH_CUDA_CHECK(cudaGetDevice(&device));
    EXPECT_EQ(device, 0);
  });
  EXPECT_FALSE(has_context(0)) << "evaluate()";
  {
    const detail::DeviceGuard guard(1);
    EXPECT_EQ(arrays->fetch(), test::on_cpu(scene, batch));
  }
  in_a_thread([&] { evaluator.reset(); });
  EXPECT_FALSE(has_context(0)) << "destruction";
  EXPECT_TRUE(has_context(1));
}

TEST_F(EmulatedCalls, SayWhichDriverIsTooOld) {
  EXPECT_EQ(cuda_problem(), "");
  const std::string needed = "this build needs CUDA 13, which drivers from 580 on offer";
  for (const auto& [version, problem] : {std::pair(12080, "the NVIDIA driver offers CUDA 12.8, and " + needed),
                                         std::pair(0, "there is no NVIDIA driver, and " + needed)}) {
    set_driver(version);
    EXPECT_EQ(num_cuda_devices(), 0);
    EXPECT_FALSE(cuda_available());
    EXPECT_EQ(cuda_problem(), problem);
    const std::string expected = "backend cuda: no usable device: " + problem + "; use cpu";
    EXPECT_EQ(message([&] { Evaluator(scene, cuda); }), expected);
    EXPECT_EQ(message([&] { HostEvaluator(scene, {.backend = Backend::kCuda}); }), expected);
    EXPECT_EQ(message([&] { Simulator(scene, cuda); }), expected);
  }
  set_driver(CUDART_VERSION);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(cuda_available());
}

TEST_F(EmulatedCalls, SayWhatMemoryTheyNeedAndWhatIsFree) {
  const Evaluator evaluator(scene, cuda);
  const DeviceBatch arrays(scene, batch);
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  set_memory(0, used_memory(0) + (3 << 19));  // 1.5 MiB
  const std::string reserve = message([&] { evaluator.reserve(200000); });
  EXPECT_NO_THROW(evaluator.evaluate(arrays.state(), arrays.results()));
  EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
  set_memory(0, used_memory(0) + 1000);
  const std::string construct = message([&] { Evaluator(scene, cuda); });
  set_memory(0, std::size_t(16) << 30);
  EXPECT_EQ(reserve,
            "backend cuda: the list of 600000 pairs of bodies (environments times pairs) needs 8.4 MiB; "
            "the device has 1.5 MiB free");
  EXPECT_TRUE(construct.starts_with("backend cuda: the scene's meshes need ")) << construct;
  EXPECT_TRUE(construct.ends_with(" MiB; the device has 0.1 MiB free")) << construct;
}

// Of the sizes that a processor of compute capability 9.0 can have, CUDA takes the next one from what is asked for.
TEST_F(EmulatedCalls, LeaveTheCacheWhatSearchesDoNotNeed) {
  constexpr std::uint32_t kSizes[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};  // KB
  const auto size_from = [&](double bytes) {
    return *std::find_if(std::begin(kSizes), std::end(kSizes), [&](std::uint32_t kb) { return kb * 1024 >= bytes; });
  };
  const Evaluator evaluator(scene, cuda);
  std::size_t searches = 0;
  for (const auto& [kernel, memory] : shared_memory()) {
    SCOPED_TRACE(kernel);
    EXPECT_NE(kernel.find("search_pairs"), std::string::npos);
    EXPECT_EQ(size_from(memory.carveout * kSizes[9] * 10.24), size_from(4 * (memory.of_block + 1024.0)));
    EXPECT_EQ(size_from(memory.carveout * kSizes[9] * 10.24), 100U);
    ++searches;
  }
  EXPECT_GE(searches, 3U);  // whole part pairs, kept ones and shares
}

// Without stages.
TEST_F(EmulatedCalls, DoWithoutWorkingMemoryThatTheDeviceDoesNotHave) {
  const DeviceBatch arrays(scene, batch);
  ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
  std::size_t room = std::size_t(16) << 30;
  for (const int launches : {6, 2}) {  // in stages; by one kernel
    const Evaluator evaluator(scene, cuda);
    const std::size_t before = used_memory(0);
    set_memory(0, std::min(room, before + room));
    for (int call = 0; call < 2; ++call) {
      take_calls();
      evaluator.evaluate(arrays.state(), arrays.results());
      EXPECT_EQ(arrays.fetch(), test::on_cpu(scene, batch));
      EXPECT_EQ(take_calls()["cudaLaunchKernel"], launches);
    }
    const std::size_t used = used_memory(0) - before;
    EXPECT_LT(used, room);
    room = used - 1;
    set_memory(0, std::size_t(16) << 30);
  }
}

TEST_F(EmulatedCalls, UseTheMemoryOfGraphsThatAreGone) {
  const Evaluator evaluator(scene, cuda);
  const DeviceBatch arrays(scene, batch);
  const Stream stream(cudaStreamDefault);
  const auto capture = [&] {
    const test::Graph graph(stream, [&] { evaluator.evaluate(arrays.state(), arrays.results(), stream); });
    graph.replay();
  };
  capture();
  const std::size_t used = used_memory(0);
  for (int i = 0; i < 5; ++i) capture();
  EXPECT_EQ(used_memory(0), used);
}

}  // namespace
}  // namespace isopatch::emulator
