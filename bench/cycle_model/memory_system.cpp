// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/memory_system.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace isopatch::cycle_model {

namespace {

std::int64_t bytes_of(u32 sectors) { return Cache::kSector * std::popcount(sectors); }

}  // namespace

MemorySystem::MemorySystem(const Timing& timing, int processors)
    : timing_(timing),
      share_(static_cast<double>(processors) / static_cast<double>(timing.processors)),
      reads_(static_cast<std::size_t>(processors)),
      writes_(static_cast<std::size_t>(processors)),
      lines_(static_cast<std::int64_t>(share_ * static_cast<double>(timing.second_level_size))) {
  for (int k = 0; k < processors; ++k) instructions_.emplace_back(timing.instruction_cache);
}

void MemorySystem::begin_launch() {
  reads_.assign(reads_.size(), {});
  writes_.assign(writes_.size(), {});
  second_level_ = memory_ = {};
  words_.clear();
  for (Cache& cache : instructions_) cache.begin();
  second_level_bytes_ = memory_bytes_ = 0;
  now_ = 0;
}

Cycle MemorySystem::read(int processor, Cycle at, u64 line, u32 sectors) {
  const std::int64_t bytes = bytes_of(sectors);
  const Cycle moved = std::max(second_level(at, bytes), reads_[static_cast<std::size_t>(processor)].serve(
                                                            at, static_cast<double>(bytes) / timing_.read_port));
  if (!bring(at, line, false).misses) return moved + timing_.second_level;
  return std::max(moved, memory(at, bytes)) + timing_.memory;
}

Cycle MemorySystem::write(int processor, Cycle at, u64 line, u32 sectors) {
  const std::int64_t bytes = bytes_of(sectors);
  const Cycle moved = std::max(second_level(at, bytes), writes_[static_cast<std::size_t>(processor)].serve(
                                                            at, static_cast<double>(bytes) / timing_.write_port));
  return std::max(moved, bring(at, line, true).written);
}

Cycle MemorySystem::change(Cycle at, u64 address, Cycle latency) {
  second_level_bytes_ += Cache::kSector;
  return std::max(at, words_[address].serve(now_, timing_.same_word / share_)) + latency;
}

MemorySystem::Memory MemorySystem::bring(Cycle at, u64 line, bool is_written) {
  Memory from;
  const bool was_dropped = dropped_.erase(line) > 0;
  from.misses = was_dropped && !is_written;
  if (lines_.find(line) == nullptr && !was_dropped && !is_written) return from;
  Cache::Line& found = lines_.touch(line);
  found.written = found.written || is_written;
  if (const auto dropped = lines_.drop()) {
    if (dropped->written) from.written = memory(at, Cache::kLine);
    dropped_.insert(dropped->number);
  }
  return from;
}

Cycle MemorySystem::second_level(Cycle at, std::int64_t bytes) {
  second_level_bytes_ += static_cast<u64>(bytes);
  return std::max(at, second_level_.serve(now_, static_cast<double>(bytes) / (share_ * timing_.second_level_rate)));
}

Cycle MemorySystem::memory(Cycle at, std::int64_t bytes) {
  memory_bytes_ += static_cast<u64>(bytes);
  return std::max(at, memory_.serve(now_, static_cast<double>(bytes) / (share_ * timing_.memory_rate)));
}

}  // namespace isopatch::cycle_model
