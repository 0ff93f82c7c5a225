// SPDX-License-Identifier: Apache-2.0
//
// Memory that knows what was allocated, what was written, and by whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace isopatch::emulator {

/// A fault of a kernel; the message says which kernel, where and by which lane.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Who touches global memory: a lane of a warp, of all that ever ran on the device, and how many barriers the warp has
/// passed. 0 is nobody who is known.
class LaneStamp {
 public:
  LaneStamp() = default;
  LaneStamp(std::uint32_t warp, std::uint32_t barriers, int lane)
      : bits_(std::uint64_t{warp} << 32 | (std::uint64_t{barriers} << 6 & 0xFFFFFFC0u) | static_cast<unsigned>(lane)) {}

  bool is_known() const { return bits_ != 0; }
  int lane() const { return static_cast<int>(bits_ & 63u); }
  /// Lanes of one warp with no barrier between, where they are not the same one.
  bool is_unordered(LaneStamp other) const { return bits_ >> 6 == other.bits_ >> 6 && bits_ != other.bits_; }
  LaneStamp and_others() const { return LaneStamp(bits_ | 63u); }

 private:
  explicit LaneStamp(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

/// Device memory. Addresses are the host's, so the runtime copies with memcpy. Two lanes of a warp, of which one
/// writes, may touch a word of four bytes only with a barrier between.
class GlobalMemory {
 public:
  void* allocate(std::size_t size);
  /// False where nothing was allocated at this address. New memory gets other addresses for a long time, so that a
  /// later access is noticed.
  bool free(void* at);
  bool holds(const void* at) const { return find(reinterpret_cast<std::uintptr_t>(at), 1) != nullptr; }
  std::size_t used() const { return used_; }

  /// Bytes that the host wrote. False where they are not all in one allocation.
  bool written(const void* at, std::size_t size);
  bool contains(const void* at, std::size_t size) const {
    return find(reinterpret_cast<std::uintptr_t>(at), size) != nullptr;
  }

  /// The number of a warp that begins, from 1.
  std::uint32_t count_warp() { return ++warps_; }

  /// A kernel's access; throws DeviceFault. Atomic operations, and accesses to less than a word, are by nobody.
  std::byte* read(std::uint64_t address, std::size_t size, std::uint32_t used_bytes = ~0u, LaneStamp by = {});
  std::byte* write(std::uint64_t address, std::size_t size, LaneStamp by = {});

 private:
  static constexpr std::size_t kWord = 4;
  struct Touched {
    LaneStamp writer, reader;  // the last ones
  };
  struct Allocation {
    std::unique_ptr<std::byte[]> bytes;
    std::vector<std::uint8_t> written;  // 1 for each byte that was
    std::unique_ptr<Touched[], void (*)(void*)> touched = {nullptr,
                                                           std::free};  // of each word; takes memory at its use
    std::uintptr_t base = 0;
    std::size_t size = 0;
  };
  static bool holds(const Allocation& a, std::uintptr_t address, std::size_t size) {
    return address >= a.base && address - a.base <= a.size && size <= a.size - (address - a.base);
  }
  const Allocation* find(std::uintptr_t address, std::size_t size) const;
  Allocation& require(std::uint64_t address, std::size_t size, const char* access);

  static constexpr std::size_t kMaxFreed = std::size_t(256) << 20;

  std::map<std::uintptr_t, Allocation> allocations_;  // by base
  std::deque<Allocation> freed_;
  std::size_t freed_bytes_ = 0;
  mutable const Allocation* last_ = nullptr;
  std::size_t used_ = 0;
  std::uint32_t warps_ = 0;
};

/// Who touches shared memory: a thread of the block, and how many barriers of its warp and of the block it has passed.
struct Toucher {
  std::uint32_t thread, warp_barriers, block_barriers;
};

/// Shared memory of a block. Two threads, of which one writes, may touch a byte only with a barrier between: of their
/// warp, or of the block.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t size) : bytes_(size), touched_(size) {}

  std::byte* read(std::uint64_t address, std::size_t size, Toucher by, std::uint32_t used_bytes = ~0u);
  std::byte* write(std::uint64_t address, std::size_t size, Toucher by);

 private:
  static constexpr std::uint32_t kNobody = ~0u;
  enum class Readers : std::uint8_t { kOne, kOneWarp, kSeveralWarps };
  struct Touched {
    Toucher writer = {kNobody, 0, 0};
    Toucher reader = {kNobody, 0, 0};  // the last of the readers
    Readers readers = Readers::kOne;   // since the last barrier that orders them before the reader
  };
  void require(std::uint64_t address, std::size_t size, const char* access) const;

  std::vector<std::byte> bytes_;
  std::vector<Touched> touched_;
};

/// The stack frames of a warp's lanes. `lanes` access the same address, each in its own frame.
class LocalMemory {
 public:
  LocalMemory(std::size_t size, int lanes)
      : size_(size), bytes_(size * static_cast<std::size_t>(lanes)), written_(size) {}

  void read(std::uint64_t address, std::size_t size, std::uint32_t lanes, std::uint32_t used_bytes = ~0u) const;
  void write(std::uint64_t address, std::size_t size, std::uint32_t lanes);
  std::byte* at(int lane, std::uint64_t address) {
    return bytes_.data() + static_cast<std::size_t>(lane) * size_ + address;
  }

 private:
  void require(std::uint64_t address, std::size_t size, const char* access) const;

  std::size_t size_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> written_;  // by which lanes, of each byte
};

}  // namespace isopatch::emulator
