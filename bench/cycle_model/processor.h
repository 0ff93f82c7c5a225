// SPDX-License-Identifier: Apache-2.0
//
// The time of a grid on some streaming multiprocessors: each has four schedulers, and a scheduler issues an instruction
// of one of its warps in a cycle, if the compiler's stall counts and scoreboards, the units, the registers and the
// fetch of instructions allow it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bench/cycle_model/memory_system.h"
#include "bench/cycle_model/timing.h"
#include "bench/cycle_model/warp.h"

namespace isopatch::cycle_model {

/// What a scheduler waits for that issues nothing: the stall count of an instruction, instructions and constants, a
/// result, a unit, the processor's load and store unit, or the registers of the last instruction.
enum class Wait : std::uint8_t { kStall, kFetch, kResult, kUnit, kMemoryUnit, kRegisters };
inline constexpr std::array<const char*, 6> kWaits = {"stall", "fetch", "result", "unit", "memory_unit", "registers"};

/// Sums over a launch, of the processors that were executed.
struct Sums {
  u64 cycles = 0;                             // from the launch to the end
  u64 issued = 0;                             // warp instructions
  u64 lanes = 0;                              // that took part in them
  u64 passes = 0;                             // through the load and store unit
  u64 lines = 0;                              // of the first-level cache, touched by an access
  u64 missed_lines = 0;                       // that were not there, or not all of what was wanted
  u64 second_level_bytes = 0;                 // moved to and from the second-level cache
  u64 memory_bytes = 0;                       // and the device's memory
  std::array<u64, kWaits.size()> waits = {};  // cycles of schedulers

  std::vector<bool> executed;  // whether any lane took part, of each instruction
};

/// The blocks of a kernel that a processor holds at once, with so many bytes of shared memory in each.
int resident_blocks(const Timing& timing, const Kernel& kernel, u32 block, u32 shared_bytes);

/// Executes the grid on the processors of `memory`. Throws emulator::DeviceFault.
Sums run(const Timing& timing, const Launch& launch, MemorySystem& memory);

}  // namespace isopatch::cycle_model
