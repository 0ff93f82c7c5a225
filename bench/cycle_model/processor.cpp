// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/processor.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <memory>

#include "bench/cycle_model/cache.h"

namespace isopatch::cycle_model {

namespace {

using Cycle = std::int64_t;

constexpr std::size_t kSchedulers = 4;

constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

struct Resident;

struct Block {
  std::vector<std::byte> shared;
  std::vector<Resident*> warps;  // that have not ended
};

/// A warp, and when its next instruction can be issued.
struct Resident {
  Warp warp;
  Block* block;
  Cycle ready = 0;         // by the stall count of the last one
  Cycle fetched = 0;       // when it is there
  std::int64_t line = -1;  // of instructions, the current one
  std::array<Cycle, 8> scoreboards = {};
};

struct Scheduler {
  std::vector<std::unique_ptr<Resident>> warps;
  std::size_t last = 0;  // that issued
  std::array<Cycle, kUnits> free = {};
  std::deque<Cycle> queue;  // when its loads and stores go to the processor's unit
  Cache fetched;

  explicit Scheduler(const Timing& timing) : fetched(timing.fetch_buffer) {}
};

std::int64_t rounded_up(std::int64_t x, std::int64_t unit) { return (x + unit - 1) / unit * unit; }

/// Bytes of the first-level cache that shared memory leaves.
std::int64_t cache_bytes(const Timing& timing, std::int64_t shared) {
  std::int64_t most = 0;
  for (const std::int64_t kilobytes : timing.shared_sizes) {
    most = kilobytes << 10;
    if (most >= shared) break;
  }
  return timing.fast_memory - most;
}

/// How often the accesses of lanes [first, end) go through the banks: as often as one is wanted for different words.
std::int64_t bank_passes(const Timing& timing, const Effect& e, std::size_t first, std::size_t end) {
  std::vector<u64> words;
  for (std::size_t lane = first; lane < end; ++lane) {
    if ((e.lanes >> lane & 1u) == 0) continue;
    for (u32 k = 0; k < std::max(e.bytes, 4u); k += 4) words.push_back((e.addresses[lane] + k) / 4);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::vector<std::int64_t> of_bank(static_cast<std::size_t>(timing.banks));
  for (const u64 word : words) ++of_bank[word % of_bank.size()];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

/// The cache lines of lanes [first, end), each once.
std::vector<u64> lines_of(const Effect& e, std::size_t first, std::size_t end) {
  std::vector<u64> lines;
  for (std::size_t lane = first; lane < end; ++lane) {
    if (e.lanes >> lane & 1u) lines.push_back(e.addresses[lane] / Cache::kLine);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

class Processor {
 public:
  Processor(const Timing& timing, const Launch& launch)
      : timing_(timing),
        launch_(launch),
        most_blocks_(resident_blocks(timing, *launch.kernel, launch.block, launch.shared_bytes())),
        instructions_(timing.instruction_cache),
        data_(cache_bytes(timing, std::int64_t{most_blocks_} * launch.shared_bytes())) {
    for (std::size_t k = 0; k < kSchedulers; ++k) schedulers_.emplace_back(timing);
    for (const Instruction& i : launch.kernel->code) costs_.push_back(&timing.cost_of(i));
    sums_.executed.resize(costs_.size());
  }

  Sums run() {
    admit(0);
    Cycle now = 0;
    while (!blocks_.empty()) {
      Cycle soonest = kNever;
      for (Scheduler& s : schedulers_) soonest = std::min(soonest, advance(s, now));
      if (soonest == kNever && !blocks_.empty()) throw emulator::DeviceFault("all warps wait for each other");
      now = std::max(now + 1, soonest);
      sums_.cycles = static_cast<u64>(now);
    }
    return sums_;
  }

 private:
  /// Starts blocks where there is room.
  void admit(Cycle now) {
    while (next_block_ < launch_.grid && static_cast<int>(blocks_.size()) < most_blocks_) {
      auto block = std::make_unique<Block>();
      block->shared.resize(launch_.shared_bytes());
      for (u32 first = 0; first < launch_.block; first += kLanes) {
        Scheduler& s = schedulers_[first / kLanes % kSchedulers];
        s.warps.push_back(
            std::make_unique<Resident>(Resident{Warp(launch_, block->shared, next_block_, first), block.get()}));
        block->warps.push_back(s.warps.back().get());
        s.warps.back()->ready = now;
        fetch(s, *s.warps.back());
      }
      ++next_block_;
      blocks_.push_back(std::move(block));
    }
  }

  /// Issues an instruction if one can be, and says when the next one can be at the soonest.
  Cycle advance(Scheduler& s, Cycle now) {
    Cycle soonest = kNever;
    for (std::size_t k = 0; k < s.warps.size(); ++k) {  // the last one first
      const std::size_t at = (s.last + k) % s.warps.size();
      const Cycle when = issuable(s, *s.warps[at], now);
      if (when > now) {
        soonest = std::min(soonest, when);
        continue;
      }
      s.last = at;
      issue(s, *s.warps[at], now);
      if (s.warps[at]->warp.ended()) end(s, at, now);
      return now + 1;
    }
    return soonest;
  }

  Cycle issuable(Scheduler& s, const Resident& r, Cycle now) const {
    const Instruction& i = r.warp.next();
    Cycle at = std::max(r.ready, r.fetched);
    for (u32 waits = i.waits_for; waits != 0; waits &= waits - 1) {
      at = std::max(at, r.scoreboards[static_cast<std::size_t>(std::countr_zero(waits))]);
    }
    const Unit unit = cost(r.warp).unit;
    at = std::max(at, s.free[static_cast<std::size_t>(unit)]);
    if (unit == Unit::kMemory) {
      while (!s.queue.empty() && s.queue.front() <= now) s.queue.pop_front();
      const auto room = static_cast<std::size_t>(timing_.memory_queue);
      if (s.queue.size() >= room) at = std::max(at, s.queue[s.queue.size() - room]);
    }
    return at;
  }

  void issue(Scheduler& s, Resident& r, Cycle now) {
    const Instruction& i = r.warp.next();
    const Cost& cost = this->cost(r.warp);
    const auto at = static_cast<std::size_t>(r.warp.at());
    const Effect& e = r.warp.step();
    ++sums_.issued;
    sums_.lanes += static_cast<u64>(std::popcount(e.lanes));
    if (e.lanes != 0) sums_.executed[at] = true;

    r.ready = now + std::max(1, i.stall) + (e.jumped ? timing_.taken_branch : 0);
    s.free[static_cast<std::size_t>(cost.unit)] = now + cost.interval;
    Cycle result = now + cost.latency, read = now + timing_.operand_read;
    if (e.space != Space::kNone) {
      const Cycle start = std::max(now + timing_.memory_start, unit_free_);
      const std::int64_t passes = access(r.warp, e);
      unit_free_ = start + passes;
      s.queue.push_back(start);
      const Cycle later = start - (now + timing_.memory_start);
      const bool loads = i.sets_on_result != Instruction::kNoScoreboard;
      const Cycle latency =
          missed_ > 0 && loads ? timing_.second_level + timing_.second_level_line * (missed_ - 1) : cost.latency;
      result = now + later + latency + passes - 1;
      read += later;
    }
    Cycle& on_result = r.scoreboards[static_cast<std::size_t>(i.sets_on_result)];
    on_result = std::max(on_result, result);
    Cycle& on_read = r.scoreboards[static_cast<std::size_t>(i.sets_on_read)];
    on_read = std::max(on_read, read);
    if (!r.warp.ended()) fetch(s, r);
    if (e.waits_for_block) {
      r.ready = kNever;
      release(*r.block, now);
    }
  }

  /// How often an access goes through the load and store unit; and counts the lines that are not in the cache.
  std::int64_t access(const Warp& warp, const Effect& e) {
    missed_ = 0;
    if (e.lanes == 0) return 1;
    std::int64_t passes = 1;
    std::vector<u64> lines;
    if (e.space == Space::kShared) {
      passes = bank_passes(timing_, e, 0, kLanes);
    } else if (e.space == Space::kLocal) {  // a word of all lanes is a line
      passes = std::max<std::int64_t>(1, e.bytes / 4);
      const u64 first = e.addresses[static_cast<std::size_t>(std::countr_zero(e.lanes))] / 4;
      for (std::int64_t k = 0; k < passes; ++k) {
        lines.push_back(u64{1} << 60 | warp.number() << 24 | (first + static_cast<u64>(k)));
      }
    } else if (e.space == Space::kGlobal) {
      const std::size_t group = std::min<std::size_t>(kLanes, 4 * kLanes / e.bytes);
      passes = 0;
      for (std::size_t first = 0; first < kLanes; first += group) {
        if ((e.lanes >> first & (group == kLanes ? ~0u : (1u << group) - 1)) == 0) continue;
        const auto count = static_cast<std::int64_t>(lines_of(e, first, first + group).size());
        passes += std::max(bank_passes(timing_, e, first, first + group),
                           rounded_up(count, timing_.lines_a_cycle) / timing_.lines_a_cycle);
      }
      lines = lines_of(e, 0, kLanes);
    }
    for (const u64 line : lines) missed_ += data_.touch(line) ? 0 : 1;
    sums_.passes += static_cast<u64>(passes);
    sums_.lines += lines.size();
    sums_.missed_lines += static_cast<u64>(missed_);
    return passes;
  }

  /// Fetches the warp's next instruction.
  void fetch(Scheduler& s, Resident& r) {
    constexpr std::int64_t kInstruction = 16;  // bytes
    const std::int64_t line = r.warp.at() * kInstruction / Cache::kLine;
    if (line == r.line) return;
    const bool next = line == r.line + 1;
    r.line = line;
    r.fetched = 0;
    if (s.fetched.touch(static_cast<u64>(line))) {
      instructions_.touch(static_cast<u64>(line));
    } else if (instructions_.touch(static_cast<u64>(line))) {
      r.fetched = r.ready + (next ? timing_.fetch_next : timing_.fetch_jump);
    } else {
      r.fetched = r.ready + timing_.fetch_second_level / (next ? 2 : 1);
    }
  }

  /// Lets the warps of a block go on if all wait.
  static void release(Block& block, Cycle now) {
    for (const Resident* r : block.warps) {
      if (r->ready != kNever) return;
    }
    for (Resident* r : block.warps) r->ready = now + 1;
  }

  void end(Scheduler& s, std::size_t at, Cycle now) {
    Block* block = s.warps[at]->block;
    std::erase(block->warps, s.warps[at].get());
    s.warps.erase(s.warps.begin() + static_cast<std::ptrdiff_t>(at));
    s.last = 0;
    release(*block, now);
    if (!block->warps.empty()) return;
    std::erase_if(blocks_, [&](const auto& b) { return b.get() == block; });
    admit(now + 1);
  }

  const Cost& cost(const Warp& warp) const { return *costs_[static_cast<std::size_t>(warp.at())]; }

  const Timing& timing_;
  const Launch& launch_;
  int most_blocks_;
  Cache instructions_, data_;
  std::deque<Scheduler> schedulers_;
  std::vector<const Cost*> costs_;  // of each instruction
  std::vector<std::unique_ptr<Block>> blocks_;
  u32 next_block_ = 0;
  Cycle unit_free_ = 0;      // when the load and store unit takes the next access
  std::int64_t missed_ = 0;  // lines of the last access
  Sums sums_;
};

}  // namespace

int resident_blocks(const Timing& timing, const Kernel& kernel, u32 block, u32 shared_bytes) {
  const std::int64_t warps = block / kLanes;
  const std::int64_t registers_of_warp = rounded_up(std::int64_t{kernel.registers} * kLanes, 256);
  const std::int64_t warps_of_scheduler = timing.registers / static_cast<std::int64_t>(kSchedulers) / registers_of_warp;
  const std::int64_t shared = rounded_up(std::max(shared_bytes, 1u), 128);
  return static_cast<int>(
      std::min({warps_of_scheduler * static_cast<std::int64_t>(kSchedulers) / warps, timing.warps / warps,
                timing.most_blocks, (timing.shared_sizes.back() << 10) / shared}));
}

Sums run(const Timing& timing, const Launch& launch) { return Processor(timing, launch).run(); }

}  // namespace isopatch::cycle_model
