// SPDX-License-Identifier: Apache-2.0
//
// All that the model takes for true of an H100 or H200, in one place. (m): measured, in
// bench/results/h200/ceilings.json. (p): published measurements of this generation. (f): fitted to other figures of
// that device; bench/results/CYCLE_MODEL.md says which. All others are guesses, from earlier generations. A file of
// values that were measured on a device replaces them.
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
  std::int64_t taken_branch = 8;               // after a branch that is taken, beside its stall count
  std::int64_t memory_start = 4;               // until a load or store is at the processor's unit, if that is free
  std::int64_t operand_read = 12;              // until registers that an instruction reads may be written
  std::int64_t second_level = 265;             // (p) until a sector from the second-level cache is there
  std::int64_t memory = 600;                   // (f) from the device's memory
  std::int64_t constants = 265;                // until a line of constants is there for the first time
  std::int64_t fetch_next = 19;                // (m) for the next line of instructions, from the processor's cache
  std::int64_t fetch_jump = 22;                // for any other
  std::int64_t fetch_second_level = 47;        // (m) for the next line, from the second-level cache
  std::int64_t fetch_second_level_jump = 120;  // for any other
  std::int64_t begin_kernel = 1000;            // (f) until the first instruction of a kernel
  std::int64_t store_queue = 256;              // of stores that wait until they leave the processor
  double same_word = 2;                        // (f) for each atomic operation of the device on one word

  // sizes
  std::int64_t processors = 132;                                 // of the device
  std::int64_t warps = 64, registers = 65536, most_blocks = 32;  // of a processor
  std::int64_t register_banks = 2;                               // (f) an instruction reads one of each in a cycle
  std::int64_t fast_memory = 256 << 10;                          // bytes of shared memory and first-level cache
  std::vector<std::int64_t> shared_sizes = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};  // KB that can be of blocks
  std::int64_t fetch_buffer = 40 << 10;        // (m) bytes of instructions beside each scheduler: 32 KB fit, 64 do not
  std::int64_t instruction_cache = 160 << 10;  // (f) of instructions in the processor: 128 KB fit, 256 do not (m)
  std::int64_t constant_cache = 2 << 10;       // (p) bytes
  std::int64_t second_level_size = 25 << 20;   // bytes: a half, as two copies of what is far away are kept
  std::int64_t memory_queue = 8;               // loads and stores of a scheduler that wait for the processor's unit

  // the first-level cache: a quarter of a warp whose loads have 16 bytes takes as many cycles as the most words it
  // wants of one of 32 banks, and one for each so many lines
  std::int64_t banks = 32;
  std::int64_t lines_a_cycle = 4;

  // bytes a cycle
  double read_port = 64;            // (p) from the second-level cache to a processor
  double write_port = 16;           // (f) the other way: a sector takes two cycles
  double second_level_rate = 3300;  // of the second-level cache: 6.5 TB/s
  double memory_rate = 2130;        // (m) of the device's memory, by a copy

  // microseconds
  double launch = .64;         // (m) of an empty kernel in a graph
  double first_launch = 2.62;  // (m) more for the first one

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
