// SPDX-License-Identifier: Apache-2.0
#include "bench/cycle_model/processor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/cycle_model/cache.h"

namespace isopatch::cycle_model {

namespace {

constexpr std::size_t kSchedulers = Fetch::kSchedulers;

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
  std::size_t slot;        // of the processor
  Cycle ready = 0;         // by the stall count of the last one
  Cycle fetched = 0;       // when it is there
  std::int64_t line = -1;  // of instructions, the current one
  std::array<Cycle, 8> scoreboards = {};
};

struct Scheduler {
  std::vector<std::unique_ptr<Resident>> warps;
  std::size_t last = 0;  // that issued
  Cycle issued = -1;     // when
  Cycle reads = 0;       // until when the last one reads registers
  std::array<Cycle, kUnits> free = {};
  std::deque<Cycle> queue;  // when its loads and stores go to the processor's unit
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

/// The sectors of cache lines that lanes [first, end) access.
std::map<u64, u32> sectors_of(const Effect& e, std::size_t first, std::size_t end) {
  std::map<u64, u32> lines;
  for (std::size_t lane = first; lane < end; ++lane) {
    if ((e.lanes >> lane & 1u) == 0) continue;
    const u64 at = e.addresses[lane];
    lines[at / Cache::kLine] |= 1u << at % Cache::kLine / Cache::kSector;
  }
  return lines;
}

/// The same for the local memory of a warp: a word of all lanes is a line.
std::map<u64, u32> local_sectors(const Effect& e, u64 warp) {
  constexpr u64 kLocal = u64{1} << 60;  // no address of the host is as high
  constexpr int kWarpBits = 24, kLanesOfASector = Cache::kSector / 4;
  std::map<u64, u32> lines;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((e.lanes >> lane & 1u) == 0) continue;
    const u64 first = kLocal | warp << kWarpBits | static_cast<u32>(e.addresses[static_cast<std::size_t>(lane)]) / 4;
    for (u64 k = 0; k < std::max<u64>(1, e.bytes / 4); ++k) lines[first + k] |= 1u << lane / kLanesOfASector;
  }
  return lines;
}

/// The registers that arithmetic reads, each in its place; -1: none.
std::array<int, 3> registers_read(const Instruction& i, bool kept_only) {
  std::array<int, 3> read = {-1, -1, -1};
  std::size_t place = 0;
  const auto is_predicate = [](const Operand& o) {
    return o.bank == Bank::kPredicate || o.bank == Bank::kUniformPredicate;
  };
  for (std::size_t k = 0; k < i.operands.size() && place < read.size(); ++k) {
    const Operand& o = i.operands[k];
    if (is_predicate(o) || (k == 0 && o.bank == Bank::kRegister)) continue;
    if (o.bank == Bank::kRegister && o.index != Operand::kZeroRegister && (o.kept || !kept_only)) read[place] = o.index;
    ++place;
  }
  return read;
}

/// How many cycles longer an instruction reads its registers than one that wants at most one of each bank. A double has
/// its words in all banks.
Cycle bank_conflicts(const Timing& timing, const Instruction& i, const Instruction* before) {
  const Unit unit = timing.cost_of(i).unit;
  const bool is_double = unit == Unit::kDouble;
  if (!is_double && unit != Unit::kFloat && unit != Unit::kMultiply && unit != Unit::kAlu) return 0;
  const std::array<int, 3> read = registers_read(i, false);
  const std::array<int, 3> kept = before == nullptr ? std::array{-1, -1, -1} : registers_read(*before, true);
  std::vector<std::set<int>> of_bank(static_cast<std::size_t>(timing.register_banks));
  for (std::size_t k = 0; k < read.size(); ++k) {
    const std::size_t bank = is_double ? 0 : static_cast<std::size_t>(read[k]) % of_bank.size();
    if (read[k] >= 0 && read[k] != kept[k]) of_bank[bank].insert(read[k]);
  }
  Cycle most = 1;
  for (const std::set<int>& of : of_bank) most = std::max(most, static_cast<Cycle>(of.size()));
  return most - 1;
}

/// A grid as it was launched, and its blocks that have not begun.
struct Grid {
  const Timing& timing;
  const Launch& launch;
  int most_blocks;  // of a processor

