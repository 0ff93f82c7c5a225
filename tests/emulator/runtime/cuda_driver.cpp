// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA driver that the library asks the runtime for, and what tests see of both.
#include <cuda.h>
#include <cuda_profiler_api.h>

#include <cstring>

#include "tests/emulator/runtime/observe.h"
#include "tests/emulator/runtime/runtime.h"

using namespace isopatch::emulator;

namespace {

// a context is the number of its device, counted from 1
CUresult retain(CUcontext* context, CUdevice device) {
  const auto lock = entered("cuDevicePrimaryCtxRetain");
  runtime().contexts.at(static_cast<std::size_t>(device)) = true;
  *context = reinterpret_cast<CUcontext>(static_cast<std::uintptr_t>(device) + 1);
  return CUDA_SUCCESS;
}
CUresult push(CUcontext context) {
  const auto lock = entered("cuCtxPushCurrent");
  caller.pushed.push_back(static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1);
  runtime().current();
  return CUDA_SUCCESS;
}
CUresult pop(CUcontext*) {
  const auto lock = entered("cuCtxPopCurrent");
  caller.pushed.pop_back();
  return CUDA_SUCCESS;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): NVIDIA's
extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult* status) {
  const auto lock = entered(__func__);
  *function = nullptr;
  if (std::strcmp(name, "cuDevicePrimaryCtxRetain") == 0) *function = reinterpret_cast<void*>(retain);
  if (std::strcmp(name, "cuCtxPushCurrent") == 0) *function = reinterpret_cast<void*>(push);
  if (std::strcmp(name, "cuCtxPopCurrent") == 0) *function = reinterpret_cast<void*>(pop);
  *status = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// no profiler is there
extern "C" cudaError_t cudaProfilerStart() {  // NOLINT(readability-identifier-naming): NVIDIA's
  const auto lock = entered(__func__);
  return cudaSuccess;
}
extern "C" cudaError_t cudaProfilerStop() {  // NOLINT(readability-identifier-naming): NVIDIA's
  const auto lock = entered(__func__);
  return cudaSuccess;
}

namespace isopatch::emulator {

std::map<std::string, int> take_calls() { return std::exchange(caller.calls, {}); }

std::map<std::string, std::uint32_t> take_grids() { return std::exchange(caller.grids, {}); }

void on_call(std::function<void(const std::string&)> observer) { caller.observer = std::move(observer); }
void fail_launch(int after) { caller.launches_before_failure = after; }
void run_only_last_blocks(int device, std::uint32_t blocks) {
  const std::lock_guard lock(runtime().mutex);
  runtime().device(device).run_only_last_blocks(blocks);
}

bool has_context(int device) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().contexts[static_cast<std::size_t>(device)];
}
void forget_contexts() {
  const std::lock_guard lock(runtime().mutex);
  runtime().contexts = {};
}

void set_shared_memory(int bytes) {
  const std::lock_guard lock(runtime().mutex);
  runtime().most_shared = bytes;
}
void set_memory(int device, std::size_t bytes) {
  const std::lock_guard lock(runtime().mutex);
  runtime().memory[static_cast<std::size_t>(device)] = bytes;
}
std::size_t used_memory(int device) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().device(device).memory().used();
}

void set_driver(int version) {
  const std::lock_guard lock(runtime().mutex);
  runtime().driver = version;
}

std::map<std::string, SharedMemoryUse> shared_memory() {
  const std::lock_guard lock(runtime().mutex);
  std::map<std::string, SharedMemoryUse> found;
  for (const auto& [name, percent] : runtime().carveouts) {
    found[name] = {runtime().kernel(runtime().device(0), name).shared_bytes, percent};
  }
  return found;
}

std::vector<std::string> kernels_with_generic_atomics() {
  const std::lock_guard lock(runtime().mutex);
  runtime().read_all();
  return runtime().device(0).kernels_with_generic_atomics();
}

std::map<std::string, std::uint32_t> local_memory() {
  const std::lock_guard lock(runtime().mutex);
  runtime().read_all();
  return runtime().device(0).local_memory();
}

}  // namespace isopatch::emulator
