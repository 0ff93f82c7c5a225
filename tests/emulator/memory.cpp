// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace isopatch::emulator {

namespace {

void require_alignment(std::uint64_t address, std::size_t size, const char* access, const char* space) {
  if ((address & (size - 1)) != 0) {  // sizes are powers of two
    throw DeviceFault(
        fmt::format("{} of {} bytes of {} memory at {:#x}, which is not aligned", access, size, space, address));
  }
}

void require_inside(std::uint64_t address, std::size_t size, std::size_t total, const char* access, const char* space) {
  require_alignment(address, size, access, space);
  if (address > total || size > total - address) {
    throw DeviceFault(
        fmt::format("{} of {} bytes at {} of {} memory, which has {}", access, size, address, space, total));
  }
}

[[noreturn]] void not_written(std::uint64_t address, const char* space) {
  throw DeviceFault(fmt::format("read of {} memory at {:#x} that was never written", space, address));
}

bool is_used(std::uint32_t used_bytes, std::size_t i) { return (used_bytes >> i & 1u) != 0; }

}  // namespace

void* GlobalMemory::allocate(std::size_t size) {
  Allocation a;
  a.bytes = std::make_unique<std::byte[]>(size + 256);
  const auto start = reinterpret_cast<std::uintptr_t>(a.bytes.get());
  a.base = (start + 255) / 256 * 256;
  a.size = size;
  a.written.resize(size);
  a.touched.reset(static_cast<Touched*>(std::calloc(size / kWord + 1, sizeof(Touched))));
  used_ += size;
  const std::uintptr_t base = a.base;
  allocations_.emplace(base, std::move(a));
  return reinterpret_cast<void*>(base);
}

bool GlobalMemory::free(void* at) {
  const auto found = allocations_.find(reinterpret_cast<std::uintptr_t>(at));
  if (found == allocations_.end()) return false;
  used_ -= found->second.size;
  last_ = nullptr;
  freed_bytes_ += found->second.size;
  found->second.written.clear();
  found->second.touched.reset();
  freed_.push_back(std::move(found->second));
  allocations_.erase(found);
  for (; freed_bytes_ > kMaxFreed; freed_.pop_front()) freed_bytes_ -= freed_.front().size;
  return true;
}

const GlobalMemory::Allocation* GlobalMemory::find(std::uintptr_t address, std::size_t size) const {
  if (last_ != nullptr && holds(*last_, address, size)) return last_;
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  const Allocation& before = std::prev(after)->second;
  if (!holds(before, address, size)) return nullptr;
  return last_ = &before;
}

bool GlobalMemory::written(const void* at, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  const Allocation* found = find(address, size);
  if (found == nullptr) return false;
  std::memset(allocations_.at(found->base).written.data() + (address - found->base), 1, size);
  return true;
}

GlobalMemory::Allocation& GlobalMemory::require(std::uint64_t address, std::size_t size, const char* access) {
  require_alignment(address, size, access, "global");
  const Allocation* found = find(address, size);
  if (found == nullptr) {
    throw DeviceFault(
        fmt::format("{} of {} bytes of global memory at {:#x}, which is in no allocation", access, size, address));
  }
  return const_cast<Allocation&>(*found);
}

std::byte* GlobalMemory::read(std::uint64_t address, std::size_t size, std::uint32_t used_bytes, LaneStamp by) {
  const Allocation& a = require(address, size, "read");
  for (std::size_t i = 0; i < size; ++i) {
    if (a.written[address - a.base + i] == 0 && is_used(used_bytes, i)) not_written(address + i, "global");
  }
  for (std::size_t i = 0; by.is_known() && i + kWord <= size; i += kWord) {
    if ((used_bytes >> i & 0xFu) == 0) continue;
    Touched& t = a.touched[(address - a.base + i) / kWord];
    if (t.writer.is_unordered(by)) {
      throw DeviceFault(
          fmt::format("race: lane {} reads global memory at {:#x}, which lane {} wrote with no barrier between",
                      by.lane(), address + i, t.writer.lane()));
    }
    t.reader = t.reader.is_unordered(by) ? by.and_others() : by;
  }
  return reinterpret_cast<std::byte*>(address);
}