  // of each instruction: its cost, the line of constants that it reads, -1 for none, and conflicts of its registers
  std::vector<const Cost*> costs;
  std::vector<std::int64_t> lines;
  std::vector<Cycle> conflicts;

  u32 next_block = 0;
  u64 first_line;  // of its code: no two kernels share lines
  Sums sums;

  Grid(const Timing& of, const Launch& launched)
      : timing(of),
        launch(launched),
        most_blocks(resident_blocks(of, *launched.kernel, launched.block, launched.shared_bytes())),
        first_line(std::hash<std::string>()(launched.kernel->name) << 23) {
    const Instruction* before = nullptr;
    for (const Instruction& i : launch.kernel->code) {
      conflicts.push_back(bank_conflicts(timing, i, before));
      before = &i;
      costs.push_back(&timing.cost_of(i));
      std::int64_t line = -1;
      for (const Operand& o : i.operands) {
        if (o.bank == Bank::kConstant && o.base < 0 && o.uniform < 0) line = o.offset / Cache::kLine;
      }
      lines.push_back(line);
    }
    sums.executed.resize(costs.size());
  }
};

class Processor {
 public:
  Processor(Grid& grid, MemorySystem& memory, int index)
      : grid_(grid),
        timing_(grid.timing),
        memory_(memory),
        index_(index),
        fetch_(grid.timing, memory.instructions(index), grid.first_line),
        data_(cache_bytes(grid.timing, std::int64_t{grid.most_blocks} * grid.launch.shared_bytes())),
        slot_taken_(static_cast<std::size_t>(grid.timing.warps)) {}

  std::size_t blocks() const { return blocks_.size(); }

  /// Starts the grid's next block.
  void start_block(Cycle now) {
    const Launch& launch = grid_.launch;
    auto block = std::make_unique<Block>();
    block->shared.resize(launch.shared_bytes());
    for (u32 first = 0; first < launch.block; first += kLanes) {
      const auto slot =
          static_cast<std::size_t>(std::find(slot_taken_.begin(), slot_taken_.end(), false) - slot_taken_.begin());
      slot_taken_[slot] = true;
      Scheduler& s = schedulers_[slot % kSchedulers];
      s.warps.push_back(std::make_unique<Resident>(
          Resident{Warp(launch, block->shared, grid_.next_block, first), block.get(), slot, now}));
      block->warps.push_back(s.warps.back().get());
      fetch(s, *s.warps.back());
    }
    ++grid_.next_block;
    blocks_.push_back(std::move(block));
    next_ = std::min(next_, now);
  }

  /// When any of its warps can go on at the soonest.
  Cycle next() const { return next_; }

  /// Issues what can be now. Returns whether a block ended.
  bool advance(Cycle now) {
    const std::size_t before = blocks_.size();
    Cycle soonest = kNever;
    for (Scheduler& s : schedulers_) soonest = std::min(soonest, advance(s, now));
    next_ = soonest == kNever ? kNever : std::max(now + 1, soonest);
    return blocks_.size() < before;
  }

 private:
  /// What a warp waits for, and until when.
  struct Waiting {
    Cycle until;
    Wait wait;
    void add(Cycle at, Wait of) {
      if (at > until) until = at, wait = of;
    }
  };

  /// Issues an instruction if one can be, and says when the next one can be at the soonest.
  Cycle advance(Scheduler& s, Cycle now) {
    if (now < s.reads) return s.reads;
    Cycle soonest = kNever;
    for (std::size_t k = 0; k < s.warps.size(); ++k) {  // the last one first, then the oldest
      const std::size_t at = k == 0 ? s.last : k - (k <= s.last ? 1 : 0);
      const Waiting waiting = waits(s, *s.warps[at], now);
      if (waiting.until > now) {
        soonest = std::min(soonest, waiting.until);
        continue;
      }
      s.last = at;
      const Cycle reads = std::max(s.reads, s.issued + 1);
      grid_.sums.waits[static_cast<std::size_t>(Wait::kRegisters)] += static_cast<u64>(reads - s.issued - 1);
      grid_.sums.waits[static_cast<std::size_t>(waiting.wait)] += static_cast<u64>(now - reads);
      s.issued = now;
      issue(s, *s.warps[at], now);
      if (s.warps[at]->warp.ended()) end(s, at, now);
      return s.reads;
    }
    return soonest;
  }

