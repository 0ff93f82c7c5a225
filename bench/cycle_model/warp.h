// SPDX-License-Identifier: Apache-2.0
//
// The registers of a warp, and how its lanes part and meet. Operations are written for all 32 lanes at once; what
// lanes that take no part compute is not stored.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/cycle_model/instruction.h"
#include "tests/emulator/memory.h"
#include "tests/emulator/program.h"

namespace isopatch::cycle_model {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline constexpr int kLanes = 32;

template <class T>
using Lanes = std::array<T, kLanes>;

/// A grid of a kernel and the memory it works on.
struct Launch {
  const Kernel* kernel;
  u32 grid, block;  // blocks, threads a block
  std::span<const std::byte> parameters;
  emulator::GlobalMemory* memory;
  u32 dynamic_shared = 0;  // bytes of shared memory beyond what the kernel declares

  u32 shared_bytes() const { return kernel->shared_with(dynamic_shared); }
};

/// Where an instruction goes through the load and store unit; kExchange: nowhere, for what lanes tell each other. A
/// generic address is a global or a shared one.
enum class Space : std::uint8_t { kNone, kGlobal, kAtomic, kShared, kLocal, kGeneric, kExchange };

/// The upper halves of generic addresses of shared memory, of local memory and of parameters.
inline constexpr u32 kSharedWindow = emulator::kSharedWindow >> 32;
inline constexpr u32 kLocalWindow = emulator::kLocalWindow >> 32;
inline constexpr u32 kParameterWindow = emulator::kParameterWindow >> 32;

/// What the last instruction of a warp did, as far as its time depends on it.
struct Effect {
  u32 lanes = 0;        // that took part
  bool jumped = false;  // the next instruction is not the following one
  bool waits_for_block = false;
  Space space = Space::kNone;
  u32 bytes = 0;  // that each lane read or wrote
  bool writes = false;
  Lanes<u64> addresses = {};
};

class Warp {
 public:
  Warp(const Launch& launch, std::vector<std::byte>& shared, u32 block, u32 first_thread);

  bool ended() const { return alive_ == 0; }
  std::int32_t at() const { return at_; }
  const Instruction& next() const { return launch_.kernel->code[static_cast<std::size_t>(at_)]; }

  /// Executes the next instruction. Throws emulator::DeviceFault where that is not possible.
  const Effect& step();

  // For operations: operands with their signs, as words, pairs of words, or numbers; and lanes as bits.
  Lanes<u32> raw(const Operand& o) const;
  Lanes<u32> words(const Operand& o) const;
  Lanes<u64> longs(const Operand& o) const;
  Lanes<float> floats(const Operand& o) const;
  Lanes<double> doubles(const Operand& o) const;
  u32 mask(const Operand& o) const;

  // The same as results, in the lanes that take part. A uniform register gets what the first of them has.
  void set(const Operand& to, const Lanes<u32>& value);
  void set(const Operand& to, const Lanes<u64>& value);
  void set(const Operand& to, const Lanes<float>& value);
  void set(const Operand& to, const Lanes<double>& value);
  void set_mask(const Operand& to, u32 value);

  u32 active() const { return effect_.lanes; }  // the lanes that take part
  u32 together() const { return together_; }    // the lanes that are at this instruction
  std::size_t first() const;                    // of them
  u32 special(const Operand& o, int lane) const;
  u32 constant(int bank, std::int64_t offset) const;
  const Launch& launch() const { return launch_; }
  std::vector<std::byte>& shared() { return shared_; }
  std::byte* local(int lane) { return local_.data() + static_cast<std::size_t>(lane) * launch_.kernel->stack_bytes; }
  u64 number() const { return u64{block_} * launch_.block + first_thread_; }  // no two warps have the same
  Effect& effect() { return effect_; }

  // For instructions that change where lanes go on.
  void jump(u32 taken, std::int32_t target);
  void expect(int barrier, u32 lanes);
  u32 expected(int barrier) const { return barriers_[static_cast<std::size_t>(barrier)].members[first()]; }
  void arrive(int barrier);
  void leave(int barrier, u32 lanes);
  void end_lanes();
  void meet(const Lanes<u32>& members);                       // that each lane names; those that come first wait
  void part(const Lanes<u32>& members);                       // the same, and go on without the others
  u32 living(u32 members) const { return members & alive_; }  // those that have not ended

 private:
  /// Two groups of lanes can use the same barrier in different places at once.
  struct Barrier {
    Lanes<u32> members = {};  // that each lane waits for
    u32 arrived = 0;
    Lanes<std::int32_t> at = {};  // where those that arrived go on
  };
  struct Path {
    std::int32_t at;
    u32 lanes;
  };

  bool misses_any(const Lanes<u32>& members) const;
  u32 complete(const Barrier& barrier) const;
  void release(Barrier& barrier);
  void take_path();

  const Launch& launch_;
  std::vector<std::byte>& shared_;
  u32 block_, first_thread_;
  std::unique_ptr<Lanes<u32>[]> registers_;
  std::array<u32, 64> uniform_ = {};
  std::array<u32, 8> predicates_ = {};
  std::array<bool, 8> uniform_predicates_ = {};
  std::vector<std::byte> local_;
  static constexpr int kUnnumbered = 16;  // the barrier of lanes that a mask names
  std::array<Barrier, kUnnumbered + 1> barriers_;
  std::vector<Path> paths_;  // lanes that were left behind at a branch; the last goes on first
  u32 alive_ = ~0u, together_ = ~0u;
  std::int32_t at_ = 0;
  Effect effect_;
};

}  // namespace isopatch::cycle_model
