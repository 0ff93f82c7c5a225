// SPDX-License-Identifier: Apache-2.0
//
// The time of a grid on one streaming multiprocessor: four schedulers, each of which issues an instruction of one of
// its warps in a cycle, if the compiler's stall counts and scoreboards, the units and the fetch of instructions allow
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/cycle_model/timing.h"
#include "bench/cycle_model/warp.h"

namespace isopatch::cycle_model {

/// Sums over a launch.
struct Sums {
  u64 cycles = 0;
  u64 issued = 0;        // warp instructions
  u64 lanes = 0;         // that took part in them
  u64 passes = 0;        // through the load and store unit
  u64 lines = 0;         // of the first-level cache, touched by an access
  u64 missed_lines = 0;  // that were not there

  std::vector<bool> executed;  // whether any lane took part, of each instruction
};

/// The blocks of a kernel that a processor holds at once, with so many bytes of shared memory in each.
int resident_blocks(const Timing& timing, const Kernel& kernel, u32 block, u32 shared_bytes);

/// Executes the grid on one processor. Throws emulator::DeviceFault.
Sums run(const Timing& timing, const Launch& launch);

}  // namespace isopatch::cycle_model