std::byte* GlobalMemory::write(std::uint64_t address, std::size_t size, LaneStamp by) {
  Allocation& a = require(address, size, "write");
  for (std::size_t i = 0; by.is_known() && i + kWord <= size; i += kWord) {
    Touched& t = a.touched[(address - a.base + i) / kWord];
    if (t.writer.is_unordered(by)) {
      throw DeviceFault(fmt::format("race: lanes {} and {} write global memory at {:#x} with no barrier between",
                                    t.writer.lane(), by.lane(), address + i));
    }
    if (t.reader.is_unordered(by)) {
      throw DeviceFault(
          fmt::format("race: lane {} writes global memory at {:#x}, which another read with no barrier between",
                      by.lane(), address + i));
    }
    t.writer = by;
  }
  std::memset(a.written.data() + (address - a.base), 1, size);
  return reinterpret_cast<std::byte*>(address);
}

namespace {

constexpr std::uint32_t warp_of(std::uint32_t thread) { return thread / 32; }

/// No barrier is between what two threads, or the same one, do.
bool no_barrier_between(Toucher before, Toucher now) {
  return before.block_barriers == now.block_barriers &&
         (warp_of(before.thread) != warp_of(now.thread) || before.warp_barriers == now.warp_barriers);
}

/// Nothing orders what two different threads did, the second of them now.
bool unordered(Toucher before, Toucher now) { return before.thread != now.thread && no_barrier_between(before, now); }

}  // namespace

void SharedMemory::require(std::uint64_t address, std::size_t size, const char* access) const {
  require_inside(address, size, bytes_.size(), access, "shared");
}

std::byte* SharedMemory::read(std::uint64_t address, std::size_t size, Toucher by, std::uint32_t used_bytes) {
  require(address, size, "read");
  for (std::size_t i = 0; i < size; ++i) {
    if (!is_used(used_bytes, i)) continue;
    Touched& t = touched_[address + i];
    if (t.writer.thread == kNobody) not_written(address + i, "shared");
    if (unordered(t.writer, by)) {
      throw DeviceFault(
          fmt::format("race: thread {} reads shared memory at {}, which thread {} wrote with no barrier between",
                      by.thread, address + i, t.writer.thread));
    }
    if (t.reader.thread == kNobody || !no_barrier_between(t.reader, by)) {
      // readers of several warps are not ordered by a barrier of one
      if (t.readers != Readers::kSeveralWarps || t.reader.block_barriers != by.block_barriers) {
        t.readers = Readers::kOne;
      }
    } else if (warp_of(t.reader.thread) != warp_of(by.thread)) {
      t.readers = Readers::kSeveralWarps;
    } else if (t.reader.thread != by.thread && t.readers == Readers::kOne) {
      t.readers = Readers::kOneWarp;
    }
    t.reader = by;
  }
  return bytes_.data() + address;
}

std::byte* SharedMemory::write(std::uint64_t address, std::size_t size, Toucher by) {
  require(address, size, "write");
  for (std::size_t i = 0; i < size; ++i) {
    Touched& t = touched_[address + i];
    if (t.writer.thread != kNobody && unordered(t.writer, by)) {
      throw DeviceFault(fmt::format("race: threads {} and {} write shared memory at {} with no barrier between",
                                    t.writer.thread, by.thread, address + i));
    }
    const bool several_warps = t.readers == Readers::kSeveralWarps && t.reader.block_barriers == by.block_barriers;
    const bool one_warp = t.readers == Readers::kOneWarp && no_barrier_between(t.reader, by);
    if (t.reader.thread != kNobody && (several_warps || one_warp || unordered(t.reader, by))) {
      throw DeviceFault(
          fmt::format("race: thread {} writes shared memory at {}, which another read with no barrier between",
                      by.thread, address + i));
    }
    t.writer = by;
  }
  return bytes_.data() + address;
}

void LocalMemory::require(std::uint64_t address, std::size_t size, const char* access) const {
  require_inside(address, size, size_, access, "local");
}

void LocalMemory::read(std::uint64_t address, std::size_t size, std::uint32_t lanes, std::uint32_t used_bytes) const {
  require(address, size, "read");
  for (std::size_t i = 0; i < size; ++i) {
    if ((written_[address + i] & lanes) != lanes && is_used(used_bytes, i)) not_written(address + i, "local");
  }
}

void LocalMemory::write(std::uint64_t address, std::size_t size, std::uint32_t lanes) {
  require(address, size, "write");
  for (std::size_t i = 0; i < size; ++i) written_[address + i] |= lanes;
}

}  // namespace isopatch::emulator
