// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/emulator/memory.h"
#include "tests/emulator/program.h"
#include "tests/emulator/warp.h"

namespace isopatch::emulator {

/// A device that executes kernels' PTX on the host. Warps of the blocks that are resident take turns of random lengths,
/// so that their order differs from launch to launch.
class Device {
 public:
  static constexpr int kProcessors = 2, kBlocksPerProcessor = 2, kThreadsPerProcessor = 2048;
  static constexpr int kArchitecture = 90, kSharedPerProcessor = 228 << 10, kSharedPerBlock = 227 << 10;

  /// The program must outlive the device.
  void load(const Program& program);

  bool has(const std::string& name) const { return kernels_.contains(name); }

  /// Throws std::out_of_range where no kernel has this name.
  const Kernel& kernel(const std::string& name) const;

  /// Runs a grid to its end, with so many bytes of dynamic shared memory in each block. Throws DeviceFault.
  void launch(const Kernel& kernel, std::uint32_t grid, std::uint32_t block, std::span<const std::byte> parameters,
              std::uint32_t dynamic_shared = 0);

  /// Launches run only so many of the last blocks of their grid: a grid can have more than can be run here.
  void run_only_last_blocks(std::uint32_t blocks) { most_blocks_ = blocks; }

  GlobalMemory& memory() { return memory_; }

  /// The local memory that each kernel declares, in bytes: arrays that it indexes with something else than constants.
  std::map<std::string, std::uint32_t> local_memory() const;

  /// The kernels with atomics of any kind of memory.
  std::vector<std::string> kernels_with_generic_atomics() const;

  /// What was issued to warps since the start, as JSON: for each kernel, and for each function with all that was
  /// inlined into it, warp instructions, how many of them compute in double, their lanes and memory transactions. The
  /// last are counted only if that was requested before the launches.
  std::string profile() const;
  void count_transactions() { counts_transactions_ = true; }

 private:
  struct Loaded {
    const Program* program = nullptr;
    const Kernel* kernel = nullptr;
    std::vector<Count> counts;
    std::uint64_t launches = 0;
  };

  GlobalMemory memory_;
  std::map<std::string, Loaded> kernels_;
  std::minstd_rand random_{1};
  bool counts_transactions_ = false;
  std::uint32_t most_blocks_ = ~0u;
};

/// Runs kernels in place of the emulated devices, on their memory. A program that has its own sets `engine` before the
/// first call of the runtime; bench/cycle_model is one. Of the PTX, only the kernels' parameters are read then.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual int processors() const = 0;
  /// Blocks of the kernel that a processor holds at once.
  virtual int resident_blocks(const std::string& kernel, std::uint32_t block, std::uint32_t dynamic_shared) const = 0;
  /// Runs a grid to its end. Throws DeviceFault.
  virtual void launch(const std::string& kernel, std::uint32_t grid, std::uint32_t block,
                      std::span<const std::byte> parameters, GlobalMemory& memory, std::uint32_t dynamic_shared) = 0;
};

inline Engine* engine = nullptr;  // nullptr: the devices do it themselves

}  // namespace isopatch::emulator
