// SPDX-License-Identifier: Apache-2.0
//
// 32 lanes that execute a kernel in lockstep. Where a branch parts them, one side goes first, to the instruction where
// all ways meet again; an instruction that needs all lanes together while some are elsewhere is a fault.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tests/emulator/memory.h"
#include "tests/emulator/program.h"

namespace isopatch::emulator {

/// How often an instruction was issued to a warp, and for how many lanes in all.
struct Count {
  std::uint64_t issued = 0, lanes = 0;
  std::uint64_t transactions = 0;  // 32-byte sectors of global memory, or passes through the banks of shared memory
};

struct Launch {
  const Program* program;
  const Kernel* kernel;
  std::span<const std::byte> parameters;
  GlobalMemory* memory;
  std::uint32_t grid, block;  // blocks, threads a block
  std::span<Count> counts;    // one for each instruction
  bool counts_transactions;
  std::uint32_t dynamic_shared = 0;  // bytes of shared memory beyond what the kernel declares

  /// For messages: the kernel, and where the instruction comes from.
  std::string location_of(const Instruction& i) const;
};

class Warp {
 public:
  Warp(const Launch& launch, SharedMemory& shared, std::uint32_t block, std::uint32_t first_thread);

  /// Executes up to `most` instructions, or to a barrier of the block; false when all lanes have ended. Throws
  /// DeviceFault.
  bool advance(int most);

  /// At a barrier of the block, which it leaves by pass_block_barrier().
  bool waits() const { return waits_; }
  void pass_block_barrier() { ++block_barriers_, waits_ = false; }

  // For the instructions:

  template <class T>
  T* lanes(Slot slot) {
    return reinterpret_cast<T*>(slots_[static_cast<std::size_t>(slot)].bytes);
  }
  template <class T>
  const T* lanes(Slot slot) const {
    return reinterpret_cast<const T*>(slots_[static_cast<std::size_t>(slot)].bytes);
  }
  std::uint32_t& mask(Slot slot) { return *lanes<std::uint32_t>(slot); }  // of a predicate
  std::uint32_t active() const { return active_; }
  bool is_active(int lane) const { return (active_ >> lane & 1u) != 0; }
  std::uint32_t alive() const { return alive_; }
  std::uint32_t thread(int lane) const { return first_thread_ + static_cast<std::uint32_t>(lane); }
  std::uint32_t block() const { return block_; }
  const Launch& launch() const { return launch_; }

  /// Where each active lane's access goes; throws DeviceFault where it must not.
  using Pointers = std::array<std::byte*, kLanes>;
  enum class Access : std::uint8_t { kRead, kWrite, kAtomic };
  void access(Access access, const Instruction& i, std::size_t size, Pointers& pointers);

  /// Lanes pass a barrier together.
  void pass_warp_barrier(std::uint32_t lanes);
  void wait_for_block() { waits_ = true; }
  /// Throws DeviceFault unless all lanes that have not ended are active and named by `members`.
  void require_together(std::uint32_t members) const;
  /// Throws DeviceFault unless each active lane names itself, and the lanes that it names and that have not ended are
  /// active and name the same ones.
  void require_members(const std::uint32_t* members) const;

 private:
  struct alignas(64) Lanes {
    std::byte bytes[8 * kLanes];
  };
  struct Path {  // lanes on their way to where they meet others
    std::int32_t at, until;
    std::uint32_t lanes;
  };

  std::uint64_t address(const Instruction& i, int lane) const;
  bool is_uniform(const Instruction& i, std::uint64_t at) const;
  /// For lanes that access the same address, or their own local memory at it; the pointer is that of the first.
  std::byte* check(Access access, const Instruction& i, std::uint64_t at, std::size_t size, std::uint32_t lanes);
  void count_transactions(const Instruction& i, std::size_t size);
  void execute(const Instruction& i);
  void branch(const Instruction& i, std::uint32_t taken);
  void end(std::uint32_t lanes);
  void meet();

  const Launch& launch_;
  SharedMemory& shared_;
  LocalMemory local_;
  std::unique_ptr<Lanes[]> slots_;
  std::vector<Path> paths_;  // the last one runs
  std::uint32_t number_, block_, first_thread_;
  std::uint32_t active_ = 0, alive_ = ~0u, block_barriers_ = 0;
  // That a lane has passed, or one that it met at a barrier. So a race of lanes that have met others since may be
  // missed.
  std::array<std::uint32_t, kLanes> warp_barriers_ = {};
  bool waits_ = false;
};

}  // namespace isopatch::emulator
