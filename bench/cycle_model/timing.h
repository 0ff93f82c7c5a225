// SPDX-License-Identifier: Apache-2.0
//
// All that the model takes for true of a processor of an H100 or H200, in one place. Values are GUESSES, most of them
// from published measurements of this and earlier generations, until a device was asked: a file of values that were
// measured on one replaces them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cycle_model/instruction.h"

namespace isopatch::cycle_model {

/// What a scheduler issues to. A unit that is narrower than a warp is busy for several cycles.
enum class Unit : std::uint8_t { kFloat, kMultiply, kAlu, kDouble, kSpecial, kMemory, kUniform, kBranch };
inline constexpr std::size_t kUnits = 8;

/// How an instruction uses a unit.
struct Cost {
  std::string name;
  Unit unit = Unit::kAlu;
  std::int64_t interval = 2;  // cycles until the unit takes another
  std::int64_t latency = 12;  // cycles until the result is there, where the compiler waits for it by a scoreboard
};

struct Timing {
  // cycles
  std::int64_t taken_branch = 8;          // after a branch that is taken, beside its stall count
  std::int64_t memory_start = 4;          // until a load or store is at the processor's unit, if that is free
  std::int64_t operand_read = 12;         // until registers that an instruction reads may be written
  std::int64_t second_level = 265;        // until a line from the second-level cache is there
  std::int64_t second_level_line = 2;     // more for each further line
  std::int64_t fetch_next = 2;            // for the next line of instructions, if it is in the first-level cache
  std::int64_t fetch_jump = 22;           // for any other
  std::int64_t fetch_second_level = 120;  // for one that is in the second-level cache; half of it for the next line

  // sizes
  std::int64_t warps = 64, registers = 65536, most_blocks = 32;  // of a processor
  std::int64_t fast_memory = 256 << 10;                          // bytes of shared memory and first-level cache
  std::vector<std::int64_t> shared_sizes = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};  // KB that can be of blocks
  std::int64_t fetch_buffer = 24 << 10;        // bytes of instructions beside each scheduler
  std::int64_t instruction_cache = 128 << 10;  // bytes of instructions in the processor
  std::int64_t memory_queue = 8;               // loads and stores of a scheduler that wait for the processor's unit

  // the first-level cache: a quarter of a warp whose loads have 16 bytes takes as many cycles as the most words it
  // wants of one of 32 banks, and one for each so many lines
  std::int64_t banks = 32;
  std::int64_t lines_a_cycle = 4;

  // microseconds
  double launch = 1;  // from the end of a kernel to the start of the next one in a graph

  std::vector<Cost> costs;  // by name; the first is that of all others

  Timing();

  /// Replaces values by those of a JSON file: {"taken_branch": 8, ..., "instructions": {"FSEL": {"interval": 2,
  /// "latency": 12}}}. Throws std::runtime_error for a name that is not known.
  void read(const std::string& file);

  const Cost& cost_of(const Instruction& i) const;

 private:
  void take(nlohmann::json::object_t values);
};

}  // namespace isopatch::cycle_model
