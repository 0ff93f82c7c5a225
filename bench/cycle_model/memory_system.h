// SPDX-License-Identifier: Apache-2.0
//
// What lies behind the first-level caches of the processors: the second-level cache, the device's memory, and atomic
// operations; and how instructions come to the schedulers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/cycle_model/cache.h"
#include "bench/cycle_model/timing.h"
#include "bench/cycle_model/warp.h"

namespace isopatch::cycle_model {

/// Something that serves one after another.
class Queue {
 public:
  /// When what comes at a time, and takes so many cycles, has been served.
  Cycle serve(Cycle at, double cycles) {
    free_ = std::max(free_, static_cast<double>(at)) + cycles;
    return static_cast<Cycle>(free_);
  }

 private:
  double free_ = 0;
};

/// The processors that are executed have their share of what all of the device have. What the second-level cache and
/// the caches of instructions hold stays from launch to launch. What no kernel has written is the scene's: it is the
/// same for all processors, and always in the second-level cache. Anything else is there until more was written and
/// read since than the share holds.
class MemorySystem {
 public:
  MemorySystem(const Timing& timing, int processors);

  int processors() const { return static_cast<int>(reads_.size()); }

  /// Forgets when things happened.
  void begin_launch();

  /// What all processors share is served in the order of this time, when instructions are issued.
  void advance(Cycle now) { now_ = now; }

  Cache& instructions(int processor) { return instructions_[static_cast<std::size_t>(processor)]; }

  // Sectors of a line: when those that are read are at the processor, and when those that it writes have left it.
  Cycle read(int processor, Cycle at, u64 line, u32 sectors);
  Cycle write(int processor, Cycle at, u64 line, u32 sectors);

  /// When the result of an atomic operation on a word is at the processor.
  Cycle change(Cycle at, u64 address, Cycle latency);

  u64 second_level_bytes() const { return second_level_bytes_; }
  u64 memory_bytes() const { return memory_bytes_; }

 private:
  struct Memory {
    bool misses = false;  // the line has to come from it
    Cycle written = 0;    // when it took the line that made room
  };

  /// Brings the line into the second-level cache.
  Memory bring(Cycle at, u64 line, bool is_written);
  Cycle second_level(Cycle at, std::int64_t bytes);
  Cycle memory(Cycle at, std::int64_t bytes);

  const Timing& timing_;
  double share_;  // of the device
  Cycle now_ = 0;
  std::vector<Queue> reads_, writes_;
  Queue second_level_, memory_;
  Cache lines_;
  std::vector<Cache> instructions_;
  std::unordered_set<u64> dropped_;  // lines that were written, and are in the device's memory only
  std::unordered_map<u64, Queue> words_;
  u64 second_level_bytes_ = 0, memory_bytes_ = 0;
};

/// Instructions and constants on their way to the schedulers of a processor. Of what came for earlier launches, the
/// processor's cache of instructions still has the last.
class Fetch {
 public:
  static constexpr std::size_t kSchedulers = 4;

  /// `first` is the number of the kernel's first line of instructions.
  Fetch(const Timing& timing, Cache& instructions, std::uint64_t first)
      : timing_(timing),
        first_(first),
        buffers_{Cache(timing.fetch_buffer), Cache(timing.fetch_buffer), Cache(timing.fetch_buffer),
                 Cache(timing.fetch_buffer)},
        instructions_(instructions),
        constants_(timing.constant_cache) {}

  /// When a line of instructions is there for a warp that gets to it; the next line is fetched as well.
  Cycle instructions(std::size_t scheduler, Cycle at, std::int64_t line) {
    const Cycle there = bring(scheduler, at, line, timing_.fetch_jump, timing_.fetch_second_level_jump);
    bring(scheduler, std::max(at, there), line + 1, timing_.fetch_next, timing_.fetch_second_level);
    return there;
  }

  Cycle constants(Cycle at, std::int64_t line) {
    Cache::Line& found = constants_.touch(static_cast<std::uint64_t>(line));
    if (found.sectors == 0) found.there = at + timing_.constants;
    found.sectors = Cache::kWhole;
    constants_.drop();
    return found.there;
  }

 private:
  /// When a line is at the scheduler, which takes so many cycles from the processor's cache and from behind it.
  Cycle bring(std::size_t scheduler, Cycle at, std::int64_t line, Cycle near, Cycle far) {
    Cache::Line& buffered = buffers_[scheduler].touch(static_cast<std::uint64_t>(line));
    Cache::Line& cached = instructions_.touch(first_ + static_cast<std::uint64_t>(line));
    if (buffered.sectors == 0) {
      if (cached.sectors == 0) cached.there = at + far;
      buffered.there = cached.sectors == 0 ? cached.there : std::max(at + near, cached.there);
    }
    buffered.sectors = cached.sectors = Cache::kWhole;
    buffers_[scheduler].drop();
    instructions_.drop();
    return buffered.there;
  }

  const Timing& timing_;
  std::uint64_t first_;
  std::array<Cache, kSchedulers> buffers_;
  Cache& instructions_;
  Cache constants_;
};

}  // namespace isopatch::cycle_model