  Waiting waits(Scheduler& s, const Resident& r, Cycle now) const {
    const Instruction& i = r.warp.next();
    Waiting waiting = {r.ready, Wait::kStall};
    waiting.add(r.fetched, Wait::kFetch);
    for (u32 scoreboards = i.waits_for; scoreboards != 0; scoreboards &= scoreboards - 1) {
      waiting.add(r.scoreboards[static_cast<std::size_t>(std::countr_zero(scoreboards))], Wait::kResult);
    }
    const Unit unit = cost(r.warp).unit;
    waiting.add(s.free[static_cast<std::size_t>(unit)], Wait::kUnit);
    if (unit == Unit::kMemory) {
      while (!s.queue.empty() && s.queue.front() <= now) s.queue.pop_front();
      const auto room = static_cast<std::size_t>(timing_.memory_queue);
      if (s.queue.size() >= room) waiting.add(s.queue[s.queue.size() - room], Wait::kMemoryUnit);
    }
    return waiting;
  }

  void issue(Scheduler& s, Resident& r, Cycle now) {
    const Instruction& i = r.warp.next();
    const Cost& cost = this->cost(r.warp);
    const auto at = static_cast<std::size_t>(r.warp.at());
    const Effect& e = r.warp.step();
    Sums& sums = grid_.sums;
    ++sums.issued;
    sums.lanes += static_cast<u64>(std::popcount(e.lanes));
    if (e.lanes != 0) sums.executed[at] = true;

    r.ready = now + std::max(1, i.stall) + (e.jumped ? timing_.taken_branch : 0);
    // until its registers are read, a double holds up its unit, anything else the scheduler
    Cycle& reads = cost.unit == Unit::kDouble ? s.free[static_cast<std::size_t>(Unit::kDouble)] : s.reads;
    s.reads = now + 1;
    s.free[static_cast<std::size_t>(cost.unit)] = now + cost.interval;
    reads += grid_.conflicts[at];
    Cycle result = now + cost.latency, read = now + timing_.operand_read;
    if (e.space != Space::kNone) {
      const Cycle soonest = now + timing_.memory_start, start = std::max(soonest, unit_free_);
      s.queue.push_back(start);
      read += start - soonest;
      result = access(r, e, start, start - soonest + result);
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

  /// Sends an access through the load and store unit from `start` on. Returns when its result is there, which is
  /// `result` if the first-level cache has it at once.
  Cycle access(const Resident& r, const Effect& e, Cycle start, Cycle result) {
    std::int64_t passes = 1;
    std::map<u64, u32> lines;
    if (e.lanes == 0) {
      // nothing to do
    } else if (e.space == Space::kShared) {
      passes = bank_passes(timing_, e, 0, kLanes);
    } else if (e.space == Space::kLocal) {
      lines = local_sectors(e, static_cast<u64>(index_) * static_cast<u64>(timing_.warps) + r.slot);
      passes = static_cast<std::int64_t>(lines.size());
    } else if (e.space == Space::kGlobal) {
      passes = global_passes(e);
      lines = sectors_of(e, 0, kLanes);
    } else if (e.space == Space::kAtomic) {
      result = change(e, start, result);
    }
    result += passes - 1;
    unit_free_ = start + passes;
    for (const auto& [line, sectors] : lines) {
      if (e.writes) {
        forget(line, sectors);
        unit_free_ = std::max(unit_free_, memory_.write(index_, start, line, sectors) - timing_.store_queue);
      } else {
        result = std::max(result, load(line, sectors, start));
      }
    }
    grid_.sums.passes += static_cast<u64>(passes);
    grid_.sums.lines += lines.size();
    return result;
  }

  /// Atomic operations: of each word once, as lanes of a warp are joined.
  Cycle change(const Effect& e, Cycle start, Cycle result) {
    std::set<u64> words;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (e.lanes >> lane & 1u) words.insert(e.addresses[lane]);
    }
    Cycle last = result;
    for (const u64 word : words) last = std::max(last, memory_.change(start, word, result - start));
    return last;
  }

  std::int64_t global_passes(const Effect& e) const {
    const std::size_t group = std::min<std::size_t>(kLanes, 4 * kLanes / e.bytes);
    std::int64_t passes = 0;
    for (std::size_t first = 0; first < kLanes; first += group) {
      if ((e.lanes >> first & (group == kLanes ? ~0u : (1u << group) - 1)) == 0) continue;
      const auto count = static_cast<std::int64_t>(sectors_of(e, first, first + group).size());
      passes += std::max(bank_passes(timing_, e, first, first + group),
                         rounded_up(count, timing_.lines_a_cycle) / timing_.lines_a_cycle);
    }
    return passes;
  }

  /// Stores go through to the second-level cache, and leave nothing behind.
  void forget(u64 number, u32 sectors) {
    if (Cache::Line* const line = data_.find(number)) line->sectors &= ~sectors;
  }

  Cycle load(u64 number, u32 sectors, Cycle start) {
    Cache::Line& line = data_.touch(number);
    const u32 missing = sectors & ~line.sectors;
    if (missing == 0) return line.there;
    ++grid_.sums.missed_lines;
    line.sectors |= missing;
    line.there = memory_.read(index_, start, number, missing);
    const Cycle there = line.there;
    data_.drop();
    return there;
  }

  /// Fetches the warp's next instruction.
  void fetch(Scheduler& s, Resident& r) {
    constexpr std::int64_t kInstruction = 16;  // bytes
    const std::int64_t line = r.warp.at() * kInstruction / Cache::kLine;
    const auto scheduler = static_cast<std::size_t>(&s - schedulers_.data());
    if (line != r.line) r.fetched = fetch_.instructions(scheduler, r.ready, line);
    r.line = line;
    const std::int64_t constants = grid_.lines[static_cast<std::size_t>(r.warp.at())];
    if (constants >= 0) r.fetched = std::max(r.fetched, fetch_.constants(r.ready, constants));
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
    slot_taken_[s.warps[at]->slot] = false;
    s.warps.erase(s.warps.begin() + static_cast<std::ptrdiff_t>(at));
    s.last = 0;
    release(*block, now);
    if (block->warps.empty()) std::erase_if(blocks_, [&](const auto& b) { return b.get() == block; });
  }

  const Cost& cost(const Warp& warp) const { return *grid_.costs[static_cast<std::size_t>(warp.at())]; }

  Grid& grid_;
  const Timing& timing_;
  MemorySystem& memory_;
  int index_;
  Fetch fetch_;
  Cache data_;
  std::array<Scheduler, kSchedulers> schedulers_;
  std::vector<bool> slot_taken_;
  std::vector<std::unique_ptr<Block>> blocks_;
  Cycle unit_free_ = 0;  // when the load and store unit takes the next access
  Cycle next_ = kNever;
};

/// Starts blocks where there is most room.
void start_blocks(Grid& grid, std::deque<Processor>& processors, Cycle now) {
  while (grid.next_block < grid.launch.grid) {
    const auto most_room = std::min_element(processors.begin(), processors.end(),
                                            [](const auto& a, const auto& b) { return a.blocks() < b.blocks(); });
    if (static_cast<int>(most_room->blocks()) >= grid.most_blocks) return;
    most_room->start_block(now);
  }
}

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

Sums run(const Timing& timing, const Launch& launch, MemorySystem& memory) {
  Grid grid(timing, launch);
  memory.begin_launch();
  std::deque<Processor> processors;
  for (int k = 0; k < memory.processors(); ++k) processors.emplace_back(grid, memory, k);
  Cycle now = timing.begin_kernel;
  start_blocks(grid, processors, now);
  for (;;) {
    Cycle next = kNever;
    std::size_t blocks = 0;
    bool ended = false;
    memory.advance(now);
    for (Processor& p : processors) {
      if (p.next() <= now) ended = p.advance(now) || ended;
      blocks += p.blocks();
    }
    if (ended) start_blocks(grid, processors, now + 1);
    for (const Processor& p : processors) next = std::min(next, p.next());
    if (blocks == 0 && grid.next_block == launch.grid) break;
    if (next == kNever) throw emulator::DeviceFault("all warps wait for each other");
    now = next;
  }
  grid.sums.cycles = static_cast<u64>(now + 1);
  grid.sums.second_level_bytes = memory.second_level_bytes();
  grid.sums.memory_bytes = memory.memory_bytes();
  return grid.sums;
}

}  // namespace isopatch::cycle_model
