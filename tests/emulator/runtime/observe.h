// SPDX-License-Identifier: Apache-2.0
//
// What tests see and set of the emulated runtime, beyond what CUDA has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace isopatch::emulator {

/// How often this thread called each function of the runtime since it last asked.
std::map<std::string, int> take_calls();

/// The largest grid of each kernel that this thread launched since it last asked, in blocks.
std::map<std::string, std::uint32_t> take_grids();

/// Called with the name of each function of the runtime as this thread enters it; it may wait for other threads. Empty:
/// none is.
void on_call(std::function<void(const std::string&)> observer);

/// Lets a launch of this thread fail, after so many that do not.
void fail_launch(int after);

/// Of the grids on a device, only so many blocks run, the last ones. ~0u: all of them do.
void run_only_last_blocks(int device, std::uint32_t blocks);

/// Whether anything has made a context on the device since the last forget_contexts().
bool has_context(int device);
void forget_contexts();

/// The memory of a device, in bytes; 16 GiB at the start.
void set_memory(int device, std::size_t bytes);
std::size_t used_memory(int device);

/// The shared memory that a block may ask for on any device, in bytes; 227 KiB at the start.
void set_shared_memory(int bytes);

/// The version of CUDA that the driver offers, as 12080; 0: there is no driver. At the start that of the runtime, or
/// what the environment has as ISOPATCH_EMULATOR_DRIVER.
void set_driver(int version);

/// Shared memory of a kernel that asks for a part of what a processor has.
struct SharedMemoryUse {
  std::uint32_t of_block;  // bytes that it declares
  int carveout;            // percent of all
};
std::map<std::string, SharedMemoryUse> shared_memory();

/// The kernels with an atomic for any kind of memory, though all that are shared are in global memory.
std::vector<std::string> kernels_with_generic_atomics();

/// The local memory that each kernel declares, in bytes. Reads all kernels, of which others read those they need.
std::map<std::string, std::uint32_t> local_memory();

}  // namespace isopatch::emulator
