// SPDX-License-Identifier: Apache-2.0
//
// Kernels in PTX, the assembly language that nvcc makes of them, read into a form that Warp executes. (NVIDIA: Parallel
// Thread Execution ISA. Hardly more than what the kernels use is known: see lane_operations.h.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isopatch::emulator {

inline constexpr int kLanes = 32;

class Warp;
struct Instruction;
using Run = void (*)(Warp&, const Instruction&);

/// The index of a register or a constant of all lanes. Constants follow the registers.
using Slot = std::int32_t;

/// The state spaces of PTX. Generic addresses are global ones, and others in one of the windows below.
enum class Space : std::uint8_t { kGlobal, kShared, kLocal, kParameter };

/// Where generic addresses of each space begin; all below are global.
inline constexpr std::uint64_t kParameterWindow = std::uint64_t{1} << 60, kLocalWindow = std::uint64_t{1} << 61,
                               kSharedWindow = std::uint64_t{1} << 62;

enum class Flow : std::uint8_t { kNext, kBranch, kExit };

struct Instruction {
  Run run = nullptr;
  Flow flow = Flow::kNext;
  Slot guard = -1;  // only lanes where it is true, or with `unless` where it is not
  bool unless = false;
  std::array<Slot, 6> slots = {-1, -1, -1, -1, -1, -1};  // in the order of the text; of a vector, each element
  std::int64_t offset = 0;                               // of an address, beside its register, which is `base`
  Slot base = -1;
  std::uint8_t base_bytes = 8;
  Space space = Space::kGlobal;
  std::uint8_t elements = 1;        // of a vector
  bool in_double = false;           // arithmetic
  std::uint32_t used_bytes = ~0u;   // of a vector load, a bit each
  std::int32_t target = -1;         // of a branch
  std::int32_t reconvergence = -1;  // where its lanes meet again; -1 at the end
  std::int32_t line = 0;            // of the PTX
  std::int32_t location = -1;       // in Program::locations
};

/// A position in the source, and what it was inlined into.
struct Location {
  std::string file;
  int line = 0;
  std::string function;  // mangled; empty in the kernel itself
  std::int32_t caller = -1;
};

struct Constant {
  Slot slot;
  std::uint64_t bits;
  std::uint8_t bytes;  // of each lane's copy
};

/// Where a parameter lies among all of them.
struct Parameter {
  std::uint32_t offset, bytes;
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::vector<Constant> constants;
  std::int32_t num_slots = 0;
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0, shared_bytes = 0, local_bytes = 0;
  std::uint32_t call_bytes = 0;      // of local memory, for what calls pass
  bool has_generic_atomics = false;  // whose address may be of any kind of memory

  /// Where the shared memory begins whose size a launch says, behind the arrays that the kernel declares.
  std::uint32_t dynamic_begin() const { return (shared_bytes + 15) / 16 * 16; }

  /// Shared memory of a block, with so many bytes from the launch.
  std::uint32_t shared_with(std::uint32_t dynamic) const {
    return dynamic > 0 ? dynamic_begin() + dynamic : shared_bytes;
  }
};

struct Program {
  std::string name;  // of the source it was made of
  std::vector<Kernel> kernels;
  std::vector<Location> locations;
};

/// Throws std::runtime_error with name, line and instruction for anything unknown.
Program read_program(const std::string& name, const std::string& ptx);

/// The text of a program, of which single kernels can be read: most processes use a few of many.
class ProgramText {
 public:
  ProgramText(std::string name, std::string ptx);

  std::vector<std::string> kernels() const;
  bool has(const std::string& kernel) const { return kernels_.contains(kernel); }

  /// Reads a kernel alone. Calls that were inlined into it are known to its locations as far as it has them itself.
  /// Throws as read_program().
  Program read(const std::string& kernel) const;

  /// Reads the parameters of a kernel and nothing of what it does.
  Program read_parameters(const std::string& kernel) const;

  /// Reads all kernels.
  Program read() const { return read_program(name_, ptx_); }

 private:
  struct Range {
    std::size_t begin, end;
  };
  std::string name_, ptx_;
  std::map<std::string, Range> kernels_;
};

/// For each instruction that branches, the first one that all its ways lead through; -1 if there is none.
void find_reconvergence(std::vector<Instruction>& code);

}  // namespace isopatch::emulator
