// SPDX-License-Identifier: Apache-2.0
//
// Machine code of sm_90 as the disassembler prints it, read into a form that Warp executes. NVIDIA documents neither
// the instructions nor the bits that control their issue; what is known here is what the kernels use. An instruction
// that is not known ends the program when a warp reaches it, not before.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace isopatch::cycle_model {

class Warp;
struct Instruction;

/// What an instruction does to the registers of a warp and to memory.
using Operation = std::function<void(Warp&, const Instruction&)>;

/// Where an operand is.
enum class Bank : std::uint8_t {
  kNone,
  kRegister,  // R0 to R254, 255 is zero
  kUniform,   // UR0 to UR62, 63 is zero: one value for the warp
  kPredicate,
  kUniformPredicate,  // 7 of both is true
  kBarrier,           // where lanes that a branch parted meet again
  kImmediate,
  kConstant,  // c[0x0][...]: the grid and the kernel's parameters; c[0x2][...]: tables of jumps
  kAddress,
  kLabel,
  kSpecial,  // a special register, by its name
};

struct Operand {
  static constexpr int kZeroRegister = 255, kZeroUniform = 63, kTrue = 7;

  Bank bank = Bank::kNone;
  bool negative = false, absolute = false, inverted = false;  // -x, |x|, and ~x or !x
  bool wide = false;                                          // an address whose register has 64 bits
  bool kept = false;                                          // for the next instruction's operand in its place
  std::int32_t index = 0;                                     // of the register; of the instruction that a label names
  std::int32_t base = -1, uniform = -1;                       // registers of an address or of an offset; -1 for none
  std::int32_t scale = 1;                                     // of an address's register
  std::int64_t offset = 0;                                    // of an address, or in the constants
  std::uint64_t bits = 0;                                     // of an immediate; the upper half if it is a double
  std::string text;
};

struct Instruction {
  static constexpr int kNoScoreboard = 7;

  std::string name;                    // such as ISETP
  std::vector<std::string> modifiers;  // such as NE, AND, EX
  std::vector<Operand> operands;
  Operand guard;  // the predicate of the lanes that take part
  std::string text;
  Operation run;  // empty if it is not known

  // what the compiler decided about its issue
  std::int32_t stall = 1;  // cycles until the warp's next instruction may be issued
  std::int32_t sets_on_result = kNoScoreboard, sets_on_read = kNoScoreboard;  // scoreboards
  std::uint32_t waits_for = 0;                                                // scoreboards, a bit each

  bool has(const char* modifier) const;
  const Operand& operator[](std::size_t i) const { return operands.at(i); }
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::uint32_t registers = 0;     // of a thread
  std::uint32_t shared_bytes = 0;  // of a block, with the first kilobyte, which the system has
  std::uint32_t stack_bytes = 0;   // of a thread
  std::vector<std::uint32_t> jumps;

  /// The shared memory of a block with so many bytes from the launch.
  std::uint32_t shared_with(std::uint32_t dynamic) const { return (shared_bytes + 15) / 16 * 16 + dynamic; }
};

/// Kernels as text. They are read when they are asked for, since most are not.
class Listings {
 public:
  /// Adds the kernels of a file that predict.py wrote: for each kernel a line "kernel NAME REGISTERS SHARED STACK
  /// JUMPS", then its labels and instructions, each with the two words of its encoding. A kernel that is here already
  /// is replaced. Throws std::runtime_error.
  void add(const std::string& file);

  /// Throws std::runtime_error where there is no such kernel.
  const Kernel& kernel(const std::string& name);

  /// The kernel without its code.
  const Kernel& resources(const std::string& name) const;

 private:
  struct Listing {
    Kernel kernel;
    std::vector<std::string> lines;
  };
  std::map<std::string, Listing> listings_;
};

/// The operation of an instruction, whose name, modifiers and operands are read; empty if it is not known.
Operation find_operation(const Instruction& i);

}  // namespace isopatch::cycle_model
